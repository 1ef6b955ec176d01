// The FLaRe layout: a split in memory, as drawn or as read, and its files, a column each.

#ifndef FLARE_DATA_FLARE_FILES_H_
#define FLARE_DATA_FLARE_FILES_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flare/automata/alphabet.h"
#include "flare/automata/dfa.h"
#include "flare/base/error.h"

namespace flare {

// The examples of one split in memory, as drawn or as read: flat arrays, a column per file of the
// FLaRe layout.
struct Split {
  explicit Split(std::size_t alphabet_size) : next_symbols(alphabet_size) {}

  std::size_t size() const { return labels.size(); }
  StringView string(std::size_t i) const {
    return {symbols.data() + offsets[i], offsets[i + 1] - offsets[i]};
  }
  void Add(StringView w, bool label) {
    symbols.insert(symbols.end(), w.begin(), w.end());
    offsets.push_back(symbols.size());
    labels.push_back(label ? 1 : 0);
  }
  // Leaves no example and no column.
  void Clear() {
    symbols.clear();
    offsets.assign(1, 0);
    labels.clear();
    next_symbols.Clear();
    log_probabilities.clear();
    num_edits.clear();
    edit_distances.clear();
    has_next_symbols = has_log_probabilities = has_num_edits = has_edit_distances = false;
  }

  std::vector<Symbol> symbols;             // all strings side by side
  std::vector<std::size_t> offsets = {0};  // string i is [offsets[i], offsets[i+1])
  std::vector<std::uint8_t> labels;        // 1 for members

  // One entry per positive or per negative, in the order of the examples; empty if the split has no
  // such file.
  NextSymbolSets next_symbols;            // |w|+1 sets per positive, side by side
  std::vector<double> log_probabilities;  // per positive
  // Per negative; nullopt if it was drawn uniformly.
  std::vector<std::optional<std::size_t>> num_edits;
  std::vector<std::size_t> edit_distances;  // per negative
  bool has_next_symbols = false;
  bool has_log_probabilities = false;
  bool has_num_edits = false;
  bool has_edit_distances = false;
};

inline constexpr const char* kMainFile = "main.tok";
inline constexpr const char* kLabelsFile = "labels.txt";
inline constexpr const char* kNextSymbolsFile = "next-symbols.jsonl";
inline constexpr const char* kLogProbabilitiesFile = "log-probabilities.txt";
inline constexpr const char* kNumEditsFile = "num-edits.txt";
inline constexpr const char* kEditDistancesFile = "edit-distances.txt";
inline constexpr const char* kColumnFiles[] = {
    kMainFile,     kLabelsFile,           kNextSymbolsFile,
    kNumEditsFile, kLogProbabilitiesFile, kEditDistancesFile};
inline constexpr const char* kManifestFile = "manifest.json";

// Returns the path of a split relative to its dataset: "." for train, else datasets/<split>.
std::filesystem::path SplitPath(std::string_view split);

// The splits that a dataset directory holds: train first, then the others by name.
std::vector<std::string> SplitsIn(const std::filesystem::path& dataset);

// File name and contents of every column that the split has, in the published format.
std::vector<std::pair<std::string, std::string>> FormatSplit(const Alphabet& alphabet,
                                                             const Split& split);

// Bytes of the next-symbol sets of a split, or of a string. A set has a bit for each symbol, so
// that with a large alphabet the sets are much larger than the strings.
inline constexpr std::size_t kLargestNextSymbols = std::size_t{1} << 30;

struct NextSymbolsTooLarge : InputError {
  using InputError::InputError;
};

// Throw NextSymbolsTooLarge with `where` if so many sets, or those of the split's positives, exceed
// the limit.
void CheckNextSymbolsFit(std::size_t sets, std::size_t alphabet_size, const std::string& where);
void CheckNextSymbolsFit(const Split& split, const std::string& where);

// Next-symbol sets as text, in the bytes of the published `next-symbols.jsonl`:
//
//   [{"s":"0 1","e":false},{"s":"0 1","e":true}]
//
// one object per prefix: `s` the symbols in code point order, `e` whether EOS is among them.
// Characters outside ASCII are escaped as \uXXXX. Remembers the text of every set that it has seen:
// a language has few different ones.
class NextSymbolsFormatter {
 public:
  // The largest text of a file, since a set names its symbols and large alphabets have many.
  static constexpr std::size_t kLargestText = std::size_t{1} << 30;

  // Keeps a reference to the alphabet.
  explicit NextSymbolsFormatter(const Alphabet& alphabet, std::size_t largest_text = kLargestText)
      : alphabet_(alphabet), largest_text_(largest_text) {}

  // Returns the length of the lines of all sets, without separators. Throws NextSymbolsTooLarge if
  // that exceeds the largest text, before any memory is allocated.
  std::size_t Size(const NextSymbolSets& sets);

  // Appends one line, without its newline, for the sets [first, first + count). Throws
  // NextSymbolsTooLarge if `out` becomes longer than the largest text.
  void AppendLine(const NextSymbolSets& sets, std::size_t first, std::size_t count,
                  std::string& out);

 private:
  const std::string& Text(const NextSymbolSets& sets, std::size_t t);
  void CheckSize(std::size_t size) const;

  const Alphabet& alphabet_;
  std::size_t largest_text_;
  std::map<std::vector<std::uint64_t>, std::string> texts_;
  // The texts of sets of one word, which almost all are, by a hash of it.
  struct Slot {
    std::uint64_t word;
    const std::string* text = nullptr;
  };
  static constexpr std::size_t kSlots = 256;
  std::vector<Slot> slots_ = std::vector<Slot>(kSlots);
};

// Reads the FLaRe layout: ours, the published data, a researcher's own. Tolerant of nothing that
// would change the meaning: every fault is an InputError that names file and line.

// The files to read besides strings and labels. A file that is asked for and does not exist is
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
// Returns the alphabet of a dataset without a manifest: that of the built-in language with its
// directory's name, else the tokens of its training split.
Alphabet GuessAlphabet(const std::filesystem::path& dataset, const SplitFiles& training = nullptr);

}  // namespace flare

#endif  // FLARE_DATA_FLARE_FILES_H_
