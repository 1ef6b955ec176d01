#include "flare/data/flare_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "flare/data/dataset_config.h"
#include "flare/data/next_symbols_json.h"

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

}  // namespace flare
