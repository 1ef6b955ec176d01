#include "flare/report/dataset_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/sha256.h"
#include "flare/base/text.h"
#include "flare/data/dataset_config.h"
#include "flare/data/dataset_language.h"
#include "flare/data/flare_files.h"
#include "flare/data/manifest.h"
#include "flare/languages/catalog.h"

namespace flare::report {

namespace {

namespace fs = std::filesystem;

const flare::Run* BegunRun(const Source& source, const std::string& language) {
  for (const flare::Run& run : source.runs) {
    if (run.at.language == language && run.config) return &run;
  }
  return nullptr;
}

bool IsKnownByHashAlone(const PinnedData& data) { return !data.known_sha256.empty(); }

}  // namespace

bool HasRuns(const Source& source, const std::string& language) {
  return BegunRun(source, language) != nullptr;
}

std::optional<PinnedData> DataOf(const Source& source, const std::string& language) {
  if (const flare::Run* run = BegunRun(source, language)) return run->config->data;
  const auto planned = source.sweep.data_sha256.find(language);
  if (planned == source.sweep.data_sha256.end()) return std::nullopt;
  PinnedData data;
  data.known_sha256 = planned->second;
  return data;
}

bool IsOf(const Manifest& manifest, const std::optional<PinnedData>& data) {
  if (!data) return true;
  if (IsKnownByHashAlone(*data)) {
    PinnedData of_manifest;
    of_manifest.files = ColumnsOf(manifest);
    return of_manifest.Sha256OfAll() == data->known_sha256;
  }
  return std::all_of(data->files.begin(), data->files.end(), [&](const auto& file) {
    const auto found = manifest.files.find(file.first);
    return found != manifest.files.end() && found->second.sha256 == file.second;
  });
}

std::optional<PinnedData> FilesOf(const fs::path& dataset, const std::optional<PinnedData>& data) {
  if (data && !IsKnownByHashAlone(*data)) return data;
  PinnedData there;
  for (const std::string& split : SplitsIn(dataset)) {
    for (const char* column : kColumnFiles) {
      const fs::path file = (SplitPath(split) / column).lexically_normal();
      if (!fs::exists(dataset / file)) continue;
      there.files[file.string()] = Sha256(ReadRegularFile(dataset / file));
    }
  }
  if (data && there.Sha256OfAll() != data->known_sha256) return std::nullopt;
  return there;
}

std::optional<std::string> ReadAsRecorded(const fs::path& dataset, const fs::path& relative,
                                          const std::optional<PinnedData>& data) {
  if (!fs::exists(dataset / relative)) return std::nullopt;
  std::string bytes = ReadRegularFile(dataset / relative);
  if (!data) return bytes;
  const auto recorded = data->files.find(relative.lexically_normal().string());
  const bool same = recorded != data->files.end() && recorded->second == Sha256(bytes);
  return same ? std::optional(std::move(bytes)) : std::nullopt;
}

namespace {

namespace fs = std::filesystem;

// Why a language under this name is not the built-in one of that name.
std::string LanguageGap(const std::string& name, const NamedLanguage& language) {
  try {
    CheckPaperName(name, language, "");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string RecipeGap(const DatasetConfig& config, const std::string& preset) {
  const auto wanted = SettingsOf(MakePreset(preset));
  for (const auto& [key, value] : SettingsOf(config)) {
    // Which files are written changes nothing in the strings.
    if (key.starts_with("files.")) continue;
    const auto same = std::find_if(wanted.begin(), wanted.end(), [&key = key](const auto& setting) {
      return setting.first == key;
    });
    if (same == wanted.end()) return fmt::format("it has {}", key);
    if (same->second != value) return fmt::format("{} is {}, not {}", key, value, same->second);
  }
  return "";
}

void TakeLengths(const DatasetConfig& config, DatasetFacts& facts) {
  for (const SplitConfig& split : config.splits) facts.lengths[split.name] = split.lengths;
}

DatasetFacts FromManifest(const Manifest& manifest, const std::string& name, const fs::path& file,
                          const std::string& preset) {
  DatasetFacts facts;
  const DatasetConfig config = ConfigOf(manifest, file);
  TakeLengths(config, facts);
  facts.saved_language = manifest.language;
  if (!IsPublished(name)) return facts;
  facts.incomparable = LanguageGap(name, LoadLanguage(manifest.language, file));
  if (facts.incomparable.empty()) facts.incomparable = RecipeGap(config, preset);
  return facts;
}

// A split of a dataset without a manifest.
struct Measured {
  std::size_t examples = 0;
  LengthRange lengths;
};

std::optional<Measured> Measure(const fs::path& dataset, const std::string& split,
                                const PinnedData& data) {
  const auto text = ReadAsRecorded(dataset, SplitPath(split) / kMainFile, data);
  if (!text) return std::nullopt;
  Measured measured;
  for (const std::string_view line : Lines(*text)) {
    const auto spaces = static_cast<std::size_t>(std::count(line.begin(), line.end(), ' '));
    const std::size_t length = line.empty() ? 0 : spaces + 1;
    LengthRange& lengths = measured.lengths;
    lengths.min = measured.examples == 0 ? length : std::min(lengths.min, length);
    lengths.max = std::max(lengths.max, length);
    ++measured.examples;
  }
  return measured;
}

// Why a split cannot be one of the recipe. The longest string that was drawn may be a little
// shorter than the longest that may be.
std::string SplitGap(const SplitConfig& wanted, const Measured& measured) {
  if (measured.examples != wanted.size) {
    return fmt::format("{} has {} examples, not {}", wanted.name, measured.examples, wanted.size);
  }
  if (measured.lengths.max > wanted.lengths.max ||
      10 * measured.lengths.max < 9 * wanted.lengths.max) {
    return fmt::format("{} has lengths up to {}, not {}", wanted.name, measured.lengths.max,
                       wanted.lengths.max);
  }
  return "";
}

// What the data is said to be: published data by its directory's name, other data by the grid's.
std::string NameOf(const fs::path& dataset, const std::string& name) {
  const std::string directory = fs::weakly_canonical(dataset).filename().string();
  return IsPublished(directory) ? directory : name;
}

std::optional<DatasetFacts> FromFiles(const fs::path& dataset, const std::string& name,
                                      const PinnedData& data, const std::string& preset) {
  DatasetFacts facts;
  const DatasetConfig wanted = MakePreset(preset);
  for (const std::string& split : SplitsIn(dataset)) {
    const auto measured = Measure(dataset, split, data);
    if (!measured) return std::nullopt;
    facts.lengths[split] = measured->lengths;
    const auto same = std::find_if(wanted.splits.begin(), wanted.splits.end(),
                                   [&](const SplitConfig& one) { return one.name == split; });
    if (same != wanted.splits.end() && facts.incomparable.empty()) {
      facts.incomparable = SplitGap(*same, *measured);
    }
  }
  const CatalogEntry* entry = FindInCatalog(NameOf(dataset, name));
  if (entry == nullptr) return facts;
  const std::string gap = LabelGap(*entry->make(), SplitsIn(dataset), [&](const fs::path& file) {
    return ReadAsRecorded(dataset, file, data);
  });
  if (gap.empty()) facts.language_name = entry->name;
  if (facts.incomparable.empty() && (!gap.empty() || entry->name != name)) {
    facts.incomparable = !gap.empty() ? gap : fmt::format("its language is {}", entry->name);
  }
  return facts;
}

DatasetConfig RecipeOf(const Grid& grid) {
  DatasetConfig config = MakePreset(grid.data_preset);
  for (const auto& [key, value] : grid.data)
    ApplySetting(key, value, grid.data_places.Line(key), config);
  return config;
}

// Returns the facts of a dataset that was made by the sweep's recipe, as far as the results agree
// with it. Planning has checked that a built-in name means its language.
DatasetFacts FromPlan(const Source& source, const std::string& name, const std::string& preset) {
  if (!source.sweep.data_of_recipe.contains(name)) {
    return {.incomparable = "its data is not there, and nothing says how it was made"};
  }
  DatasetFacts facts;
  const Grid& grid = source.sweep.grid;
  const DatasetConfig config = RecipeOf(grid);
  TakeLengths(config, facts);
  facts.incomparable = RecipeGap(config, preset);
  facts.language_name = IsPublished(name) ? name : grid.Language(name).language;
  for (const flare::Run& run : source.runs) {
    if (run.at.language != name || !run.result || !facts.incomparable.empty()) continue;
    for (const SplitConfig& split : config.splits) {
      const SplitMetrics* metrics = run.result->Split(split.name);
      if (metrics != nullptr && metrics->examples != split.size) {
        facts.incomparable =
            fmt::format("{} has {} examples, not {}", split.name, metrics->examples, split.size);
      }
    }
  }
  return facts;
}

DatasetFacts FindFacts(const Source& source, const std::string& language,
                       const std::string& preset) {
  const fs::path dataset = source.sweep.DatasetPath(language);
  const std::optional<PinnedData> data = DataOf(source, language);
  if (fs::exists(dataset / kManifestFile)) {
    std::optional<Manifest> manifest;
    try {
      manifest = ReadManifest(dataset);
    } catch (...) {
      const std::string damage = Visible(CaughtFault());
      DatasetFacts facts = FromPlan(source, language, preset);
      facts.damage = damage;
      return facts;
    }
    if (IsOf(*manifest, data))
      return FromManifest(*manifest, language, dataset / kManifestFile, preset);
  } else if (fs::exists(dataset / kMainFile)) {
    const auto files = FilesOf(dataset, data);
    auto facts = files ? FromFiles(dataset, language, *files, preset) : std::nullopt;
    if (facts) return *facts;
  }
  return FromPlan(source, language, preset);
}

}  // namespace

DatasetFacts FactsOf(const Source& source, const std::string& language, const std::string& preset) {
  DatasetFacts facts;
  try {
    facts = FindFacts(source, language, preset);
  } catch (...) {
    facts.incomparable = CaughtFault();
  }
  // It may quote a file that holds anything.
  facts.incomparable = Visible(facts.incomparable);
  return facts;
}

}  // namespace flare::report
