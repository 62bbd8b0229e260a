// A page where one can see what a trained network does: draw or pick a picture, drag its size and place, and watch
// scores, planes and feature maps. The network runs in the page.
#pragma once

#include <filesystem>
#include <vector>

#include "scdcf/data/datasets.h"
#include "scdcf/explore/runtime.h"
#include "scdcf/runs/run_folder.h"

namespace scdcf::explore {

/// Stands in every page, with the version behind it.
constexpr const char* kMadeBy = "Written by scdcf";

/// Which test pictures a page shows of a run's data: objects as large as the data has them, to be made smaller.
data::DataOptions picture_options(const runs::TrainedModel& model);

/// Writes the page of the first network, with the others beside it, to `file`; at most `count` of the pictures of
/// `set`. Throws Error where the others want other pictures or know other classes, and where one cannot be written as
/// ONNX.
void write_page(const std::filesystem::path& file, const std::vector<runs::TrainedModel>& models,
                const data::ImageSet& set, std::int64_t count, const Runtime& runtime);

}  // namespace scdcf::explore
