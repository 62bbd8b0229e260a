// Training is killed again and again, in every way, and two processes want one folder: nothing is lost, and the results
// are those of a run that nothing disturbed. SCDCF_KILLS says how often (6), SCDCF_SEED when and how.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "program/small_run.h"

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using Json = nlohmann::json;

unsigned number_from(const char* variable, unsigned otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : static_cast<unsigned>(std::stoul(text));
}

/// Without what depends on the clock.
Json timeless(Json json) {
  for (const char* key : {"seconds", "images_per_second", "data_share"}) json.erase(key);
  return json;
}

class Kills : public scdcf::testing::SmallRun {
 protected:
  void SetUp() override {
    SmallRun::SetUp();
    const auto started = std::chrono::steady_clock::now();
    ASSERT_EQ(run(begin(folder_ / "whole"), 300).code, 0);
    whole_ = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - started);
  }

  static std::vector<std::string> begin(const fs::path& out) {
    return train(out, {"--epochs", "10", "--batch", "8", "--augment-scale", "0.5", "--augment-crop", "2",
                       "--augment-flip", "--augment-cutout", "3"});
  }

  /// Whether it was begun or not.
  static std::vector<std::string> begin_or_go_on(const fs::path& out) {
    auto arguments = begin(out);
    if (fs::exists(out / "config.json")) arguments.emplace_back("--resume");
    return arguments;
  }

  static std::vector<Json> metrics(const fs::path& run) {
    std::vector<Json> lines;
    std::istringstream text(read(run / "metrics.jsonl"));
    for (std::string line; std::getline(text, line);) lines.push_back(timeless(Json::parse(line)));
    return lines;
  }

  void expect_undisturbed(const fs::path& out) const {
    const fs::path whole = folder_ / "whole";
    EXPECT_EQ(model_bytes(out), model_bytes(whole)) << out;
    EXPECT_EQ(metrics(out), metrics(whole)) << out;
    EXPECT_EQ(timeless(Json::parse(read(out / "result.json"))), timeless(Json::parse(read(whole / "result.json"))));
    EXPECT_TRUE(leftovers(out).empty()) << leftovers(out).front();
  }

  milliseconds whole_{};
};

TEST_F(Kills, at_any_time_and_in_any_way_lose_nothing) {
  const auto kills = number_from("SCDCF_KILLS", 6), seed = number_from("SCDCF_SEED", 1);
  std::mt19937 random(seed);
  struct Way {
    int signal;
    std::vector<int> again_after;  // milliseconds
  };
  const std::vector<Way> ways = {{SIGKILL, {}},         {SIGINT, {}},  {SIGTERM, {}},    {SIGHUP, {}}, {SIGTERM, {0}},
                                 {SIGINT, {0, 50, 90}}, {SIGHUP, {5}}, {SIGTERM, {300}}, {SIGKILL, {}}};
  fs::path out = folder_ / "run-0";
  unsigned runs = 0, ended = 0, saved = 0;
  for (unsigned done = 0; done < kills; ++done) {
    SCOPED_TRACE("kill " + std::to_string(done) + " of seed " + std::to_string(seed));
    const auto& way = ways[done % ways.size()];
    const auto before = newest_checkpoint(out);
    const pid_t child = start(begin_or_go_on(out));
    std::this_thread::sleep_for(whole_ * (random() % 1000) / 1000);
    kill(child, way.signal);
    for (const int pause : way.again_after) {
      std::this_thread::sleep_for(milliseconds(pause));
      kill(child, way.signal);  // a child that has ended is not waited for yet: nobody else has its number
    }
    const auto result = finish(child);
    EXPECT_GE(newest_checkpoint(out), before) << "work was lost";
    EXPECT_TRUE(result.err.empty() || (way.signal != SIGKILL && result.err == "stopping ...\n")) << result.err;
    // All is written when it says so; what is left then is to end, and a signal may be the first to do that.
    if (result.code == 0 ||
        result.out.find("model.safetensors, result.json and metrics.jsonl are in") != std::string::npos) {
      expect_undisturbed(out);
      out = folder_ / ("run-" + std::to_string(++runs));
      ++ended;
    } else if (way.signal != SIGKILL && !result.out.empty()) {  // before its first words it has nothing to save
      EXPECT_EQ(result.code, 130) << result.out;
      if (result.out.find("stopped before the first step") == 0) continue;
      EXPECT_NE(result.out.find("stopped and saved; go on with: scdcf train --out "), std::string::npos) << result.out;
      EXPECT_NE(newest_checkpoint(out), "");
      ++saved;
    }
    if (HasFailure()) return;
  }
  const auto last = run(begin_or_go_on(out), 300);
  ASSERT_EQ(last.code, 0) << last.err;
  expect_undisturbed(out);
  std::cout << kills << " kills, " << saved << " of them saved; " << ended + 1 << " runs ended\n";
}

TEST_F(Kills, two_processes_on_one_folder_make_one_run) {
  const auto kills = number_from("SCDCF_KILLS", 6), seed = number_from("SCDCF_SEED", 1);
  std::mt19937 random(seed);
  for (unsigned pair = 0; pair < kills / 6; ++pair) {
    const fs::path out = folder_ / ("pair-" + std::to_string(pair)), err = folder_ / "second.txt";
    const pid_t first = start(begin(out));
    std::this_thread::sleep_for(whole_ * (random() % 500) / 1000);
    const int code = shell(shell_line(begin_or_go_on(out)) + " > /dev/null 2> " + err.string());
    const auto result = finish(first, 300);
    // Whoever came second was told so, unless the other had ended by then.
    EXPECT_TRUE((result.code == 0 && (code == 2 || code == 0)) || (result.code == 2 && code == 0))
        << result.code << " " << code << "\n"
        << result.err << read(err);
    const auto told = result.code == 2 ? result.err : read(err);
    if (result.code == 2 || code == 2) {
      EXPECT_NE(told.find(out.string()), std::string::npos) << told;
    }
    expect_undisturbed(out);
    if (HasFailure()) return;
  }
}

}  // namespace
