// A bad argument must fail with one line that names it.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "scdcf/core/error.h"

namespace scdcf::testing {

/// Runs `action`; it must throw scdcf::Error with a one-line message that contains every one of `words`.
template <class Action, class... Words>
void expect_error(Action action, Words... words) {
  try {
    action();
    ADD_FAILURE() << "expected an Error";
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    for (const std::string& word : {std::string(words)...}) EXPECT_NE(message.find(word), std::string::npos) << message;
  }
}

}  // namespace scdcf::testing
