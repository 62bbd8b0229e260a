#include "scdcf/terminal/shell_word.h"

#include <gtest/gtest.h>

namespace {

using scdcf::terminal::shell_word;

TEST(ShellWord, plain_words_stay_and_others_are_quoted) {
  EXPECT_EQ(shell_word("runs/a-1_b.pt"), "runs/a-1_b.pt");
  EXPECT_EQ(shell_word("my runs/a"), "'my runs/a'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("$HOME"), "'$HOME'");
  EXPECT_EQ(shell_word("~/a"), "'~/a'") << "a folder of that name: the shell has had its turn";
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
