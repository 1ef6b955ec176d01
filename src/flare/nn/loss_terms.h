// The auxiliary terms of the loss (paper §3.3), besides recognition: a catalogue, one file each,
// which describes it, and one line each. A term has a head that looks at every hidden vector
// h₀..h_n of a string, and predicts something that the data says.

#ifndef FLARE_NN_LOSS_TERMS_H_
#define FLARE_NN_LOSS_TERMS_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flare/nn/batch.h"
#include "flare/nn/parameters.h"
#include "flare/nn/term_rows.h"

namespace flare {

// What evaluation wants to know about one string.
struct TermScore {
  double cross_entropy = 0;   // mean over its timesteps, in nats
  std::size_t right = 0;      // timesteps at which the whole prediction is right
  std::size_t positions = 0;  // timesteps: |w| + 1
  bool applies = false;       // is the term defined for this string? All else is 0 if not.
};

// What a head says about rows of hidden vectors: `outputs` logits for each, the rows `stride`
// apart.
struct TermLogits {
  const float* values;
  std::size_t outputs, stride;

  std::span<const float> Row(std::size_t r) const { return {values + r * stride, outputs}; }
};

class LossTerm {
 public:
  virtual ~LossTerm() = default;

  // To be called after the parameters changed and before Loss and Logits.
  virtual void ParametersChanged() = 0;
  // Returns Σ over the strings of the rows of a string's mean cross-entropy; adds `scale` times its
  // gradient to d_hidden and to the parameters'.
  virtual double Loss(const Batch& batch, const TermRows& rows, double scale, float* d_hidden) = 0;
  // Of each row; valid until the next call.
  virtual TermLogits Logits(const TermRows& rows) = 0;
  // The bytes that its predictions take for a string of that length.
  virtual double Bytes(std::size_t length) const = 0;
};

// What a term needs to make its head.
struct TermContext {
  Parameters& parameters;
  std::size_t embedding;  // the parameter of the input embeddings
  std::size_t vocabulary;
  std::size_t states;  // of the automaton, for a term that needs them
  std::size_t hidden, width;
};

// The parameters of a head W h + b of its own, NAME.weight and NAME.bias. Drawn as the recognition
// head's, and not part of a budget: recognition does not need them.
ParameterSpec TermWeights(const std::string& name, std::size_t outputs, std::size_t hidden);
ParameterSpec TermBias(const std::string& name, std::size_t outputs);

// Declares the head's parameters, which need not be allocated yet.
using LossTermFactory = std::unique_ptr<LossTerm>(const TermContext&);

// Adds the share of a position to the score of its string, from the logits there, whoever computed
// them. The batch holds what the term needs.
using TermScorer = void(const Batch& batch, TermRows::Place place, std::span<const float> logits,
                        TermScore& score);

struct LossTermInfo {
  std::string name;  // as in rec+lm
  std::string key;   // of its figures in files
  std::string help;
  // What the logits of a position are, in order, and their number.
  std::string columns = {};
  std::size_t (*outputs)(std::size_t vocabulary, std::size_t states) = nullptr;
  TermScorer* score = nullptr;
  // What its scores are summarized by, besides the mean cross-entropy.
  std::vector<std::string> figures = {};
  // Are they also given for every length?
  bool by_length = false;
  // Whose hidden vectors it looks at.
  TermRows::Strings strings = TermRows::Strings::kPositives;
  bool needs_next_symbols = false;
  bool needs_states = false;
  // Does it predict that the string ends? Then a batch's size counts EOS.
  bool predicts_eos = false;
  // Are the embeddings to have a row for EOS?
  bool embeds_eos = false;
  // Do files have its figures, as null, when the loss does not have the term? Those of version 0.1
  // do.
  bool in_all_files = false;
  LossTermFactory* make = nullptr;

  // Does the batch hold what it needs?
  bool AppliesTo(const Batch& batch) const {
    return (!needs_next_symbols || !batch.next_symbols.empty()) &&
           (!needs_states || !batch.states.empty());
  }
};

// In the order in which a model has them.
std::span<const LossTermInfo> LossTermCatalog();

// Adds the share of each row to the score of its string; scores[i] belongs to string i.
void AddScores(const LossTermInfo& term, const Batch& batch, const TermRows& rows,
               const TermLogits& logits, std::span<TermScore> scores);

// Null if there is no such term.
const LossTermInfo* FindLossTerm(std::string_view name);

}  // namespace flare

#endif  // FLARE_NN_LOSS_TERMS_H_
