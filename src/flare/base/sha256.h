// SHA-256, as lower-case hexadecimal.

#ifndef FLARE_BASE_SHA256_H_
#define FLARE_BASE_SHA256_H_

#include <string>
#include <string_view>

namespace flare {

std::string Sha256(std::string_view bytes);

}  // namespace flare

#endif  // FLARE_BASE_SHA256_H_
