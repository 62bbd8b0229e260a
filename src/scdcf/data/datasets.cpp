#include "scdcf/data/datasets.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "scdcf/core/error.h"
#include "scdcf/core/joined.h"
#include "scdcf/core/printable.h"
#include "scdcf/data/dataset_list.h"
#include "scdcf/data/fitted.h"
#include "scdcf/data/folder_listing.h"
#include "scdcf/data/glyphs.h"
#include "scdcf/data/idx.h"
#include "scdcf/data/large_scale.h"
#include "scdcf/data/named_set.h"
#include "scdcf/data/normalisation.h"
#include "scdcf/data/option_list.h"
#include "scdcf/data/places.h"
#include "scdcf/data/scaled.h"
#include "scdcf/data/split.h"
#include "scdcf/data/stir.h"
#include "scdcf/data/stl10.h"
#include "scdcf/files/text.h"

namespace scdcf::data {
namespace {

constexpr std::int64_t kTrainCount = 60000, kTestCount = 10000;  // of MNIST, and so of the glyphs
constexpr double kTestShare = 0.2;                               // where the set has no test pictures of its own
enum Stream : std::uint64_t { validation_stream = 11, test_stream = 12 };

Random generator(const DataOptions& options, Stream stream) {
  return Random(static_cast<std::uint64_t>(options.realisation), stream);
}

std::string found(const std::string& name, const DataOptions& options) {
  auto folder = find_dataset(name, options.data_dir);
  if (!folder.empty()) return folder;
  detail::fail("data ", options.name, ": ", name, " is not in ", joined(data_places(options.data_dir)),
               "; get it with: scdcf data fetch ", name);
}

std::vector<std::string> class_names(const std::string& name) {
  if (name != "fashion") return digit_names();
  return {"t-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot"};
}

/// The official parts of mnist, fashion or glyphs.
ImageFolder official_parts(const std::string& name, const DataOptions& options) {
  if (name == "glyphs") return {draw_glyphs(0, kTrainCount), {}, draw_glyphs(kTrainCount, kTestCount), {}};
  const auto folder = found(name, options);
  const auto names = class_names(name);
  return {read_idx_part(folder, "train", names), {}, read_idx_part(folder, "t10k", names), {}};
}

DrawOptions draw_options(const DataOptions& options) {
  const auto validation = options.validation_share == 0 ? 1 : options.validation_size;  // one, to be dropped
  return {options.realisation, options.train_size, validation, options.test_size};
}

Splits scaled(const std::string& name, const DataOptions& options) {
  ScalingOptions scaling{draw_options(options)};
  scaling.smallest_factor = options.smallest_factor;
  scaling.largest_factor = options.largest_factor;
  scaling.size = options.size;
  if (name == "glyphs") return make_scaled(glyph_pool(0, kTrainCount + kTestCount), scaling);
  auto parts = official_parts(name, options);
  auto &all = parts.train, &test = parts.test;
  require(all.height == test.height && all.width == test.width, "data ", name, ": training pictures of ", all.width,
          " x ", all.height, " pixels, test pictures of ", test.width, " x ", test.height);
  all.pixels.insert(all.pixels.end(), test.pixels.begin(), test.pixels.end());
  all.labels.insert(all.labels.end(), test.labels.begin(), test.labels.end());
  return make_scaled(pool_of(all), scaling);
}

/// make(official training pictures, official test pictures, what).
template <class Make, class What>
Splits made_of_pools(const std::string& name, const DataOptions& options, Make make, const What& what) {
  if (name == "glyphs") return make(glyph_pool(0, kTrainCount), glyph_pool(kTrainCount, kTestCount), what);
  const auto parts = official_parts(name, options);
  return make(pool_of(parts.train), pool_of(parts.test), what);
}

Splits stir(const std::string& name, const DataOptions& options) {
  StirOptions stir{draw_options(options), options.smallest_size, options.largest_size};
  return made_of_pools(name, options, make_stir, stir);
}

Splits large_scale(const std::string& name, const DataOptions& options) {
  const LargeScaleOptions scale{draw_options(options), options.train_scale, options.test_scale};
  return made_of_pools(name, options, make_large_scale, scale);
}

/// Splits off what the set does not have apart: test pictures, then those for validation.
Splits split(ImageFolder parts, const DataOptions& options) {
  Splits splits;
  if (parts.test.count() == 0) {
    auto cut = split_off(parts.train, kTestShare, generator(options, test_stream));
    parts.train = std::move(cut.first);
    parts.test = std::move(cut.last);
  }
  auto cut = split_off(parts.train, options.validation_share, generator(options, validation_stream));
  splits.train = std::move(cut.first);
  splits.validation = std::move(cut.last);
  splits.test = std::move(parts.test);
  return splits;
}

/// Trains on one of the ten predefined folds; validation pictures are drawn from the training pictures outside it.
Splits stl10_fold(ImageFolder parts, const std::vector<std::int64_t>& fold, const DataOptions& options) {
  std::vector<bool> inside(static_cast<std::size_t>(parts.train.count()));
  for (const auto index : fold) inside[static_cast<std::size_t>(index)] = true;
  std::vector<std::int64_t> outside;
  for (std::int64_t i = 0; i < parts.train.count(); ++i)
    if (!inside[static_cast<std::size_t>(i)]) outside.push_back(i);
  Splits splits;
  splits.train = select(parts.train, fold);
  splits.validation =
      split_off(select(parts.train, outside), options.validation_share, generator(options, validation_stream)).last;
  splits.test = std::move(parts.test);
  return splits;
}

Splits stl10(const DataOptions& options) {
  const auto folder = found("stl10", options);
  ImageFolder parts;
  parts.train = read_stl10_part(folder, "train");
  if (has_stl10_test(folder)) parts.test = read_stl10_part(folder, "test");
  if (options.fold < 0) return split(std::move(parts), options);
  require(parts.test.count() > 0, "fold: ", folder, " has no test pictures; use fold -1");
  const auto folds = read_stl10_folds(folder, parts.train.count());
  return stl10_fold(std::move(parts), folds[static_cast<std::size_t>(options.fold)], options);
}

/// CLASS/FILE of each image, which its part of the split depends on.
std::vector<std::string> names_in_classes(const ImageSet& set) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < set.names.size(); ++i)
    names.push_back(set.class_names[static_cast<std::size_t>(set.labels[i])] + "/" +
                    std::filesystem::path(set.names[i]).filename().string());
  return names;
}

/// Splits off the test and validation images that an image folder does not have, by the names of its files.
Splits complete_by_name(ImageFolder parts, const std::string& folder, const DataOptions& options) {
  const auto draw = [&](double share, Stream stream) {
    const auto cut = split_by_name(parts.train.labels, names_in_classes(parts.train), share,
                                   static_cast<std::uint64_t>(options.realisation), stream);
    auto drawn = select(parts.train, cut.last);
    parts.train = select(parts.train, cut.first);
    return drawn;
  };
  const auto all = parts.train.count();
  Splits splits;
  const bool tested = parts.test.count() > 0, validated = parts.validation.count() > 0;
  splits.test = tested ? std::move(parts.test) : draw(kTestShare, test_stream);
  splits.validation = validated ? split_off(parts.validation, 0, generator(options, validation_stream)).first
                                : draw(options.validation_share, validation_stream);
  splits.train =
      tested && validated ? split_off(parts.train, 0, generator(options, test_stream)).first : std::move(parts.train);
  if (!tested)
    splits.note = folder + " has no test folder: " + std::to_string(splits.test.count()) + " of " +
                  std::to_string(all) + (validated ? " training" : "") +
                  " images were split off for testing, by a hash of the file name";
  return splits;
}

std::string folder_of(const DataOptions& options) {
  auto folder = find_image_folder(options.name, options.data_dir);
  if (!folder.empty()) return folder;
  std::error_code error;
  if (std::filesystem::is_directory(options.name, error))
    detail::fail("data ", options.name, ": ", contents_text(options.name),
                 ", expected a folder of images for each class");
  detail::fail("data ", options.name, ": no data set of this name and no such folder; there are ",
               joined(list_datasets(options.data_dir), ", ", [](const DataSetInfo& set) { return set.name; }),
               ", and any folder with a folder of images for each class");
}

Splits image_folder(const DataOptions& options) {
  const auto folder = folder_of(options);
  const int background = options.background < 0 ? ground_of(options.name) : options.background;
  auto parts = read_image_folder(
      folder, {options.size, options.channels, pixels::fit_of(options.fit), static_cast<std::uint8_t>(background)});
  auto notes = parts.notes;
  // In the order of the names, a prefix would have one class alone.
  if (options.test_size > 0 && parts.test.count() > 0)
    parts.test = split_off(parts.test, 0, generator(options, test_stream)).first;
  const bool drawn = parts.test.count() > 0 && parts.validation.count() == 0;
  auto splits = drawn ? split(std::move(parts), options) : complete_by_name(std::move(parts), folder, options);
  if (!splits.note.empty()) notes.push_back(splits.note);
  splits.note = joined(notes, "; ", [](const std::string& note) { return note; });
  return splits;
}

void cut_to(ImageSet& set, std::int64_t count, const char* name) {
  if (kept(name, count, set.count()) < set.count()) set = prefix(set, count);
}

/// Divides by the root mean square and subtracts nothing: a black pixel stays zero.
void keep_black(Splits& splits) {
  for (std::size_t c = 0; c < splits.mean.size(); ++c) {
    splits.deviation[c] = std::sqrt(splits.deviation[c] * splits.deviation[c] + splits.mean[c] * splits.mean[c]);
    splits.mean[c] = 0;
  }
}

/// So that no option is ignored in silence: one that was given is one that differs from what is left open.
void refuse_what_does_not_apply(const DataOptions& options, SetKind kind) {
  const DataOptions open;
  const bool is_scaled = kind == SetKind::scaled, is_stir = kind == SetKind::stir,
             is_large_scale = kind == SetKind::large_scale;
  const auto only = [&](bool applies, bool is_given, const char* option, const char* which) {
    require(applies || !is_given, option, ": does not apply to data ", options.name, ", only to ", which);
  };
  only(is_scaled, options.smallest_factor != open.smallest_factor, "smallest_factor", "the scaled sets");
  only(is_scaled, options.largest_factor != open.largest_factor, "largest_factor", "the scaled sets");
  only(is_stir, options.smallest_size != open.smallest_size, "smallest_size", "the stir sets");
  only(is_stir, options.largest_size != open.largest_size, "largest_size", "the stir sets");
  only(is_large_scale, options.train_scale != open.train_scale, "train_scale", "the large-scale sets");
  only(is_large_scale, options.test_scale != open.test_scale, "test_scale", "the large-scale sets");
  only(!is_scaled && !is_stir && !is_large_scale,
       options.validation_share != open.validation_share && options.validation_share != 0, "validation_share",
       "sets without a validation part; 0, for no validation, applies to all");
  only(kind == SetKind::image_folder, options.channels != open.channels, "image_channels", "image folders");
  only(kind == SetKind::stl10, options.fold != open.fold, "fold", "stl10");
}

void check(const DataOptions& options) {
  for (const auto& text : {options.name, options.data_dir})
    require(is_utf8(text), "data ", printable(text), ": the name is not UTF-8; give it another");
  check_options(options);
}

}  // namespace

Splits load(const DataOptions& options) {
  const std::string& name = options.name;
  check(options);
  const auto [kind, base] = named_set(name);
  refuse_what_does_not_apply(options, kind);
  Splits splits;
  switch (kind) {
    case SetKind::plain:
      splits = split(official_parts(base, options), options);
      break;
    case SetKind::scaled:
      splits = scaled(base, options);
      break;
    case SetKind::stir:
      splits = stir(base, options);
      break;
    case SetKind::large_scale:
      splits = large_scale(base, options);
      break;
    case SetKind::stl10:
      splits = stl10(options);
      break;
    case SetKind::image_folder:
      splits = image_folder(options);
      break;
  }
  if (kind == SetKind::plain || kind == SetKind::stl10 ||
      kind == SetKind::image_folder) {  // the others made no more than asked
    cut_to(splits.train, options.train_size, "train_size");
    if (options.validation_share > 0) cut_to(splits.validation, options.validation_size, "validation_size");
    cut_to(splits.test, options.test_size, "test_size");
  }
  if (options.validation_share == 0) splits.validation = without_pictures(splits.validation);
  if (options.size > 0)
    for (auto* part : {&splits.train, &splits.validation, &splits.test})
      *part = fitted(std::move(*part), pixels::fit_of(options.fit), options.size);
  const auto statistics = kind == SetKind::stl10 ? Normalisation{{.4467, .4398, .4066}, {.2603, .2566, .2713}}
                                                 : channel_statistics(splits.train);
  splits.mean = statistics.mean;
  splits.deviation = statistics.deviation;
  if (options.normalisation == "black") keep_black(splits);
  splits.name = name;
  splits.black_ground = ground_of(name) == 0;
  return splits;
}

FolderOutline outline_of(const DataOptions& options) {
  check(options);
  if (named_set(options.name).kind != SetKind::image_folder) return {};
  return outline_image_folder(folder_of(options), pixels::fit_of(options.fit));
}

std::uint8_t ground_of(const std::string& name) { return named_set(name).base.empty() ? 255 : 0; }

}  // namespace scdcf::data
