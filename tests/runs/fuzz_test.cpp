// Damaged models, checkpoints, configurations and results: each gives a whole result or an Error of one line.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "scdcf/files/json.h"
#include "scdcf/models/registry.h"
#include "scdcf/runs/results_store.h"
#include "scdcf/train/checkpoint.h"
#include "scdcf/train/config.h"
#include "support/fake_runs.h"
#include "support/fuzz.h"
#include "support/model_file.h"
#include "support/scratch_folder.h"

namespace scdcf::runs {
namespace {

using testing::fuzz;

class Fuzz : public testing::ScratchFolder {
 protected:
  /// With a sum that fits, so that what lies behind it is reached.
  void read_checkpoint(const std::string& bytes, torch::nn::Module& network) const {
    write(folder_ / "c.safetensors", testing::with_sum(bytes));
    const auto checkpoint = train::load_checkpoint(folder_ / "c.safetensors");
    try {
      const nlohmann::json about = checkpoint.about;
      models::resolve(train::config_from_json(about.at("config")).model);
      train::load_weights(network, checkpoint.tensors.at("weights"), "c.safetensors");
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
    train::save_checkpoint(checkpoint, folder_ / "c.safetensors");
    fuzz(read(folder_ / "c.safetensors"), [&](const std::string& bytes) { read_checkpoint(bytes, *network); });
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
