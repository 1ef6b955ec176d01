// What decides the contents of a dataset, besides the language and the seed: the splits and how
// their strings are drawn. Starts as a preset, then settings are applied one by one, from a TOML
// file or from --set; the result is recorded in the manifest.
//
// Settings are added from version to version. One that did not always exist names the value that
// stands for what was done before; a manifest that lacks it means that value, and one whose setting
// has that value does not mention it. So old datasets keep their meaning and their bytes, even if
// the default of new ones is another.

#ifndef FLARE_DATA_DATASET_CONFIG_H_
#define FLARE_DATA_DATASET_CONFIG_H_

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flare/automata/alphabet.h"
#include "flare/data/negatives.h"

namespace flare {

// The way in which the examples of a split are drawn.
enum class SplitKind {
  kLabelled,      // independent fair labels; members by the paper's law, non-members by proposals
  kHeldOut,       // the same, with no string of the training and validation splits
  kEditDistance,  // non-members only, with their edit distances, where those are known
  kBalanced,      // as many members as non-members of every length, uniform (MLRegTest's SR, LR)
  kAdversarial,   // pairs of a member and a non-member one edit apart (MLRegTest's SA, LA)
  kMembers,       // members only
};

// The law of a split's members.
enum class MemberLaw {
  kPaper,    // the language's own (Language::MakeSampler)
  kUniform,  // the same lengths, then uniform over the members of a length
};

struct SplitConfig {
  std::string name;  // "train" is the top of the directory, others are datasets/<name>
  SplitKind kind = SplitKind::kLabelled;
  std::size_t size = 0;  // 0 leaves the split out
  LengthRange lengths = {};
  MemberLaw law = MemberLaw::kPaper;
  // The upper ends of bins of lengths, each of which is another split (ExpandBins).
  std::vector<std::size_t> bins = {};
};

struct DatasetConfig {
  std::string preset;
  std::vector<SplitConfig> splits = {};
  // The probability that an example of a labelled split is a member.
  double positive_probability = 0.5;
  NegativeOptions negatives = {};
  // The files to write besides main.tok and labels.txt.
  bool write_next_symbols = true;
  bool write_log_probabilities = true;
  bool write_num_edits = true;
  bool write_edit_distances = true;
  bool write_mlregtest_text = false;  // string<TAB>TRUE|FALSE, one file per split
  std::set<std::string> given = {};   // the settings that were applied, as opposed to defaults
};

inline constexpr std::string_view kTrainSplit = "train";
inline constexpr const char* kNegativeLawKey = "negatives.distribution";

// Must held-out splits lack the strings of this split? That holds for train, dev and validation
// splits, unless they are held out themselves.
bool IsSeenInTraining(const SplitConfig& split);

// "flare" (the paper's splits) or "mlregtest". Throws InputError.
DatasetConfig MakePreset(const std::string& name);

// Calls visit(key, field, help) for every setting, in order; the one list of them. For a setting
// that was added after version 0.1, visit(key, field, help, before) with the value that manifests
// without it mean. A field is a double, bool, std::size_t, a list of those, SplitKind, MemberLaw,
// NegativeKind or NegativeLaw.
template <class Config, class Visit>
void VisitFields(Config& config, Visit visit) {
  visit("positive_probability", config.positive_probability, "share of members in labelled splits");
  visit("negatives.kind", config.negatives.kind, "proposals (the paper's) or format",
        NegativeKind::kProposals);
  visit(kNegativeLawKey, config.negatives.law,
        "of negatives of the format: members (as theirs) or uniform", NegativeLaw::kUniform);
  visit("negatives.perturbation_probability", config.negatives.perturbation_probability,
        "share of proposals that are edited members");
  visit("negatives.stop_probability", config.negatives.stop_probability,
        "after each edit, the probability that it was the last");
  visit("negatives.most_proposals", config.negatives.most_proposals,
        "proposals before the complement is declared too small");
  visit("files.next_symbols", config.write_next_symbols, "write next-symbols.jsonl");
  visit("files.log_probabilities", config.write_log_probabilities, "write log-probabilities.txt");
  visit("files.num_edits", config.write_num_edits, "write num-edits.txt");
  visit("files.edit_distances", config.write_edit_distances, "write edit-distances.txt");
  visit("files.mlregtest_text", config.write_mlregtest_text, "write MLRegTest's text files");
  for (auto& split : config.splits) {
    const std::string prefix = "splits." + split.name + ".";
    visit(prefix + "kind", split.kind, "how its examples are drawn");
    visit(prefix + "size", split.size, "number of examples");
    visit(prefix + "min_length", split.lengths.min, "shortest length");
    visit(prefix + "max_length", split.lengths.max, "longest length");
    visit(prefix + "distribution", split.law, "of its members: paper or uniform",
          MemberLaw::kPaper);
    visit(prefix + "bins", split.bins, "upper ends of bins of lengths, each a split of its own",
          std::vector<std::size_t>{});
  }
}

// Sets one field from text; `splits.NAME.kind` with a new NAME adds a split. Throws InputError with
// `where`: an unknown key (with the nearest one), a value that does not fit.
void ApplySetting(const std::string& key, const std::string& value, const std::string& where,
                  DatasetConfig& config);

// Applies every setting of a TOML document, for example
//   [splits.train]
//   size = 500
void ApplyToml(std::string_view text, const std::string& file, DatasetConfig& config);

// Throws InputError if settings contradict each other, and names them: a range the wrong way round,
// bins outside the split's lengths, a law where none is needed.
void Validate(const DatasetConfig& config);

// Adds a split for every bin. Bins [50, 100] of a split `test` with lengths from 0 become test-0-50
// and test-51-100, of the kind, size and law of `test`, which stays. Requires: validated.
DatasetConfig ExpandBins(DatasetConfig config);

// Gives every setting that was added later the value that manifests without it mean.
void SetToValuesBefore(DatasetConfig& config);
// The settings that were added later and that nobody gave.
std::set<std::string> AddedDefaults(const DatasetConfig& config);

// All settings as (key, value in JSON), in order, without those whose value is what manifests
// without them mean.
std::vector<std::pair<std::string, std::string>> SettingsOf(const DatasetConfig& config);

std::string Name(SplitKind kind);

}  // namespace flare

#endif  // FLARE_DATA_DATASET_CONFIG_H_
