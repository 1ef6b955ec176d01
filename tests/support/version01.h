// What version 0.1 of the program left behind: tests/fixtures/0.1.

#ifndef FLARE_TESTS_SUPPORT_VERSION01_H_
#define FLARE_TESTS_SUPPORT_VERSION01_H_

#include <filesystem>
#include <string_view>

namespace flare {

inline std::filesystem::path Version01(std::string_view path) {
  return std::filesystem::path(FLARE_SOURCE_DIR) / "tests/fixtures/0.1" / path;
}

}  // namespace flare

#endif  // FLARE_TESTS_SUPPORT_VERSION01_H_
