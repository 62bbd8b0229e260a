// Processes that train as one, as their user starts them: the result of one process, whoever starts them.
#include <gtest/gtest.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
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

  /// The addresses, as the kernel writes them, at which a process waits for connections.
  static std::vector<std::string> listened_at(pid_t process) {
    const auto folder = fs::path("/proc") / std::to_string(process);
    std::set<std::string> sockets;
    for (const auto& entry : fs::directory_iterator(folder / "fd")) {
      std::error_code gone;
      sockets.insert(fs::read_symlink(entry.path(), gone).string());
    }
    std::vector<std::string> addresses;
    for (const char* table : {"net/tcp", "net/tcp6"}) {
      std::istringstream rows(read(folder / table));
      for (std::string row; std::getline(rows, row);) {
        std::istringstream words(row);
        std::vector<std::string> fields{std::istream_iterator<std::string>(words), {}};
        if (fields.size() > 9 && fields[3] == "0A" && sockets.count("socket:[" + fields[9] + "]") > 0)
          addresses.push_back(fields[1].substr(0, fields[1].find(':')));
      }
    }
    return addresses;
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
  EXPECT_EQ(lines(result.out), 6U) << result.out;  // those of one process, once
  expect_close(one, two);
  ASSERT_EQ(run(train(again, 2, {"--epochs", "2"}), 120).code, 0);
  EXPECT_EQ(model_bytes(two), model_bytes(again));
}

TEST_F(Ranks, of_one_machine_are_reached_by_no_other_user_and_say_why_they_end) {
  const fs::path out = folder_ / "run", temporary = folder_ / "tmp";
  fs::create_directory(temporary);
  setenv("TMPDIR", temporary.c_str(), 1);
  setenv("GLOO_SOCKET_IFNAME", "eth0", 1);  // as for runs on several machines
  const pid_t supervisor = start(train(out, 2, {"--epochs", "1000"}));
  for (const char* name : {"TMPDIR", "GLOO_SOCKET_IFNAME"}) unsetenv(name);
  auto ranks = started_ranks(supervisor, 2);
  EXPECT_TRUE(wait_until([&] { return fs::exists(out / "metrics.jsonl"); }));
  for (const pid_t process : {supervisor, ranks.at(0), ranks.at(1)})
    for (const auto& address : listened_at(process))
      EXPECT_TRUE(address == "0100007F" || address == "00000000000000000000000001000000") << address;
  ASSERT_EQ(names_in(temporary).size(), 1U);
  const fs::path store = temporary / names_in(temporary)[0];
  EXPECT_EQ(fs::status(store).permissions(), fs::perms::owner_all);
  write(store / "=failure", "rank 1: told by none of them");
  const auto end = end_of(supervisor, ranks).result;
  EXPECT_EQ(end.code, 3);
  EXPECT_EQ(lines(end.err), 1U) << end.err;
  EXPECT_EQ(end.err.rfind("scdcf: rank 1: told by none of them; last checkpoint: ", 0), 0U) << end.err;
  EXPECT_TRUE(fs::is_empty(temporary));
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
  EXPECT_LE(std::count(told.begin(), told.end(), '\n'), 2) << "rank 0 repeats what rank 1 may have told: " << told;
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
