// A key-value store for the processes of one machine, without a port: one file for each key, in a folder that only
// their user can enter.
#pragma once

#include <torch/csrc/distributed/c10d/Store.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace scdcf::distributed {

/// Values are replaced whole, so that a process which is killed or stopped leaves no half of one.
class FolderStore : public c10d::Store {
 public:
  FolderStore(std::filesystem::path folder, std::chrono::milliseconds timeout)
      : Store(timeout), folder_(std::move(folder)) {}
  void set(const std::string& key, const std::vector<std::uint8_t>& value) override;
  std::vector<std::uint8_t> get(const std::string& key) override;
  std::int64_t add(const std::string& key, std::int64_t value) override;
  bool deleteKey(const std::string& key) override;
  bool check(const std::vector<std::string>& keys) override;
  std::int64_t getNumKeys() override;
  void wait(const std::vector<std::string>& keys) override { wait(keys, timeout_); }
  void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout) override;
  /// Only LibTorch 2 has it in its interface.
  virtual c10::intrusive_ptr<c10d::Store> clone() { return c10::make_intrusive<FolderStore>(folder_, timeout_); }

 private:
  std::filesystem::path file_of(const std::string& key) const;

  std::filesystem::path folder_;
};

}  // namespace scdcf::distributed
