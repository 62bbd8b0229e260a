#include "scdcf/files/lease.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "scdcf/core/error.h"
#include "scdcf/files/lockable_file.h"

namespace scdcf::files {
namespace {

/// Of the machine since it was started: names of machines are not always different.
const std::string& this_machine() {
  static const std::string id = [] {
    std::ifstream stream("/proc/sys/kernel/random/boot_id");
    std::string text;
    return stream >> text ? text : "machine";
  }();
  return id;
}

std::string new_token() {
  static std::atomic<unsigned> count{0};
  std::random_device random;
  std::ostringstream token;
  token << this_machine() << ":" << getpid() << ":" << ++count << ":" << random();
  return token.str();
}

/// Empty where there is none, or where its holder has only begun.
std::string content_of(const std::filesystem::path& file) {
  const auto there = LockableFile::if_there(file);
  return there ? there->read_from(0) : "";
}

bool is_of(const std::string& token, const std::string& content) { return content.rfind(token + " ", 0) == 0; }

}  // namespace

struct Lease::Held {
  std::filesystem::path path;
  std::string token;
  LockableFile file;  // writes go to the lease that was made here, never to one that took its place
  double seconds;
  bool was_left = false;
  std::uint64_t beats = 0;
  std::mutex mutex;
  std::condition_variable woken;
  bool over = false;
  std::thread renewing;

  Held(std::filesystem::path path_, std::string token_, double seconds_)
      : path(std::move(path_)), token(std::move(token_)), file(path, O_RDWR | O_CREAT | O_EXCL), seconds(seconds_) {
    renew();
    renewing = std::thread([this] {
      std::unique_lock<std::mutex> lock(mutex);
      while (!woken.wait_for(lock, std::chrono::duration<double>(seconds / 6), [this] { return over; })) renew();
    });
  }
  ~Held() {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      over = true;
    }
    woken.notify_all();
    renewing.join();
    if (is_of(token, content_of(path))) unlink(path.c_str());
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  void renew() {
    std::ostringstream text;
    text << token << " ";
    text.width(12);
    text << ++beats << "\n";  // always as long as before: no reader sees the end of an older one
    const auto content = text.str();
    // A full disk is no loss yet: the next beat may do.
    [[maybe_unused]] const auto written = pwrite(file.descriptor(), content.data(), content.size(), 0);
    fsync(file.descriptor());
  }
};

Lease::Lease(std::unique_ptr<Held> held) : held_(std::move(held)) {}
Lease::Lease(Lease&&) noexcept = default;
Lease& Lease::operator=(Lease&&) noexcept = default;
Lease::~Lease() = default;
bool Lease::was_left() const { return held_->was_left; }
bool Lease::is_lost() const { return !is_of(held_->token, content_of(held_->path)); }

bool LeaseTaker::is_over(const std::filesystem::path& file, const std::string& content) {
  const std::lock_guard<std::mutex> lock(mutex_);
  auto& seen = seen_[file.string()];
  if (seen.since == 0 || seen.content != content) seen = {content, clock_()};
  return clock_() - seen.since > seconds_;
}

std::optional<Lease> LeaseTaker::take(const std::filesystem::path& file, bool others_here_are_gone) {
  const auto token = new_token();
  const auto make = [&]() -> std::optional<Lease> {
    std::error_code failed;
    if (std::filesystem::exists(file, failed)) return std::nullopt;
    try {
      return Lease(std::make_unique<Lease::Held>(file, token, seconds_));
    } catch (const Error&) {
      if (std::filesystem::exists(file, failed)) return std::nullopt;  // another was first
      throw;
    }
  };
  if (auto lease = make()) return lease;
  const auto content = content_of(file);
  const bool dead = others_here_are_gone && content.rfind(this_machine() + ":", 0) == 0;
  if (!dead && !is_over(file, content)) return std::nullopt;
  // Moved away first: of those who find it over, one moves it. Who moved another one by mistake puts it back.
  const auto aside = file.string() + "." + token;
  if (std::rename(file.c_str(), aside.c_str()) != 0) return std::nullopt;
  if (content_of(aside) != content) {
    [[maybe_unused]] const int ignored = link(aside.c_str(), file.c_str());
    unlink(aside.c_str());
    return std::nullopt;
  }
  unlink(aside.c_str());
  auto lease = make();
  if (!lease) return std::nullopt;
  // Another who was in the middle of the same may have moved this one: it would be back, or gone, in a moment.
  std::this_thread::sleep_for(std::chrono::duration<double>(dead ? 0 : std::min(1.0, seconds_ / 10)));
  if (lease->is_lost()) return std::nullopt;
  lease->held_->was_left = true;
  return lease;
}

}  // namespace scdcf::files
