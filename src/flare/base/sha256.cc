#include "flare/base/sha256.h"

// The functions for this hash alone. Those for any hash (EVP) read a configuration, can fail for
// want of memory, and make a static program 3.6 MB larger; OpenSSL 3 recommends them all the same.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <array>

namespace flare {
namespace {

std::string Finish(SHA256_CTX& context) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256_Final(digest.data(), &context);
  std::string hex;
  for (const unsigned char byte : digest) {
    constexpr const char* kDigits = "0123456789abcdef";
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

}  // namespace

std::string Sha256(std::string_view bytes) { return Sha256Stream().HexWith(bytes); }

void Sha256Stream::Free::operator()(SHA256state_st* context) const { delete context; }

Sha256Stream::Sha256Stream() : context_(new SHA256_CTX) { SHA256_Init(context_.get()); }

void Sha256Stream::Add(std::string_view bytes) {
  SHA256_Update(context_.get(), bytes.data(), bytes.size());
}

std::string Sha256Stream::HexWith(std::string_view more) const {
  SHA256_CTX copy = *context_;
  SHA256_Update(&copy, more.data(), more.size());
  return Finish(copy);
}

}  // namespace flare
