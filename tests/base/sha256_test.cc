#include "flare/base/sha256.h"

#include <gtest/gtest.h>
#include <openssl/crypto.h>

#include <cstdlib>
#include <new>

namespace flare {
namespace {

// FIPS 180-4, as NIST's examples have it.
TEST(Sha256, OfKnownTexts) {
  EXPECT_EQ(Sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

bool refusing = false;
void* Allocate(std::size_t size, const char*, int) {
  return refusing ? nullptr : std::malloc(size);
}
void* Reallocate(void* old, std::size_t size, const char*, int) {
  return refusing ? nullptr : std::realloc(old, size);
}
void Free(void* old, const char*, int) { std::free(old); }

// OpenSSL takes its memory from functions that can be set before it has taken any: in a process of
// its own.
TEST(Sha256, WithoutMemoryIsNoDigest) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        if (CRYPTO_set_mem_functions(Allocate, Reallocate, Free) != 1) std::exit(1);
        refusing = true;
        try {
          Sha256("abc");
        } catch (const std::bad_alloc&) {
          std::exit(0);
        }
        std::exit(2);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace flare
