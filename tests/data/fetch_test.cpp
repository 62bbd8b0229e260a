#include "scdcf/data/fetch.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "scdcf/core/sha256.h"
#include "scdcf/data/download.h"
#include "support/archive.h"
#include "support/expect_error.h"
#include "support/http_server.h"
#include "support/scratch_folder.h"
#include "support/small_disk.h"
#include "support/variable.h"

namespace scdcf::data {
namespace {

using testing::expect_error;
using testing::gzip;
using testing::HttpServer;
using testing::tar_end;
using testing::tar_member;
using testing::Variable;
using Strings = std::vector<std::string>;

std::string digest(const std::string& bytes) {
  Sha256 hash;
  hash.add(bytes.data(), bytes.size());
  return hash.hex();
}

/// Bytes that do not compress to nothing.
std::string noise(std::size_t size) {
  std::string bytes(size, '\0');
  std::uint32_t state = 1;
  for (auto& byte : bytes) byte = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

class FetchTest : public testing::ScratchFolder {
 protected:
  void SetUp() override {
    if (!can_download()) GTEST_SKIP() << "built without libcurl";
    ScratchFolder::SetUp();
  }

  std::filesystem::path get(const Source& source) {
    FetchOptions options;
    options.data_dir = folder_;
    options.mirror = mirror_;
    options.command = "fetch the set";
    options.note = [this](const std::string& line) { notes_ += line + "\n"; };
    options.progress = [this](const FetchProgress& progress) { progress_.push_back(progress); };
    return fetch(source, options);
  }
  bool noted(const std::string& text) const { return notes_.find(text) != std::string::npos; }
  std::filesystem::path place(const std::string& name) const { return folder_ / "set" / name; }

  HttpServer server_;
  std::string mirror_, notes_;
  std::vector<FetchProgress> progress_;
  std::string content_ = noise(200000), packed_ = gzip(content_);
  /// One gzip file, known by its content, as MNIST's are.
  Source source_{"set", {server_.url()}, {{"a.gz", 200000, digest(content_), SourceFile::Digest::content, {}}}};
};

TEST_F(FetchTest, puts_a_file_in_place_and_reports_its_bytes) {
  server_.put("a.gz", packed_);
  EXPECT_EQ(get(source_), folder_ / "set");
  EXPECT_EQ(read(place("a.gz")), packed_);
  EXPECT_EQ(names_in(folder_ / "set"), Strings{"a.gz"});
  EXPECT_TRUE(noted("checksum right"));
  const auto last = std::find_if(progress_.rbegin(), progress_.rend(),
                                 [](const auto& progress) { return progress.stage == FetchProgress::Stage::download; });
  ASSERT_NE(last, progress_.rend());
  EXPECT_EQ(last->done, static_cast<std::int64_t>(packed_.size()));
  EXPECT_EQ(last->total, static_cast<std::int64_t>(packed_.size()));
}

TEST_F(FetchTest, leaves_alone_what_is_there_and_right) {
  server_.put("a.gz", packed_);
  get(source_);
  get(source_);
  EXPECT_EQ(server_.requests(), Strings{"a.gz"});
  EXPECT_TRUE(noted("already there"));
}

TEST_F(FetchTest, replaces_a_file_whose_checksum_is_wrong) {
  std::filesystem::create_directory(folder_ / "set");
  write(place("a.gz"), gzip("something else"));
  server_.put("a.gz", packed_);
  get(source_);
  EXPECT_TRUE(noted("its checksum is wrong; fetching it again"));
  EXPECT_EQ(read(place("a.gz")), packed_);
}

TEST_F(FetchTest, a_copy_that_was_compressed_anew_is_right_too) {
  server_.put("a.gz", gzip(content_, 0));
  get(source_);
  EXPECT_EQ(read(place("a.gz")), gzip(content_, 0));
}

TEST_F(FetchTest, what_brought_nothing_leaves_no_folder) {
  source_.name = "new/folder/set";
  expect_error([&] { get(source_); }, "404");
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
  server_.put("a.gz", {packed_, true, true, 70000});
  expect_error([&] { get(source_); }, "a.gz.part");
  EXPECT_EQ(names_in(folder_ / source_.name), Strings{"a.gz.part"});
}

TEST_F(FetchTest, a_truncated_transfer_is_kept_and_continued) {
  for (const bool tells_length : {true, false}) {
    server_.put("a.gz", {packed_, true, tells_length, 70000});
    expect_error([&] { get(source_); }, server_.url() + "/a.gz", "a.gz.part", "70000 bytes",
                 "run `fetch the set` again");
    EXPECT_FALSE(std::filesystem::exists(place("a.gz")));
    EXPECT_EQ(read(place("a.gz.part")), packed_.substr(0, 70000));
    get(source_);
    EXPECT_EQ(read(place("a.gz")), packed_);
    EXPECT_FALSE(std::filesystem::exists(place("a.gz.part")));
    EXPECT_EQ(server_.requests().back(), "a.gz from 70000");
    files::remove_tree(folder_ / "set");
  }
}

TEST_F(FetchTest, a_server_that_ignores_ranges_sends_the_whole_file_again) {
  server_.put("a.gz", {packed_, false, true, 70000});
  expect_error([&] { get(source_); }, "70000 bytes");
  get(source_);
  EXPECT_EQ(server_.requests().back(), "a.gz from 70000");
  EXPECT_EQ(read(place("a.gz")), packed_);
}

TEST_F(FetchTest, a_wrong_checksum_deletes_what_came) {
  std::string corrupt = packed_;
  corrupt[corrupt.size() / 2] ^= 1;
  for (const auto& wrong : {corrupt, gzip("another file"), std::string("no gzip at all")}) {
    server_.put("a.gz", wrong);
    expect_error([&] { get(source_); }, "a.gz", "SHA-256", "wrong", "deleted");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "set"));
  }
}

TEST_F(FetchTest, a_part_of_another_file_is_dropped_and_the_whole_fetched) {
  std::filesystem::create_directory(folder_ / "set");
  write(place("a.gz.part"), std::string(5000, 'x'));
  server_.put("a.gz", packed_);
  get(source_);
  EXPECT_EQ(server_.requests(), (Strings{"a.gz from 5000", "a.gz"}));
  EXPECT_TRUE(noted("from the beginning"));
  EXPECT_EQ(read(place("a.gz")), packed_);
}

TEST_F(FetchTest, a_part_longer_than_the_file_is_dropped) {
  std::filesystem::create_directory(folder_ / "set");
  write(place("a.gz.part"), std::string(packed_.size() + 10, 'x'));
  server_.put("a.gz", packed_);
  get(source_);
  EXPECT_EQ(read(place("a.gz")), packed_);
}

TEST_F(FetchTest, a_part_that_is_whole_needs_no_server) {
  std::filesystem::create_directory(folder_ / "set");
  write(place("a.gz.part"), packed_);
  get(source_);
  EXPECT_TRUE(server_.requests().empty());
  EXPECT_EQ(read(place("a.gz")), packed_);
}

TEST_F(FetchTest, the_next_place_is_asked_when_one_lacks_the_file) {
  source_.bases = {server_.url() + "/missing/", server_.url() + "/good/"};
  server_.put("good/a.gz", packed_);
  get(source_);
  EXPECT_EQ(server_.requests(), (Strings{"missing/a.gz", "good/a.gz"}));
}

TEST_F(FetchTest, a_mirror_replaces_the_usual_places) {
  mirror_ = server_.url() + "/mirror/";
  server_.put("a.gz", packed_);
  expect_error([&] { get(source_); }, "/mirror/a.gz", "404");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "set"));
  EXPECT_EQ(server_.requests(), Strings{"mirror/a.gz"});
}

TEST_F(FetchTest, redirections_are_followed_but_only_over_http) {
  server_.put("a.gz", {"", true, true, ~0UL, server_.url() + "/elsewhere.gz"});
  server_.put("elsewhere.gz", packed_);
  get(source_);
  EXPECT_EQ(read(place("a.gz")), packed_);
  files::remove_tree(folder_ / "set");
  write(folder_ / "local.gz", packed_);
  server_.put("a.gz", {"", true, true, ~0UL, "file://" + (folder_ / "local.gz").string()});
  expect_error([&] { get(source_); }, "a.gz");
  mirror_ = "file://" + folder_.string();
  expect_error([&] { get(source_); }, "file://");
}

TEST_F(FetchTest, a_server_that_never_stops_is_cut_off) {
  server_.put("a.gz", noise(300000));
  expect_error([&] { get(source_); }, "more than", "expected at most");
}

TEST_F(FetchTest, nobody_answering_is_one_clear_line) {
  mirror_ = "http://127.0.0.1:1";
  expect_error([&] { get(source_); }, "127.0.0.1", "onnect");
  mirror_ = "nonsense";
  expect_error([&] { get(source_); }, "nonsense/a.gz");
}

TEST_F(FetchTest, two_at_once_do_not_write_one_file) {
  std::filesystem::create_directory(folder_ / "set");
  const int other = open(place("a.gz.part").c_str(), O_CREAT | O_RDWR, 0600);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  server_.put("a.gz", packed_);
  expect_error([&] { get(source_); }, "a.gz.part", "another process");
  close(other);
}

TEST_F(FetchTest, a_folder_that_cannot_be_made_is_named) {
  write(folder_ / "set", "a file in its place");
  expect_error([&] { get(source_); }, (folder_ / "set").string(), "cannot be made");
}

TEST_F(FetchTest, a_full_disk_is_named_and_what_fits_is_continued_later) {
  server_.put("a.gz", packed_);
  {
    const testing::SmallDisk disk(50000);
    expect_error([&] { get(source_); }, "a.gz.part", "cannot be written", "File too large");
  }
  EXPECT_FALSE(std::filesystem::exists(place("a.gz")));
  get(source_);
  EXPECT_EQ(server_.requests().back(), "a.gz from 50000");
  EXPECT_EQ(read(place("a.gz")), packed_);
}

TEST_F(FetchTest, an_archive_is_unpacked_and_not_kept) {
  const std::string pictures = noise(30000);
  const std::string archive =
      gzip(tar_member("b/train_X.bin", pictures) + tar_member("b/unlabeled_X.bin", noise(5000)) +
           tar_member("b/class_names.txt", "cat\ndog\n") + tar_end());
  Source source{"set", {server_.url()}, {}};
  source.files = {{"b.tar.gz",
                   static_cast<std::int64_t>(archive.size()),
                   digest(archive),
                   SourceFile::Digest::file,
                   {{"train_X.bin", 30000, 0}, {"class_names.txt", 0, 1000}}}};
  server_.put("b.tar.gz", {archive, true, false, 9000});
  expect_error([&] { get(source); }, "ended too early", "9000 bytes");
  get(source);
  EXPECT_EQ(read(place("train_X.bin")), pictures);
  EXPECT_EQ(read(place("class_names.txt")), "cat\ndog\n");
  EXPECT_EQ(names_in(folder_ / "set").size(), 2U);
  const auto asked = server_.requests().size();
  get(source);
  EXPECT_EQ(server_.requests().size(), asked) << "its members are there";
}

TEST(Sources, every_file_has_a_digest_and_a_size) {
  for (const auto& source : known_sources())
    for (const auto& file : source.files) {
      EXPECT_EQ(file.sha256.size(), 64U) << file.name;
      EXPECT_GT(file.bytes, 0) << file.name;
    }
  expect_error([] { known_source("cifar"); }, "cifar", "mnist, fashion, stl10");
}

TEST(UserDataDir, follows_the_cache_folder) {
  const Variable cache("XDG_CACHE_HOME", "/somewhere");
  EXPECT_EQ(user_data_dir(), "/somewhere/scdcf");
}

TEST(UserDataDir, that_there_is_none_names_the_option_that_gives_one) {
  const Variable cache("XDG_CACHE_HOME", nullptr), home("HOME", nullptr);
  expect_error([] { user_data_dir(); }, "data_dir: got none", "HOME");
}

}  // namespace
}  // namespace scdcf::data
