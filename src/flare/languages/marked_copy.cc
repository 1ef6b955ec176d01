// marked-copy: u # u for binary u.

#include "flare/languages/catalog.h"
#include "flare/languages/marked_transduction.h"

namespace flare {

std::unique_ptr<Language> MakeMarkedCopy() {
  return std::make_unique<MarkedTransduction>(
      std::vector<std::string>{"0", "1"}, [](StringView u) { return String(u.begin(), u.end()); });
}

}  // namespace flare
