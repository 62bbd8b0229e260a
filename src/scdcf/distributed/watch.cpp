#include "scdcf/distributed/watch.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <sstream>

#include "scdcf/core/printable.h"

namespace scdcf::distributed {
namespace {

constexpr double kBeat = 0.25, kGrace = 3;  // seconds
const char* const kLeft = "left";           // the sign of a rank that took its leave
const char* const kFailure = "failure";

void pause(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

std::string sign_key(int rank) { return "sign/" + std::to_string(rank); }

/// "rank 2", "ranks 2, 3 and 5".
std::string ranks_text(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < ranks.size(); ++i)
    text += (i == 0 ? "" : i + 1 == ranks.size() ? " and " : ", ") + std::to_string(ranks[i]);
  return text;
}

}  // namespace

Watch::Watch(c10::intrusive_ptr<c10d::Store> store, const Place& place, const GroupOptions& options)
    : store_(std::move(store)),
      place_(place),
      options_(options),
      answered_(now()),
      signs_(static_cast<size_t>(place.size), Sign{"", now()}) {
  beat_ = std::thread([this] { beat(); });
  judge_ = std::thread([this] { judge(); });
}

Watch::~Watch() {
  leave();
  over_ = true;
  judge_.join();
}

void Watch::leave() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (leaving_.exchange(true)) return;
  }
  woken_.notify_all();
  beat_.join();
  try {
    set(sign_key(place_.rank), kLeft);
    if (place_.rank == 0) wait_for_others_to_leave();
  } catch (const std::exception&) {  // the store has gone first: nobody is left to be told
  }
}

/// Rank 0 holds the store, in which the others read why it leaves: it stays as long as they show signs of life.
void Watch::wait_for_others_to_leave() {
  const double until = now() + options_.timeout_seconds;
  for (int rank = 1; rank < place_.size; ++rank) {
    std::string last = sign_of(rank);
    for (double since = now(); last != kLeft && now() - since < roll_call_seconds() && now() < until; pause(0.02)) {
      const auto sign = sign_of(rank);
      if (sign != last) since = now();
      last = sign;
      answered_ = now();
    }
  }
}

std::string Watch::text_of(const std::string& key) {
  const auto bytes = store_->get(key);
  return {bytes.begin(), bytes.end()};
}

void Watch::set(const std::string& key, const std::string& text) {
  store_->set(key, std::vector<std::uint8_t>(text.begin(), text.end()));
}

std::string Watch::sign_of(int rank) {
  const auto key = sign_key(rank);
  return store_->check({key}) ? text_of(key) : "";
}

void Watch::look_at(int rank) {
  const auto text = sign_of(rank);
  auto& sign = signs_[static_cast<size_t>(rank)];
  if (text != sign.text) sign = {text, now()};
  const double patience = text.empty() ? options_.join_seconds : options_.timeout_seconds;
  if (text == kLeft || now() - sign.since <= patience) return;
  std::ostringstream lost;
  lost << "rank " << rank << (text.empty() ? " did not come within " : " has given no sign of life for ") << patience
       << " s";
  condemn(lost.str(), !publish(lost.str()));
}

/// Rank 0 looks at all, all look at rank 0 and at what it found.
void Watch::beat() {
  for (std::uint64_t tick = 0; !leaving_; ++tick) {
    try {
      set(sign_key(place_.rank), std::to_string(tick) + " " + std::to_string(calls_));
      if (store_->check({kFailure})) condemn(text_of(kFailure), /*is_told=*/!reports_too());
      if (place_.rank != 0) look_at(0);
      for (int rank = 1; place_.rank == 0 && rank < place_.size; ++rank) look_at(rank);
      answered_ = now();
    } catch (const std::exception&) {
      return condemn_first("is gone");
    }
    std::unique_lock<std::mutex> lock(mutex_);
    woken_.wait_for(lock, std::chrono::duration<double>(beat_seconds()), [this] { return leaving_.load(); });
  }
}

void Watch::judge() {
  double since = 0;
  for (; !over_; pause(0.05)) {
    std::ostringstream silent;
    silent << "has not answered for " << options_.timeout_seconds << " s";
    if (now() - answered_ > options_.timeout_seconds) condemn_first(silent.str());
    if (ending_since_ != 0 && now() - ending_since_ > options_.timeout_seconds + kGrace)
      condemn("rank " + std::to_string(place_.rank) + " hung when it took its leave", /*is_told=*/false);
    const auto found = verdict();
    if (!found) continue;
    if (since == 0) since = now();
    if (now() - since < (informed_ ? 2 * kGrace : kGrace)) continue;
    // The thread that computes waits for somebody who will not come.
    if (!found->is_told) std::cerr << "scdcf: " + printable(with_advice(found->text)) + "\n" << std::flush;
    std::fflush(stdout);
    _exit(kLostRank);
  }
}

void Watch::condemn(const std::string& text, bool is_told) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!verdict_) verdict_ = Verdict{text, is_told};
}

/// Without rank 0 there is no store to agree in: one on every machine tells.
void Watch::condemn_first(const std::string& why) {
  condemn("rank 0 " + why, place_.rank != 1 && place_.local_rank != 0);
}

std::optional<Watch::Verdict> Watch::verdict() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return verdict_;
}

/// The process that found a failure may die before it reports it: rank 0 repeats it. A launched rank reports to its
/// parent, which prints one report of all.
bool Watch::reports_too() const { return place_.rank == 0 || !place_.folder.empty(); }

bool Watch::publish(const std::string& text) {
  if (store_->add("failures", 1) != 1) return false;
  set(kFailure, text);
  return true;
}

bool Watch::tell_failure(const std::string& why) {
  try {
    return publish("rank " + std::to_string(place_.rank) + ": " + why);
  } catch (const std::exception&) {
    return true;
  }
}

std::string Watch::with_advice(const std::string& text) const {
  const auto advice = options_.advice ? options_.advice() : "";
  return text + (advice.empty() ? "" : "; " + advice);
}

double Watch::beat_seconds() const {
  const int crowd = 1 + place_.size / 64;  // rank 0 has to read them all
  return kBeat * crowd;
}

double Watch::roll_call_seconds() const { return 8 * beat_seconds(); }

/// Who gives no sign of life, or else who is behind.
std::string Watch::roll_call() {
  std::vector<std::string> before;
  for (int rank = 0; rank < place_.size; ++rank) before.push_back(sign_of(rank));
  for (const double until = now() + roll_call_seconds(); now() < until && !verdict();) pause(0.05);
  std::vector<int> lost, behind;
  std::uint64_t least = calls_;
  for (int rank = 0; rank < place_.size; ++rank) {
    const auto sign = sign_of(rank);
    if (rank == place_.rank) continue;
    if (sign == kLeft || sign == before[static_cast<size_t>(rank)]) lost.push_back(rank);
    std::uint64_t tick = 0, calls = 0;
    std::istringstream(sign) >> tick >> calls;
    if (calls < least) behind.clear();
    least = std::min(least, calls);
    if (calls == least && calls < calls_) behind.push_back(rank);
  }
  if (!lost.empty()) return ranks_text(lost) + (lost.size() == 1 ? " is lost" : " are lost");
  if (!behind.empty()) return ranks_text(behind) + " did not come on: a computation or a disk hangs there";
  return "the connection of rank " + std::to_string(place_.rank) + " to the others broke";
}

void Watch::throw_lost() {
  try {
    const auto text = roll_call();
    if (!verdict()) condemn(text, !publish(text));
  } catch (const LostRank&) {
    throw;
  } catch (const std::exception&) {
    condemn_first("is gone");
  }
  check();
  throw LostRank("a process was lost", false);
}

void Watch::check() {
  const auto found = verdict();
  if (!found) return;
  informed_ = true;
  throw LostRank(with_advice(found->text), found->is_told);
}

}  // namespace scdcf::distributed
