#include "flare/nn/loss_terms.h"

namespace flare {

// Each is defined in the file of its name.
LossTermInfo DescribeLmTerm();
LossTermInfo DescribeNextSymbolTerm();
LossTermInfo DescribeStateTerm();

std::span<const LossTermInfo> LossTermCatalog() {
  static const std::vector<LossTermInfo> terms = {
      DescribeLmTerm(),
      DescribeNextSymbolTerm(),
      DescribeStateTerm(),
  };
  return terms;
}

const LossTermInfo* FindLossTerm(std::string_view name) {
  for (const LossTermInfo& term : LossTermCatalog()) {
    if (term.name == name) return &term;
  }
  return nullptr;
}

}  // namespace flare
