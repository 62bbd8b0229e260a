#include "program.h"

#include <c10/util/Exception.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>

#include "commands.h"
#include "message.h"
#include "run_options.h"
#include "scdcf/core/error.h"
#include "scdcf/core/memory.h"
#include "scdcf/core/option.h"
#include "scdcf/core/runtime.h"
#include "scdcf/distributed/group.h"
#include "tensor_allocator.h"

namespace scdcf::app {
namespace {

constexpr int kBadInput = 2;

/// The command that was chosen, below all others.
const CLI::App& chosen(const CLI::App& app) {
  const auto below = app.get_subcommands();
  return below.empty() ? app : chosen(*below.front());
}

/// The library begins messages about an option with its name ("learning_rate: got ..."); where the command has it, its
/// user knows it by its flag.
std::string with_flag(const CLI::App& command, const std::string& message) {
  const auto end = std::min(message.find(':'), message.size());
  const auto flag = "--" + option_key(message.substr(0, end));
  return command.get_option_no_throw(flag) == nullptr ? message : flag + message.substr(end);
}

/// No option takes an empty word, but for those of a run, of which it leaves some open; and none takes the next option
/// for its value, which was forgotten then.
void refuse_what_is_no_value(CLI::App& command) {
  const auto not_empty = [](const std::string& word) {
    return word.empty() ? std::string("got nothing, expected a value") : std::string();
  };
  const auto no_option = [](const std::string& word) {
    return word.rfind("--", 0) == 0 ? "got no value before " + word : std::string();
  };
  for (auto* option : command.get_options()) {
    if (option->get_items_expected_max() == 0) continue;
    if (!is_run_option(*option)) option->check(not_empty);
    if (option->nonpositional()) option->check(no_option);
  }
  for (auto* below : command.get_subcommands([](const CLI::App*) { return true; })) refuse_what_is_no_value(*below);
}

/// c10 tells it in many words; malloc's failure is known by these.
bool tells_of_memory(const std::string& text) {
  return text.find("allocate memory") != std::string::npos || text.find("out of memory") != std::string::npos ||
         text.find("Storage size calculation overflowed") != std::string::npos;
}

/// "8G", "500M" or "1.5GB": decimal units, as sizes are printed.
std::int64_t bytes_of(const std::string& size) {
  constexpr double kMost = 1e18;
  double bytes = 0;
  char unit = ' ', b = 'B', more = 0;
  const int read = std::sscanf(size.c_str(), "%lf%c%c%c", &bytes, &unit, &b, &more);
  const std::string units = " kMGT";
  const auto power = units.find(unit == 'K' ? 'k' : unit);
  if (power != std::string::npos) bytes *= std::pow(1000, power);
  if (read < 1 || read > 3 || power == std::string::npos || b != 'B' || !(bytes >= 1 && bytes <= kMost))
    throw CLI::ValidationError("--memory", "got \"" + size + "\", expected a size such as 8G or 500M");
  return static_cast<std::int64_t>(bytes);
}

int bad_input(const std::string& text) {
  print_message(text);
  return kBadInput;
}

int out_of_memory() {
  return bad_input("not enough memory: choose smaller sizes (channels, hidden units, scales, batch, images)");
}

int internal_error(const std::string& text) {
  print_message("internal error: " + text);
  return 1;
}

int parse_and_run(int argc, char** argv) {
  CLI::App app{"Networks that know about scale: enlarge the picture, and the features move predictably.", "scdcf"};
  app.set_version_flag("--version", std::string("scdcf ") + version() + " (" + commit() + ")");
  int threads = 0;
  app.add_option("--threads", threads, "Threads to use; 0 for all cores")->check(CLI::Range(0, 4096));
  std::string memory;
  app.add_option("--memory", memory, "Memory that training may use, such as 8G; default: all that is available")
      ->each([](const std::string& size) { set_memory_limit(bytes_of(size)); });
  app.require_subcommand(0, 1);
  app.fallthrough();
  app.failure_message([](const CLI::App* failed, const CLI::Error& error) {
    std::string command = failed->get_name();
    for (auto chosen = failed->get_subcommands(); !chosen.empty(); chosen = chosen.front()->get_subcommands())
      command += " " + chosen.front()->get_name();
    return "scdcf: " + printable(error.what()) + " (see " + command + " --help)\n";
  });
  app.parse_complete_callback([&threads] {
    set_threads(threads);
    set_blas_threads(1);
  });
  add_commands(app);
  try {
    app.parse(argc, argv);
    // Asked for here and not by CLI11, which would complain of a missing command before it names a misspelt one.
    if (app.get_subcommands().empty()) throw CLI::RequiredError("A subcommand");
  } catch (const CLI::Success& done) {  // --help, --version
    return app.exit(done);
  } catch (const CLI::RuntimeError& done) {  // a command that ran and says how it ended
    return done.get_exit_code();
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    return kBadInput;
  } catch (const distributed::LostRank& lost) {
    throw;
  } catch (const Error& error) {
    throw Error(with_flag(chosen(app), error.what()));
  }
  return 0;
}

}  // namespace

void add_commands(CLI::App& app) {
  add_demo(app);
  add_train(app);
  add_eval(app);
  add_predict(app);
  add_equivariance(app);
  add_export(app);
  add_explore(app);
  add_models(app);
  add_data(app);
  add_verify(app);
  add_reproduce(app);
  add_report(app);
  add_bench(app);
  add_info(app);
  add_completion(app);
  refuse_what_is_no_value(app);
}

int run_program(int argc, char** argv) {
  keep_tensor_memory();
  try {
    const int code = parse_and_run(argc, argv);
    std::cout.flush();
    // Whoever reads what was written to a full disk must not take it for all there is.
    require(code != 0 || (std::cout.good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0),
            "standard output: could not be written whole: is the disk full?");
    return code;
  } catch (const distributed::LostRank& lost) {
    if (!lost.is_told()) bad_input(lost.what());
    return distributed::kLostRank;
  } catch (const Error& error) {
    return bad_input(error.what());
  } catch (const c10::Error& error) {
    return tells_of_memory(error.what()) ? out_of_memory() : internal_error(error.what_without_backtrace());
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::length_error&) {  // more than a vector can ever hold
    return out_of_memory();
  } catch (const std::filesystem::filesystem_error& error) {
    return bad_input(error.path1().string() + ": " + error.code().message());
  } catch (const std::exception& error) {
    return tells_of_memory(error.what()) ? out_of_memory() : internal_error(error.what());
  }
}

}  // namespace scdcf::app
