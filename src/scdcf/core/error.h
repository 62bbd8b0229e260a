// Errors that a user can act on: what was wrong, what was got, what was expected.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace scdcf {

/// Thrown for every bad argument, shape or file. The message is one line and names the argument.
/// The program turns it into one line on stderr and exit code 2.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace detail {
template <class... Parts>
[[noreturn]] void fail(Parts&&... parts) {
  std::ostringstream message;
  (message << ... << std::forward<Parts>(parts));
  throw Error(message.str());
}
}  // namespace detail

/// require(width > 0, "finest_width: got ", width, ", expected a positive number of pixels");
template <class... Parts>
void require(bool condition, Parts&&... parts) {
  if (!condition) detail::fail(std::forward<Parts>(parts)...);
}

}  // namespace scdcf
