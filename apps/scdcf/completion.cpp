// Completion for bash, written from the command line's own description: it knows every command and option there is.
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "commands.h"
#include "scdcf/core/joined.h"

namespace scdcf::app {
namespace {

using Words = std::vector<std::string>;

/// In bash's $'...': newlines between the words, quotes and backslashes made harmless.
std::string quoted(const Words& words) {
  std::string text = "$'";
  for (const char letter : joined(words, "\n"))
    text += letter == '\n'                     ? "\\n"
            : letter == '\'' || letter == '\\' ? std::string("\\") + letter
                                               : std::string(1, letter);
  return text + "'";
}

/// The fixed set of an option: CLI11 describes it as "TEXT:{a,b}".
Words choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const auto open = type.find('{'), close = type.rfind('}');
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  std::istringstream list(type.substr(open + 1, close - open - 1));
  Words words;
  for (std::string word; std::getline(list, word, ',');) words.push_back(word);
  return words;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }
bool is_of_type(const CLI::Option& option, const char* type) { return option.get_type_name().rfind(type, 0) == 0; }

Words names_of(const CLI::Option& option) {
  Words names;
  for (const auto& name : option.get_lnames()) names.push_back("--" + name);
  for (const auto& name : option.get_snames()) names.push_back("-" + name);
  return names;
}

/// What bash does for a value: offers its choices, folders, files, or nothing, as for numbers and URLs.
std::string action_for(const CLI::Option& option) {
  const Words choices = choices_of(option);
  if (!choices.empty()) return "words=" + quoted(choices);
  if (is_of_type(option, "FOLDER")) return "files=-d";
  return is_of_type(option, "TEXT") || is_of_type(option, "FILE") ? "files=-f" : "return";
}

/// The parts of the script that depend on the commands. A command is named by its path, as "/data/fetch".
struct Script {
  Words paths, takers;             // commands; "command option" pairs that are followed by a value
  std::ostringstream values, own;  // branches: of an option's value; of what a command itself takes
};

void describe(const CLI::App& app, const std::string& path, const CLI::App& root, Script& script) {
  Words subcommands, options;
  const CLI::Option* positional = nullptr;
  for (const auto* subcommand : app.get_subcommands([](const CLI::App*) { return true; }))
    subcommands.push_back(subcommand->get_name());
  const auto add = [&](const CLI::Option& option) {
    const Words names = names_of(option);
    if (names.empty()) {
      positional = positional ? positional : &option;
      return;
    }
    options.insert(options.end(), names.begin(), names.end());
    if (!takes_value(option)) return;
    Words keys;
    for (const auto& name : names) keys.push_back("'" + path + " " + name + "'");
    script.takers.insert(script.takers.end(), keys.begin(), keys.end());
    script.values << "    " << joined(keys, " | ") << ") " << action_for(option) << " ;;\n";
  };
  for (const auto* option : app.get_options()) add(*option);
  if (&app != &root && app.get_fallthrough())  // the program's own options are understood behind a command too
    for (const auto* option : root.get_options())
      if (takes_value(*option)) add(*option);
  script.own << "        '" << path << "') options=" << quoted(options) << "; ";
  if (!subcommands.empty())
    script.own << "words=" << quoted(subcommands) << "; ";
  else if (positional != nullptr)
    script.own << action_for(*positional) << "; ";
  script.own << ";;\n";
  for (const auto* subcommand : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string below = path + "/" + subcommand->get_name();
    script.paths.push_back("'" + below + "'");
    describe(*subcommand, below, root, script);
  }
}

void print_bash(const CLI::App& root, std::ostream& out) {
  Script script;
  describe(root, "", root, script);
  out << R"(# Completion of scdcf for bash. For this shell: source <(scdcf completion bash)
# For every shell: scdcf completion bash > ~/.local/share/bash-completion/completions/scdcf
_scdcf() {
  local IFS=$'\n' command= words= options= files= i
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  # --option=value comes as three words.
  [[ $previous == = ]] && previous=${COMP_WORDS[COMP_CWORD - 2]}
  [[ $current == = ]] && current=
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$command ${COMP_WORDS[i]}" in
      )"
      << joined(script.takers, " | ") << R"()
        [[ ${COMP_WORDS[i + 1]} == = ]] && ((i++))
        ((i++)) ;;
      *)
        case "$command/${COMP_WORDS[i]}" in
          )"
      << joined(script.paths, " | ") << R"() command+=/${COMP_WORDS[i]} ;;
        esac ;;
    esac
  done
  COMPREPLY=()
  case "$command $previous" in
)" << script.values.str()
      << R"(    *)
      case "$command" in
)" << script.own.str()
      << R"(      esac
      [[ $current == -* || -z $words$files ]] && words=$options files= ;;
  esac
  if [[ -n $files ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen $files -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  fi
}
complete -F _scdcf scdcf
)";
}

}  // namespace

void add_completion(CLI::App& app) {
  auto* command = app.add_subcommand("completion", "Prints a script that lets the shell complete commands and options");
  auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "For which shell")->required()->check(CLI::IsMember({"bash"}));
  command->callback([&app, shell] { print_bash(app, std::cout); });
}

}  // namespace scdcf::app
