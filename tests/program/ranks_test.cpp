// Processes that train as one, as their user starts them: the result of one process, whoever starts them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "program/rank_run.h"

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class Ranks : public scdcf::testing::RankRun {
 protected:
  static std::vector<Json> metrics(const fs::path& run) {
    std::vector<Json> lines;
    std::istringstream text(read(run / "metrics.jsonl"));
    for (std::string line; std::getline(text, line);) lines.push_back(Json::parse(line));
    return lines;
  }

  static void expect_close(const fs::path& one, const fs::path& other) {
    const auto a = metrics(one), b = metrics(other);
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i)
      for (const char* key : {"train_loss", "validation_loss"})
        EXPECT_NEAR(a[i].at(key).get<double>(), b[i].at(key).get<double>(), 1e-4) << other << " epoch " << i + 1;
  }
};

TEST_F(Ranks, two_make_the_run_of_one_and_the_same_every_time) {
  const fs::path one = folder_ / "one", two = folder_ / "two", again = folder_ / "again";
  ASSERT_EQ(run(train(one, 1, {"--epochs", "2"}), 120).code, 0);
  const auto result = run(train(two, 2, {"--epochs", "2"}), 120);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(lines(result.out), 5U) << result.out;  // those of one process, once
  expect_close(one, two);
  ASSERT_EQ(run(train(again, 2, {"--epochs", "2"}), 120).code, 0);
  EXPECT_EQ(model_bytes(two), model_bytes(again));
}

TEST_F(Ranks, that_are_started_by_hand_find_each_other_and_what_differs_between_them) {
  const int port = 20000 + getpid() % 20000;
  std::string rank_name = "RANK", size_name = "WORLD_SIZE";
  const auto rank = [&](int number, const std::vector<std::string>& more) {
    auto arguments = train(folder_ / "out", 1, more);
    std::string line = "env " + rank_name + "=" + std::to_string(number) + " " + size_name +
                       "=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=" + std::to_string(port) + " " + shell_line(arguments);
    const auto file = (folder_ / std::to_string(number)).string();
    return line + " > " + file + ".out 2> " + file + ".err; echo \\$? > " + file + ".code";
  };
  shell("(" + rank(0, {}) + ") & (" + rank(1, {"--batch", "16"}) + ") & wait");
  const auto told = read(folder_ / "0.err") + read(folder_ / "1.err");
  EXPECT_NE(told.find("--batch: rank 1 has 16, rank 0 has 32: start all ranks alike"), std::string::npos) << told;
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 1) << told;
  EXPECT_FALSE(fs::exists(folder_ / "out"));
  rank_name = "SLURM_LOCALID=0 SLURM_NTASKS_PER_NODE=2 SLURM_PROCID";  // as srun starts them
  size_name = "SLURM_NTASKS";
  shell("(" + rank(0, {"--epochs", "1"}) + ") & (" + rank(1, {"--epochs", "1"}) + ") & wait");
  EXPECT_EQ(read(folder_ / "0.code") + read(folder_ / "1.code"), "0\n0\n") << read(folder_ / "0.err");
  EXPECT_TRUE(fs::exists(folder_ / "out" / "model.safetensors"));
  EXPECT_EQ(read(folder_ / "1.out"), "");
}

TEST_F(Ranks, are_started_by_torchrun_which_holds_the_store) {
  if (shell("torchrun --help > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no torchrun";
  auto arguments = train(folder_ / "out", 1, {"--epochs", "1"});
  // What is redirected must be said to the torchrun of LibTorch 1.13: under Python 3.11 it fails with its own default.
  const auto line =
      "torchrun -r 1 -t 1 --no_python --nproc_per_node 2 --rdzv_backend c10d --rdzv_endpoint localhost:0 " +
      shell_line(arguments) + " > " + (folder_ / "torchrun.out").string() + " 2>&1";
  EXPECT_EQ(shell(line), 0) << read(folder_ / "torchrun.out");
  EXPECT_TRUE(fs::exists(folder_ / "out" / "model.safetensors"));
}

}  // namespace
