// Trivial recognizers and a learner of automata, fitted on a dataset's training split: what a
// network must beat before its accuracy means anything.

#ifndef FLARE_DATA_BASELINES_H_
#define FLARE_DATA_BASELINES_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flare/base/json.h"
#include "flare/data/dataset_language.h"
#include "flare/data/manifest.h"

namespace flare {

// Accuracies on one split.
struct BaselineRow {
  std::string split;
  std::size_t examples = 0;
  double majority = 0;             // always answers the more frequent label of training
  double majority_per_length = 0;  // ... of training strings of that length, if any
  // Accept exactly what has the format: the language's regular envelope (languages/envelope.h).
  // Nothing where none is known.
  std::optional<double> format_only;
  double symbol_counts = 0;  // logistic regression on how often each symbol occurs
  double ngrams = 0;         // ... on which substrings of 1 to 3 symbols occur
  // The automaton that state merging learns from the training split (automata/state_merging.h).
  // Nothing if it stopped before it had one.
  std::optional<double> state_merging = {};
};

struct DatasetBaselines {
  std::string dataset;
  std::string language;
  std::string envelope = {};  // the pattern of the format, where it is not the catalogue's
  std::vector<BaselineRow> rows = {};
  // The number of states of the automaton that state merging learned, or why there is none.
  std::optional<std::size_t> learned_states = {};
  std::string merging_stopped = {};
  std::string data_sha256 = {};  // the hash of all files, if a sweep has pinned them
};

struct BaselineOptions {
  // The hashes to check against; by default the manifest's.
  std::optional<FileHashes> recorded = {};
  // Describes the language of a dataset whose manifest does not say it, or overrides the manifest.
  ResolveOptions resolve = {};
};

// Every split of the dataset. Its files must be those that were recorded. Throws InputError if they
// are not, or cannot be read.
DatasetBaselines ComputeBaselines(const std::filesystem::path& dataset,
                                  const DatasetLanguage& language,
                                  const BaselineOptions& options = {});
// The same for a dataset whose language is not known. The format is the envelope of `options` or of
// the manifest.
DatasetBaselines ComputeBaselines(const std::filesystem::path& dataset,
                                  const BaselineOptions& options = {});

// The rows without a learned automaton, for members that have this format, if one is known. The
// files are those of the manifest, unless others were recorded.
std::vector<BaselineRow> TrivialBaselines(const std::filesystem::path& dataset,
                                          const Alphabet& alphabet,
                                          const std::optional<Dfa>& format,
                                          const BaselineOptions& options = {});

std::string FormatBaselines(const std::vector<DatasetBaselines>& baselines);
Json BaselinesToJson(const DatasetBaselines& baselines);

// Features that are not 0, as (index, value), by ascending index.
using SparseVector = std::vector<std::pair<std::size_t, double>>;

// Logistic regression on sparse features (liblinear, L2-regularized, with a bias).
class LogisticRegression {
 public:
  // Fits to `examples`, whose features are below `num_features`; `cost` is C, the weight of the
  // losses against ½‖w‖². Deterministic. Requires: as many labels as examples, at least one.
  LogisticRegression(const std::vector<SparseVector>& examples,
                     const std::vector<std::uint8_t>& labels, std::size_t num_features,
                     double cost);
  bool Predict(const SparseVector& features) const;

 private:
  std::vector<double> weights_;
  double bias_ = 0;
};

}  // namespace flare

#endif  // FLARE_DATA_BASELINES_H_
