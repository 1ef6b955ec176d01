#include "flare/base/json_fault.h"

#include <string_view>

namespace flare {

std::string FaultOf(const Json::exception& error) {
  const std::string_view what = error.what();
  const std::size_t end = what.starts_with('[') ? what.find("] ") : std::string_view::npos;
  return std::string(end == std::string_view::npos ? what : what.substr(end + 2));
}

}  // namespace flare
