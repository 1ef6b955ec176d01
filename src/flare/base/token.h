// Names that nobody else has.

#ifndef FLARE_BASE_TOKEN_H_
#define FLARE_BASE_TOKEN_H_

#include <string>
#include <string_view>

namespace flare {

// 16 hexadecimal digits, from the kernel's randomness: processes of different machines and
// containers, which may have the same pid, draw different ones. `what` needs it, for the error.
// Throws IoError.
std::string RandomToken(const std::string& what);

// Hexadecimal digits, up to 64.
bool IsToken(std::string_view text);

}  // namespace flare

#endif  // FLARE_BASE_TOKEN_H_
