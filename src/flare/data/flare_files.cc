#include "flare/data/flare_files.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/text.h"
#include "flare/data/dataset_config.h"
#include "flare/data/manifest.h"
#include "flare/languages/catalog.h"

namespace flare {

namespace fs = std::filesystem;

fs::path SplitPath(std::string_view split) {
  if (split == kTrainSplit) return ".";
  return fs::path("datasets") / split;
}

std::vector<std::string> SplitsIn(const fs::path& dataset) {
  std::vector<std::string> splits;
  if (fs::is_directory(dataset / "datasets")) {
    for (const auto& entry : fs::directory_iterator(dataset / "datasets")) {
      const std::string name = entry.path().filename().string();
      if (entry.is_directory() && name[0] != '.') splits.push_back(name);
    }
  }
  std::sort(splits.begin(), splits.end());
  if (fs::exists(dataset / kMainFile)) splits.insert(splits.begin(), std::string(kTrainSplit));
  return splits;
}

std::vector<std::pair<std::string, std::string>> FormatSplit(const Alphabet& alphabet,
                                                             const Split& split) {
  std::vector<std::pair<std::string, std::string>> files;
  std::string tokens, labels;
  for (std::size_t i = 0; i < split.size(); ++i) {
    const char* separator = "";
    for (const Symbol a : split.string(i)) {
      tokens += separator;
      tokens += alphabet.Name(a);
      separator = " ";
    }
    tokens += '\n';
    labels += split.labels[i] != 0 ? "1\n" : "0\n";
  }
  files.emplace_back(kMainFile, std::move(tokens));
  files.emplace_back(kLabelsFile, std::move(labels));

  if (split.has_next_symbols) {
    NextSymbolsFormatter formatter(alphabet);
    std::string text;
    // Every set is followed by one more character, and every line begins and ends with one.
    text.reserve(formatter.Size(split.next_symbols) + split.next_symbols.size() + 2 * split.size());
    std::size_t first = 0;
    for (std::size_t i = 0; i < split.size(); ++i) {
      if (split.labels[i] == 0) continue;
      const std::size_t count = split.string(i).size() + 1;
      formatter.AppendLine(split.next_symbols, first, count, text);
      text += '\n';
      first += count;
    }
    files.emplace_back(kNextSymbolsFile, std::move(text));
  }
  if (split.has_log_probabilities) {
    std::string text;
    for (const double p : split.log_probabilities)
      fmt::format_to(std::back_inserter(text), "{:.12g}\n", p);
    files.emplace_back(kLogProbabilitiesFile, std::move(text));
  }
  if (split.has_num_edits) {
    std::string text;
    for (const auto& edits : split.num_edits) {
      if (edits) text += std::to_string(*edits);
      text += '\n';
    }
    files.emplace_back(kNumEditsFile, std::move(text));
  }
  if (split.has_edit_distances) {
    std::string text;
    for (const std::size_t d : split.edit_distances) text += std::to_string(d) + "\n";
    files.emplace_back(kEditDistancesFile, std::move(text));
  }
  return files;
}

void CheckNextSymbolsFit(std::size_t sets, std::size_t alphabet_size, const std::string& where) {
  const std::size_t bytes_per_set = (alphabet_size / 64 + 1) * sizeof(std::uint64_t);
  if (sets <= kLargestNextSymbols / bytes_per_set) return;
  throw NextSymbolsTooLarge(
      where, fmt::format("{} next-symbol sets over {} symbols take more than {} MB", sets,
                         alphabet_size, kLargestNextSymbols >> 20));
}

void CheckNextSymbolsFit(const Split& split, const std::string& where) {
  std::size_t sets = 0;
  for (std::size_t i = 0; i < split.size(); ++i) {
    if (split.labels[i] != 0) sets += split.string(i).size() + 1;
  }
  CheckNextSymbolsFit(sets, split.next_symbols.alphabet_size(), where);
}

namespace {

void AppendEscaped(const std::string& name, std::string& out) {
  for (std::size_t i = 0; i < name.size();) {
    // Names of an alphabet are valid UTF-8 without control characters.
    const std::string_view character = *Utf8CharacterAt(name, i);
    i += character.size();
    const char32_t code = CodePoint(character);
    if (code < 0x80) {
      if (code == '"' || code == '\\') out += '\\';
      out += character;
    } else if (code < 0x10000) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(code));
    } else {
      const unsigned offset = static_cast<unsigned>(code) - 0x10000;
      fmt::format_to(std::back_inserter(out), "\\u{:04x}\\u{:04x}", 0xD800 + (offset >> 10),
                     0xDC00 + (offset & 0x3FF));
    }
  }
}

}  // namespace

const std::string& NextSymbolsFormatter::Text(const NextSymbolSets& sets, std::size_t t) {
  const auto words = sets.Words(t);
  Slot* slot = nullptr;
  if (words.size() == 1) {
    slot = &slots_[(words[0] * 0x9e3779b97f4a7c15u) >> 56];
    if (slot->text != nullptr && slot->word == words[0]) return *slot->text;
  }
  const auto [entry, is_new] = texts_.try_emplace({words.begin(), words.end()});
  std::string& text = entry->second;
  if (is_new) {
    text = "{\"s\":\"";
    const char* separator = "";
    for (std::size_t a = 0; a < alphabet_.size(); ++a) {
      if (!sets.Contains(t, SymbolAt(a))) continue;
      text += separator;
      separator = " ";
      AppendEscaped(alphabet_.Name(SymbolAt(a)), text);
    }
    text += sets.ContainsEos(t) ? "\",\"e\":true}" : "\",\"e\":false}";
  }
  if (slot != nullptr) *slot = {words[0], &text};
  return text;
}

void NextSymbolsFormatter::CheckSize(std::size_t size) const {
  if (size <= largest_text_) return;
  throw NextSymbolsTooLarge(
      "", fmt::format("the next-symbol sets take more than {} MB as text", largest_text_ >> 20));
}

std::size_t NextSymbolsFormatter::Size(const NextSymbolSets& sets) {
  std::size_t size = 0;
  for (std::size_t t = 0; t < sets.size(); ++t) {
    size += Text(sets, t).size();
    CheckSize(size);
  }
  return size;
}

void NextSymbolsFormatter::AppendLine(const NextSymbolSets& sets, std::size_t first,
                                      std::size_t count, std::string& out) {
  out += '[';
  for (std::size_t t = first; t < first + count; ++t) {
    if (t != first) out += ',';
    const std::string& text = Text(sets, t);
    CheckSize(out.size() + text.size());
    out += text;
  }
  out += ']';
}

namespace {

// A file and its lines. Every line must be ended: one that is not was probably cut off.
class LineFile {
 public:
  LineFile(const fs::path& path, std::string text) : path_(path), text_(std::move(text)) {
    const std::size_t size = text_.size();
    if (size > 0 && text_.back() != '\n') {
      throw InputError(FileLine(path_, Lines(text_).size()),
                       "the last line has no newline: the file may be cut off");
    }
    // simdjson reads a little beyond the end of a line.
    text_.resize(size + simdjson::SIMDJSON_PADDING, ' ');
    lines_ = Lines(std::string_view(text_).substr(0, size));
  }
  // The lines stay where they are: with its padding, no text is so short that moving would copy it.
  LineFile(LineFile&&) = default;

  const std::vector<std::string_view>& lines() const { return lines_; }
  std::string Where(std::size_t index) const { return FileLine(path_, index + 1); }

  void ExpectLines(std::size_t count, const char* per) const {
    if (lines_.size() == count) return;
    throw InputError(path_,
                     fmt::format("{} lines, expected {}: one per {}", lines_.size(), count, per));
  }

 private:
  std::string path_;
  std::string text_;
  std::vector<std::string_view> lines_;
};

// The files of one split, from wherever they come.
class SplitReader {
 public:
  SplitReader(const fs::path& dataset, const std::string& split, const SplitFiles& files)
      : directory_((dataset / SplitPath(split)).lexically_normal()), files_(files) {}

  fs::path Path(const char* file) const { return directory_ / file; }

  std::optional<LineFile> Find(const char* file) const {
    const fs::path path = Path(file);
    std::optional<std::string> text;
    if (files_) {
      text = files_(file);
    } else if (fs::exists(path)) {
      text = ReadRegularFile(path);
    }
    if (!text) return std::nullopt;
    return LineFile(path, std::move(*text));
  }
  LineFile Get(const char* file) const {
    auto found = Find(file);
    if (!found) throw InputError(Path(file), "no such file");
    return std::move(*found);
  }

 private:
  fs::path directory_;
  const SplitFiles& files_;
};

// Turns the text of a set, "0 1", into bits, remembering what it has seen.
class SetParser {
 public:
  explicit SetParser(const Alphabet& alphabet) : alphabet_(alphabet) {}

  std::span<const std::uint64_t> Parse(std::string_view symbols, bool eos, const LineFile& file,
                                       std::size_t line) {
    auto& cache = cache_[eos ? 1 : 0];
    auto found = cache.find(symbols);
    if (found == cache.end()) {
      NextSymbolSets set(alphabet_.size());
      set.Append();
      for (const Symbol a : alphabet_.Parse(symbols, [&] { return file.Where(line); })) set.Add(a);
      if (eos) set.AddEos();
      found = cache.emplace(symbols, std::move(set)).first;
    }
    return found->second.Words(0);
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  const Alphabet& alphabet_;
  std::unordered_map<std::string, NextSymbolSets, Hash, std::equal_to<>> cache_[2];
};

// One line of next-symbols.jsonl: how many sets it has. simdjson's DOM, whose code is chosen for
// the CPU at run time; its on-demand interface would be compiled for the oldest one.
std::size_t ReadSets(simdjson::dom::parser& parser, const LineFile& file, std::size_t index,
                     SetParser& sets, NextSymbolSets& out) {
  const std::string_view line = file.lines()[index];
  std::size_t count = 0;
  try {
    const simdjson::dom::array array = parser.parse(line.data(), line.size(), false);
    for (const simdjson::dom::object object : array) {
      std::optional<std::string_view> symbols;
      std::optional<bool> eos;
      for (const auto& [key, value] : object) {
        if (key == "s" && !symbols) {
          symbols = value.get_string();
        } else if (key == "e" && !eos) {
          eos = value.get_bool();
        } else {
          throw InputError(file.Where(index), fmt::format("unexpected key {}", Quoted(key)));
        }
      }
      if (!symbols || !eos) {
        throw InputError(file.Where(index), "a set needs the keys \"s\" and \"e\"");
      }
      out.Append(sets.Parse(*symbols, *eos, file, index));
      ++count;
    }
  } catch (const simdjson::simdjson_error& error) {
    throw InputError(file.Where(index),
                     fmt::format("not an array of next-symbol sets: {}", error.what()),
                     "expected [{\"s\":\"0 1\",\"e\":true}, ...]");
  }
  return count;
}

template <class Number>
Number ParseLine(const LineFile& file, std::size_t index, const char* expected) {
  const std::string_view line = file.lines()[index];
  const auto value = ParseNumber<Number>(line);
  bool good = value.has_value();
  if constexpr (std::is_floating_point_v<Number>) good = good && std::isfinite(*value);
  if (!good) {
    throw InputError(file.Where(index), fmt::format("{} is not {}", Quoted(line), expected));
  }
  return *value;
}

void ReadNextSymbols(const LineFile& file, const Alphabet& alphabet, std::size_t positives,
                     Split& split) {
  file.ExpectLines(positives, "positive example");
  simdjson::dom::parser parser;
  SetParser sets(alphabet);
  std::size_t line = 0;
  for (std::size_t i = 0; i < split.size(); ++i) {
    if (split.labels[i] == 0) continue;
    const std::size_t count = ReadSets(parser, file, line, sets, split.next_symbols);
    if (count != split.string(i).size() + 1) {
      throw InputError(file.Where(line),
                       fmt::format("{} next-symbol sets, expected {} for a string of {} symbols",
                                   count, split.string(i).size() + 1, split.string(i).size()));
    }
    ++line;
  }
  split.has_next_symbols = true;
}

}  // namespace

Split ReadSplit(const fs::path& dataset, const std::string& name, const Alphabet& alphabet,
                const ReadOptions& options, const SplitFiles& files) {
  const SplitReader reader(dataset, name, files);
  Split split(alphabet.size());
  const LineFile strings = reader.Get(kMainFile), labels = reader.Get(kLabelsFile);
  labels.ExpectLines(strings.lines().size(), "line of main.tok");
  std::size_t positives = 0;
  for (std::size_t i = 0; i < strings.lines().size(); ++i) {
    const std::string_view label = labels.lines()[i];
    if (label != "0" && label != "1") {
      throw InputError(labels.Where(i), fmt::format("label {} is not 0 or 1", Quoted(label)));
    }
    split.Add(alphabet.Parse(strings.lines()[i], [&] { return strings.Where(i); }), label == "1");
    positives += label == "1" ? 1 : 0;
  }
  const std::size_t negatives = split.size() - positives;

  const auto find = [&](bool wanted, const char* file) {
    return wanted ? reader.Find(file) : std::nullopt;
  };
  if (const auto file = find(options.next_symbols, kNextSymbolsFile)) {
    CheckNextSymbolsFit(split, reader.Path(kNextSymbolsFile));
    ReadNextSymbols(*file, alphabet, positives, split);
  }
  if (const auto file = find(options.log_probabilities, kLogProbabilitiesFile)) {
    file->ExpectLines(positives, "positive example");
    for (std::size_t i = 0; i < positives; ++i) {
      split.log_probabilities.push_back(ParseLine<double>(*file, i, "a logarithm"));
    }
    split.has_log_probabilities = true;
  }
  if (const auto file = find(options.num_edits, kNumEditsFile)) {
    file->ExpectLines(negatives, "negative example");
    for (std::size_t i = 0; i < negatives; ++i) {
      split.num_edits.emplace_back();
      if (file->lines()[i].empty()) continue;
      split.num_edits.back() = ParseLine<std::size_t>(*file, i, "a number of edits");
    }
    split.has_num_edits = true;
  }
  if (const auto file = find(options.edit_distances, kEditDistancesFile)) {
    file->ExpectLines(negatives, "negative example");
    for (std::size_t i = 0; i < negatives; ++i) {
      split.edit_distances.push_back(ParseLine<std::size_t>(*file, i, "an edit distance"));
    }
    split.has_edit_distances = true;
  }
  return split;
}

Alphabet ReadAlphabet(const fs::path& dataset) {
  if (const auto manifest = ReadManifest(dataset)) return Alphabet(manifest->language.alphabet);
  return GuessAlphabet(dataset);
}

Alphabet GuessAlphabet(const fs::path& dataset, const SplitFiles& training) {
  const fs::path directory = fs::weakly_canonical(dataset);
  const std::string folder = directory.filename().string();
  if (IsPublished(folder)) return FindInCatalog(folder)->make()->alphabet();
  const LineFile file = SplitReader(dataset, std::string(kTrainSplit), training).Get(kMainFile);
  std::unordered_map<std::string_view, std::size_t> first_line;
  for (std::size_t i = 0; i < file.lines().size(); ++i) {
    std::string_view line = file.lines()[i];
    while (!line.empty()) {
      const std::size_t end = std::min(line.find(' '), line.size());
      first_line.try_emplace(line.substr(0, end), i);
      line.remove_prefix(std::min(end + 1, line.size()));
    }
  }
  std::vector<std::string> names;
  for (const auto& [name, line] : first_line) {
    CheckSymbolName(name, file.Where(line));
    names.emplace_back(name);
  }
  if (names.empty()) throw InputError(dataset, "its training strings have no symbols");
  return Alphabet(std::move(names));
}

}  // namespace flare
