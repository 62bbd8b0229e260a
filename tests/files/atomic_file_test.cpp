#include "scdcf/files/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "support/expect_error.h"
#include "support/scratch_folder.h"
#include "support/small_disk.h"

namespace scdcf::files {
namespace {

using testing::expect_error;
using AtomicFileTest = testing::ScratchFolder;
using Names = std::vector<std::string>;

TEST_F(AtomicFileTest, holds_what_was_written_and_leaves_nothing_else) {
  const auto file = folder_ / "result.json";
  write_file_atomically(file, std::string("a\0b", 3));
  EXPECT_EQ(read(file), std::string("a\0b", 3));
  AtomicFile longer(file);
  longer.write("first, ");
  longer.write("second");
  longer.commit();
  EXPECT_EQ(read(file), "first, second");
  EXPECT_EQ(names_in(folder_), Names{"result.json"});
}

TEST_F(AtomicFileTest, may_be_read_by_whom_the_umask_allows) {
  const mode_t before = umask(022);
  write_file_atomically(folder_ / "file", "x");
  umask(before);
  struct stat status {};
  ASSERT_EQ(stat((folder_ / "file").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644U);
}

TEST_F(AtomicFileTest, until_the_commit_the_old_file_stays) {
  const auto file = folder_ / "file";
  write(file, "old");
  {
    AtomicFile next(file);
    next.write("new");
    EXPECT_EQ(read(file), "old");
  }
  EXPECT_EQ(read(file), "old");
  EXPECT_EQ(names_in(folder_), Names{"file"});
}

TEST_F(AtomicFileTest, a_full_disk_leaves_the_old_file_and_no_part_of_the_new) {
  const auto file = folder_ / "file";
  write(file, "old");
  const testing::SmallDisk disk(4096);
  expect_error([&] { write_file_atomically(file, std::string(10000, 'x')); }, file.string(), "cannot be written",
               "File too large");
  EXPECT_EQ(read(file), "old");
  EXPECT_EQ(names_in(folder_), Names{"file"});
}

TEST_F(AtomicFileTest, a_folder_that_is_missing_or_closed_is_named) {
  expect_error([&] { write_file_atomically(folder_ / "missing" / "file", "x"); }, "missing/file", "No such file");
  write(folder_ / "plain", "x");
  expect_error([&] { write_file_atomically(folder_ / "plain" / "file", "x"); }, "plain/file", "Not a directory");
  expect_error([&] { write_file_atomically(folder_, "x"); }, folder_.string(), "it is a folder");
  const bool root = geteuid() == 0;  // who may write everywhere, so someone else has to try
  ASSERT_EQ(chmod(folder_.c_str(), 0555), 0);
  ASSERT_EQ(root ? seteuid(65534) : 0, 0);
  expect_error([&] { write_file_atomically(folder_ / "file", "x"); }, "file", "Permission denied");
  ASSERT_EQ(root ? seteuid(0) : 0, 0);
  ASSERT_EQ(chmod(folder_.c_str(), 0755), 0);
  EXPECT_EQ(names_in(folder_), Names{"plain"});
}

TEST_F(AtomicFileTest, a_name_that_cannot_be_replaced_leaves_no_temporary_file) {
  AtomicFile next(folder_ / "file");
  next.write("x");
  std::filesystem::create_directories(folder_ / "file" / "below");
  expect_error([&] { next.commit(); }, "file", "cannot be written");
  EXPECT_EQ(names_in(folder_), Names{"file"});
  expect_error([&] { next.write("more"); }, "finished already");
}

}  // namespace
}  // namespace scdcf::files
