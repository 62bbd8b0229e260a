// What is known of an epoch once it is over: a line of metrics.jsonl.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

namespace scdcf::train {

struct EpochRecord {
  int64_t epoch = 0;  ///< counted from 1
  double learning_rate = 0;
  double train_loss = 0, train_accuracy = 0;
  std::optional<double> validation_loss, validation_accuracy;  ///< none where there are no validation images
  double seconds = 0;
  double images_per_second = 0;
  /// Share of the training time that went into gathering and augmenting images; known on the CPU alone.
  std::optional<double> data_share;
};

nlohmann::ordered_json to_json(const EpochRecord& record);
/// Throws nlohmann::json::exception where a value is missing.
EpochRecord record_from_json(const nlohmann::ordered_json& json);

}  // namespace scdcf::train
