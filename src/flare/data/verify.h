// Recomputes everything that a dataset states, and reports the differences.

#ifndef FLARE_DATA_VERIFY_H_
#define FLARE_DATA_VERIFY_H_

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "flare/base/json.h"
#include "flare/data/dataset_language.h"

namespace flare {

// The outcome of one check of a split.
struct Check {
  std::string name;         // "labels", "next symbols", ...
  std::size_t checked = 0;  // 0 if the split has nothing of the kind
  std::size_t wrong = 0;
  bool unchecked = false;  // the split has something of the kind, but nothing to compare it with
  std::vector<std::string> examples =
      {};  // the first few that differ: "train:17: label 1, recomputed 0"
};

struct SplitVerification {
  std::string dataset;  // the dataset's directory
  std::string split;
  std::size_t examples = 0;
  std::size_t positives = 0;
  std::vector<Check> checks;  // always the same ones, in the same order
  std::string unreadable;     // why it cannot be read, if only hashes were checked

  bool ok() const;
};

// Labels, next-symbol sets, log-probabilities, edit distances, lengths, disjointness of held-out
// splits, and, with a manifest, hashes; a split per row. `most_examples` per check are kept.
std::vector<SplitVerification> VerifyDataset(const std::filesystem::path& dataset,
                                             const DatasetLanguage& language,
                                             std::size_t most_examples);

// The rows as a table, and below it the differing examples.
std::string FormatVerification(const std::vector<SplitVerification>& rows);
Json VerificationToJson(const std::vector<SplitVerification>& rows);

}  // namespace flare

#endif  // FLARE_DATA_VERIFY_H_
