// Damaged texts and files by the thousand. `make fuzz` tries as many as one likes under the sanitizers.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "scdcf/core/error.h"
#include "support/mutated.h"

namespace scdcf::testing {

inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// Reads mutations of a text: each gives a whole result or an Error of one line. Both must occur, or the test would not
/// reach far.
inline void fuzz(const std::string& text, const std::function<void(const std::string&)>& read) {
  const auto count = number_from("SCDCF_FUZZ_COUNT", 2000);
  data::Random random(number_from("SCDCF_FUZZ_SEED", 1));
  std::uint64_t read_whole = 0, refused = 0;
  ASSERT_NO_THROW(read(text));
  for (std::uint64_t i = 0; i < count; ++i) try {
      const auto bytes = mutated({text.begin(), text.end()}, random);
      read({bytes.begin(), bytes.end()});
      ++read_whole;
    } catch (const Error& error) {
      ++refused;
      ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }  // anything else ends the test
  EXPECT_GT(read_whole, 0U);
  EXPECT_GT(refused, count / 10);
}

}  // namespace scdcf::testing
