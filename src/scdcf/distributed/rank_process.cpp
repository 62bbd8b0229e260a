#include "scdcf/distributed/rank_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <map>
#include <thread>
#include <vector>

#include "scdcf/core/clock.h"
#include "scdcf/core/error.h"
#include "scdcf/distributed/group.h"

namespace scdcf::distributed {
namespace {

std::vector<std::string> own_arguments() {
  std::ifstream stream("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string argument; std::getline(stream, argument, '\0');) arguments.push_back(argument);
  return arguments;
}

/// Gloo and NCCL listen at the loopback interface, whatever the user's environment names for other machines.
std::vector<std::string> environment_of(int rank, int count, const std::string& store, int pulse) {
  const std::map<std::string, std::string> own = {{"RANK", std::to_string(rank)},
                                                  {"WORLD_SIZE", std::to_string(count)},
                                                  {"LOCAL_RANK", std::to_string(rank)},
                                                  {"LOCAL_WORLD_SIZE", std::to_string(count)},
                                                  {"MASTER_ADDR", "127.0.0.1"},
                                                  {"GLOO_SOCKET_IFNAME", ""},
                                                  {"NCCL_SOCKET_IFNAME", "lo"},
                                                  {"GLOG_minloglevel", "4"},
                                                  {"TORCH_CPP_LOG_LEVEL", "FATAL"},
                                                  {kPulse, std::to_string(pulse)},
                                                  {kStore, store}};
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (own.count(std::string(*entry, std::strcspn(*entry, "="))) == 0) environment.emplace_back(*entry);
  for (const auto& [name, value] : own) environment.push_back(name + "=" + value);
  return environment;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (auto& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Where a child writes and where its parent reads, without waiting.
struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    require(pipe2(ends.data(), O_CLOEXEC) == 0, "processes: ", std::strerror(errno));
    from = ends[0];
    to = ends[1];
    fcntl(from, F_SETFL, O_NONBLOCK);
  }
  int from, to;
};

}  // namespace

RankProcess::RankProcess(int rank, int count, const std::string& store) : rank_(rank), felt_(now()) {
  const Pipe errors, pulse;
  errors_ = errors.from;
  pulse_ = pulse.from;
  auto arguments = own_arguments(), environment = environment_of(rank, count, store, pulse.to);
  const auto argument_pointers = pointers_to(arguments), environment_pointers = pointers_to(environment);
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ == 0) {  // nothing here may allocate: other threads of the parent may have held that lock
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(kLostRank);  // it died before that was asked for
    dup2(errors.to, STDERR_FILENO);
    fcntl(pulse.to, F_SETFD, 0);
    execve("/proc/self/exe", argument_pointers.data(), environment_pointers.data());
    constexpr char kFailed[] = "could not be started: /proc/self/exe cannot be executed\n";
    const auto written = write(STDERR_FILENO, kFailed, sizeof(kFailed) - 1);
    _exit(written < 0 ? 126 : 127);
  }
  close(errors.to);
  close(pulse.to);
  require(process_ > 0, "processes: rank ", rank, " could not be started: ", std::strerror(errno));
}

RankProcess::~RankProcess() {
  send(SIGKILL);
  // Not for ever: the kernel may hold it.
  for (int i = 0; i < 100 && running_; ++i) {
    look();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  close(errors_);
  close(pulse_);
}

void RankProcess::look() {
  // Its end first: then there is nothing left to come of what it wrote.
  if (running_ && waitpid(process_, &status_, WNOHANG) == process_) running_ = false;
  std::array<char, 4096> bytes{};
  for (ssize_t got = 0; (got = read(errors_, bytes.data(), bytes.size())) > 0;)
    if (text_.size() < (1U << 20)) text_.append(bytes.data(), static_cast<size_t>(got));
  while (read(pulse_, bytes.data(), bytes.size()) > 0) {
    has_pulse_ = true;
    felt_ = now();
  }
}

void RankProcess::send(int signal) const {
  if (running_) kill(process_, signal);
}

void RankProcess::end_by_force() {
  if (!running_) return;
  was_forced_ = true;
  send(SIGKILL);
}

double RankProcess::silence() const { return now() - felt_; }

int RankProcess::signal() const { return WIFSIGNALED(status_) ? WTERMSIG(status_) : 0; }

int RankProcess::code() const { return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1; }

std::string RankProcess::last_line() const {
  auto text = text_;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  text = text.substr(text.rfind('\n') + 1);
  const std::string name = "scdcf: ";
  return text.rfind(name, 0) == 0 ? text.substr(name.size()) : text;
}

}  // namespace scdcf::distributed
