#include "scdcf/distributed/group.h"

#include <torch/torch.h>
#include <torch/version.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#ifdef SCDCF_WITH_GLOO
#  include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#endif
#ifdef SCDCF_WITH_NCCL
#  include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif
#if TORCH_VERSION_MAJOR >= 2
#  include <torch/csrc/distributed/c10d/Backend.hpp>
#endif

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <thread>

#include "scdcf/core/printable.h"
#include "scdcf/distributed/folder_store.h"
#include "scdcf/distributed/watch.h"

namespace scdcf::distributed {
namespace {

#if TORCH_VERSION_MAJOR >= 2
using Backend = c10d::Backend;
#else
using Backend = c10d::ProcessGroup;
#endif
using Store = c10::intrusive_ptr<c10d::Store>;
using std::chrono::milliseconds;

milliseconds in_milliseconds(double seconds) { return milliseconds(static_cast<std::int64_t>(1000 * seconds)); }

std::string variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

/// Ends the process where joining takes longer than that: a socket waits for ever for a rank 0 that hangs.
class JoinAlarm {
 public:
  JoinAlarm(const Place& place, double seconds)
      : thread_([this, place, seconds] {
          std::unique_lock<std::mutex> lock(mutex_);
          if (joined_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return is_over_; })) return;
          std::cerr << "scdcf: rank " + std::to_string(place.rank) + ": rank 0 at " + printable(place.address) +
                           " port " + std::to_string(place.port) + " does not answer\n"
                    << std::flush;
          _exit(kLostRank);
        }) {}
  ~JoinAlarm() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_over_ = true;
    }
    joined_.notify_all();
    thread_.join();
  }
  JoinAlarm(const JoinAlarm&) = delete;
  JoinAlarm& operator=(const JoinAlarm&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable joined_;
  bool is_over_ = false;
  std::thread thread_;
};

/// A connection of its own to the store: in a folder of this machine, or that which rank 0 holds, or torchrun for it.
Store connect(const Place& place, double seconds, bool may_serve) {
  if (!place.folder.empty()) return c10::make_intrusive<FolderStore>(place.folder, in_milliseconds(seconds));
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(place.port);
  options.isServer = may_serve && place.rank == 0 && variable("TORCHELASTIC_USE_AGENT_STORE") != "True";
  options.numWorkers = static_cast<std::size_t>(place.size);
  options.waitWorkers = false;
  options.timeout = in_milliseconds(seconds);
  try {
    // A restart by torchrun finds nothing of the time before it.
    return c10::make_intrusive<c10d::PrefixStore>("scdcf" + variable("TORCHELASTIC_RESTART_COUNT"),
                                                  c10::make_intrusive<c10d::TCPStore>(place.address, options));
  } catch (const std::exception&) {
    const auto where = place.address + " port " + std::to_string(place.port);
    require(!options.isServer, "rank ", place.rank, ": could not listen at ", where, ": is it in use?");
    // One on every machine tells, as long as there is no store to agree in.
    throw LostRank("rank " + std::to_string(place.rank) + ": could not reach rank 0 at " + where + " within " +
                       std::to_string(static_cast<int>(seconds)) + " s",
                   place.rank != 1 && place.local_rank != 0);
  }
}

[[maybe_unused]] bool is_loopback(const std::string& address) {
  return address == "localhost" || address == "::1" || address.rfind("127.", 0) == 0;
}

c10::intrusive_ptr<Backend> make_backend([[maybe_unused]] const Store& store, [[maybe_unused]] const Place& place,
                                         torch::Device device, [[maybe_unused]] double seconds) {
  if (device.is_cuda()) {
#ifdef SCDCF_WITH_NCCL
    auto options = c10d::ProcessGroupNCCL::Options::create();
    options->timeout = in_milliseconds(seconds);
    return c10::make_intrusive<c10d::ProcessGroupNCCL>(store, place.rank, place.size, options);
#else
    detail::fail("device: got ", device.str(), " for ", place.size,
                 " processes, but this build has no NCCL: nccl.h was not found when it was configured");
#endif
  }
#ifdef SCDCF_WITH_GLOO
  using Gloo = c10d::ProcessGroupGloo;
  auto options = Gloo::Options::create(in_milliseconds(seconds));
  const auto interface = variable("GLOO_SOCKET_IFNAME");
  options->devices.push_back(!interface.empty()           ? Gloo::createDeviceForInterface(interface)
                             : is_loopback(place.address) ? Gloo::createDeviceForHostname("127.0.0.1")
                                                          : Gloo::createDefaultDevice());
  options->threads = 2;
  return c10::make_intrusive<Gloo>(store, place.rank, place.size, options);
#else
  detail::fail("device: got cpu for ", place.size,
               " processes, but this build has no Gloo: its headers were not found when it was configured");
#endif
}

using Sum = std::function<void(const torch::Tensor&)>;

/// What autograd keeps from the forward for the backward. The sum belongs to the group, which lives longer.
struct KeptSum : torch::CustomClassHolder {
  explicit KeptSum(const Sum* sum_) : sum(sum_) {}
  const Sum* sum;
};

/// y = sum of x over all ranks. What every rank makes of its y adds to the loss, so x has the sum of their gradients.
struct SumOverRanks : torch::autograd::Function<SumOverRanks> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& part, const Sum* sum) {
    context->saved_data["sum"] = c10::IValue::make_capsule(c10::make_intrusive<KeptSum>(sum));
    auto result = part.clone(at::MemoryFormat::Contiguous);
    (*sum)(result);
    return result;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto kept = context->saved_data["sum"].toCapsule();
    auto gradient = gradients[0].clone(at::MemoryFormat::Contiguous);
    (*static_cast<const KeptSum&>(*kept).sum)(gradient);
    return {gradient, torch::Tensor()};
  }
};

}  // namespace

bool has_backend(torch::DeviceType device) {
#ifdef SCDCF_WITH_GLOO
  if (device == torch::kCPU) return true;
#endif
#ifdef SCDCF_WITH_NCCL
  if (device == torch::kCUDA) return true;
#endif
  return false;
}

struct Group::Connection {
  /// What is still under way may wait for somebody who is lost: the watch, which goes last, ends it.
  ~Connection() {
    if (watch == nullptr) return;
    watch->expect_end();
#ifdef SCDCF_WITH_NCCL
    try {  // NCCL wants its leave taken, which only those who are there can
      watch->check();
      if (auto* nccl = dynamic_cast<c10d::ProcessGroupNCCL*>(backend.get())) nccl->shutdown();
    } catch (const std::exception&) {
    }
#endif
    backend.reset();
    watch->leave();
    store.reset();
  }

  std::unique_ptr<Watch> watch;
  Store store;
  c10::intrusive_ptr<Backend> backend;
  Sum sum;
};

Group::Group(const Place& place, torch::Device device, const GroupOptions& options)
    : place_(place), device_(device), connection_(std::make_unique<Connection>()) {
  auto& c = *connection_;
  {
    // What can tell more is given the time to: sockets of some versions of torch count generously.
    const JoinAlarm alarm(place, options.join_seconds + 10);
    c.store = connect(place, options.join_seconds, /*may_serve=*/true);
    c.watch = std::make_unique<Watch>(connect(place, options.join_seconds, /*may_serve=*/false), place, options);
  }
  exchange("join", "");
  try {
    c.backend = make_backend(c.store, place, device, options.timeout_seconds);
  } catch (const Error&) {
    throw;
  } catch (const std::exception&) {
    c.watch->throw_lost();
  }
  c.sum = [this](const torch::Tensor& tensor) { sum(tensor); };
}

Group::~Group() = default;

std::function<void()> Group::sum_later(const torch::Tensor& tensor) {
  auto& c = *connection_;
  c.watch->count_call();
  std::vector<at::Tensor> tensors = {tensor};
  try {
    return [work = c.backend->allreduce(tensors), watch = c.watch.get()] {
      try {
        work->wait();
      } catch (const std::exception&) {
        watch->throw_lost();
      }
    };
  } catch (const std::exception&) {
    c.watch->throw_lost();
  }
}

torch::Tensor Group::differentiable_sum(const torch::Tensor& part) {
  return SumOverRanks::apply(part, &connection_->sum);
}

void Group::broadcast(const torch::Tensor& tensor) {
  auto& c = *connection_;
  c.watch->count_call();
  std::vector<at::Tensor> tensors = {tensor};
  try {
    c.backend->broadcast(tensors)->wait();
  } catch (const std::exception&) {
    c.watch->throw_lost();
  }
}

std::vector<std::string> Group::exchange(const std::string& subject, const std::string& text) {
  auto& c = *connection_;
  const auto key = [&](int rank) { return subject + "/" + std::to_string(rank); };
  std::vector<std::string> texts;
  try {
    c.store->set(key(rank()), std::vector<std::uint8_t>(text.begin(), text.end()));
    for (int from = 0; from < size(); ++from) {
      while (!c.store->check({key(from)})) {
        c.watch->check();
        std::this_thread::sleep_for(milliseconds(10));
      }
      const auto bytes = c.store->get(key(from));
      texts.emplace_back(bytes.begin(), bytes.end());
    }
  } catch (const Error&) {
    throw;
  } catch (const std::exception&) {
    c.watch->throw_lost();
  }
  return texts;
}

std::string Group::from_first(const std::string& subject, const std::string& text) {
  // All wait for all: nobody is far ahead when the next call with a time limit comes.
  return exchange(subject, is_first() ? text : "").front();
}

bool Group::tell_failure(const std::string& why) { return connection_->watch->tell_failure(why); }

}  // namespace scdcf::distributed
