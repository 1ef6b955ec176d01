// Reads the FLaRe layout: ours, the published data, a researcher's own. Tolerant of nothing that
// would change the meaning: every fault is an InputError that names file and line.

#ifndef FLARE_DATA_FLARE_READER_H_
#define FLARE_DATA_FLARE_READER_H_

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "flare/automata/alphabet.h"
#include "flare/data/split.h"

namespace flare {

// Which files to read besides strings and labels; one that is asked for and does not exist is
// simply absent.
struct ReadOptions {
  bool next_symbols = true;
  bool log_probabilities = true;
  bool num_edits = true;
  bool edit_distances = true;
};
inline constexpr ReadOptions kOnlyStrings{
    .next_symbols = false, .log_probabilities = false, .num_edits = false, .edit_distances = false};

// The bytes of a split's file, by its name ("main.tok"); nothing if there is none. Each is asked
// for once, so a caller that inspects the bytes has seen exactly what is read.
using SplitFiles = std::function<std::optional<std::string>(const char* file)>;

// The split's files are those in the dataset's directory, unless `files` has others.
Split ReadSplit(const std::filesystem::path& dataset, const std::string& split,
                const Alphabet& alphabet, const ReadOptions& options = {},
                const SplitFiles& files = nullptr);

// The alphabet of a dataset: that of its manifest, else as guessed.
Alphabet ReadAlphabet(const std::filesystem::path& dataset);
// For a dataset without a manifest: that of the built-in language of its directory's name, else the
// tokens of its training split.
Alphabet GuessAlphabet(const std::filesystem::path& dataset, const SplitFiles& training = nullptr);

}  // namespace flare

#endif  // FLARE_DATA_FLARE_READER_H_
