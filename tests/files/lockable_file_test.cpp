// Who holds the lock keeps the others away, and no longer than the file is open.
#include "scdcf/files/lockable_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/scratch_folder.h"

namespace {

using scdcf::files::LockableFile;
using scdcf::testing::expect_error;
using Lock = LockableFile::Lock;
using LockableFileTest = scdcf::testing::ScratchFolder;

TEST_F(LockableFileTest, many_read_or_one_writes) {
  const LockableFile other(folder_ / "file", O_RDWR | O_CREAT);
  {
    const LockableFile one(folder_ / "file", O_RDONLY);
    one.lock(Lock::shared);
    EXPECT_TRUE(other.try_lock(Lock::shared));
    EXPECT_FALSE(other.try_lock(Lock::exclusive));
  }
  EXPECT_TRUE(other.try_lock(Lock::exclusive)) << "closed, and given up with that";
}

TEST_F(LockableFileTest, the_lock_moves_with_the_file) {
  LockableFile from(folder_ / "file", O_RDWR | O_CREAT);
  from.lock(Lock::exclusive);
  const LockableFile other(folder_ / "file", O_RDONLY);
  {
    const LockableFile to = std::move(from);
    EXPECT_FALSE(other.try_lock(Lock::shared));
  }
  EXPECT_TRUE(other.try_lock(Lock::shared));
}

TEST_F(LockableFileTest, is_read_from_anywhere_and_replaced_whole) {
  const LockableFile file(folder_ / "file", O_RDWR | O_CREAT);
  EXPECT_TRUE(file.replace_content("longer than the next"));
  EXPECT_TRUE(file.replace_content("one two"));
  EXPECT_EQ(file.size(), 7U);
  EXPECT_EQ(file.read_from(4), "two");
  EXPECT_EQ(file.read_from(9), "") << "behind the end is nothing";
}

TEST_F(LockableFileTest, one_that_is_missing_is_named_or_told_of) {
  expect_error([&] { const LockableFile file(folder_ / "none", O_RDONLY); }, (folder_ / "none").string(), "opened");
  EXPECT_FALSE(LockableFile::if_there(folder_ / "none").has_value());
}

}  // namespace
