// Measures a recognizer on a split, from its answers to every example.

#ifndef FLARE_TRAINING_MEASURE_H_
#define FLARE_TRAINING_MEASURE_H_

#include <string>
#include <vector>

#include "flare/automata/matching.h"
#include "flare/data/flare_files.h"
#include "flare/nn/model.h"
#include "flare/runs/metrics.h"

namespace flare {

// Accept iff p ≥ ½, that is, iff the logit is ≥ 0.
inline bool Accepts(float logit) { return logit >= 0; }

// Recognition cross-entropy of one example.
double CrossEntropy(float logit, bool label);

// p(accept) of a logit.
double Probability(float logit);

// `scores` has an entry per example, in the split's order, of a model with these terms; of one that
// does not recognize, only what the terms say is measured. With `format`, which accepts the strings
// with the format of members, wrong answers on strings without the format are counted apart from
// the others. Requires: at least one example.
SplitMetrics Measure(const std::string& name, const Split& split, const ModelScores& scores,
                     const std::vector<std::string>& terms, const Matcher* format = nullptr);

// The contents of eval/SPLIT.jsonl.
std::string ExamplesToJsonl(const Split& split, const ModelScores& scores,
                            const std::vector<std::string>& terms);

}  // namespace flare

#endif  // FLARE_TRAINING_MEASURE_H_
