// Files that are part of the program: the paper's values, the page's sources, Chart.js.

#ifndef FLARE_REPORT_EMBEDDED_H_
#define FLARE_REPORT_EMBEDDED_H_

#include <string_view>

namespace flare::report {

// Requires: embed.cmake was given a file of this name.
std::string_view EmbeddedFile(std::string_view name);

}  // namespace flare::report

#endif  // FLARE_REPORT_EMBEDDED_H_
