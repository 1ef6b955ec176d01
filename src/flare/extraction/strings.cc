#include "flare/extraction/strings.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/rng.h"
#include "flare/base/text.h"
#include "flare/data/dataset_language.h"
#include "flare/data/draw.h"
#include "flare/data/negatives.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSeed = 0;
// Over one symbol there is one string of each length.
constexpr std::size_t kLongestOfAll = 64;
// The name of the dataset that fresh strings belong to, for their random streams.
constexpr const char* kFreshDataset = "extract/fidelity";

// Returns nothing if the data is gone: its name alone proves nothing.
std::optional<DatasetLanguage> FindLanguage(const fs::path& dataset) {
  if (!fs::is_directory(dataset) || !HasKnownLanguage(dataset)) return std::nullopt;
  return FindDatasetLanguage(dataset);
}

// The split whose law stands for that of the dataset.
SplitConfig TestedSplit(const DatasetConfig& config) {
  for (const std::string_view name : {std::string_view("test"), kTrainSplit}) {
    for (const SplitConfig& split : config.splits) {
      if (split.name == name) return split;
    }
  }
  return {};
}

// Throws InputError if other data than the run's is there.
void CheckIsTheRuns(const RunData& data) {
  if (!fs::is_directory(data.pinned.path) || ManifestOf(data.pinned)) return;
  ReadPinnedSplit(data, std::string(kTrainSplit), kOnlyStrings);
}

String UniformString(LengthRange lengths, std::size_t alphabet_size, Rng& rng) {
  String w(lengths.min + rng.UniformInt(std::uint64_t{lengths.max - lengths.min + 1}));
  for (Symbol& a : w) a = SymbolAt(rng.UniformInt(std::uint64_t{alphabet_size}));
  return w;
}

// The next in symbol order of the strings of its length; false after the last.
bool Advance(String& w, std::size_t alphabet_size) {
  for (std::size_t i = w.size(); i > 0; --i) {
    w[i - 1] = SymbolAt((Index(w[i - 1]) + 1) % alphabet_size);
    if (Index(w[i - 1]) != 0) return true;
  }
  return false;
}

// Draws by `sampler`, which throws if there is nothing of these lengths.
void AddDraws(const PositiveSampler& sampler, std::size_t count, const std::string& stream,
              std::vector<String>& strings) {
  for (std::size_t i = 0; i < count; ++i) {
    Rng rng = Rng::For(kSeed, stream, i);
    strings.emplace_back();
    sampler.Sample(rng, strings.back());
  }
}

void AddStringsOfLanguage(const Language& language, LengthRange lengths, std::size_t of_each,
                          const std::string& stream, std::vector<String>& strings) {
  try {
    const auto members = language.MakeSampler(lengths);
    AddDraws(*members, of_each, stream + "/members", strings);
    const NegativeSampler negatives(language, *members, lengths);
    for (std::size_t i = 0; i < of_each; ++i) {
      Rng rng = Rng::For(kSeed, stream + "/negatives", i);
      strings.push_back(negatives.Sample(rng).w);
    }
  } catch (const InputError&) {
    // These lengths have no members, or nothing but members.
  }
}

void AddStringsOfSplit(const Split& split, std::size_t max_length, std::size_t count,
                       const std::string& stream, std::vector<String>& strings) {
  Rng rng = Rng::For(kSeed, stream + "/split");
  for (std::size_t i = 0; i < count && split.size() > 0; ++i) {
    const StringView w = split.string(rng.UniformInt(std::uint64_t{split.size()}));
    if (w.size() <= max_length) strings.emplace_back(w.begin(), w.end());
  }
}

}  // namespace

bool ExtractionTarget::members_are_uniform() const {
  const SplitConfig split = TestedSplit(config);
  return split.law == MemberLaw::kUniform || split.kind == SplitKind::kBalanced;
}

ExtractionTarget TargetOf(const RunData& data) {
  CheckIsTheRuns(data);
  try {
    std::optional<DatasetLanguage> found = FindLanguage(data.pinned.path);
    if (!found) {
      return {std::nullopt,
              fmt::format("it is not known which language {} is", Quoted(data.pinned.language))};
    }
    if (!(found->language.language->alphabet() == data.alphabet)) {
      return {std::nullopt, "the run's data has a different alphabet from its language"};
    }
    return {std::move(found->language), {}, std::move(found->config)};
  } catch (const InputError& error) {
    return {std::nullopt, error.what()};
  }
}

std::vector<String> AllOfOneLength(std::size_t alphabet_size, std::size_t max_length,
                                   std::size_t most) {
  std::size_t length = 0;
  for (std::size_t count = alphabet_size;
       length < max_length && count <= most && length < kLongestOfAll; count *= alphabet_size) {
    ++length;
  }
  std::vector<String> strings;
  String w(length, Symbol{});
  do {
    strings.push_back(w);
  } while (Advance(w, alphabet_size));
  return strings;
}

std::vector<String> DrawLikeTheRun(const ExtractionTarget& target,
                                   const std::optional<Split>& training, std::size_t alphabet_size,
                                   std::size_t max_length, std::size_t of_each,
                                   const std::string& stream) {
  std::vector<String> strings;
  if (target.language) {
    AddStringsOfLanguage(*target.language->language, {0, max_length}, of_each, stream, strings);
  } else if (training) {
    AddStringsOfSplit(*training, max_length, 2 * of_each, stream, strings);
  }
  for (std::size_t i = 0; i < of_each; ++i) {
    Rng rng = Rng::For(kSeed, stream + "/uniform", i);
    strings.push_back(UniformString({0, max_length}, alphabet_size, rng));
  }
  return strings;
}

std::vector<String> DrawStrings(StringKind kind, const ExtractionTarget& target,
                                std::size_t alphabet_size, LengthRange lengths, std::size_t count) {
  constexpr const char* kNames[] = {"members", "negatives", "strings"};
  const std::string name =
      fmt::format("{}/{}-{}", kNames[static_cast<std::size_t>(kind)], lengths.min, lengths.max);
  std::vector<String> strings;
  if (kind == StringKind::kUniform) {
    for (std::size_t i = 0; i < count; ++i) {
      Rng rng = Rng::For(kSeed, fmt::format("{}/{}", kFreshDataset, name), i);
      strings.push_back(UniformString(lengths, alphabet_size, rng));
    }
    return strings;
  }
  const bool wants_members = kind == StringKind::kMembers;
  SplitConfig config = TestedSplit(target.config);
  config.name = name;
  config.lengths = lengths;
  config.size = count;
  config.bins = {};
  if (config.kind == SplitKind::kBalanced || config.kind == SplitKind::kAdversarial) {
    config.size *= 2;  // half of it is of the other kind
  } else {
    config.kind = wants_members ? SplitKind::kMembers : SplitKind::kEditDistance;
  }
  try {
    const auto split =
        DrawSplit({*target.language, target.config, kFreshDataset, kSeed}, config, {});
    for (std::size_t i = 0; i < split->size(); ++i) {
      if ((split->labels[i] != 0) != wants_members) continue;
      strings.emplace_back(split->string(i).begin(), split->string(i).end());
    }
  } catch (const InputError&) {
    return {};  // the range has no such strings
  }
  return strings;
}

}  // namespace flare
