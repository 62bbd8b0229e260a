#include "scdcf/demo/page.h"

#include "scdcf/core/format.h"
#include "scdcf/core/runtime.h"
#include "scdcf/files/atomic_file.h"
#include "scdcf/files/read_file.h"
#include "scdcf/report/html_page.h"
#include "scdcf/report/plot.h"

namespace scdcf::demo {
namespace {

namespace fs = std::filesystem;

constexpr int kSampleWidth = 112, kMapWidth = 84;  // whole multiples of 28 and 14 pixels

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
    const auto svg = files::read_text(folder_ / (stem + ".svg"));
    page_.picture({report::Picture::Kind::svg, svg, plot.title, 720, false}, caption);
  }
  const std::string& missing() const { return missing_; }

 private:
  report::HtmlPage& page_;
  fs::path folder_;
  std::string missing_;
};

void add_summary(report::HtmlPage& page, const DemoFindings& f) {
  page.paragraph(format(
      "Three networks learned to tell %zu kinds of %s apart from %s training pictures whose objects all have ONE size, "
      "%.1f of the canvas of %d x %d pixels. They were then tested on %s pictures with objects of %.1f to %.1f of it. "
      "The "
      "plain network (CNN) knows what it was shown. ScDCFNet is equivariant up to its class scores: enlarge the "
      "picture, "
      "and the scores only move along its scale axis, so that it knows the object at sizes it never saw, and reads the "
      "size "
      "off the place of the highest score. A plain network on an image pyramid (Pyramid CNN) does that too, at a "
      "price.",
      f.classes, data_words(f.data).c_str(), with_commas(f.training_images).c_str(), f.trained_factor, f.image_side,
      f.image_side, with_commas(f.test_images).c_str(), f.smallest_factor, f.largest_factor));
}

void add_accuracy(report::HtmlPage& page, Plots& plots, const DemoFindings& f) {
  report::Plot plot{format("Trained at size %.1f only", f.trained_factor), "size of the object (1: the whole canvas)",
                    "test accuracy (%)"};
  std::vector<std::string> columns = {"size of the object", "test pictures"};
  for (const auto& network : f.networks) {
    columns.push_back(network.name + " (%)");
    plot.series.push_back({network.name, {}, {}});
  }
  report::Table by_scale(columns);
  for (std::size_t i = 0; i < f.scales.size(); ++i) {
    if (f.scales[i].images == 0) continue;
    std::vector<report::Table::Cell> row = {f.scales[i].name, with_commas(f.scales[i].images)};
    for (std::size_t n = 0; n < f.networks.size(); ++n) {
      const double accuracy = f.networks[n].accuracy_by_scale[i];
      row.emplace_back(format("%.1f", accuracy));
      plot.series[n].add(f.scales[i].middle, accuracy);
    }
    by_scale.add(row);
  }
  plots.add(plot, "accuracy-by-scale", "Each point stands for the test pictures within 0.05 of its size.");
  page.table(by_scale);

  page.heading("What it costs");
  report::Table table({"network", "parameters", "accuracy at the size trained on (%)", "best epoch", "training (s)",
                       "prediction (ms a picture)"});
  for (const auto& network : f.networks)
    table.add({network.name, with_commas(network.parameters), format("%.1f", network.trained_accuracy),
               static_cast<double>(network.best_epoch), format("%.0f", network.seconds),
               format("%.2f", network.milliseconds)});
  page.table(table,
             format("ScDCFNet, here scdcfnet-full, %s. Trained for %lld epochs, the best one kept by its "
                    "accuracy on %s validation "
                    "pictures of the size trained on: short, so that this page is there within minutes.",
                    f.range.c_str(), static_cast<long long>(f.epochs), with_commas(f.validation_images).c_str()));
}

std::vector<report::Card> cards_of(const std::vector<Sample>& samples, const DemoFindings& f) {
  using Mark = report::Card::Mark;
  std::vector<report::Card> cards;
  for (const auto& sample : samples) {
    report::Card card{report::picture_of(sample.picture, sample.truth, kSampleWidth), {}};
    card.lines.push_back({"true: " + sample.truth + format(", size %.2f", sample.factor)});
    for (std::size_t n = 0; n < f.networks.size(); ++n)
      card.lines.push_back({f.networks[n].name + ": " + sample.answers[n] + format(" (%.0f%%)", sample.confidence[n]),
                            sample.answers[n] == sample.truth ? Mark::right : Mark::wrong});
    card.lines.push_back({f.networks.front().name + format(" reads size %.2f", sample.estimated_factor)});
    card.lines.push_back({sample.file});
    cards.push_back(card);
  }
  return cards;
}

void add_samples(report::HtmlPage& page, const DemoFindings& f) {
  page.heading("What the networks say");
  page.paragraph(format(
      "Test pictures of growing size, with the answers and how sure the networks are. Nobody told ScDCFNet how large "
      "an "
      "object is: it reads the size off the plane of its highest score. Over %s test pictures of all sizes the typical "
      "(median) error is %.0f%% of the true size.",
      with_commas(f.size_images).c_str(), f.typical_size_error));
  page.cards(cards_of(f.samples, f));
}

void add_story(report::HtmlPage& page, Plots& plots, const DemoFindings& f) {
  const auto& story = f.story;
  page.heading("Enlarge the picture, and the scores move along the scale axis");
  page.paragraph("The same test picture (" + story.truth +
                 ") at three sizes, half an octave apart, and ScDCFNet's score for its class at every plane of the "
                 "scale axis: the curve keeps its shape and moves to where objects of the new size are at home.");
  report::PictureTable table;
  table.columns = {""};
  table.rows.push_back({"picture", {}});
  report::Plot plot{"Score of the right class along the scale axis", "size of objects that are at home at a plane",
                    "score of \"" + story.truth + "\""};
  plot.log_x = true;
  for (const auto& size : story.sizes) {
    const auto name = format("size %.2f", size.factor);
    table.columns.push_back(name);
    table.rows.front().pictures.push_back(report::picture_of(size.picture, name, kMapWidth));
    plot.series.push_back({name, story.home_factors, size.scores});
  }
  page.pictures(table);
  plots.add(plot, "scores", "One curve for each size of the picture; every point is a plane.");
}

void add_errors(report::HtmlPage& page, const DemoFindings& f) {
  page.heading("Equivariance error");
  page.paragraph(format(
      "How far the features of an enlarged picture are from the enlarged, or moved, features of the picture: the "
      "relative "
      "error |x[Dx] - T x[x]| / |T x[x]| for an enlargement by 2^%g, over %s test pictures whose object stays within "
      "the "
      "canvas. One number for each plane of the scale axis, finest first; the CNN, which has no such axis, has one. "
      "0 would be perfect; 1 is as far as the features themselves are from 0.",
      f.equivariance_octaves, with_commas(f.equivariance_images).c_str()));
  std::size_t planes = 1;
  for (const auto& network : f.networks)
    for (const auto& [block, errors] : network.errors) planes = std::max(planes, errors.size());
  std::vector<std::string> columns = {"network", "of"};
  for (std::size_t s = 0; s < planes; ++s) columns.push_back(format("%zu", s + 1));
  report::Table table(columns);
  for (const auto& network : f.networks)
    for (const auto& [block, errors] : network.errors) {
      std::vector<report::Table::Cell> row = {network.name, block};
      for (std::size_t s = 0; s < planes; ++s)
        row.emplace_back(s >= errors.size() ? std::string() : format("%.3f", errors[s]));
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
  lines += "scdcf eval " + run +
           format(" --smallest-factor %g --largest-factor %g", f.smallest_factor, f.largest_factor) +
           "    # all sizes\n";
  lines += "scdcf equivariance " + run + "\n";
  lines += "scdcf train --model scdcfnet-full --data " + f.data +
           " --train-size 10000 --out runs/full    # longer, of all sizes";
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
  add_samples(page, findings);
  add_story(page, plots, findings);
  add_errors(page, findings);
  add_how_to_repeat(page, findings, folder);
  files::write_file_atomically(folder / "report.html", page.text());
  return plots.missing();
}

}  // namespace scdcf::demo
