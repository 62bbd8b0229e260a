// The ranks of a group as threads of one process: quick to start, and torch's generators and scopes are per thread.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "scdcf/distributed/group.h"

namespace scdcf::testing {

/// A fixture of tests that are skipped where processes on CPUs cannot compute together.
template <class Fixture>
class WithRanks : public Fixture {
 protected:
  void SetUp() override {
    Fixture::SetUp();
    if (!distributed::has_backend(torch::kCPU)) GTEST_SKIP() << "this LibTorch comes without the headers of Gloo";
  }
};
using RanksTest = WithRanks<::testing::Test>;

/// One that nobody listens at.
inline int free_port() {
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  bind(descriptor, reinterpret_cast<sockaddr*>(&address), size);
  getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size);
  close(descriptor);
  return ntohs(address.sin_port);
}

/// Calls `work` in `count` threads, each with its rank's group; throws what the first of them threw.
/// `folder`: of the store that they share, instead of a port.
inline void in_ranks(int count, const std::function<void(distributed::Group&)>& work, const std::string& folder = "") {
  const int port = free_port();
  std::vector<std::exception_ptr> failures(static_cast<size_t>(count));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; ++rank)
    threads.emplace_back([&, rank] {
      try {
        distributed::Group group({rank, count, rank, count, "127.0.0.1", port, folder}, torch::kCPU);
        work(group);
      } catch (...) {
        failures[static_cast<size_t>(rank)] = std::current_exception();
      }
    });
  for (auto& thread : threads) thread.join();
  for (const auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace scdcf::testing
