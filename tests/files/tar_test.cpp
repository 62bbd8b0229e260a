#include "scdcf/files/tar.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/archive.h"
#include "support/expect_error.h"
#include "support/scratch_folder.h"

namespace scdcf::files {
namespace {

using testing::expect_error;
using testing::gzip;
using testing::tar_end;
using testing::tar_member;

class Tar : public testing::ScratchFolder {
 protected:
  void SetUp() override {
    ScratchFolder::SetUp();
    std::filesystem::create_directory(out_ = folder_ / "out");
  }
  void extract(const std::string& archive, const std::vector<ArchiveMember>& wanted, ExtractOptions options = {}) {
    write(folder_ / "a.tar.gz", archive);
    extract_tar_gz(folder_ / "a.tar.gz", out_, wanted, options);
  }
  bool nothing_was_extracted() const { return std::filesystem::is_empty(out_); }

  std::filesystem::path out_;
};

TEST_F(Tar, wanted_members_are_written_and_others_passed_over) {
  const std::string large(300000, 'x'), exact(1024, 'y');
  extract(gzip(tar_member("set/", "", '5') + tar_member("set/unwanted", "no") + tar_member("set/large.bin", large) +
               tar_member("set/exact.bin", exact) + tar_member("set/empty.txt", "") +
               tar_member("set/names.txt", "cat\n") + tar_end()),
          {{"large.bin", 300000}, {"exact.bin", 1024}, {"names.txt", 0, 100}, {"empty.txt", 0, 100}});
  EXPECT_EQ(read(out_ / "large.bin"), large);
  EXPECT_EQ(read(out_ / "exact.bin"), exact);
  EXPECT_EQ(read(out_ / "names.txt"), "cat\n");
  EXPECT_EQ(read(out_ / "empty.txt"), "");
  EXPECT_EQ(names_in(out_).size(), 4U);
}

TEST_F(Tar, a_member_that_would_leave_the_folder_is_refused) {
  for (const char* path : {"../wanted", "set/../../wanted", "/wanted", ".."}) {
    expect_error([&] { extract(gzip(tar_member(path, "x") + tar_end()), {{"wanted", 1}}); }, path, "outside");
    EXPECT_TRUE(nothing_was_extracted()) << path;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "wanted"));
}

TEST_F(Tar, a_link_is_not_taken_for_a_file) {
  expect_error(
      [&] {
        extract(gzip(tar_member("wanted", "", '2') + tar_end()), {{"wanted", 0, 10}});
      },
      "does not contain wanted");
  EXPECT_TRUE(nothing_was_extracted());
}

TEST_F(Tar, sizes_are_bounded) {
  const std::string archive = gzip(tar_member("a", "12345") + tar_end());
  expect_error([&] { extract(archive, {{"a", 4}}); }, "a has 5 bytes", "expected 4");
  expect_error([&] { extract(archive, {{"a", 0, 4}}); }, "a has 5 bytes", "at most 4");
  ExtractOptions small;
  small.most_content = 4096;
  expect_error(
      [&] {
        extract(gzip(tar_member("b", std::string(1 << 20, 'b')) + tar_end()), {{"a", 5}}, small);
      },
      "unpacks to more than 4096");
  ExtractOptions few;
  few.most_members = 2;
  expect_error([&] { extract(gzip(tar_member("1", "") + tar_member("2", "") + tar_member("3", "")), {}, few); },
               "more than 2 members");
  expect_error([&] { extract(gzip(tar_member("x/a", "12345") + tar_member("y/a", "12345")), {{"a", 5}}); }, "twice");
}

TEST_F(Tar, a_damaged_archive_leaves_no_half_written_file) {
  std::string content;
  for (int i = 0; i < 100000; ++i) content += static_cast<char>(i * 7919 >> 4);
  const std::string tar = tar_member("a", content) + tar_end(), whole = gzip(tar);
  const std::vector<ArchiveMember> wanted = {{"a", 100000}};
  expect_error([&] { extract(whole.substr(0, whole.size() / 2), wanted); }, "a.tar.gz", "too early");
  expect_error([&] { extract("", wanted); }, "a.tar.gz", "too early");
  expect_error([&] { extract(gzip(tar.substr(0, 2048)), wanted); }, "a.tar.gz", "too early");
  expect_error([&] { extract("plain text", wanted); }, "a.tar.gz", "not a gzip file");
  expect_error([&] { extract(gzip(std::string(512, 'q')), wanted); }, "not a tar archive");
  std::string flipped = whole;
  flipped[whole.size() / 2] ^= 0x10;
  expect_error([&] { extract(flipped, wanted); }, "a.tar.gz");
  EXPECT_TRUE(nothing_was_extracted());
}

TEST_F(Tar, sizes_that_are_no_numbers_are_refused) {
  std::string member = tar_member("a", "");
  member[124] = static_cast<char>(0x80);  // the mark of a binary size
  member[154] = '\0';
  unsigned sum = 0;
  for (std::size_t i = 0; i < 512; ++i) sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(member[i]);
  char checksum[8];
  std::snprintf(checksum, sizeof checksum, "%06o", sum);
  member.replace(148, 6, checksum, 6);
  expect_error([&] { extract(gzip(member), {}); }, "\"a\"", "size");
}

}  // namespace
}  // namespace scdcf::files
