#include "flare/nn/loss_terms.h"

namespace flare {

// Each is defined in the file of its name.
LossTermInfo DescribeLmTerm();
LossTermInfo DescribeNextSymbolTerm();
LossTermInfo DescribeStateTerm();

ParameterSpec TermWeights(const std::string& name, std::size_t outputs, std::size_t hidden) {
  ParameterSpec weights = MatrixSpec(name + ".weight", outputs, hidden);
  weights.initialization = Initialization::kXavierUniform;
  weights.uncounted = weights.num_elements();
  return weights;
}

ParameterSpec TermBias(const std::string& name, std::size_t outputs) {
  ParameterSpec bias = VectorSpec(name + ".bias", outputs);
  bias.initialization = Initialization::kZero;
  bias.uncounted = bias.num_elements();
  return bias;
}

std::span<const LossTermInfo> LossTermCatalog() {
  static const std::vector<LossTermInfo> terms = {
      DescribeLmTerm(),
      DescribeNextSymbolTerm(),
      DescribeStateTerm(),
  };
  return terms;
}

void AddScores(const LossTermInfo& term, const Batch& batch, const TermRows& rows,
               const TermLogits& logits, std::span<TermScore> scores) {
  for (std::size_t r = 0; r < rows.count(); ++r) {
    const TermRows::Place place = rows.places()[r];
    term.score(batch, place, logits.Row(r), scores[place.string]);
  }
}

const LossTermInfo* FindLossTerm(std::string_view name) {
  for (const LossTermInfo& term : LossTermCatalog()) {
    if (term.name == name) return &term;
  }
  return nullptr;
}

}  // namespace flare
