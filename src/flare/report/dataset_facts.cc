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
#include "flare/data/flare_files.h"
#include "flare/data/manifest.h"
#include "flare/languages/catalog.h"
#include "flare/languages/paper_names.h"
#include "flare/languages/resolve.h"

namespace flare::report {
namespace {

namespace fs = std::filesystem;

bool IsOfThePaper(const std::string& language) {
  const auto names = PaperLanguages();
  return std::find(names.begin(), names.end(), language) != names.end();
}

// Why a language under this name is not the paper's of that name.
std::string LanguageGap(const std::string& name, const NamedLanguage& language) {
  try {
    CheckPaperName(name, language, "");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string RecipeGap(const DatasetConfig& config) {
  const auto papers = SettingsOf(MakePreset("flare"));
  for (const auto& [key, value] : SettingsOf(config)) {
    // Which files are written changes nothing in the strings.
    if (key.starts_with("files.")) continue;
    const auto same = std::find_if(papers.begin(), papers.end(), [&key = key](const auto& setting) {
      return setting.first == key;
    });
    if (same == papers.end()) return fmt::format("it has {}", key);
    if (same->second != value) return fmt::format("{} is {}, not {}", key, value, same->second);
  }
  return "";
}

void TakeLengths(const DatasetConfig& config, DatasetFacts& facts) {
  for (const SplitConfig& split : config.splits) facts.lengths[split.name] = split.lengths;
}

// The data of the runs of a language, by any of them; null if none is begun.
const PinnedData* DataOf(const Source& source, const std::string& language) {
  for (const PlacedRun& run : source.runs) {
    if (run.at.language == language && run.config) return &run.config->data;
  }
  return nullptr;
}

// Is the manifest the one of the data that the runs used?
bool IsOf(const Manifest& manifest, const PinnedData* data) {
  if (data == nullptr) return true;
  if (!data->known_sha256.empty()) {
    PinnedData of_manifest;
    of_manifest.files = ColumnsOf(manifest);
    return of_manifest.Sha256OfAll() == data->known_sha256;
  }
  return std::all_of(data->files.begin(), data->files.end(), [&](const auto& file) {
    const auto found = manifest.files.find(file.first);
    return found != manifest.files.end() && found->second.sha256 == file.second;
  });
}

DatasetFacts FromManifest(const Manifest& manifest, const std::string& name, const fs::path& file) {
  DatasetFacts facts;
  const DatasetConfig config = ConfigOf(manifest, file);
  TakeLengths(config, facts);
  if (!IsOfThePaper(name)) return facts;
  facts.not_papers = LanguageGap(name, LoadLanguage(manifest.language, file));
  if (facts.not_papers.empty()) facts.not_papers = RecipeGap(config);
  return facts;
}

// A split of a dataset without a manifest.
struct Measured {
  std::size_t examples = 0;
  LengthRange lengths;
};

// Nothing if the file is missing, or not the one that the runs used.
std::optional<std::string> ReadAsRecorded(const fs::path& dataset, const fs::path& relative,
                                          const PinnedData* data) {
  if (!fs::exists(dataset / relative)) return std::nullopt;
  std::string bytes = ReadRegularFile(dataset / relative);
  if (data == nullptr) return bytes;
  const auto recorded = data->files.find(relative.lexically_normal().string());
  const bool same = recorded != data->files.end() && recorded->second == Sha256(bytes);
  return same ? std::optional(std::move(bytes)) : std::nullopt;
}

std::optional<Measured> Measure(const fs::path& dataset, const std::string& split,
                                const PinnedData* data) {
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

// Why a split cannot be the paper's. The longest string that was drawn may be a little shorter than
// the longest that may be.
std::string SplitGap(const SplitConfig& papers, const Measured& measured) {
  if (measured.examples != papers.size) {
    return fmt::format("{} has {} examples, not {}", papers.name, measured.examples, papers.size);
  }
  if (measured.lengths.max > papers.lengths.max ||
      10 * measured.lengths.max < 9 * papers.lengths.max) {
    return fmt::format("{} has lengths up to {}, not {}", papers.name, measured.lengths.max,
                       papers.lengths.max);
  }
  return "";
}

// The labels of the short validation set must be those that the language gives; else it is another
// language.
std::string LabelGap(const fs::path& dataset, const std::string& name, const PinnedData* data) {
  const fs::path split = SplitPath("validation-short");
  const auto strings = ReadAsRecorded(dataset, split / kMainFile, data);
  const auto labels = ReadAsRecorded(dataset, split / kLabelsFile, data);
  if (!strings || !labels) return "";
  const auto lines = Lines(*strings), answers = Lines(*labels);
  const auto language = FindInCatalog(name)->make();
  for (std::size_t i = 0; i < std::min(lines.size(), answers.size()); ++i) {
    try {
      const bool member = language->Contains(language->alphabet().Parse(lines[i], ""));
      if (member == (answers[i] == "1")) continue;
    } catch (const InputError&) {
      // A symbol that the paper's language does not have.
    }
    return fmt::format("validation-short labels {} with {}", Quoted(lines[i]), answers[i]);
  }
  return "";
}

std::optional<DatasetFacts> FromFiles(const fs::path& dataset, const std::string& name,
                                      const PinnedData* data) {
  DatasetFacts facts;
  const DatasetConfig papers = MakePreset("flare");
  for (const std::string& split : SplitsIn(dataset)) {
    const auto measured = Measure(dataset, split, data);
    if (!measured) return std::nullopt;
    facts.lengths[split] = measured->lengths;
    const auto same = std::find_if(papers.splits.begin(), papers.splits.end(),
                                   [&](const SplitConfig& one) { return one.name == split; });
    if (same != papers.splits.end() && facts.not_papers.empty()) {
      facts.not_papers = SplitGap(*same, *measured);
    }
  }
  if (facts.not_papers.empty() && IsOfThePaper(name)) {
    facts.not_papers = LabelGap(dataset, name, data);
  }
  return facts;
}

DatasetConfig RecipeOf(const Grid& grid) {
  DatasetConfig config = MakePreset(grid.data_preset);
  for (const auto& [key, value] : grid.data)
    ApplySetting(key, value, grid.data_places.Line(key), config);
  return config;
}

// What was planned, as far as the results bear it out: a dataset that existed before need not have
// been made that way.
DatasetFacts FromPlan(const Source& source, const std::string& name) {
  DatasetFacts facts;
  const Grid& grid = source.sweep.grid;
  const Grid::GridLanguage& language = grid.Language(name);
  if (!language.data.empty()) {
    facts.not_papers = "its data is not there";
    return facts;
  }
  const DatasetConfig config = RecipeOf(grid);
  TakeLengths(config, facts);
  facts.not_papers = RecipeGap(config);
  if (facts.not_papers.empty() && IsOfThePaper(name)) {
    facts.not_papers = LanguageGap(name, ResolveLanguage(language.language));
  }
  for (const PlacedRun& run : source.runs) {
    if (run.at.language != name || !run.result || !facts.not_papers.empty()) continue;
    for (const SplitConfig& split : config.splits) {
      const SplitMetrics* metrics = run.result->Split(split.name);
      if (metrics != nullptr && metrics->examples != split.size) {
        facts.not_papers =
            fmt::format("{} has {} examples, not {}", split.name, metrics->examples, split.size);
      }
    }
  }
  return facts;
}

}  // namespace

DatasetFacts FactsOf(const Source& source, const std::string& language) {
  const fs::path dataset = source.sweep.DatasetPath(language);
  const PinnedData* data = DataOf(source, language);
  try {
    if (fs::exists(dataset / kManifestFile)) {
      const auto manifest = ReadManifest(dataset);
      if (IsOf(*manifest, data)) return FromManifest(*manifest, language, dataset / kManifestFile);
    } else if (fs::exists(dataset / kMainFile)) {
      if (auto facts = FromFiles(dataset, language, data)) return *facts;
    }
    return FromPlan(source, language);
  } catch (...) {
    return {.lengths = {}, .not_papers = CaughtFault()};
  }
}

}  // namespace flare::report
