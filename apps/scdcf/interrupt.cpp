#include "interrupt.h"

#include <csignal>

namespace scdcf::app {
namespace {

volatile std::sig_atomic_t asked_to_stop = 0;

void on_signal(int signal) {
  asked_to_stop = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptScope::InterruptScope() {
  asked_to_stop = 0;
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

InterruptScope::~InterruptScope() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool InterruptScope::requested() { return asked_to_stop != 0; }

}  // namespace scdcf::app
