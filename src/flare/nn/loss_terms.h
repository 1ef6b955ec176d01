// The terms of the loss besides recognition (paper §3.3): a catalogue, one file each, which
// describes it, and one line each. A term has a head, whose logits are W h + b of hidden vectors
// h₀..h_n of a string, and says what they should predict: one of several outcomes, by a softmax, or
// a set, by a logistic function of each logit. All else is the same for all of them, and here.

#ifndef FLARE_NN_LOSS_TERMS_H_
#define FLARE_NN_LOSS_TERMS_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flare/nn/batch.h"
#include "flare/nn/group.h"
#include "flare/nn/kernels/gemm.h"
#include "flare/nn/linear.h"
#include "flare/nn/parameters.h"

namespace flare {

// The scores of one string for evaluation.
struct TermScore {
  double cross_entropy = 0;   // mean over the timesteps that the term looks at, in nats
  std::size_t right = 0;      // timesteps at which the whole prediction is right
  std::size_t positions = 0;  // how many there are: |w| + 1, or 1
  bool applies = false;       // is the term defined for this string? All else is 0 if not.
};

// The logits of a head for rows of hidden vectors: `outputs` for each, the rows `stride` apart.
struct TermLogits {
  const float* values;
  std::size_t outputs, stride;

  std::span<const float> Row(std::size_t r) const { return {values + r * stride, outputs}; }
};

struct LossTermInfo {
  std::string name;  // as in rec+lm
  std::string key;   // begins the names of its figures in files
  std::string help;
  // Describes the logits of a position, in order, and their number.
  std::string columns = {};
  std::size_t (*outputs)(std::size_t vocabulary, std::size_t states) = nullptr;
  // The prefix of the head's parameters.
  std::string head = {};
  // May its weights be the input embeddings instead, unscaled and without a bias? They are, unless
  // the architecture says otherwise.
  bool ties_embeddings = false;
  // What the head is to predict at a position; one of the two. The outcome, for a softmax:
  std::size_t (*target)(const Batch& batch, TermRows::Place place) = nullptr;
  // Is output `a` in the set? For a logistic function of each logit; the loss of a position is the
  // mean over the outputs.
  bool (*contains)(const Batch& batch, TermRows::Place place, std::size_t a) = nullptr;
  // The figures that summarize its scores, besides the mean cross-entropy.
  std::vector<std::string> figures = {};
  // Are they also given for every length?
  bool by_length = false;
  // Whose hidden vectors it looks at, and which of them.
  TermRows::Strings strings = TermRows::Strings::kPositives;
  TermRows::Positions positions = TermRows::Positions::kAll;
  bool needs_next_symbols = false;
  bool needs_states = false;
  // Does it predict that the string ends? Then a batch's size counts EOS.
  bool predicts_eos = false;
  // Do files have its figures, as null, when the loss does not have the term? Those of version 0.1
  // do.
  bool in_all_files = false;

  // Does the batch hold what it needs?
  bool AppliesTo(const Batch& batch) const {
    return (!needs_next_symbols || !batch.next_symbols.empty()) &&
           (!needs_states || !batch.states.empty());
  }
  // Does it look at this hidden vector?
  bool LooksAt(const Batch& batch, TermRows::Place place) const {
    return (strings == TermRows::Strings::kAll || batch.labels[place.string] != 0) &&
           (positions == TermRows::Positions::kAll || place.position == batch.length(place.string));
  }
  // Adds the share of a position that it looks at to the score of its string, from the logits
  // there, whoever computed them. The batch holds what the term needs.
  void Score(const Batch& batch, TermRows::Place place, std::span<const float> logits,
             TermScore& score) const;
};

// What a term needs to make its head.
struct TermContext {
  Parameters& parameters;
  std::size_t embedding;  // the parameter of the input embeddings
  std::size_t vocabulary;
  std::size_t states;  // of the automaton that a term may need
  std::size_t hidden, width;
  bool ties_embeddings;  // do terms that may have the input embeddings as weights?
};

// A term of a model: its head, loss and gradient.
class LossTerm {
 public:
  // Declares the head's parameters, which need not be allocated yet. They are drawn as the
  // recognition head's, and not part of a budget: recognition does not need them.
  LossTerm(const LossTermInfo& info, const TermContext& context);

  const LossTermInfo& info() const { return info_; }
  // Call this after the parameters changed and before Loss and Logits.
  void ParametersChanged();
  // Returns Σ over the strings of the rows of a string's mean cross-entropy; adds `scale` times its
  // gradient to d_hidden and to the parameters'.
  double Loss(const Batch& batch, const TermRows& rows, double scale, float* d_hidden);
  // Returns the logits of each row, which are valid until the next call.
  TermLogits Logits(const TermRows& rows);
  // The bytes that its predictions take for a string of that length.
  double Bytes(std::size_t length) const;

 private:
  // W h + b with parameters of its own.
  struct OwnHead {
    Linear weights;
    std::size_t bias;
  };
  // E h, with E the input embeddings.
  struct TiedHead {
    Gemm logits, input_gradient;
    GemmTransposed weight_gradient;
    FloatArray transposed;  // (width, padded): E with a column per symbol
  };

  // Computes the gradients of the rows, in d_rows_, and of the parameters from that of the logits.
  void Backward(const TermRows& rows);

  const LossTermInfo& info_;
  Parameters& parameters_;
  std::size_t embedding_, outputs_, padded_, width_;
  std::optional<OwnHead> own_;
  std::optional<TiedHead> tied_;
  FloatArray logits_;  // (rows, padded); Loss turns them into their gradient
  FloatArray d_rows_;  // (rows, width)
};

// Returns the terms in the order in which a model has them.
std::span<const LossTermInfo> LossTermCatalog();
// Null if there is no such term.
const LossTermInfo* FindLossTerm(std::string_view name);

// Adds the share of each row to the score of its string; scores[i] belongs to string i.
void AddScores(const LossTermInfo& term, const Batch& batch, const TermRows& rows,
               const TermLogits& logits, std::span<TermScore> scores);

}  // namespace flare

#endif  // FLARE_NN_LOSS_TERMS_H_
