#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.h"
#include "in_range.h"
#include "json_output.h"
#include "run_options.h"
#include "scdcf/core/error.h"
#include "scdcf/core/format.h"
#include "scdcf/core/printable.h"
#include "scdcf/data/contact_sheet.h"
#include "scdcf/data/dataset_list.h"
#include "scdcf/data/datasets.h"
#include "scdcf/data/fetch.h"
#include "scdcf/pixels/canvas.h"
#include "scdcf/report/table.h"
#include "scdcf/terminal/progress_line.h"
#include "scdcf/terminal/shell_word.h"

namespace scdcf::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDataDirHelp = "Folder looked in first; without it the usual places";

// ---- list -----------------------------------------------------------------------------------------------------------

void list(const std::string& data_dir, bool json) {
  const auto sets = data::list_datasets(data_dir);
  if (json) {
    auto array = nlohmann::ordered_json::array();
    for (const auto& set : sets)
      array.push_back({{"name", set.name},
                       {"what", set.what},
                       {"found_at", set.found_at.empty() ? nlohmann::json() : nlohmann::json(set.found_at)},
                       {"how_to_get", set.how_to_get}});
    print_json(array);
    return;
  }
  report::Table table({"NAME", "WHAT", "FOUND AT"});
  for (const auto& set : sets)
    table.add({set.name, set.what, set.found_at.empty() ? "missing: " + set.how_to_get : set.found_at});
  table.print(std::cout);
}

void add_list(CLI::App& data) {
  auto* command = data.add_subcommand("list", "Every data set: what it is, where it was found or how to get it");
  auto data_dir = std::make_shared<std::string>();
  command->add_option("--data-dir", *data_dir, kDataDirHelp)->type_name("FOLDER");
  auto* json = command->add_flag("--json", "Print JSON");
  command->callback([data_dir, json] { list(*data_dir, json->count() > 0); });
}

// ---- fetch ----------------------------------------------------------------------------------------------------------

struct FetchArguments {
  std::vector<std::string> names;
  std::string data_dir, mirror;
};

int terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string label_of(const data::FetchProgress& progress) {
  switch (progress.stage) {
    case data::FetchProgress::Stage::check:
      return "checking " + progress.file;
    case data::FetchProgress::Stage::unpack:
      return "unpacking " + progress.file;
    default:
      return progress.file;
  }
}

/// The same command again, as it is written for a shell.
std::string command_of(const FetchArguments& arguments) {
  std::string text = "scdcf data fetch";
  for (const auto& name : arguments.names) text += " " + name;
  for (const auto& [flag, value] :
       {std::pair{" --data-dir ", arguments.data_dir}, std::pair{" --mirror ", arguments.mirror}})
    if (!value.empty()) text += flag + terminal::shell_word(value);
  return text;
}

void fetch(const FetchArguments& arguments) {
  // MNIST and Fashion-MNIST name their files alike, so that one folder cannot serve both.
  require(arguments.mirror.empty() || arguments.names.size() == 1, "--mirror: got ", arguments.names.size(),
          " data sets, expected one, for the URL is that of its files");
  terminal::ProgressLine line(std::cerr, isatty(STDERR_FILENO) != 0, terminal_width());
  data::FetchOptions options;
  options.data_dir = arguments.data_dir.empty() ? data::user_data_dir() : fs::path(arguments.data_dir);
  options.mirror = arguments.mirror;
  options.command = command_of(arguments);
  options.progress = [&](const data::FetchProgress& progress) {
    line.update({label_of(progress), progress.done, progress.total, progress.began_with});
  };
  options.note = [&](const std::string& note) {
    line.clear();
    std::cout << printable(note) << std::endl;
  };
  for (const auto& name : arguments.names) data::fetch(data::known_source(name), options);
}

void add_fetch(CLI::App& data) {
  auto* command = data.add_subcommand(
      "fetch",
      "Downloads data sets, checks them and puts them where the other commands find them.\n"
      "An interrupted download goes on where it stopped. STL-10 needs 2.6 GB on the way and keeps 0.4 GB.");
  auto arguments = std::make_shared<FetchArguments>();
  std::vector<std::string> names;
  for (const auto& source : data::known_sources()) names.push_back(source.name);
  command->add_option("names", arguments->names, "Which data sets")->required()->check(CLI::IsMember(names));
  command
      ->add_option("--data-dir", arguments->data_dir,
                   "Folder for the data sets, each in one of its own; without it the user's cache")
      ->type_name("FOLDER");
  command->add_option("--mirror", arguments->mirror, "Where the files of the data set are, instead of the usual place")
      ->type_name("URL");
  command->callback([arguments] { fetch(*arguments); });
}

// ---- show -----------------------------------------------------------------------------------------------------------

struct ShowArguments {
  data::DataOptions data;
  data::ContactSheetOptions sheet;
  std::string split = "train", out;
  bool json = false;
};

const data::ImageSet& split_of(const data::Splits& splits, const std::string& name) {
  return name == "test" ? splits.test : name == "validation" ? splits.validation : splits.train;
}

/// A picture may take the place of an earlier one, but not that of a file of another kind.
bool may_be_replaced(const fs::path& file) {
  std::error_code unreadable;
  if (!fs::is_regular_file(file, unreadable) || fs::file_size(file, unreadable) == 0) return true;
  std::array<char, 4> start{};
  std::ifstream(file, std::ios::binary).read(start.data(), start.size());
  return start == std::array<char, 4>{'\x89', 'P', 'N', 'G'};
}

/// "size of the object 0.300 to 1.000, median 0.652; centre 9.0 to 55.5 pixels from the left, 9.0 to 55.0 from the top"
std::string objects_of(const data::ImageSet& set) {
  const auto range = [](std::vector<double> values, const char* form) {
    std::sort(values.begin(), values.end());
    return format(form, values.front(), values.back(), values[values.size() / 2]);
  };
  std::string text = "size of the object ";
  text += range({set.scales.begin(), set.scales.end()}, "%.3f to %.3f, median %.3f");
  if (set.centres.empty()) return text;
  std::vector<double> x, y;
  for (const auto& centre : set.centres) {
    x.push_back(centre.x);
    y.push_back(centre.y);
  }
  return text + "; centre " + range(x, "%.1f to %.1f pixels from the left, ") + range(y, "%.1f to %.1f from the top");
}

/// Every picture of a part of a set: its class, and of its object what is known.
void print_objects(const data::ImageSet& set) {
  auto array = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < set.labels.size(); ++i) {
    array.push_back({{"picture", i}, {"class", set.class_names.at(static_cast<std::size_t>(set.labels[i]))}});
    if (!set.scales.empty()) array.back()["size"] = set.scales[i];
    if (!set.centres.empty()) array.back()["centre"] = {{"x", set.centres[i].x}, {"y", set.centres[i].y}};
  }
  print_json(array);
}

void show(const ShowArguments& arguments) {
  const fs::path folder = fs::path(arguments.out).parent_path();  // asked now, for loading can take a while
  require(folder.empty() || fs::is_directory(folder), "--out: ", arguments.out, ": there is no folder ",
          folder.string());
  require(may_be_replaced(arguments.out), "--out: ", arguments.out, ": is there already and is no PNG picture");
  auto asked = arguments.data;  // one picture of the parts that are not shown, for some take long to draw
  if (arguments.split != "train") asked.train_size = 1;
  if (arguments.split != "test") asked.test_size = 1;
  constexpr int kMostShown = 128;  // pixels a side of images that have no one size
  if (asked.size == 0) asked.size = std::min(data::outline_of(asked).side, kMostShown);
  const auto splits = data::load(asked);
  const auto& set = split_of(splits, arguments.split);
  require(set.count() > 0, arguments.data.name, ": its ", arguments.split, " split has no pictures");
  auto options = arguments.sheet;
  const fs::path path(arguments.data.name);  // of an image folder the last part is name enough
  const std::string name = path.has_filename() ? path.filename() : path.parent_path().filename();
  options.title = name + ", " + arguments.split + ": " + std::to_string(set.count()) + " pictures of " +
                  std::to_string(set.width) + "x" + std::to_string(set.height);
  const auto sheet = data::contact_sheet(set, options);
  pixels::write_png(arguments.out, sheet);
  if (arguments.json) return print_objects(set);
  std::cout << printable(arguments.out) << ": " << sheet.width() << "x" << sheet.height() << " pixels\n";
  if (!set.scales.empty()) std::cout << objects_of(set) << '\n';
}

void add_show(CLI::App& data) {
  auto* command =
      data.add_subcommand("show", "Draws the first pictures of a data set, one row per class, as a PNG file");
  auto arguments = std::make_shared<ShowArguments>();
  command->add_option("set", arguments->data.name, "A name of `scdcf data list`, or an image folder")->required();
  command->add_option("--out", arguments->out, "The picture to write")->required()->type_name("FILE.png");
  command->add_option("--split", arguments->split, "Which part of the set")
      ->check(CLI::IsMember({"train", "validation", "test"}))
      ->capture_default_str();
  command->add_option("--count", arguments->sheet.count, "Pictures at most, as many of every class")
      ->check(in_range(1, 100000))
      ->capture_default_str();
  command
      ->add_option("--columns", arguments->sheet.columns,
                   "A plain grid of so many per row instead of one row per class")
      ->check(in_range(1, 10000));
  command->add_option("--size", arguments->data.size, "Side of the pictures in pixels; without it the set's own")
      ->check(in_range(1, 1024));
  command->add_option("--realisation", arguments->data.realisation, "Which random split and scaling")
      ->check(in_range(0, 1000000))
      ->capture_default_str();
  command->add_option("--data-dir", arguments->data.data_dir, kDataDirHelp)->type_name("FOLDER");
  auto& of = arguments->data;
  add_run_option(*command, "fit", of.fit);
  add_run_option(*command, "smallest_factor", of.smallest_factor);
  add_run_option(*command, "largest_factor", of.largest_factor);
  add_run_option(*command, "smallest_size", of.smallest_size);
  add_run_option(*command, "largest_size", of.largest_size);
  add_run_option(*command, "train_scale", of.train_scale);
  add_run_option(*command, "test_scale", of.test_scale);
  command->add_flag("--json", arguments->json, "Print class, size and place of every picture of the part as JSON");
  command->callback([arguments] { show(*arguments); });
}

}  // namespace

void add_data(CLI::App& app) {
  auto* data = app.add_subcommand("data", "Data sets: what is there, how to get them, what they look like");
  data->require_subcommand(0, 1);
  add_list(*data);
  add_fetch(*data);
  add_show(*data);
  // As in main.cpp: after the parsing, so that a misspelt command is named before a missing one is asked for.
  data->callback([data] {
    if (data->get_subcommands().empty()) throw CLI::RequiredError("A subcommand (list, fetch or show)");
  });
}

}  // namespace scdcf::app
