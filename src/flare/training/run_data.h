// The dataset of a run, pinned: a run never trains or evaluates on files other than those it began
// with.

#ifndef FLARE_TRAINING_RUN_DATA_H_
#define FLARE_TRAINING_RUN_DATA_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "flare/automata/alphabet.h"
#include "flare/automata/dfa.h"
#include "flare/automata/matching.h"
#include "flare/data/flare_files.h"
#include "flare/data/manifest.h"
#include "flare/runs/evaluation_files.h"
#include "flare/runs/run_directory.h"

namespace flare {

struct RunData {
  PinnedData pinned;
  Alphabet alphabet{std::vector<std::string>{}};

  std::vector<std::string> Splits() const;
  // Throws InputError, with the nearest name, if there is no such split.
  void CheckSplit(const std::string& name) const;
};

// Takes the hashes of the manifest, which are checked when a file is read; without a manifest, the
// files are hashed now. Throws Unavailable if there is no dataset, InputError if it has a split
// named kHardest.
RunData IdentifyData(const std::filesystem::path& dataset);

// Throws Unavailable if one of the files is missing, InputError if it is no longer what it was: a
// file is read once, and the bytes whose hash is right are the ones that are parsed.
Split ReadPinnedSplit(const RunData& data, const std::string& split, const ReadOptions& options);

// The dataset's manifest; nothing if it has none. Throws InputError if it is not that of the data,
// as of another dataset that was made at its place.
std::optional<Manifest> ManifestOf(const PinnedData& data);

// Accepts the strings with the format of the language's members; nothing if the dataset does not
// name its language, or if no format is known.
std::optional<Matcher> FormatOf(const RunData& data);

// The data of an existing run. Throws InputError.
RunData DataOf(const PinnedData& pinned, const std::string& where);

// The automaton behind the loss term st: the minimal complete DFA of a dataset's language, which
// gives the state after every prefix of a string. `nn` gets the numbers of the states and nothing
// else.
class StateTracker {
 public:
  // Takes a minimal trim DFA, whose states keep their numbers. Missing transitions lead to one more
  // state, from which nothing is accepted. Strings are over `alphabet`, whose symbols may be
  // numbered differently from the DFA's. Requires: a DFA with at least one state.
  StateTracker(const Dfa& minimal, const Alphabet& alphabet);

  std::size_t num_states() const { return next_.size() / symbols_; }
  // Appends the |w|+1 states of the prefixes of w.
  void Append(StringView w, std::vector<std::uint32_t>& states) const;

 private:
  std::uint32_t start_;
  std::size_t symbols_;
  std::vector<std::uint32_t> next_;  // (states, symbols)
};

// The language is that of the dataset's manifest; without one, that of the catalogue whose name the
// dataset has. Throws InputError if it is not known or not regular.
StateTracker TrackerOf(const PinnedData& data);

}  // namespace flare

#endif  // FLARE_TRAINING_RUN_DATA_H_
