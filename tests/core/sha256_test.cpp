#include "scdcf/core/sha256.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace scdcf {
namespace {

std::string digest(const std::string& message) {
  Sha256 hash;
  hash.add(message.data(), message.size());
  return hash.hex();
}

// The examples published with FIPS 180-4, and the empty message.
TEST(Sha256Test, standard_vectors) {
  EXPECT_EQ(digest(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(digest("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrs"
                   "mnopqrstnopqrstu"),
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  EXPECT_EQ(digest(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Test, pieces_of_any_size_give_the_digest_of_the_whole) {
  std::string message;
  for (int i = 0; i < 300; ++i) message += static_cast<char>(7 * i);
  for (std::size_t length : {55U, 56U, 63U, 64U, 65U, 119U, 120U, 128U, 300U}) {
    const std::string whole = digest(message.substr(0, length));
    for (std::size_t piece : {1U, 3U, 63U, 64U, 65U}) {
      Sha256 hash;
      for (std::size_t at = 0; at < length; at += piece)
        hash.add(message.data() + at, std::min<std::size_t>(piece, length - at));
      EXPECT_EQ(hash.hex(), whole) << length << " bytes in pieces of " << piece;
    }
  }
}

}  // namespace
}  // namespace scdcf
