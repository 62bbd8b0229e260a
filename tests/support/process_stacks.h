// What a process that does not end is doing, for whoever reads the failure of a test.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdio>
#include <string>

namespace scdcf::testing {

/// Its state, where the kernel holds it, and the stacks of its threads where gdb is installed.
inline std::string stacks_of(pid_t process) {
  const auto number = std::to_string(process), at = "/proc/" + number;
  const auto command = "exec 2>&1; grep -E '^(State|PPid|Threads)' " + at + "/status; cat " + at +
                       "/task/*/wchan; echo; cat " + at + "/stack; command -v gdb > /dev/null && timeout 30 gdb -p " +
                       number + " -batch -nx -ex 'thread apply all bt 14' | grep -E '^(Thread|#)'";
  std::string text = "process " + number + ":\n";
  if (auto* pipe = popen(command.c_str(), "r")) {
    std::array<char, 4096> bytes{};
    for (size_t got = 0; (got = fread(bytes.data(), 1, bytes.size(), pipe)) > 0;) text.append(bytes.data(), got);
    pclose(pipe);
  }
  return text;
}

}  // namespace scdcf::testing
