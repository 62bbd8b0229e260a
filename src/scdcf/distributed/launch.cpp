#include "scdcf/distributed/launch.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "scdcf/core/error.h"
#include "scdcf/distributed/group.h"

namespace scdcf::distributed {
namespace {

constexpr const char* kSupervisor = "SCDCF_SUPERVISOR";  // its number, for those that it starts
constexpr double kGrace = 5;                             // seconds from the first loss to the end of all
constexpr int kStopped = 130;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// One that nobody listens at now.
int free_port() {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* any = reinterpret_cast<sockaddr*>(&address);
  const bool found = descriptor >= 0 && bind(descriptor, any, size) == 0 && getsockname(descriptor, any, &size) == 0;
  if (descriptor >= 0) close(descriptor);
  require(found, "processes: found no free port on this machine: ", std::strerror(errno));
  return ntohs(address.sin_port);
}

std::vector<std::string> own_arguments() {
  std::ifstream stream("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string argument; std::getline(stream, argument, '\0');) arguments.push_back(argument);
  return arguments;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (auto& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// A process of the group, its standard error in a pipe.
class Child {
 public:
  Child(int rank, int count, int port) : rank_(rank) {
    std::vector<std::string> arguments = own_arguments(), environment;
    for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
    const std::pair<const char*, std::string> more[] = {{"RANK", std::to_string(rank)},
                                                        {"WORLD_SIZE", std::to_string(count)},
                                                        {"LOCAL_RANK", std::to_string(rank)},
                                                        {"LOCAL_WORLD_SIZE", std::to_string(count)},
                                                        {"MASTER_ADDR", "127.0.0.1"},
                                                        {"MASTER_PORT", std::to_string(port)},
                                                        {"GLOG_minloglevel", "4"},
                                                        {"TORCH_CPP_LOG_LEVEL", "FATAL"},
                                                        {kSupervisor, std::to_string(getpid())}};
    for (const auto& [name, value] : more) environment.push_back(std::string(name) + "=" + value);
    std::array<int, 2> ends{};
    require(pipe2(ends.data(), O_CLOEXEC) == 0, "processes: ", std::strerror(errno));
    errors_ = ends[0];
    fcntl(errors_, F_SETFL, O_NONBLOCK);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    const int failed = posix_spawn(&process_, "/proc/self/exe", &actions, nullptr, pointers_to(arguments).data(),
                                   pointers_to(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    require(failed == 0, "processes: rank ", rank, " could not be started: ", std::strerror(failed));
  }
  ~Child() {
    if (running_) {
      kill(process_, SIGKILL);
      waitpid(process_, nullptr, 0);
    }
    close(errors_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void look() {
    std::array<char, 4096> bytes{};
    for (ssize_t got = 0; (got = read(errors_, bytes.data(), bytes.size())) > 0;)
      if (text_.size() < (1U << 20)) text_.append(bytes.data(), static_cast<size_t>(got));
    if (running_ && waitpid(process_, &status_, WNOHANG) == process_) running_ = false;
  }
  void send(int signal) {
    if (running_) kill(process_, signal);
  }
  void end_by_force() {
    if (!running_) return;
    was_forced_ = true;
    send(SIGKILL);
  }

  int rank() const { return rank_; }
  bool is_running() const { return running_; }
  bool was_forced() const { return was_forced_; }
  int signal() const { return WIFSIGNALED(status_) ? WTERMSIG(status_) : 0; }
  int code() const { return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1; }
  /// What it said last, without the name of the program.
  std::string last_line() const {
    auto text = text_;
    while (!text.empty() && text.back() == '\n') text.pop_back();
    text = text.substr(text.rfind('\n') + 1);
    const std::string name = "scdcf: ";
    return text.rfind(name, 0) == 0 ? text.substr(name.size()) : text;
  }

 private:
  int rank_;
  pid_t process_ = 0;
  int errors_ = -1;
  bool running_ = true, was_forced_ = false;
  int status_ = 0;
  std::string text_;
};

/// The first cause: one that died, one that failed by itself, or else whom the others have lost, and at last one that
/// had to be killed because it hung.
LaunchResult judgement(const std::vector<std::unique_ptr<Child>>& children) {
  for (const auto& child : children)
    if (child->signal() != 0 && !child->was_forced())
      return {kLostRank, "rank " + std::to_string(child->rank()) + " was killed by signal " +
                             std::to_string(child->signal()) + " (" + strsignal(child->signal()) + ")"};
  for (const auto& child : children)
    if (child->code() > 0 && child->code() != kLostRank && child->code() != kStopped)
      return {child->code(),
              (child->rank() == 0 ? "" : "rank " + std::to_string(child->rank()) + ": ") + child->last_line()};
  for (const auto& child : children)
    if (child->code() == kLostRank && !child->last_line().empty()) return {kLostRank, child->last_line()};
  for (const auto& child : children)
    if (child->was_forced()) return {kLostRank, "rank " + std::to_string(child->rank()) + " hung and was killed"};
  for (const auto& child : children)
    if (child->code() != 0) return {child->code(), ""};
  return {};
}

}  // namespace

LaunchResult launch_ranks(int count, const std::function<bool()>& stop) {
  const int port = free_port();
  std::vector<std::unique_ptr<Child>> children;
  for (int rank = 0; rank < count; ++rank) children.push_back(std::make_unique<Child>(rank, count, port));
  bool asked = false;
  double lost_at = 0;
  for (bool running = true; running; std::this_thread::sleep_for(std::chrono::milliseconds(20))) {
    running = false;
    for (auto& child : children) {
      child->look();
      running = running || child->is_running();
      const bool ended_badly = !child->is_running() && child->code() != 0 && child->code() != kStopped;
      if (ended_badly && lost_at == 0) lost_at = now();
    }
    if (!asked && stop()) {
      asked = true;
      for (auto& child : children) child->send(SIGTERM);
    }
    if (lost_at != 0 && now() - lost_at > kGrace)
      for (auto& child : children) child->end_by_force();
  }
  return judgement(children);
}

bool is_launched() {
  const char* supervisor = std::getenv(kSupervisor);
  if (supervisor == nullptr) return false;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // It may have died before that was asked for.
  if (std::to_string(getppid()) != supervisor) _exit(kLostRank);
  return true;
}

}  // namespace scdcf::distributed
