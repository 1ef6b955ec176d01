#include "flare/base/sha256.h"

#include <gtest/gtest.h>

#include <string>

namespace flare {
namespace {

// FIPS 180-4, as NIST's examples have it.
TEST(Sha256, MatchesKnownTexts) {
  EXPECT_EQ(Sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesHashAsTheWhole) {
  Sha256Stream stream;
  stream.Add("a");
  EXPECT_EQ(stream.HexWith("bc"), Sha256("abc"));
  EXPECT_EQ(stream.HexWith(""), Sha256("a"));  // what came with the question was not added
  stream.Add("bc");
  EXPECT_EQ(stream.HexWith(""), Sha256("abc"));
}

}  // namespace
}  // namespace flare
