#include "scdcf/tables/paper_numbers.h"

#include <array>

namespace scdcf::tables {
namespace {

// clang-format off

/// One line of Tables 1 and 2: plain at N_tr = 2,000, 5,000, 10,000, then with augmentation.
struct DigitsRow {
  const char* data;
  int size;
  const char* model;
  std::array<PaperValue, 6> values;
};

constexpr std::array<DigitsRow, 32> kDigits = {{
    {"smnist", 28, "cnn", {{{95.01, 0.27}, {96.39, 0.12}, {97.41, 0.13}, {96.36, 0.43}, {97.27, 0.14}, {98.05, 0.07}}}},
    {"smnist", 28, "ss-cnn", {{{95.43, 0.21}, {96.70, 0.20}, {97.64, 0.08}, {96.13, 0.25}, {96.84, 0.17}, {97.98, 0.03}}}},
    {"smnist", 28, "sevf", {{{95.09, 0.15}, {96.29, 0.15}, {97.28, 0.16}, {96.06, 0.25}, {96.68, 0.09}, {97.74, 0.14}}}},
    {"smnist", 28, "lsi-cnn", {{{95.46, 0.22}, {96.64, 0.08}, {97.56, 0.13}, {96.43, 0.23}, {97.17, 0.08}, {97.97, 0.05}}}},
    {"smnist", 28, "si-cnn", {{{95.17, 0.21}, {96.58, 0.22}, {97.53, 0.12}, {96.44, 0.09}, {97.21, 0.27}, {98.08, 0.09}}}},
    {"smnist", 28, "dss", {{{95.06, 0.24}, {96.42, 0.17}, {97.34, 0.13}, {96.56, 0.13}, {97.24, 0.10}, {98.03, 0.06}}}},
    {"smnist", 28, "sesn", {{{95.75, 0.21}, {96.87, 0.12}, {97.81, 0.13}, {96.61, 0.14}, {97.30, 0.15}, {98.11, 0.09}}}},
    {"smnist", 28, "scdcfnet", {{{95.87, 0.18}, {97.09, 0.05}, {97.91, 0.08}, {96.68, 0.13}, {97.40, 0.18}, {98.19, 0.07}}}},
    {"smnist", 56, "cnn", {{{96.15, 0.19}, {97.20, 0.10}, {98.01, 0.08}, {97.17, 0.12}, {97.75, 0.12}, {98.32, 0.04}}}},
    {"smnist", 56, "ss-cnn", {{{96.32, 0.12}, {97.37, 0.22}, {98.08, 0.12}, {96.90, 0.18}, {97.57, 0.09}, {98.28, 0.14}}}},
    {"smnist", 56, "sevf", {{{96.23, 0.17}, {97.19, 0.13}, {98.01, 0.12}, {96.86, 0.14}, {97.51, 0.08}, {98.20, 0.20}}}},
    {"smnist", 56, "lsi-cnn", {{{96.43, 0.18}, {97.34, 0.17}, {98.13, 0.13}, {97.11, 0.16}, {97.66, 0.07}, {98.29, 0.16}}}},
    {"smnist", 56, "si-cnn", {{{95.97, 0.18}, {97.24, 0.12}, {97.98, 0.14}, {97.16, 0.12}, {97.78, 0.06}, {98.44, 0.08}}}},
    {"smnist", 56, "dss", {{{96.10, 0.18}, {97.26, 0.10}, {97.97, 0.10}, {97.19, 0.08}, {97.83, 0.10}, {98.41, 0.11}}}},
    {"smnist", 56, "sesn", {{{96.50, 0.19}, {97.52, 0.10}, {98.19, 0.12}, {97.21, 0.20}, {97.80, 0.11}, {98.40, 0.09}}}},
    {"smnist", 56, "scdcfnet", {{{96.75, 0.18}, {97.61, 0.11}, {98.27, 0.09}, {97.32, 0.08}, {97.85, 0.15}, {98.46, 0.09}}}},
    {"sfashion", 28, "cnn", {{{79.88, 0.60}, {82.71, 0.19}, {84.60, 0.30}, {81.82, 0.49}, {83.85, 0.51}, {86.53, 0.14}}}},
    {"sfashion", 28, "ss-cnn", {{{79.24, 0.18}, {82.83, 0.49}, {85.39, 0.32}, {80.15, 0.31}, {83.09, 0.14}, {85.89, 0.19}}}},
    {"sfashion", 28, "sevf", {{{79.01, 0.45}, {81.76, 0.40}, {84.73, 0.11}, {79.47, 0.44}, {82.36, 0.30}, {85.23, 0.16}}}},
    {"sfashion", 28, "lsi-cnn", {{{79.20, 0.78}, {82.58, 0.52}, {85.16, 0.14}, {80.15, 0.71}, {83.10, 0.26}, {86.06, 0.16}}}},
    {"sfashion", 28, "si-cnn", {{{79.95, 0.53}, {83.36, 0.29}, {85.32, 0.22}, {82.27, 0.46}, {84.09, 0.40}, {86.85, 0.15}}}},
    {"sfashion", 28, "dss", {{{79.82, 0.44}, {82.90, 0.22}, {84.50, 0.51}, {82.20, 0.51}, {84.04, 0.24}, {86.51, 0.27}}}},
    {"sfashion", 28, "sesn", {{{80.88, 0.51}, {83.78, 0.27}, {85.93, 0.28}, {82.34, 0.52}, {84.26, 0.23}, {86.90, 0.27}}}},
    {"sfashion", 28, "scdcfnet", {{{81.32, 0.41}, {84.24, 0.35}, {86.19, 0.15}, {82.42, 0.38}, {84.31, 0.30}, {87.10, 0.34}}}},
    {"sfashion", 56, "cnn", {{{81.17, 0.39}, {84.05, 0.12}, {85.84, 0.47}, {83.35, 0.16}, {85.16, 0.22}, {87.54, 0.18}}}},
    {"sfashion", 56, "ss-cnn", {{{80.97, 0.30}, {83.95, 0.33}, {86.42, 0.23}, {81.48, 0.75}, {84.24, 0.38}, {86.69, 0.23}}}},
    {"sfashion", 56, "sevf", {{{81.22, 0.35}, {84.13, 0.27}, {86.37, 0.30}, {81.88, 0.47}, {84.28, 0.32}, {86.96, 0.17}}}},
    {"sfashion", 56, "lsi-cnn", {{{81.78, 0.47}, {84.49, 0.30}, {86.94, 0.34}, {82.44, 0.53}, {84.71, 0.26}, {87.32, 0.16}}}},
    {"sfashion", 56, "si-cnn", {{{81.11, 0.48}, {84.18, 0.34}, {86.22, 0.17}, {83.55, 0.40}, {85.18, 0.49}, {87.97, 0.16}}}},
    {"sfashion", 56, "dss", {{{81.41, 0.32}, {84.15, 0.25}, {85.91, 0.23}, {83.54, 0.40}, {85.44, 0.40}, {87.63, 0.07}}}},
    {"sfashion", 56, "sesn", {{{82.34, 0.51}, {85.03, 0.14}, {86.95, 0.23}, {83.61, 0.40}, {85.40, 0.23}, {87.91, 0.13}}}},
    {"sfashion", 56, "scdcfnet", {{{83.01, 0.31}, {85.79, 0.26}, {87.63, 0.15}, {84.00, 0.41}, {86.14, 0.25}, {88.18, 0.17}}}},
}};

/// One line of Table 3: plain at N_tr = 2,000 and 5,000, then with augmentation. The paper prints (1, 6) twice for
/// SFashion; the one whose share of parameters is 0.27 is (2, 6).
struct AblationRow {
  const char* data;
  int scale_modes, modes;
  std::array<PaperValue, 4> values;
};

constexpr std::array<AblationRow, 20> kAblation = {{
    {"smnist", 3, 15, {{{95.87, 0.18}, {97.09, 0.05}, {96.68, 0.13}, {97.40, 0.18}}}},
    {"smnist", 3, 12, {{{95.88, 0.21}, {97.06, 0.07}, {96.67, 0.19}, {97.38, 0.16}}}},
    {"smnist", 3, 10, {{{95.84, 0.18}, {97.00, 0.08}, {96.49, 0.09}, {97.23, 0.12}}}},
    {"smnist", 3, 6, {{{95.61, 0.18}, {96.89, 0.19}, {96.50, 0.15}, {97.17, 0.15}}}},
    {"smnist", 2, 15, {{{95.77, 0.15}, {97.04, 0.05}, {96.68, 0.31}, {97.34, 0.08}}}},
    {"smnist", 2, 10, {{{95.72, 0.23}, {96.97, 0.07}, {96.52, 0.11}, {97.30, 0.13}}}},
    {"smnist", 2, 6, {{{95.68, 0.17}, {96.92, 0.13}, {96.50, 0.14}, {97.09, 0.11}}}},
    {"smnist", 1, 15, {{{95.84, 0.11}, {96.94, 0.12}, {96.65, 0.19}, {97.38, 0.07}}}},
    {"smnist", 1, 10, {{{95.62, 0.22}, {96.93, 0.11}, {96.61, 0.12}, {97.26, 0.21}}}},
    {"smnist", 1, 6, {{{95.74, 0.17}, {96.82, 0.06}, {96.48, 0.13}, {97.17, 0.16}}}},
    {"sfashion", 3, 15, {{{81.32, 0.41}, {84.24, 0.35}, {82.42, 0.38}, {84.31, 0.30}}}},
    {"sfashion", 3, 12, {{{81.23, 0.37}, {84.17, 0.30}, {82.39, 0.46}, {84.22, 0.40}}}},
    {"sfashion", 3, 10, {{{81.03, 0.38}, {83.75, 0.23}, {81.97, 0.50}, {83.96, 0.42}}}},
    {"sfashion", 3, 6, {{{80.88, 0.27}, {83.83, 0.11}, {81.03, 0.22}, {83.66, 0.21}}}},
    {"sfashion", 2, 15, {{{80.88, 0.31}, {84.05, 0.40}, {82.18, 0.34}, {84.40, 0.30}}}},
    {"sfashion", 2, 10, {{{80.65, 0.50}, {83.89, 0.23}, {81.86, 0.39}, {83.85, 0.39}}}},
    {"sfashion", 2, 6, {{{80.82, 0.42}, {83.44, 0.29}, {81.46, 0.45}, {83.62, 0.24}}}},
    {"sfashion", 1, 15, {{{80.74, 0.39}, {84.09, 0.27}, {82.33, 0.44}, {84.17, 0.32}}}},
    {"sfashion", 1, 10, {{{80.89, 0.33}, {83.65, 0.44}, {81.87, 0.58}, {83.66, 0.23}}}},
    {"sfashion", 1, 6, {{{80.60, 0.27}, {83.61, 0.33}, {81.40, 0.56}, {83.57, 0.48}}}},
}};

/// Table 4.
struct NaturalRow {
  const char* model;
  PaperValue value;
};

constexpr std::array<NaturalRow, 7> kNatural = {{
    {"resnet16", {81.98, 0.23}},
    {"resnet16-lsi", {81.79, 0.53}},
    {"resnet16-si", {81.75, 0.14}},
    {"resnet16-ss", {69.51, 1.27}},
    {"resnet16-dss", {82.21, 0.47}},
    {"resnet16-sesn", {83.89, 0.05}},
    {"resnet16-scdcf", {84.90, 0.36}},
}};

// clang-format on

std::vector<PaperCell> all_cells() {
  constexpr std::array<std::int64_t, 3> train_sizes = {2000, 5000, 10000};
  std::vector<PaperCell> cells;
  for (const auto& row : kDigits)
    for (std::size_t i = 0; i < row.values.size(); ++i)
      cells.push_back({std::string(row.data) == "smnist" ? 1 : 2,
                       {row.data, row.size, i >= 3, train_sizes.at(i % 3), row.model, 0, 0},
                       row.values.at(i)});
  for (const auto& row : kAblation)
    for (std::size_t i = 0; i < row.values.size(); ++i)
      cells.push_back(
          {3, {row.data, 28, i >= 2, train_sizes.at(i % 2), "scdcfnet", row.scale_modes, row.modes}, row.values.at(i)});
  for (const auto& row : kNatural) cells.push_back({4, {"stl10", 96, false, 0, row.model, 0, 0}, row.value});
  return cells;
}

}  // namespace

const std::vector<PaperCell>& paper_cells() {
  static const std::vector<PaperCell> cells = all_cells();
  return cells;
}

std::optional<PaperValue> paper_value(int table, const CellId& id) {
  for (const auto& cell : paper_cells())
    if (cell.table == table && cell.id == id) return cell.value;
  return std::nullopt;
}

const std::vector<ScaleAndSpaceModes>& ablation_pairs() {
  static const std::vector<ScaleAndSpaceModes> pairs = [] {
    std::vector<ScaleAndSpaceModes> list;
    for (const auto& row : kAblation)
      if (std::string(row.data) == "smnist") list.push_back({row.scale_modes, row.modes});
    return list;
  }();
  return pairs;
}

const std::vector<std::string>& digit_models() {
  static const std::vector<std::string> names = {"cnn",    "ss-cnn", "sevf", "lsi-cnn",
                                                 "si-cnn", "dss",    "sesn", "scdcfnet"};
  return names;
}

const std::vector<std::string>& range_models() {
  static const std::vector<std::string> models = {"scdcfnet-full", "pyramid-cnn"};
  return models;
}

std::vector<std::string> all_digit_models() {
  auto models = digit_models();
  models.insert(models.end(), range_models().begin(), range_models().end());
  return models;
}

const std::vector<std::string>& natural_models() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const auto& row : kNatural) list.emplace_back(row.model);
    return list;
  }();
  return names;
}

}  // namespace scdcf::tables
