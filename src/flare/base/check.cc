#include "flare/base/check.h"

#include <fmt/format.h>

namespace flare {

void CheckFailed(const char* file, int line, const char* condition) {
  throw CheckError(fmt::format("{}:{}: check failed: {}", file, line, condition));
}

}  // namespace flare
