// random_commands COUNT SEED: command lines drawn from the program's own lists of commands and options, with values
// that fit and values that do not. Each must end with 0, 2 or 130, with one line on stderr where it is 2, and leave
// every file outside its --out alone. Each runs in a fork of this process, which pays LibTorch's start once.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <map>
#include <thread>
#include <utility>

#include "commands.h"
#include "program.h"
#include "scdcf/data/random.h"
#include "scdcf/models/registry.h"
#include "support/scratch_folder.h"

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;
using scdcf::data::Random;

const std::string& one_of(const Words& words, Random& random) { return words[random.below(words.size())]; }
bool chance(Random& random, std::uint64_t percent) { return random.below(100) < percent; }

/// The program sees in/ (a run, a file, a picture) and writes to out/; defaults such as out/demo lie there too.
Words wild_values() {
  return {"",
          "-1",
          "0",
          "1",
          "3",
          "nan",
          "inf",
          "-inf",
          "1e308",
          "1e-308",
          "0x10",
          "abc",
          "1.5",
          ",",
          "1,,2",
          "0-4",
          "4-0",
          "none",
          "--",
          "-x",
          "\xc3\xa4",
          "a\nb",
          "\xff",
          "{",
          "all",
          "cpu",
          "tpu",
          "true",
          "in/a_file",
          "in/a_file/x",
          "in",
          "/dev/null/x",
          "=",
          "65536",
          "99999999999",
          "18446744073709551616",
          std::string(5000, 'x'),
          "2,2,2",
          "in/run",
          "in/config.toml"};
}

/// Values that fit, for options that have no list of them.
Words tame_values(const std::string& option) {
  static const std::map<std::string, Words> known = {{"--data", {"sglyphs"}},
                                                     {"set", {"sglyphs"}},
                                                     {"--out", {"out/x", "out/x/y", "out"}},
                                                     {"run", {"in/run", "in/run/model.safetensors"}},
                                                     {"images", {"in/picture.png"}},
                                                     {"folder", {"in/run", "in"}},
                                                     {"--config", {"in/config.toml"}},
                                                     {"--channels", {"2,2,2", "none"}},
                                                     {"--milestones", {"none", "1,2"}},
                                                     {"--realisations", {"0", "0-1"}},
                                                     {"--device", {"cpu"}},
                                                     {"--basis", {"sine", "bspline", "sesn-28"}},
                                                     {"--pooling", {"max", "average"}},
                                                     {"--optimizer", {"adam", "sgd"}},
                                                     {"--algorithm", {"composed", "separable"}},
                                                     {"--scale-padding", {"zero", "replicate"}},
                                                     {"--precision", {"float32"}},
                                                     {"--mirror", {"http://127.0.0.1:9"}},
                                                     {"--normalisation", {"black", "standard"}},
                                                     {"--data-dir", {"out"}},
                                                     {"--group", {"smnist28"}}};
  if (option == "--model" || option == "name") {
    Words names;
    for (const auto& entry : scdcf::models::all_models()) names.push_back(entry.name);
    return names;
  }
  const auto found = known.find(option);
  return found != known.end() ? found->second : Words{"0", "1", "2", "0.5", "12"};
}

/// Mostly what fits: from the list that the option has ({a,b,c} in its help), or from those above.
std::string value_of(const CLI::Option& option, Random& random) {
  static const Words wild = wild_values();
  const bool is_target = option.get_name() == "--out" || option.get_name() == "--data-dir";  // where fetch writes to
  // Anything is a folder to write to; only below out/ and where nothing can be written may it be.
  static const Words wild_out = {"",       "in/a_file", "in/a_file/x", "/dev/null/x",
                                 "out/-x", "out/a\nb",  "out/\xff",    "out/" + std::string(5000, 'x')};
  // More than one process would be this program started anew, which is not the one under test.
  static const Words processes = {"1", "0", "-1", "nan", "1.5", "abc", "", "99999999999"};
  if (option.get_name() == "--processes") return one_of(processes, random);
  if (chance(random, 25)) return one_of(is_target ? wild_out : wild, random);
  const auto type = option.get_type_name();
  const auto open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return one_of(tame_values(option.get_name()), random);
  return one_of(CLI::detail::split(type.substr(open + 1, close - open - 1), ','), random);
}

/// An option with its value, together or apart; a positional's value alone.
void add_word(const CLI::Option& option, Random& random, std::vector<Words>& parts) {
  const auto name = option.get_name();
  if (option.get_positional())
    parts.push_back({value_of(option, random)});
  else if (option.get_items_expected_max() == 0 || (name != "--out" && chance(random, 2)))
    parts.push_back({name});
  else if (chance(random, 10))
    parts.push_back({name + "=" + value_of(option, random)});
  else
    parts.push_back({name, value_of(option, random)});
}

/// What keeps a training run short, unless an option drawn behind it says otherwise.
std::vector<Words> small_run(Random& random) {
  std::vector<Words> parts = {{"--model", chance(random, 50) ? "cnn" : "scdcfnet"},
                              {"--channels", "2,2,2"},
                              {"--hidden", "4"},
                              {"--data", "sglyphs"},
                              {"--size", "12"},
                              {"--train-size", "20"},
                              {"--validation-size", "20"},
                              {"--test-size", "20"},
                              {"--epochs", "1"},
                              {"--batch", "8"},
                              {"--out", "out/run"}};
  if (chance(random, 10)) parts.erase(parts.begin() + static_cast<long>(random.below(parts.size())));
  return parts;
}

Words command_line(const CLI::App& app, Random& random) {
  std::vector<Words> parts;
  const CLI::App* command = &app;
  Words line;
  for (auto below = app.get_subcommands({}); !below.empty() && !chance(random, 3);
       below = command->get_subcommands({})) {
    command = below[random.below(below.size())];
    const auto name = command->get_name();
    const bool slow = name == "verify" || name == "bench" || name == "demo" || name == "reproduce";
    if (slow && chance(random, 80)) command = app.get_subcommand("train");
    line.push_back(chance(random, 1) ? "tarin" : command->get_name());
  }
  if (command->get_name() == "train" && !chance(random, 10)) parts = small_run(random);
  if (command->get_name() == "fetch") parts.push_back({"--mirror", "http://127.0.0.1:9"});
  const auto options = command->get_options();
  for (const auto* option : options)
    if (option->get_required() && !chance(random, 8)) add_word(*option, random, parts);
  for (auto count = random.below(4); count > 0; --count) {
    const auto* option = options[random.below(options.size())];
    const auto same = [&](const Words& part) { return part[0] == option->get_name(); };
    if (!chance(random, 5)) parts.erase(std::remove_if(parts.begin(), parts.end(), same), parts.end());
    add_word(*option, random, parts);
  }
  if (chance(random, 5)) parts.push_back({one_of(wild_values(), random)});
  if (chance(random, 3)) parts.push_back({"--no-such-option"});
  for (std::size_t i = parts.size(); i > 1; --i) std::swap(parts[i - 1], parts[random.below(i)]);
  for (const auto& part : parts) line.insert(line.end(), part.begin(), part.end());
  line.insert(line.begin(), {"--threads", "1"});
  return line;
}

int run_here(const Words& line) {
  Words all = line;
  all.insert(all.begin(), "scdcf");
  std::vector<char*> argv;
  for (auto& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int code = scdcf::app::run_program(static_cast<int>(all.size()), argv.data());
  std::cout.flush();
  std::fflush(nullptr);
  return code;
}

struct Ended {
  int code = 0;  ///< 128 + signal where one ended it; 0 where it took too long
  std::string errors;
  bool was_stopped = false;
};

using Clock = std::chrono::steady_clock;

/// What a child has had of a processor, in seconds, so that a busy machine changes nothing; of one that only waits, a
/// tenth of its life.
double age(pid_t child, Clock::time_point born) {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(child, &clock) == 0) clock_gettime(clock, &used);
  const double processor = static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
  return std::max(processor, std::chrono::duration<double>(Clock::now() - born).count() / 10);
}

/// In a fork, for four seconds of a processor; then it is interrupted.
Ended run(const Words& line) {
  constexpr double kLong = 4, kTooLong = 12;
  const auto born = Clock::now();
  const pid_t child = fork();
  if (child == 0) {
    const int nothing = open("/dev/null", O_RDWR), errors = open("errors.txt", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    dup2(nothing, 0);
    dup2(nothing, 1);
    dup2(errors, 2);
#ifndef __SANITIZE_ADDRESS__  // which reserves terabytes; there the limit is in ASAN_OPTIONS
    const rlimit memory{8UL << 30, 8UL << 30};
    setrlimit(RLIMIT_AS, &memory);
#endif
    _exit(run_here(line));
  }
  Ended ended;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    const double seconds = age(child, born);
    if (seconds > kLong && !std::exchange(ended.was_stopped, true)) kill(child, SIGINT);
    if (seconds > kTooLong) kill(child, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (ended.was_stopped && WIFSIGNALED(status)) ended.code = 130;
  std::ifstream stream("errors.txt", std::ios::binary);
  for (std::string said; std::getline(stream, said);)  // of memory that is not given the sanitizer tells by itself
    if (said.find("WARNING: AddressSanitizer failed to allocate") == std::string::npos) ended.errors += said + '\n';
  fs::remove("errors.txt");
  return ended;
}

/// Every file but those in out/, with what would change if it were written.
std::map<std::string, std::pair<std::uintmax_t, fs::file_time_type>> files_outside() {
  std::map<std::string, std::pair<std::uintmax_t, fs::file_time_type>> files;
  for (fs::recursive_directory_iterator entry("."), end; entry != end; ++entry) {
    if (entry->path() == "./out") entry.disable_recursion_pending();
    if (entry->path() != "./out")
      files[entry->path()] = {entry->is_regular_file() ? entry->file_size() : 0, entry->last_write_time()};
  }
  return files;
}

std::string fault_of(const Words& line, const Ended& ended) {
  const auto lines = std::count(ended.errors.begin(), ended.errors.end(), '\n');
  const auto has = [&](const char* word) { return std::find(line.begin(), line.end(), word) != line.end(); };
  const bool many = has("all") || has("predict");  // which tell of each experiment, or picture, that failed
  if (ended.code != 0 && ended.code != 2 && ended.code != 130) return "ended with " + std::to_string(ended.code);
  if (ended.code == 2 && lines < 1) return "said nothing";
  if (ended.code == 2 && lines > 1 && !many) return "said " + std::to_string(lines) + " lines";
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const scdcf::testing::TemporaryFolder scratch;
  fs::current_path(scratch.path());
  fs::create_directories("in");
  setenv("HOME", scratch.path("out/home").c_str(), 1);
  setenv("SCDCF_DATA", scratch.path("in").c_str(), 1);
  scratch.write("in/a_file", std::string("precious"));
  const auto count = std::strtoull(argv[1], nullptr, 10), seed = std::strtoull(argv[2], nullptr, 10);
  for (const Words& line : {Words{"train",   "--model",
                                  "cnn",     "--channels",
                                  "2,2,2",   "--hidden",
                                  "4",       "--data",
                                  "sglyphs", "--size",
                                  "12",      "--train-size",
                                  "20",      "--validation-size",
                                  "20",      "--test-size",
                                  "20",      "--epochs",
                                  "1",       "--batch",
                                  "8",       "--out",
                                  "in/run"},
                            Words{"data", "show", "sglyphs", "--count", "1", "--out", "in/picture.png"}})
    if (const auto ended = run(line); ended.code != 0) return std::cerr << ended.errors, 1;
  fs::copy("in/run/config.toml", "in/config.toml");

  CLI::App app{"", "scdcf"};
  scdcf::app::add_commands(app);
  auto before = files_outside();
  std::map<int, std::uint64_t> codes;
  int stopped = 0, faults = 0;
  for (std::uint64_t i = 0; i < count && faults < 20; ++i) {
    Random random(seed, 0, i);
    const auto line = command_line(app, random);
    fs::create_directories("out");
    const auto ended = run(line);
    auto fault = fault_of(line, ended);
    auto after = files_outside();
    if (after != before) fault += " wrote outside out/";
    before = std::move(after);
    scdcf::files::remove_tree("out");
    ++codes[ended.code];
    stopped += ended.was_stopped;
    if (fault.empty()) continue;
    ++faults;
    std::cout << "line " << i << ": " << fault << ": scdcf";
    for (const auto& word : line) std::cout << " '" << word.substr(0, 60) << "'";
    std::cout << "\n  " << ended.errors.substr(0, 2000) << std::endl;
  }
  for (const auto& [code, times] : codes) std::cout << times << " ended with " << code << ", ";
  std::cout << stopped << " of them interrupted; " << faults << " faults\n";
  return faults == 0 ? 0 : 1;
}
