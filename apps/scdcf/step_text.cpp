#include "step_text.h"

#include "scdcf/core/format.h"
#include "scdcf/terminal/clock_text.h"

namespace scdcf::app {
namespace {

constexpr double kFirstSeconds = 5, kLong = 600;

}  // namespace

std::string step_text(const train::StepProgress& p) {
  if (p.tests > 0)
    return format("test %lld/%lld images", static_cast<long long>(p.tested), static_cast<long long>(p.tests));
  auto text = p.teacher == 0 ? ""
                             : format("teacher %lld/%lld  ", static_cast<long long>(p.teacher),
                                      static_cast<long long>(p.teachers));
  text += format("epoch %lld/%lld  step %lld/%lld", static_cast<long long>(p.epoch), static_cast<long long>(p.epochs),
                 static_cast<long long>(p.step), static_cast<long long>(p.steps));
  if (p.images_per_second > 0) text += format("  %.0f images/s", p.images_per_second);
  return text;
}

std::string left_text(const train::StepProgress& p) {
  return p.seconds_left < 0 ? "" : "  " + terminal::clock_text(p.seconds_left) + " left";
}

std::string long_run_text(const train::StepProgress& p) {
  if (p.seconds < kFirstSeconds || p.seconds_left < kLong) return "";
  const double done = static_cast<double>(p.epoch - 1) + static_cast<double>(p.step) / static_cast<double>(p.steps);
  // One of all networks: each teacher has as many epochs as the one that is kept.
  const auto networks = static_cast<double>(p.teachers + 1);
  const auto networks_left = p.teacher > 0 ? networks - static_cast<double>(p.teacher - 1) : 1;
  const double an_epoch = p.seconds_left * networks / (networks_left * static_cast<double>(p.epochs) - done);
  const auto shorter = static_cast<long long>(kLong / an_epoch);
  const auto takes = "this takes about " + terminal::clock_text(p.seconds_left);
  if (shorter == 0)
    return takes + "; a single epoch " + terminal::clock_text(an_epoch) +
           ": less is --train-size, --channels or a GPU (--device cuda)";
  return takes + format("; --epochs %lld would take about ", shorter) +
         terminal::clock_text(an_epoch * static_cast<double>(shorter));
}

}  // namespace scdcf::app
