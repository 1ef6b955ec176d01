// marked-reversal: u # uᴿ for binary u.

#include "flare/languages/catalog.h"
#include "flare/languages/marked_transduction.h"

namespace flare {

std::unique_ptr<Language> MakeMarkedReversal() {
  return std::make_unique<MarkedTransduction>(std::vector<std::string>{"0", "1"}, [](StringView u) {
    return String(u.rbegin(), u.rend());
  });
}

}  // namespace flare
