// Language modelling, of positives only (paper §3.3):
//
//   p(a | prefix) = softmax(E h)_a      for a in Σ ∪ {EOS}
//
// with E the input embeddings of Σ and EOS, unscaled, without bias; or, where they are not tied
// (the option tie_embeddings of residual architectures), softmax(W h + b)_a with a head of its own.
// The loss of a string is the mean of −log p over its symbols and EOS.

#include "flare/nn/loss_terms.h"

namespace flare {

LossTermInfo DescribeLmTerm() {
  return {.name = "lm",
          .key = "lm",
          .help = "language modelling: the next symbol, of positive examples",
          .columns = "a column per symbol, then EOS",
          .outputs = [](std::size_t vocabulary, std::size_t) { return vocabulary + 1; },
          .head = "language_model_head",
          .ties_embeddings = true,
          .target = [](const Batch& batch, TermRows::Place place) -> std::size_t {
            return place.position < batch.length(place.string)
                       ? batch.string(place.string)[place.position]
                       : batch.vocabulary;
          },
          .predicts_eos = true,
          .in_all_files = true};
}

}  // namespace flare
