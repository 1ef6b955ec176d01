#include "flare/training/run_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/sha256.h"
#include "flare/base/text.h"
#include "flare/data/dataset_config.h"
#include "flare/data/dataset_language.h"
#include "flare/data/flare_files.h"
#include "flare/data/manifest.h"
#include "flare/languages/catalog.h"
#include "flare/languages/envelope.h"
#include "flare/languages/source.h"

namespace flare {

namespace fs = std::filesystem;

namespace {

constexpr const char* kKeepsToItsData =
    "a run uses only the data that it began with: flare generate --repair restores what it made";

}  // namespace

std::vector<std::string> RunData::Splits() const { return RecordedSplits(pinned.files); }

void RunData::CheckSplit(const std::string& name) const {
  const auto splits = Splits();
  if (std::find(splits.begin(), splits.end(), name) != splits.end()) return;
  throw InputError(pinned.path, fmt::format("has no split {}", Quoted(name)),
                   fmt::format("it has {}", fmt::join(splits, ", ")));
}

namespace {

void TakeFromManifest(const Manifest& manifest, RunData& data) {
  data.alphabet = Alphabet(manifest.language.alphabet);
  data.pinned.language = manifest.name;
  data.pinned.files = ColumnsOf(manifest);
}

void TakeFromFiles(RunData& data) {
  const std::string strings = ReadRegularFile(data.pinned.path / kMainFile);
  data.alphabet = GuessAlphabet(data.pinned.path, [&](const char*) { return strings; });
  data.pinned.language = data.pinned.path.filename().string();
  data.pinned.files[kMainFile] = Sha256(strings);
  for (const std::string& split : SplitsIn(data.pinned.path)) {
    for (const char* column : kColumnFiles) {
      const std::string name = RelativePath(split, column);
      if (name == kMainFile || !fs::exists(data.pinned.path / name)) continue;
      data.pinned.files[name] = Sha256(ReadRegularFile(data.pinned.path / name));
    }
  }
}

}  // namespace

RunData IdentifyData(const fs::path& dataset) {
  RunData data;
  std::error_code failed;
  data.pinned.path = fs::canonical(dataset, failed);
  if (failed || !fs::is_directory(data.pinned.path)) {
    throw Unavailable(dataset, "no such directory", "expected a dataset in the FLaRe layout");
  }
  CheckRecordable(data.pinned.path);
  if (!fs::exists(data.pinned.path / kMainFile)) {
    throw Unavailable(dataset, fmt::format("has no {}: not a dataset", kMainFile),
                      "expected a dataset in the FLaRe layout, such as flare generate makes");
  }
  if (const auto manifest = ReadManifest(data.pinned.path)) {
    TakeFromManifest(*manifest, data);
  } else {
    TakeFromFiles(data);
  }
  data.pinned.alphabet = data.alphabet.names();
  const auto splits = data.Splits();
  for (const std::string& split : splits) {
    CheckRecordable(split);
    // The answers are written to SPLIT.jsonl by way of a draft, whose name is 27 bytes longer.
    constexpr std::size_t kLongestName = 255 - 6 - 27;
    if (split.size() <= kLongestName) continue;
    throw InputError(
        dataset,
        fmt::format("has a split whose name has {} bytes: {}", split.size(), Quoted(split)),
        fmt::format("a run names files after its splits: at most {}", kLongestName));
  }
  if (std::find(splits.begin(), splits.end(), kHardest) != splits.end()) {
    throw InputError(dataset, fmt::format("has a split named {}", kHardest),
                     "a run has a file of that name next to those of its splits: rename the split");
  }
  return data;
}

Split ReadPinnedSplit(const RunData& data, const std::string& split, const ReadOptions& options) {
  return ReadSplit(data.pinned.path, split, data.alphabet, options,
                   RecordedFiles(data.pinned.path, split, data.pinned.files, kKeepsToItsData));
}

std::optional<Manifest> ManifestOf(const PinnedData& data) {
  auto manifest = ReadManifest(data.path);
  if (!manifest) return std::nullopt;
  const FileHashes recorded = ColumnsOf(*manifest);
  for (const auto& [name, hash] : data.files) {
    const auto there = recorded.find(name);
    if (there != recorded.end() && there->second == hash) continue;
    throw InputError(
        data.path / kManifestFile,
        fmt::format("belongs to a different dataset: {} has a different hash", Quoted(name)),
        kKeepsToItsData);
  }
  return manifest;
}

std::optional<Matcher> FormatOf(const RunData& data) {
  const fs::path& dataset = data.pinned.path;
  try {
    if (!fs::is_directory(dataset)) return std::nullopt;
    ManifestOf(data.pinned);
    const auto format = FindFormat(dataset);
    if (!format || !(format->automaton.alphabet() == data.alphabet)) return std::nullopt;
    return Matcher(format->automaton);
  } catch (const InputError&) {
    return std::nullopt;  // runs need strings and labels, whatever their language
  }
}

RunData DataOf(const PinnedData& pinned, const std::string& where) {
  try {
    return {pinned, Alphabet(pinned.alphabet)};
  } catch (const InputError& error) {
    throw InputError(where, fmt::format("data: {}", error.what()));
  }
}

namespace {

constexpr const char* kWhy = "the loss term st needs the states of a DFA";

// The table takes four bytes for every state and symbol.
constexpr std::size_t kLargestTable = std::size_t{1} << 26;

StateTracker TrackerOfLanguage(const Language& language, const PinnedData& data) {
  const Dfa* dfa = language.dfa();
  if (dfa == nullptr) {
    throw InputError(data.path, fmt::format("its language, {}, is not regular: {}",
                                            Quoted(data.language), kWhy));
  }
  if ((dfa->num_states() + 1) * data.alphabet.size() > kLargestTable) {
    throw InputError(data.path, fmt::format("its language has {} states over {} symbols, too many "
                                            "for the loss term st",
                                            dfa->num_states(), data.alphabet.size()));
  }
  return {*dfa, Alphabet(data.alphabet)};
}

}  // namespace

StateTracker::StateTracker(const Dfa& minimal, const Alphabet& alphabet)
    : start_(static_cast<std::uint32_t>(minimal.start())), symbols_(alphabet.size()) {
  const std::size_t states = minimal.num_states();
  const auto nowhere = static_cast<std::uint32_t>(states);
  next_.assign(states * symbols_, nowhere);
  for (std::size_t q = 0; q < states; ++q) {
    for (const Dfa::Transition& t : minimal.TransitionsFrom(static_cast<StateId>(q))) {
      const auto symbol = alphabet.Find(minimal.alphabet().names()[Index(t.symbol)]);
      if (!symbol) continue;  // no string has it
      next_[q * symbols_ + Index(*symbol)] = static_cast<std::uint32_t>(t.target);
    }
  }
  if (std::find(next_.begin(), next_.end(), nowhere) != next_.end()) {
    next_.insert(next_.end(), symbols_, nowhere);
  }
}

void StateTracker::Append(StringView w, std::vector<std::uint32_t>& states) const {
  std::uint32_t state = start_;
  states.push_back(state);
  for (const Symbol a : w) {
    state = next_[state * symbols_ + Index(a)];
    states.push_back(state);
  }
}

StateTracker TrackerOf(const PinnedData& data) {
  if (const auto manifest = ManifestOf(data)) {
    const NamedLanguage named =
        LoadLanguage(manifest->language, (data.path / kManifestFile).string());
    return TrackerOfLanguage(*named.language, data);
  }
  const CatalogEntry* entry = FindInCatalog(data.language);
  if (entry == nullptr) {
    throw InputError(data.path,
                     fmt::format("has no manifest, and {} is not a language of the catalogue: {}",
                                 Quoted(data.language), kWhy));
  }
  return TrackerOfLanguage(*entry->make(), data);
}

}  // namespace flare
