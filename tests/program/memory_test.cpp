// What the program says before training about the memory that it takes, held against what it took.
#include <sys/resource.h>
#include <sys/wait.h>

#include <cmath>
#include <cstdlib>
#include <sstream>

#include "support/program_test.h"

namespace {

class Memory : public scdcf::testing::ProgramTest {
 protected:
  struct Measured {
    int code;
    double peak;       // in bytes
    double estimated;  // 0 where nothing was said
    std::string out, err;
  };

  Measured train(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"--threads", "1", "train", "--data", "sglyphs", "--epochs", "1"});
    const pid_t child = start(arguments);
    constexpr rlimit kMost{rlim_t{8} << 30, rlim_t{8} << 30};  // what should have been refused harms nobody else
    prlimit(child, RLIMIT_AS, &kMost, nullptr);
    int status = 0;
    rusage used{};
    wait4(child, &status, 0, &used);
    Measured result{WIFEXITED(status) ? WEXITSTATUS(status) : -1, 1024.0 * static_cast<double>(used.ru_maxrss), 0,
                    read(folder_ / "stdout.txt"), read(folder_ / "stderr.txt")};
    const std::string mark = "memory: ";
    if (const auto at = result.out.find(mark); at != std::string::npos) {
      std::string unit;
      std::istringstream(result.out.substr(at + mark.size())) >> result.estimated >> unit;
      result.estimated *= unit == "GB" ? 1e9 : 1e6;
    }
    return result;
  }

  void expect_estimate(const std::vector<std::string>& arguments) const {
    const auto run = train(arguments);
    EXPECT_EQ(run.code, 0) << run.err;
    const double ratio = run.estimated / run.peak;
    std::ostringstream text;
    for (const auto& argument : arguments) text << argument << ' ';
    printf("%s: estimated %.0f MB, measured %.0f MB, ratio %.2f\n", text.str().c_str(), run.estimated / 1e6,
           run.peak / 1e6, ratio);
    EXPECT_GT(ratio, 0.7) << text.str() << run.out;
    EXPECT_LT(ratio, 1.3) << text.str() << run.out;
  }

  void expect_refused(const std::vector<std::string>& arguments, const std::vector<std::string>& words) const {
    const auto run = train(arguments);
    EXPECT_EQ(run.code, 2) << run.out;
    EXPECT_LT(run.peak, 1e9) << "something big was allocated before";
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    for (const auto& word : words) EXPECT_NE(run.err.find(word), std::string::npos) << word << " in: " << run.err;
  }
};

TEST_F(Memory, what_does_not_fit_is_refused_at_once_and_the_option_named) {
  expect_refused({"--memory", "16G", "--train-size", "64", "--model", "scdcfnet", "--channels", "1000,20000,4"},
                 {"scdcf: --channels: with 1000,20000,4", "16.0 GB available", "with the default it needs about"});
  expect_refused(
      {"--memory", "16G", "--train-size", "64", "--model", "scdcfnet-full", "--channels", "4,4,4", "--frame", "1000"},
      {"scdcf: --frame: with 1000", "GB available"});
  expect_refused({"--memory", "16G", "--train-size", "64", "--model", "scdcfnet", "--channels", "4,4,4", "--modes",
                  "1000", "--finest-width", "1000"},
                 {"scdcf: --modes: got 1000", "finest_width", "GB available"});
}

TEST_F(Memory, a_smaller_batch_is_named_where_it_helps_most) {
  expect_refused({"--memory", "1200M", "--train-size", "10000", "--batch", "8192", "--model", "scdcfnet"},
                 {"scdcf: --batch: with 8192", "1.2 GB available; with 512 it needs about"});
}

TEST_F(Memory, a_limit_that_is_no_size_is_bad_input) {
  for (const auto* size : {"8X", "G", "0", "8GiB", "nan", "1e300"})
    expect_bad_input({"train", "--memory", size}, {"--memory", size});
}

TEST_F(Memory, the_estimate_is_close_to_what_training_takes) {
  for (const auto* model : {"scdcfnet", "cnn", "scdcfnet-full", "resnet16"})
    expect_estimate(
        {"--train-size", "64", "--validation-size", "64", "--test-size", "64", "--model", model, "--batch", "32"});
}

/// With SCDCF_LONG_TESTS: every network, two sizes of the images and of the batch.
TEST_F(Memory, the_estimate_is_close_for_every_network) {
  if (std::getenv("SCDCF_LONG_TESTS") == nullptr) GTEST_SKIP() << "takes minutes: make long-test";
  for (const auto* model : {"scdcfnet", "cnn", "lsi-cnn", "si-cnn", "ss-cnn", "sevf", "dss", "sesn", "scdcfnet-full",
                            "pyramid-cnn", "resnet16", "resnet16-lsi", "resnet16-si", "resnet16-ss", "resnet16-dss",
                            "resnet16-sesn", "resnet16-scdcf", "resnet16-full"})
    for (const auto* size : {"28", "56"})
      for (const auto* batch : {"16", "64"})
        expect_estimate({"--train-size", "128", "--validation-size", "100", "--test-size", "100", "--model", model,
                         "--size", size, "--batch", batch});
}

}  // namespace
