#include "flare/data/dataset_language.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/text.h"
#include "flare/data/flare_files.h"
#include "flare/languages/catalog.h"
#include "flare/languages/envelope.h"

namespace flare {

namespace fs = std::filesystem;

const SplitConfig* DatasetLanguage::FindSplit(const std::string& name) const {
  for (const SplitConfig& split : config.splits) {
    if (split.name == name) return &split;
  }
  return nullptr;
}

namespace {

std::string NameOf(const fs::path& dataset) {
  return fs::weakly_canonical(dataset).filename().string();
}

}  // namespace

bool HasKnownLanguage(const fs::path& dataset) {
  if (const auto manifest = ReadManifest(dataset)) return manifest->language.IsLoadable();
  const std::string name = NameOf(dataset);
  if (!IsPublished(name)) return false;
  std::vector<std::string> splits = SplitsIn(dataset);
  std::erase_if(splits, [](const std::string& split) { return split.starts_with("test"); });
  const auto read = [&](const fs::path& file) {
    return fs::exists(dataset / file) ? std::optional(ReadRegularFile(dataset / file))
                                      : std::nullopt;
  };
  return LabelGap(*ResolveLanguage(name).language, splits, read).empty();
}

DatasetLanguage FindDatasetLanguage(const fs::path& dataset, const std::string& override,
                                    const ResolveOptions& options) {
  if (!fs::is_directory(dataset)) {
    throw InputError(dataset, fs::exists(dataset) ? "is not a directory" : "no such directory");
  }
  if (override.empty()) CheckNoReadingOptions(options);
  const std::string manifest_path = dataset / kManifestFile;
  auto manifest = ReadManifest(dataset);
  DatasetConfig config = manifest ? ConfigOf(*manifest, manifest_path) : MakePreset("flare");
  if (!override.empty()) {
    return {ResolveLanguage(override, options), std::move(manifest), std::move(config)};
  }
  if (manifest) {
    auto language = LoadLanguage(manifest->language, manifest_path);
    if (options.envelope) GiveEnvelope(*options.envelope, "--envelope", language);
    return {std::move(language), std::move(manifest), std::move(config)};
  }
  const std::string name = NameOf(dataset);
  if (!IsPublished(name)) {
    throw InputError(
        dataset,
        fmt::format("has no manifest.json, and {} is not a language of the paper", Quoted(name)),
        "name its language with --language");
  }
  return {ResolveLanguage(name, {.envelope = options.envelope}), std::nullopt, std::move(config)};
}

std::optional<DatasetFormat> FindFormat(const fs::path& dataset, const ResolveOptions& options) {
  CheckNoReadingOptions(options);
  if (HasKnownLanguage(dataset)) {
    const NamedLanguage language = FindDatasetLanguage(dataset, "", options).language;
    auto automaton = EnvelopeAutomaton(language);
    if (!automaton) return std::nullopt;
    return DatasetFormat{EnvelopeOf(language), std::move(*automaton)};
  }
  const auto manifest = ReadManifest(dataset);
  const std::string pattern = options.envelope ? *options.envelope
                              : manifest       ? manifest->language.envelope
                                               : "";
  if (pattern.empty()) return std::nullopt;
  const Alphabet alphabet =
      manifest ? Alphabet(manifest->language.alphabet) : ReadAlphabet(dataset);
  const std::string where =
      options.envelope ? "--envelope" : (dataset / kManifestFile).string() + ": envelope";
  return DatasetFormat{pattern, CompileEnvelope(pattern, alphabet, where)};
}

std::string LabelGap(const Language& language, const std::vector<std::string>& splits,
                     const DatasetFileReader& read) {
  bool has_labels = false;
  for (const std::string& split : splits) {
    const auto strings = read(SplitPath(split) / kMainFile);
    const auto labels = read(SplitPath(split) / kLabelsFile);
    if (!strings || !labels) continue;
    const auto lines = Lines(*strings), answers = Lines(*labels);
    for (std::size_t i = 0; i < std::min(lines.size(), answers.size()); ++i) {
      try {
        const bool member = language.Contains(language.alphabet().Parse(lines[i], ""));
        if (member == (answers[i] == "1")) continue;
      } catch (const InputError&) {
        // The language does not have one of the symbols.
      }
      return fmt::format("{} labels {} with {}", split, Quoted(lines[i]), answers[i]);
    }
    has_labels |= !lines.empty() && lines.size() == answers.size();
  }
  return has_labels ? "" : "it has no labels that say what its language is";
}

}  // namespace flare
