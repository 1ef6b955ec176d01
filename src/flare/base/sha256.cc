#include "flare/base/sha256.h"

#include <openssl/evp.h>

#include <array>
#include <new>

namespace flare {

std::string Sha256(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  // There is no other reason to fail.
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    throw std::bad_alloc();
  }
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) {
    constexpr const char* kDigits = "0123456789abcdef";
    hex += kDigits[digest[i] >> 4];
    hex += kDigits[digest[i] & 15];
  }
  return hex;
}

}  // namespace flare
