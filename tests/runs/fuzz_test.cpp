// Damaged models, checkpoints, configurations and results: each gives a whole result or an Error of one line. A few
// thousand here; `make fuzz` tries as many as one likes under the sanitizers.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cstdlib>
#include <functional>

#include "scdcf/files/json.h"
#include "scdcf/files/sha256.h"
#include "scdcf/models/registry.h"
#include "scdcf/runs/results_store.h"
#include "scdcf/train/checkpoint.h"
#include "scdcf/train/config.h"
#include "support/fake_runs.h"
#include "support/mutated.h"
#include "support/scratch_folder.h"

namespace scdcf::runs {
namespace {

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class Fuzz : public testing::ScratchFolder {
 protected:
  static std::string mutated(const std::string& text, data::Random& random) {
    const auto bytes = testing::mutated({text.begin(), text.end()}, random);
    return {bytes.begin(), bytes.end()};
  }

  /// Reads mutations of a text; both outcomes must occur, or the test would not reach far.
  static void fuzz(const std::string& text, const std::function<void(const std::string&)>& read) {
    const auto count = number_from("SCDCF_FUZZ_COUNT", 2000);
    data::Random random(number_from("SCDCF_FUZZ_SEED", 1));
    std::uint64_t read_whole = 0, refused = 0;
    ASSERT_NO_THROW(read(text));
    for (std::uint64_t i = 0; i < count; ++i) try {
        read(mutated(text, random));
        ++read_whole;
      } catch (const Error& error) {
        ++refused;
        ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      }  // anything else ends the test
    EXPECT_GT(read_whole, 0U);
    EXPECT_GT(refused, count / 10);
  }

  /// With a sum that fits, so that what lies behind it is reached.
  void read_checkpoint(const std::string& front, torch::nn::Module& network) const {
    files::Sha256 hash;
    hash.add(front.data(), front.size());
    write(folder_ / "c.pt", front + hash.hex());
    const auto checkpoint = train::load_checkpoint(folder_ / "c.pt");
    try {
      const nlohmann::json about = checkpoint.about;
      models::resolve(train::config_from_json(about.at("config")).model);
      train::load_weights(network, checkpoint.tensors.at("weights"), "c.pt");
    } catch (const nlohmann::json::exception&) {
      throw Error("incomplete");
    } catch (const std::out_of_range&) {
      throw Error("incomplete");
    }
    for (const auto& [name, table] : checkpoint.tensors)
      for (const auto& [key, tensor] : table)
        if (tensor.numel() > 0) tensor.to(torch::kDouble).sum().item<double>();  // every element can be read
  }

  void fuzz_checkpoint(const std::vector<const char*>& tables) const {
    train::RunConfig config;
    config.model.name = "cnn";
    config.model.channels = {2, 2, 2};
    config.model.hidden = 3;
    config.model.image_size = 12;
    const auto network = models::make_model(config.model);
    train::Checkpoint checkpoint;
    checkpoint.about = {{"config", train::to_json(config)}, {"class_names", {"a", "b"}}, {"progress", {{"epoch", 1}}}};
    for (const auto* table : tables) checkpoint.tensors[table] = train::weights_of(*network);
    train::save_checkpoint(checkpoint, folder_ / "c.pt");
    const auto bytes = read(folder_ / "c.pt");
    fuzz(bytes.substr(0, bytes.size() - 64), [&](const std::string& front) { read_checkpoint(front, *network); });
  }
};

TEST_F(Fuzz, model) { fuzz_checkpoint({"weights"}); }

TEST_F(Fuzz, checkpoint) { fuzz_checkpoint({"weights", "best_weights", "optimizer"}); }

TEST_F(Fuzz, configuration) {
  train::RunConfig config;
  fuzz(train::to_json(config).dump(), [](const std::string& text) {
    const auto read = train::config_from_json(files::read_json(text, "config.json"));
    ASSERT_LE(read.model.classes, 100000);
    ASSERT_LE(read.train.epochs, 1000000);
  });
}

TEST_F(Fuzz, results) {
  std::string lines;
  for (const auto& run : testing::some_runs(3)) {
    auto record = testing::fake_result(run);
    record.key = key_of(run);
    record.status = "done";
    record.asked = record.used = train::to_json(run.config);
    lines += to_json(record).dump() + "\n";
  }
  fuzz(lines, [this](const std::string& text) {
    write(folder_ / "results.jsonl", text);
    auto store = ResultsStore::open(folder_);
    const auto whole = store.records().size(), damaged = store.damaged_lines().size();
    ASSERT_EQ(whole + damaged, static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')));
    for (const auto& line : store.damaged_lines()) ASSERT_EQ(line.find('\n'), std::string::npos);
    require(damaged == 0, "a damaged line");
  });
}

TEST_F(Fuzz, a_line_nested_without_end_is_a_damaged_line) {
  write(folder_ / "results.jsonl", std::string(100000, '[') + "\n" + std::string(100000, '{') + "\n");
  auto store = ResultsStore::open(folder_);
  EXPECT_TRUE(store.records().empty());
  EXPECT_EQ(store.damaged_lines().size(), 2U);
}

}  // namespace
}  // namespace scdcf::runs
