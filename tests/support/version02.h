// What version 0.2 of the program left behind: tests/fixtures/0.2.

#ifndef FLARE_TESTS_SUPPORT_VERSION02_H_
#define FLARE_TESTS_SUPPORT_VERSION02_H_

#include <filesystem>
#include <string_view>

#include "support/paths.h"

namespace flare {

inline std::filesystem::path Version02(std::string_view path) {
  return std::filesystem::path(SourceDir()) / "tests/fixtures/0.2" / path;
}

}  // namespace flare

#endif  // FLARE_TESTS_SUPPORT_VERSION02_H_
