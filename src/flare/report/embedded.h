// Files that are part of the program: the page's sources and Chart.js.

#ifndef FLARE_REPORT_EMBEDDED_H_
#define FLARE_REPORT_EMBEDDED_H_

#include <optional>
#include <string_view>

#include "flare/base/check.h"

namespace flare::report {

// Nothing if the build was given no file of this name.
std::optional<std::string_view> FindEmbeddedFile(std::string_view name);

// Requires: there is one.
inline std::string_view EmbeddedFile(std::string_view name) {
  const auto file = FindEmbeddedFile(name);
  FLARE_CHECK(file.has_value());
  return *file;
}

}  // namespace flare::report

#endif  // FLARE_REPORT_EMBEDDED_H_
