// `scdcf completion bash`, tried in a real bash.
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>
#include <string>
#include <vector>

#include "support/program_test.h"

namespace {

using Words = std::vector<std::string>;

class Completion : public scdcf::testing::ProgramTest {
 protected:
  void SetUp() override {
    if (std::system("command -v bash >/dev/null 2>&1") != 0) GTEST_SKIP() << "no bash";
    ProgramTest::SetUp();
    static const Result result = run({"completion", "bash"});  // the same for every test
    ASSERT_EQ(result.code, 0) << result.err;
    write(folder_ / "completion.bash", result.out);
    write(folder_ / "file name.png", "");
    std::filesystem::create_directory(folder_ / "folder");
  }

  /// What the shell offers behind these words, the last of which is being typed; one per line.
  std::string offered(const Words& words) const {
    std::string script = "set -u; source completion.bash; COMP_WORDS=(scdcf";
    for (const auto& word : words) script += " '" + word + "'";
    script += "); COMP_CWORD=" + std::to_string(words.size()) + "; _scdcf; printf '%s\\n' \"${COMPREPLY[@]}\"";
    write(folder_ / "try.bash", script);
    const std::string command = "cd '" + folder_.string() + "' && bash try.bash > offered.txt 2> errors.txt";
    EXPECT_EQ(std::system(command.c_str()), 0) << read(folder_ / "errors.txt");
    EXPECT_EQ(read(folder_ / "errors.txt"), "");
    return read(folder_ / "offered.txt");
  }
};

TEST_F(Completion, offers_every_command_of_the_help) {
  const auto help = run({"--help"}).out;
  const auto commands = offered({""});
  int found = 0;
  const std::regex line("\n  ([a-z]+)  ");
  for (std::sregex_iterator match(help.begin() + static_cast<long>(help.find("Subcommands:")), help.end(), line), end;
       match != end; ++match, ++found)
    EXPECT_NE(("\n" + commands).find("\n" + (*match)[1].str() + "\n"), std::string::npos) << (*match)[1];
  EXPECT_GE(found, 5);
}

TEST_F(Completion, offers_every_option_of_a_commands_help) {
  const auto help = run({"data", "show", "--help"}).out;
  const auto options = offered({"data", "show", "--"});
  int found = 0;
  const std::regex line("\n  (?:-.,)?(--[a-z-]+)");
  for (std::sregex_iterator match(help.begin(), help.end(), line), end; match != end; ++match, ++found)
    EXPECT_NE(("\n" + options).find("\n" + (*match)[1].str() + "\n"), std::string::npos) << (*match)[1];
  EXPECT_GE(found, 8);
  EXPECT_NE(options.find("--threads\n"), std::string::npos) << "the program's own option works behind a command too";
}

TEST_F(Completion, offers_choices_where_they_are_fixed) {
  EXPECT_EQ(offered({"data", "fetch", ""}), "mnist\nfashion\nstl10\n");
  EXPECT_EQ(offered({"data", "fetch", "m"}), "mnist\n");
  EXPECT_EQ(offered({"data", "show", "--split", "t"}), "train\ntest\n");
  EXPECT_EQ(offered({"data", "show", "--split", "=", "v"}), "validation\n");
  EXPECT_EQ(offered({"data", "show", "--split", "="}), "train\nvalidation\ntest\n");
  EXPECT_EQ(offered({"completion", ""}), "bash\n");
}

TEST_F(Completion, offers_files_folders_or_nothing) {
  EXPECT_EQ(offered({"data", "show", "mnist", "--out", "fi"}), "file name.png\n");
  EXPECT_EQ(offered({"data", "show", "--data-dir", "f"}), "folder\n");
  EXPECT_EQ(offered({"--threads", ""}), "\n");
  EXPECT_EQ(offered({"data", "fetch", "--mirror", "f"}), "\n");
}

TEST_F(Completion, a_value_is_not_mistaken_for_a_command) {
  EXPECT_EQ(offered({"--threads", "2", "data", "sh"}), "show\n");
  EXPECT_EQ(offered({"verify", "--out", "data", "--js"}), "--json\n");
  EXPECT_EQ(offered({"verify", "--out", "=", "data", "--js"}), "--json\n");
}

TEST_F(Completion, other_shells_are_refused) { expect_bad_input({"completion", "tcsh"}, {"tcsh", "bash"}); }

}  // namespace
