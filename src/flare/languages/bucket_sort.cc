// bucket-sort: digits 1 to 5, then # and the same digits in ascending order.

#include <algorithm>

#include "flare/languages/catalog.h"
#include "flare/languages/marked_transduction.h"

namespace flare {
namespace {

// Symbols are numbered in code point order, so digits sort as symbols do.
String Sorted(StringView u) {
  String v(u.begin(), u.end());
  std::sort(v.begin(), v.end());
  return v;
}

}  // namespace

std::unique_ptr<Language> MakeBucketSort() {
  return std::make_unique<MarkedTransduction>(std::vector<std::string>{"1", "2", "3", "4", "5"},
                                              Sorted);
}

}  // namespace flare
