#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "commands.h"
#include "json_output.h"
#include "scdcf/core/clock.h"
#include "scdcf/core/runtime.h"
#include "scdcf/files/make_folder.h"
#include "scdcf/verify/verify.h"

namespace scdcf::app {
namespace {

struct Options {
  bool json = false;
  std::string out;
};

void print(const verify::Finding& claim, double seconds) {
  std::cout << claim.statement << '\n';
  claim.table.print(std::cout);
  std::cout << "  " << claim.verdict << ": " << (claim.holds ? "HOLDS" : "FAILS") << " ("
            << std::round(seconds * 10) / 10 << " s)\n\n"
            << std::flush;
}

void run(const Options& options) {
  if (!options.out.empty()) files::make_folder(options.out, "out: ");
  auto report =
      nlohmann::ordered_json{{"version", version()}, {"commit", commit()}, {"claims", nlohmann::json::array()}};
  bool all_hold = true;
  std::string missing_pictures;
  for (const auto& measure : {verify::theorem1, verify::proposition2, verify::theorem2, verify::theorem3}) {
    const double start = now();
    const auto claim = measure();
    const double seconds = now() - start;
    all_hold = all_hold && claim.holds;
    if (!options.json) print(claim, seconds);
    report["claims"].push_back({{"id", claim.id},
                                {"statement", claim.statement},
                                {"criterion", claim.verdict},
                                {"holds", claim.holds},
                                {"seconds", seconds},
                                {"measured", claim.table.to_json()}});
    if (!options.out.empty()) missing_pictures = report::write_plot(claim.plot, options.out, claim.id);
  }
  report["holds"] = all_hold;
  if (options.json) print_json(report);
  if (!options.json) std::cout << (all_hold ? "Every statement holds." : "NOT every statement holds.") << '\n';
  if (!options.out.empty()) {
    std::cerr << (missing_pictures.empty()
                      ? "figures: " + std::filesystem::absolute(options.out).lexically_normal().string()
                      : missing_pictures)
              << '\n';
  }
  if (!all_hold) throw CLI::RuntimeError(1);
}

}  // namespace

void add_verify(CLI::App& app) {
  auto* command = app.add_subcommand(
      "verify",
      "Measures the paper's statements (Theorems 1-3, Proposition 2) on this machine; fails if one does not hold");
  auto options = std::make_shared<Options>();
  command->add_flag("--json", options->json, "Print JSON instead of tables");
  command
      ->add_option("--out", options->out, "Folder for the figures (PNG, SVG, data and gnuplot script); none without it")
      ->type_name("FOLDER");
  command->callback([options] { run(*options); });
}

}  // namespace scdcf::app
