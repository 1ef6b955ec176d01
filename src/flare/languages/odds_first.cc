// odds-first: u # v for binary u, where v has the symbols of u at odd positions (the first, the
// third, ...), then those at even positions.

#include "flare/languages/catalog.h"
#include "flare/languages/marked_transduction.h"

namespace flare {
namespace {

String OddsFirst(StringView u) {
  String v;
  v.reserve(u.size());
  for (std::size_t i = 0; i < u.size(); i += 2) v.push_back(u[i]);
  for (std::size_t i = 1; i < u.size(); i += 2) v.push_back(u[i]);
  return v;
}

}  // namespace

std::unique_ptr<Language> MakeOddsFirst() {
  return std::make_unique<MarkedTransduction>(std::vector<std::string>{"0", "1"}, OddsFirst);
}

}  // namespace flare
