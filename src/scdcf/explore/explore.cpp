#include "scdcf/explore/explore.h"

#include <torch/torch.h>

#include <cmath>

#include "scdcf/core/error.h"
#include "scdcf/core/format.h"
#include "scdcf/core/runtime.h"
#include "scdcf/data/named_set.h"
#include "scdcf/explore/page.h"
#include "scdcf/explore/pictures.h"
#include "scdcf/explore/shown_network.h"
#include "scdcf/files/atomic_file.h"
#include "scdcf/models/registry.h"
#include "scdcf/pixels/resize.h"
#include "scdcf/report/base64.h"
#include "scdcf/train/device_images.h"

namespace scdcf::explore {
namespace {

constexpr size_t kChecked = 4;  // pictures whose scores the page compares with ours

void require_alike(const runs::TrainedModel& first, const runs::TrainedModel& other) {
  const auto &a = first.config.model, &b = other.config.model;
  require(a.image_size == b.image_size && a.in_channels == b.in_channels, "beside: got a network of ", b.in_channels,
          " x ", b.image_size, " x ", b.image_size, " pixels, expected ", a.in_channels, " x ", a.image_size, " x ",
          a.image_size, " as the first has");
  require(first.class_names == other.class_names,
          "beside: got a network of other classes, expected those of the first");
}

/// Model names, numbered where two are of one kind.
std::vector<std::string> names_of(const std::vector<runs::TrainedModel>& models) {
  std::vector<std::string> names;
  for (const auto& model : models) {
    int alike = 0, before = 0;
    for (const auto& other : models) {
      if (&other == &model) before = alike;
      alike += other.config.model.name == model.config.model.name ? 1 : 0;
    }
    names.push_back(model.config.model.name + (alike > 1 ? format(" %d", before + 1) : ""));
  }
  return names;
}

std::string about(const std::vector<runs::TrainedModel>& models, const std::vector<std::string>& names) {
  const auto& first = models.front();
  const auto sizes = trained_sizes(first);
  auto text = names.front() + " was trained on " + first.config.data.name;
  if (sizes.known) {
    text += format(", objects of size %.2g", sizes.smallest);
    if (sizes.largest > sizes.smallest) text += format(" to %.2g", sizes.largest);
    text += " (shares of the picture's side)";
  }
  const auto planned = first.network->about();
  if (!planned.empty()) text += "; it " + planned;
  text += ".";
  for (size_t i = 1; i < models.size(); ++i)
    text += " Beside it: " + names[i] + ", trained on " + models[i].config.data.name + ".";
  return text + (models.size() > 1 ? " Both run" : " It runs") + " in this page, on this machine.";
}

/// What our own networks say of a picture.
nlohmann::ordered_json scores_of(const std::vector<runs::TrainedModel>& models, const pixels::Image& image) {
  const torch::NoGradGuard no_grad;
  const data::ImageSet set{image.channels, image.height, image.width, image.pixels, {0}, {}, {}, {}, {}, {}};
  auto json = nlohmann::ordered_json::array();
  for (const auto& model : models) {
    const train::DeviceImages images(set, model.mean, model.deviation, torch::kCPU);
    const auto scores = model.network->forward(images.images(images.range(0, 1))).to(torch::kDouble).contiguous();
    json.push_back(std::vector<double>(scores.data_ptr<double>(), scores.data_ptr<double>() + scores.numel()));
  }
  return json;
}

/// Pictures at a size and place (x, y: of the centre, from the middle, in shares of the side), with the scores of the
/// networks: at other sizes where the page must resample as the data is made.
nlohmann::ordered_json checks_of(const std::vector<runs::TrainedModel>& models,
                                 const std::vector<SourcePicture>& pictures) {
  const bool rescaled = data::named_set(models.front().config.data.name).kind == data::SetKind::scaled;
  const double trained = trained_sizes(models.front()).middle();
  auto checks = nlohmann::ordered_json::array();
  for (size_t i = 0; i < std::min(pictures.size(), kChecked); ++i) {
    const auto& [image, label, size, x, y] = pictures[i];
    if (!rescaled) {
      checks.push_back({{"picture", i},
                        {"size", size},
                        {"x", x / image.width - 0.5},
                        {"y", y / image.height - 0.5},
                        {"scores", scores_of(models, image)}});
      continue;
    }
    for (const double shown : {trained, trained / std::sqrt(2.0)})
      checks.push_back({{"picture", i},
                        {"size", shown},
                        {"x", 0},
                        {"y", 0},
                        {"scores", scores_of(models, pixels::rescale_about_centre(image, shown / size))}});
  }
  return checks;
}

}  // namespace

data::DataOptions picture_options(const runs::TrainedModel& model) {
  auto options = model.config.data;
  options.train_size = options.validation_size = 1;  // are not looked at
  options.size = static_cast<int>(model.config.model.image_size);
  options.test_size = 0;
  switch (data::named_set(options.name).kind) {
    case data::SetKind::scaled:
      options.smallest_factor = options.largest_factor = 1;
      options.test_size = 200;
      break;
    case data::SetKind::large_scale:
      options.test_scale = 4;  // the whole picture
      options.test_size = 200;
      break;
    default:
      break;
  }
  return options;
}

void write_page(const std::filesystem::path& file, const std::vector<runs::TrainedModel>& models,
                const data::ImageSet& set, std::int64_t count, const Runtime& runtime) {
  const auto& first = models.front();
  const auto names = names_of(models);
  const auto pictures = pick_pictures(set, count);
  require(!pictures.empty(), "data ", first.config.data.name, ": has no test pictures to show");
  auto data = sampling_of(first.config.data.name);
  data["side"] = first.config.model.image_size;
  data["channels"] = first.config.model.in_channels;
  data["classes"] = first.class_names;
  data["about"] = about(models, names);
  data["made"] = format("%s %s (%s), run by ONNX Runtime Web (MIT licence).", kMadeBy, version(), commit());
  std::vector<std::string> networks;
  for (size_t i = 0; i < models.size(); ++i) {
    require_alike(first, models[i]);
    auto shown = show_network(models[i], names[i]);
    data["networks"].push_back(std::move(shown.about));
    networks.push_back(std::move(shown.onnx));
  }
  for (const auto& picture : pictures)
    data["pictures"].push_back({{"pixels", report::base64({reinterpret_cast<const char*>(picture.image.pixels.data()),
                                                           picture.image.pixels.size()})},
                                {"label", picture.label},
                                {"size", picture.size},
                                {"x", picture.x},
                                {"y", picture.y}});
  data["checks"] = checks_of(models, pictures);
  files::write_file_atomically(file, page_text("What " + names.front() + " sees", std::move(data), networks, runtime));
}

}  // namespace scdcf::explore
