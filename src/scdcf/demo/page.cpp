#include "scdcf/demo/page.h"

#include <cmath>
#include <fstream>
#include <iterator>

#include "scdcf/core/format.h"
#include "scdcf/core/runtime.h"
#include "scdcf/files/atomic_file.h"
#include "scdcf/report/html_page.h"
#include "scdcf/report/plot.h"

namespace scdcf::demo {
namespace {

namespace fs = std::filesystem;

constexpr int kSampleWidth = 112, kMapWidth = 84;  // whole multiples of 28 and 14 pixels

/// 12345 as "12,345".
std::string grouped(std::int64_t number) {
  auto digits = std::to_string(number);
  for (auto place = static_cast<int>(digits.size()) - 3; place > 0; place -= 3)
    digits.insert(static_cast<std::size_t>(place), ",");
  return digits;
}

std::string data_words(const std::string& name) {
  if (name == "sfashion") return "pictures of clothes (Fashion-MNIST)";
  if (name == "smnist") return "handwritten digits (MNIST)";
  if (name == "sglyphs") return "drawn digits";
  return "pictures of " + name;
}

/// Draws the plot into FOLDER/figures and onto the page.
class Plots {
 public:
  Plots(report::HtmlPage& page, fs::path folder) : page_(page), folder_(std::move(folder)) {}
  void add(const report::Plot& plot, const std::string& stem, const std::string& caption) {
    const auto missing = report::write_plot(plot, folder_, stem);
    if (!missing.empty()) {
      missing_ = missing;
      page_.paragraph("(A plot belongs here, but gnuplot is missing.)");
      return;
    }
    std::ifstream stream(folder_ / (stem + ".svg"), std::ios::binary);
    page_.picture({report::Picture::Kind::svg, {std::istreambuf_iterator<char>(stream), {}}, plot.title, 720, false},
                  caption);
  }
  const std::string& missing() const { return missing_; }

 private:
  report::HtmlPage& page_;
  fs::path folder_;
  std::string missing_;
};

std::vector<double> epochs_of(const TrainedNetwork& network) {
  std::vector<double> epochs;
  for (std::size_t i = 0; i < network.validation_accuracy.size(); ++i) epochs.push_back(static_cast<double>(i + 1));
  return epochs;
}

void add_summary(report::HtmlPage& page, const DemoFindings& f) {
  page.paragraph(format(
      "Two networks of the same size learned to tell %zu kinds of %s apart from %s training pictures, each with its "
      "object shrunk by a random factor between %.1f and %.1f on a canvas of %d x %d pixels: ScDCFNet, whose features "
      "have an axis for scale, and a plain convolutional network (CNN). Both were trained for %lld epochs, the "
      "best one kept by its accuracy on %s validation pictures, and tested on %s pictures seen by neither.",
      f.classes, data_words(f.data).c_str(), grouped(f.training_images).c_str(), f.smallest_factor, f.largest_factor,
      f.image_side, f.image_side, static_cast<long long>(f.epochs), grouped(f.validation_images).c_str(),
      grouped(f.test_images).c_str()));
  page.paragraph(
      "Training is kept short, so that this page is there within minutes: longer training makes both networks better.");
}

void add_accuracy(report::HtmlPage& page, Plots& plots, const DemoFindings& f) {
  page.heading("Accuracy");
  report::Table table({"network", "parameters", "test accuracy (%)", "best epoch", "training (s)"});
  for (const auto& network : f.networks)
    table.add({network.name, grouped(network.parameters), format("%.1f", network.test_accuracy),
               static_cast<double>(network.best_epoch), format("%.0f", network.seconds)});
  const double share = f.networks.front().test_accuracy / 100;
  page.table(table, format("On %s test pictures; one standard error of an accuracy is about %.1f points.",
                           grouped(f.test_images).c_str(),
                           100 * std::sqrt(share * (1 - share) / static_cast<double>(f.test_images))));

  page.heading("Accuracy against the size of the object");
  std::vector<std::string> columns = {"rescaling factor", "test pictures"};
  for (const auto& network : f.networks) columns.push_back(network.name + " (%)");
  report::Table by_scale(columns);
  report::Plot plot;
  plot.title = "Accuracy against the size of the object";
  plot.x_label = "rescaling factor of the object";
  plot.y_label = "test accuracy (%)";
  for (const auto& network : f.networks) plot.series.push_back({network.name, {}, {}});
  for (std::size_t i = 0; i < f.scales.size(); ++i) {
    if (f.scales[i].images == 0) continue;
    std::vector<report::Table::Cell> row = {f.scales[i].name, grouped(f.scales[i].images)};
    for (std::size_t n = 0; n < f.networks.size(); ++n) {
      const double accuracy = f.networks[n].accuracy_by_scale[i];
      row.emplace_back(format("%.1f", accuracy));
      plot.series[n].x.push_back(f.scales[i].middle);
      plot.series[n].y.push_back(accuracy);
    }
    by_scale.add(row);
  }
  plots.add(plot, "accuracy-by-scale", "Each point stands for the test pictures within 0.05 of its factor.");
  page.table(by_scale);
}

void add_curves(report::HtmlPage& page, Plots& plots, const DemoFindings& f) {
  page.heading("Training");
  report::Plot plot;
  plot.title = "Accuracy while training";
  plot.x_label = "epoch";
  plot.y_label = "accuracy (%)";
  for (std::size_t n = 0; n < f.networks.size(); ++n) {
    const auto& network = f.networks[n];
    const int colour = static_cast<int>(n);
    plot.series.push_back(
        {network.name + ", validation", epochs_of(network), network.validation_accuracy, false, colour});
    plot.series.push_back({network.name + ", training", epochs_of(network), network.training_accuracy, true, colour});
  }
  plots.add(plot, "curves",
            "Training accuracy is that of the running epoch, with dropout; the learning rate falls towards the end.");
}

std::vector<report::Card> cards_of(const std::vector<Sample>& samples, const DemoFindings& f) {
  using Mark = report::Card::Mark;
  std::vector<report::Card> cards;
  for (const auto& sample : samples) {
    report::Card card{report::picture_of(sample.picture, sample.truth, kSampleWidth), {}};
    card.lines.push_back({"true: " + sample.truth + format(", factor %.2f", sample.factor)});
    for (std::size_t n = 0; n < f.networks.size(); ++n)
      card.lines.push_back({f.networks[n].name + ": " + sample.answers[n] + format(" (%.0f%%)", sample.confidence[n]),
                            sample.answers[n] == sample.truth ? Mark::right : Mark::wrong});
    card.lines.push_back({f.networks.front().name + format("'s estimate: factor %.2f", sample.estimated_factor)});
    card.lines.push_back({sample.file});
    cards.push_back(card);
  }
  return cards;
}

void add_samples(report::HtmlPage& page, const DemoFindings& f) {
  page.heading("What the networks say");
  page.paragraph(format(
      "The first test pictures, with the answers and how sure the networks are. ScDCFNet also tells how large the "
      "object is, although nobody taught it: a larger object answers at coarser planes of the scale axis, and one "
      "line fitted on the validation pictures turns the plane into a factor. Over %s test pictures the typical "
      "(median) error is %.0f%% of the true factor.",
      grouped(f.size_images).c_str(), f.typical_size_error));
  page.cards(cards_of(f.first_samples, f));
  if (f.disagreements.empty()) return;
  page.paragraph("And the first ones on which the two networks disagree:");
  page.cards(cards_of(f.disagreements, f));
}

void add_story(report::HtmlPage& page, Plots& plots, const DemoFindings& f) {
  const auto& story = f.story;
  page.heading("Enlarge the picture, and the features move along the scale axis");
  page.paragraph(format(
      "First-layer features of ScDCFNet for a test picture (%s, factor %.2f) and for the same picture enlarged by "
      "2^%g. Each column is a plane of the scale axis, with filters as wide as it says. Equivariance means that a "
      "map of the enlarged picture is the map %d planes to the left of the original, enlarged. A frame marks the "
      "plane with the highest peak.",
      story.truth.c_str(), story.factor, story.octaves, story.shift));
  report::PictureTable table;
  table.columns = {"", "picture"};
  for (const double width : story.filter_widths) table.columns.push_back(format("filters %.1f px", width));
  const char* kinds[] = {"original", "enlarged"};
  for (const auto& channel : story.channels)
    for (std::size_t k = 0; k < 2; ++k) {
      report::PictureTable::Row row;
      row.label = format("feature %lld, %s", static_cast<long long>(channel.index), kinds[k]);
      row.pictures.push_back(report::picture_of(story.pictures[k], kinds[k], kMapWidth));
      for (std::size_t s = 0; s < channel.maps[k].size(); ++s) {
        row.pictures.push_back(report::picture_of(channel.maps[k][s], row.label + format(", plane %zu", s), kMapWidth));
        row.pictures.back().framed = s == channel.strongest[k];
      }
      table.rows.push_back(row);
    }
  page.pictures(table);
  page.paragraph(
      "The features with the clearest peak along the axis; both rows of a feature share one scale from white (0) "
      "to dark (the highest value in either).");

  report::Plot plot;
  plot.title = "Response along the scale axis";
  plot.x_label = "width of the filters (pixels)";
  plot.y_label = "mean peak of the first-layer maps";
  plot.log_x = true;
  plot.series = {{"original", story.filter_widths, story.response[0]},
                 {"enlarged", story.filter_widths, story.response[1]},
                 {"original, moved", {}, {}, true, 5}};
  for (std::size_t s = 0; s + static_cast<std::size_t>(story.shift) < story.filter_widths.size(); ++s) {
    plot.series[2].x.push_back(story.filter_widths[s + static_cast<std::size_t>(story.shift)]);
    plot.series[2].y.push_back(story.response[0][s]);
  }
  plots.add(
      plot, "scale-axis",
      format("Mean over all features and %s test pictures. Dashed: the curve of the originals moved by %d planes, on "
             "which that of the enlarged pictures lies if the layer is equivariant.",
             grouped(story.images).c_str(), story.shift));
}

void add_errors(report::HtmlPage& page, const DemoFindings& f) {
  page.heading("Equivariance error");
  page.paragraph(format(
      "How far the features of an enlarged picture are from the enlarged features of the picture: the relative error "
      "|x[Dx] - T x[x]| / |T x[x]| for an enlargement by 2^%g, over %s test pictures whose object stays within the "
      "canvas. ScDCFNet has one number for each plane of the scale axis, finest first; the CNN, which has no such "
      "axis, has one. 0 would be perfect; 1 is as far as the features themselves are from 0.",
      f.equivariance_octaves, grouped(f.equivariance_images).c_str()));
  std::size_t planes = 1;
  for (const auto& network : f.networks)
    for (const auto& [block, errors] : network.errors) planes = std::max(planes, errors.size());
  std::vector<std::string> columns = {"network", "after", "mean"};
  for (std::size_t s = 0; s < planes; ++s) columns.push_back(format("plane %zu", s + 1));
  report::Table table(columns);
  for (const auto& network : f.networks)
    for (const auto& [block, errors] : network.errors) {
      double sum = 0;
      for (const double error : errors) sum += error;
      std::vector<report::Table::Cell> row = {network.name, block,
                                              format("%.3f", sum / static_cast<double>(errors.size()))};
      for (std::size_t s = 0; s < planes; ++s)
        row.emplace_back(errors.size() == 1 || s >= errors.size() ? std::string() : format("%.3f", errors[s]));
      table.add(row);
    }
  page.table(table);
}

void add_how_to_repeat(report::HtmlPage& page, const DemoFindings& f, const fs::path& folder) {
  page.heading("How to repeat it, and what to try next");
  std::string lines = f.command + "\n";
  const auto run = (folder / f.networks.front().run).string();
  lines +=
      "scdcf predict " + run + " " + (folder / "pictures").string() + "/*.png    # or any picture, light on dark\n";
  lines += "scdcf eval " + run + "\n";
  lines += "scdcf equivariance " + run + "\n";
  lines += "scdcf train --data " + f.data + " --train-size 10000 --out runs/full    # the full network, 60 epochs";
  page.code(lines);
  page.paragraph(format(
      "Not installed, scdcf is build/bin/scdcf. Made in %.0f s with %d threads by scdcf %s (%s). Data, weights and "
      "order of the pictures are drawn from fixed seeds.",
      f.seconds, threads(), version(), commit()));
}

}  // namespace

std::string write_demo_page(const DemoFindings& findings, const fs::path& folder) {
  report::HtmlPage page("Networks that know about scale: a demonstration");
  Plots plots(page, folder / "figures");
  add_summary(page, findings);
  add_accuracy(page, plots, findings);
  add_curves(page, plots, findings);
  add_samples(page, findings);
  add_story(page, plots, findings);
  add_errors(page, findings);
  add_how_to_repeat(page, findings, folder);
  files::write_file_atomically(folder / "report.html", page.text());
  return plots.missing();
}

}  // namespace scdcf::demo
