#include "flare/base/sha256.h"

#include <openssl/evp.h>

#include <array>
#include <new>

namespace flare {
namespace {

using Digest = std::array<unsigned char, EVP_MAX_MD_SIZE>;

// Of want of memory: there is no other reason to fail.
void CheckDone(int done) {
  if (done != 1) throw std::bad_alloc();
}

std::string Hex(const Digest& digest, unsigned int size) {
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) {
    constexpr const char* kDigits = "0123456789abcdef";
    hex += kDigits[digest[i] >> 4];
    hex += kDigits[digest[i] & 15];
  }
  return hex;
}

}  // namespace

std::string Sha256(std::string_view bytes) {
  Digest digest;
  unsigned int size = 0;
  CheckDone(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr));
  return Hex(digest, size);
}

void Sha256Stream::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256Stream::Sha256Stream() : context_(EVP_MD_CTX_new()) {
  if (context_ == nullptr) throw std::bad_alloc();
  CheckDone(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr));
}

void Sha256Stream::Add(std::string_view bytes) {
  CheckDone(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()));
}

std::string Sha256Stream::HexWith(std::string_view more) const {
  const Sha256Stream copy;
  CheckDone(EVP_MD_CTX_copy_ex(copy.context_.get(), context_.get()));
  CheckDone(EVP_DigestUpdate(copy.context_.get(), more.data(), more.size()));
  Digest digest;
  unsigned int size = 0;
  CheckDone(EVP_DigestFinal_ex(copy.context_.get(), digest.data(), &size));
  return Hex(digest, size);
}

}  // namespace flare
