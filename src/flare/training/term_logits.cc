#include "flare/training/term_logits.h"

#include <fmt/format.h>

#include <cmath>

#include "flare/base/error.h"
#include "flare/base/long_work.h"
#include "flare/base/npy.h"
#include "flare/training/batching.h"

namespace flare {
namespace {

// Few enough to need hardly any memory.
constexpr BatchLimits kFewStrings{16'384, 1};

void CheckShape(const NpyRows& rows, const LossTermInfo& term, const std::filesystem::path& file,
                const Split& split, std::size_t states) {
  const std::size_t prefixes = split.symbols.size() + split.size();
  const std::size_t outputs = term.outputs(split.next_symbols.alphabet_size(), states);
  if (rows.rows() == prefixes && rows.columns() == outputs) return;
  throw InputError(
      file,
      fmt::format("has the shape ({}, {}); expected ({}, {})", rows.rows(), rows.columns(),
                  prefixes, outputs),
      fmt::format("a row for every prefix of every string, from the empty one; {}", term.columns));
}

void CheckFinite(std::span<const float> logits, const std::filesystem::path& file,
                 std::size_t string, std::size_t position) {
  for (std::size_t j = 0; j < logits.size(); ++j) {
    if (std::isfinite(logits[j])) continue;
    throw InputError(file, fmt::format("{} is not a finite number", logits[j]),
                     fmt::format("column {} after {} symbols of string {}, all counted from 0", j,
                                 position, string));
  }
}

}  // namespace

std::vector<TermScore> ScoreTermLogits(const LossTermInfo& term, const std::filesystem::path& file,
                                       const Split& split, const StateTracker* tracker) {
  FLARE_CHECK(!term.needs_states || tracker != nullptr);
  NpyRows rows(file);
  CheckShape(rows, term, file, split, tracker != nullptr ? tracker->num_states() : 0);
  std::vector<TermScore> scores(split.size());
  Batcher batcher(split, kFewStrings, tracker);
  batcher.PlanAsGiven();
  Batch batch;
  for (std::size_t b = 0; b < batcher.num_batches(); ++b) {
    batcher.Fill(b, batch);
    const auto examples = batcher.Examples(b);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      Interruption::Check();
      const bool applies = term.AppliesTo(batch);
      for (std::size_t t = 0; t <= batch.length(i); ++t) {
        const auto logits = rows.Next();
        CheckFinite(logits, file, examples[i], t);
        if (applies && term.LooksAt(batch, {i, t})) {
          term.Score(batch, {i, t}, logits, scores[examples[i]]);
        }
      }
    }
  }
  return scores;
}

}  // namespace flare
