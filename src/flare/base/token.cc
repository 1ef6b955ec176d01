#include "flare/base/token.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <cerrno>

#include "flare/base/error.h"

namespace flare {

std::string RandomToken(const std::string& what) {
  std::array<unsigned char, 8> bytes;
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw IoError(what, "draw random bytes for", errno);
  }
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

bool IsToken(std::string_view text) {
  constexpr std::size_t kLongest = 64;
  return !text.empty() && text.size() <= kLongest &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace flare
