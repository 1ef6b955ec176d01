#include "flare/data/generate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <system_error>

#include "flare/base/atomic_folder.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/long_work.h"
#include "flare/base/sha256.h"
#include "flare/data/baselines.h"
#include "flare/data/draw.h"
#include "flare/data/flare_files.h"
#include "flare/data/manifest.h"
#include "flare/data/mlregtest.h"
#include "flare/languages/catalog.h"
#include "flare/languages/envelope.h"

namespace flare {
namespace fs = std::filesystem;

namespace {

// Returns the manifest of the dataset if it exists with this recipe; throws if something else is in
// its place.
std::optional<Manifest> FindDataset(const fs::path& directory, const Manifest& wanted) {
  if (!fs::exists(directory)) return std::nullopt;
  std::optional<Manifest> there;
  try {
    there = ReadManifest(directory);
  } catch (const InputError& error) {
    throw InputError("", error.what(), "--repair makes it again if all else is as it was");
  }
  if (!there) {
    throw InputError(directory, "exists, but is not a dataset that flare generated");
  }
  const std::string difference = RecipeDifference(*there, wanted);
  if (!difference.empty()) {
    throw InputError(directory, "exists with a different recipe: " + difference,
                     "choose another directory for the datasets, or remove this one");
  }
  return there;
}

// The files of the manifest that are missing, or have other bytes.
std::vector<std::string> DamagedFiles(const fs::path& directory, const Manifest& manifest) {
  std::vector<std::string> damaged;
  for (const auto& [name, file] : manifest.files) {
    std::error_code unseen;
    const fs::path path = directory / name;
    const bool is_whole = fs::is_regular_file(path, unseen) &&
                          fs::file_size(path, unseen) == file.bytes &&
                          Sha256(ReadRegularFile(path)) == file.sha256;
    if (!is_whole) damaged.push_back(name);
  }
  return damaged;
}

class Writer {
 public:
  Writer(const fs::path& root, Manifest& manifest) : root_(root), manifest_(manifest) {}

  void Write(const fs::path& file, const std::string& contents) {
    const fs::path path = file.lexically_normal();
    MakeDirectories((root_ / path).parent_path());
    WriteFile(root_ / path, contents);
    manifest_.files[path] = {contents.size(), Sha256(contents)};
  }

 private:
  const fs::path& root_;
  Manifest& manifest_;
};

void WriteSplit(const DrawContext& context, const SplitConfig& config, Split& split,
                Writer& writer) {
  const Alphabet& alphabet = context.language.language->alphabet();
  try {
    FillColumns(context, config, split);
    for (const auto& [file, contents] : FormatSplit(alphabet, split)) {
      writer.Write(SplitPath(config.name) / file, contents);
    }
  } catch (const NextSymbolsTooLarge& error) {
    throw InputError(context.Stream(config), error.what(),
                     "--set files.next_symbols=false leaves them out");
  }
  if (context.config.write_mlregtest_text) {
    writer.Write(fs::path("mlregtest") / fmt::format("{}_{}.txt", context.dataset, config.name),
                 FormatMlregtest(alphabet, split));
  }
}

// Draws and writes all of it into `folder`, and completes the manifest. Returns what a person
// should know.
std::vector<std::string> MakeDataset(const DatasetRequest& request, const GenerateOptions& options,
                                     const fs::path& folder, Manifest& manifest) {
  std::vector<std::string> notes;
  Writer writer(folder, manifest);
  const DatasetConfig config_with_bins = ExpandBins(options.config);
  const DrawContext context{request.language, config_with_bins, request.name, options.seed};
  const auto omit = [&](const SplitConfig& config, const std::string& reason) {
    manifest.omitted.push_back({config.name, reason});
    notes.push_back(fmt::format("{}: {} is left out: {}", request.name, config.name, reason));
  };

  StringSet taken;
  const auto make = [&](const SplitConfig& config) {
    if (config.size == 0) return;
    if (config.kind == SplitKind::kEditDistance &&
        request.language.language->edit_metric() == nullptr) {
      return;  // the published data omits it, too
    }
    auto split = DrawSplit(context, config, taken);
    if (!split) return omit(config, "the language has too few strings that no other split has");
    if (IsSeenInTraining(config)) {
      for (std::size_t i = 0; i < split->size(); ++i) {
        const StringView w = split->string(i);
        taken.emplace(w.begin(), w.end());
      }
    }
    WriteSplit(context, config, *split, writer);
  };
  // Held-out splits last, whatever their place in the configuration: they need the others' strings.
  for (const SplitConfig& config : config_with_bins.splits) {
    if (config.kind != SplitKind::kHeldOut) make(config);
  }
  for (const SplitConfig& config : config_with_bins.splits) {
    if (config.kind == SplitKind::kHeldOut) make(config);
  }
  WriteFile(folder / kManifestFile, FormatManifest(manifest));
  return notes;
}

// Warns where negatives that have the format can be told from members without knowing the language:
// where counting symbols or n-grams is right more often than the format is, or its opposite.
void NoteLeaks(const DatasetRequest& request, const DatasetConfig& config, const fs::path& dataset,
               std::vector<std::string>& notes) {
  constexpr double kMostAboveFormat = 0.05;
  if (config.negatives.kind != NegativeKind::kFormat) return;
  const DatasetConfig with_bins = ExpandBins(config);
  const auto has = [&](const std::string& name) {
    return std::any_of(with_bins.splits.begin(), with_bins.splits.end(), [&](const auto& split) {
      return split.name == name &&
             (split.kind == SplitKind::kLabelled || split.kind == SplitKind::kHeldOut);
    });
  };
  const auto envelope = EnvelopeAutomaton(request.language);
  if (!envelope || !has(std::string(kTrainSplit)) || !fs::exists(dataset / kMainFile)) return;
  for (const BaselineRow& row :
       TrivialBaselines(dataset, request.language.language->alphabet(), envelope)) {
    // A baseline's accuracy on the split that it was fitted to says little.
    if (row.split == kTrainSplit || !has(row.split)) continue;
    // If all strings have the format, this is the share of members, which chance puts above or
    // below ½.
    const double format = std::max(*row.format_only, 1 - *row.format_only);
    if (std::max(row.symbol_counts, row.ngrams) <= format + kMostAboveFormat) continue;
    notes.push_back(fmt::format(
        "{}: warning: {}: counts are right on {:.4f} and n-grams on {:.4f} of the strings, the "
        "format on {:.4f}: negatives can be told from members without knowing the language",
        request.name, row.split, row.symbol_counts, row.ngrams, *row.format_only));
  }
}

// Restores what is missing or has changed in an existing dataset.
GenerateReport Repair(const DatasetRequest& request, const GenerateOptions& options,
                      Manifest& manifest) {
  const fs::path directory = options.out / request.name;
  const PartialFolder partial(directory, options.wait);
  const Manifest there = *FindDataset(directory, manifest);
  const std::vector<std::string> damaged = DamagedFiles(directory, there);
  for (const std::string& file : damaged) {
    CheckNoLinks(directory, file);
  }
  GenerateOptions recorded = options;
  recorded.config = ConfigOf(there, directory / kManifestFile);
  MakeDataset(request, recorded, partial.path(), manifest);
  for (const std::string& file : damaged) {
    const auto made = manifest.files.find(file);
    if (made == manifest.files.end() || made->second.sha256 != there.files.at(file).sha256) {
      throw InputError(
          directory / file, "cannot be made again",
          there.program == manifest.program
              ? std::string("its hash in manifest.json is not that of what the recipe "
                            "gives: remove the dataset and generate it again")
              : fmt::format("{} made it; this program makes different bytes", there.program));
    }
  }
  for (const std::string& file : damaged) partial.Restore(file);
  return {.already_there = damaged.empty(), .repaired = damaged};
}

bool HasDamagedManifest(const fs::path& directory) {
  if (!fs::exists(directory)) return false;
  try {
    ReadManifest(directory);
    return false;
  } catch (const InputError&) {
    return true;
  }
}

// The old recipe is lost, so all other files must be those that the wanted recipe gives.
GenerateReport RestoreManifest(const DatasetRequest& request, const GenerateOptions& options,
                               Manifest& manifest) {
  const fs::path directory = options.out / request.name;
  const PartialFolder partial(directory, options.wait);
  CheckNoLinks(directory, kManifestFile);
  MakeDataset(request, options, partial.path(), manifest);
  const std::vector<std::string> others = DamagedFiles(directory, manifest);
  if (!others.empty()) {
    throw InputError(directory / others[0],
                     "is not what the recipe gives, and the manifest is damaged",
                     "remove the dataset and generate it again");
  }
  partial.Restore(kManifestFile);
  return {.repaired = {kManifestFile}};
}

}  // namespace

GenerateReport GenerateDataset(const DatasetRequest& request, const GenerateOptions& options) {
  CheckDirectoryName(request.name, "--name");
  Validate(options.config);
  const fs::path directory = options.out / request.name;
  Manifest manifest = MakeManifest(request.language, request.name, options.seed, options.config);
  if (options.existing == ExistingData::kRepair && HasDamagedManifest(directory)) {
    return RestoreManifest(request, options, manifest);
  }
  if (const auto there = FindDataset(directory, manifest)) {
    TidyBeside(directory);
    GenerateReport report{.already_there = true};
    for (const std::string& key : YoungerSettings(*there, manifest)) {
      report.notes.push_back(
          fmt::format("{}: was made before there was {}, which is now {}: it is left as it was",
                      request.name, key, manifest.settings[key].dump()));
    }
    if (options.existing == ExistingData::kTrust) return report;
    const auto damaged = DamagedFiles(directory, *there);
    if (damaged.empty()) return report;
    if (options.existing == ExistingData::kRepair) return Repair(request, options, manifest);
    throw InputError(directory,
                     fmt::format("exists, but {} {}", fmt::join(damaged, ", "),
                                 damaged.size() == 1 ? "is missing or has changed"
                                                     : "are missing or have changed"),
                     "--repair restores what is missing or has changed");
  }
  CheckPaperName(request.name, request.language, "--name");

  GenerateReport report;
  report.already_there = !MakeAtomically(
      directory, options.wait,
      // Another process may have made it while we were on our way to the lock.
      [&] { return FindDataset(directory, manifest).has_value(); },
      [&](const fs::path& folder) {
        report.notes = MakeDataset(request, options, folder, manifest);
      });
  if (!report.already_there) NoteLeaks(request, options.config, directory, report.notes);
  return report;
}

void GenerateAll(std::span<const DatasetRequest> requests, const GenerateOptions& options,
                 std::size_t jobs, Progress& progress) {
  ForEachInParallel(requests.size(), jobs, [&](std::size_t i) {
    const std::string& name = requests[i].name;
    GenerateOptions waiting = options;
    waiting.wait.waiting = [&](const LockOwner& owner) {
      progress.Say(fmt::format("{}: waiting for {}, which makes it", name, owner.Describe()));
    };
    const GenerateReport report = GenerateDataset(requests[i], waiting);
    for (const std::string& note : report.notes) progress.Say(note);
    if (report.already_there) progress.Say(name + ": already there");
    for (const std::string& file : report.repaired) {
      progress.Say(fmt::format("{}: {} restored", name, file));
    }
    progress.Step(report.already_there ? "" : name + ": done");
  });
}

}  // namespace flare
