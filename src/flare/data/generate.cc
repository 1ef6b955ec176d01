#include "flare/data/generate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/interruption.h"
#include "flare/base/lock_file.h"
#include "flare/base/parallel.h"
#include "flare/base/sha256.h"
#include "flare/data/draw.h"
#include "flare/data/flare_files.h"
#include "flare/data/manifest.h"
#include "flare/data/mlregtest.h"
#include "flare/data/next_symbols_limit.h"
#include "flare/languages/paper_names.h"

namespace flare {
namespace fs = std::filesystem;

namespace {

fs::path LockOf(const fs::path& out, const std::string& name) {
  return out / ("." + name + ".lock");
}

fs::path PartialOf(const fs::path& out, const std::string& name) {
  return out / ("." + name + ".partial");
}

// Becomes the one process that makes out/<name>, after others that are at it. By a lock that is a
// file, since on some network file systems others lock nothing.
std::unique_ptr<LockFile> Claim(const fs::path& out, const std::string& name,
                                const LockWait& given) {
  LockWait wait = given;
  wait.stop = [&] {
    Interruption::Check();
    return given.stop && given.stop();
  };
  auto lock = WaitForLock(LockOf(out, name), wait);
  if (lock == nullptr) throw GenerationStopped{};
  return lock;
}

// Is this, relative to a dataset, a file or a folder that MakeDataset makes?
bool IsOfADataset(const fs::path& path, bool is_folder) {
  const fs::path folder = path.parent_path(), name = path.filename();
  if (is_folder) return path == "datasets" || path == "mlregtest" || folder == "datasets";
  if (folder == "mlregtest") return name.extension() == ".txt";
  if (folder.empty() && name == kManifestFile) return true;
  return (folder.empty() || folder.parent_path() == "datasets") &&
         std::find(std::begin(kColumnFiles), std::end(kColumnFiles), name) !=
             std::end(kColumnFiles);
}

// What is at `partial` and no generation can have left there; nothing if all of it is ours.
std::optional<fs::path> ForeignIn(const fs::path& partial) {
  const fs::file_status there = fs::symlink_status(partial);
  if (!fs::exists(there)) return std::nullopt;
  if (!fs::is_directory(there)) return partial;
  for (const auto& entry : fs::recursive_directory_iterator(partial)) {
    const fs::file_status status = entry.symlink_status();
    const bool is_folder = fs::is_directory(status);
    if ((!is_folder && !fs::is_regular_file(status)) ||
        !IsOfADataset(entry.path().lexically_relative(partial), is_folder)) {
      return entry.path();
    }
  }
  return std::nullopt;
}

// out/.<name>.partial, which only this process uses; empty at first, even if a killed generation
// left one behind. Removed at the end unless it was completed.
class PartialDirectory {
 public:
  PartialDirectory(const fs::path& out, const std::string& name, const LockWait& wait)
      : path_(PartialOf(out, name)), final_(out / name), lock_(Claim(out, name, wait)) {
    RemoveTemporaries(out);
    if (const auto foreign = ForeignIn(path_)) {
      throw InputError(
          *foreign, "is not of a dataset that flare was making",
          fmt::format("{} is where it makes one: move that away", path_.filename().string()));
    }
    std::error_code failed;
    fs::remove_all(path_, failed);
    if (failed) throw IoError(path_, "remove", failed.value());
    MakeDirectories(path_);
  }
  ~PartialDirectory() {
    std::error_code ignored;
    if (!completed_ && lock_->StillOurs()) fs::remove_all(path_, ignored);
  }
  PartialDirectory(const PartialDirectory&) = delete;
  PartialDirectory& operator=(const PartialDirectory&) = delete;

  const fs::path& path() const { return path_; }

  void Complete() {
    // All files are written before the first is synced, so that the disk works on them together.
    try {
      for (const auto& entry : fs::recursive_directory_iterator(path_)) Sync(entry.path());
    } catch (const fs::filesystem_error& error) {
      // The error does not always say where.
      throw IoError(path_, "search", error.code().value());
    }
    Sync(path_);
    CheckOwned();
    std::error_code error;
    fs::rename(path_, final_, error);
    if (error) throw IoError(final_, "rename", error.value());
    completed_ = true;
    Sync(final_.parent_path());
  }

  // Moves one file to its place in the existing dataset.
  void Restore(const std::string& file) const {
    Sync(path_ / file);
    CheckOwned();
    const fs::path to = final_ / file;
    MakeDirectories(to.parent_path());
    std::error_code error;
    fs::rename(path_ / file, to, error);
    if (error) throw IoError(to, "rename", error.value());
    Sync(to.parent_path());
  }

 private:
  // A process that was suspended for minutes may have lost it.
  void CheckOwned() const {
    if (!lock_->StillOurs()) {
      throw InputError(final_, "another process has taken over the making of this dataset");
    }
  }

  const fs::path path_, final_;
  const std::unique_ptr<LockFile> lock_;
  bool completed_ = false;
};

// The manifest of the dataset if it is there with this recipe; throws if something else is.
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

// Removes what a process that was killed at the last moment left next to a complete dataset.
void Tidy(const fs::path& out, const std::string& name) {
  const fs::path lock = LockOf(out, name), partial = PartialOf(out, name);
  try {
    RemoveTemporaries(out);
    if (!fs::exists(lock) && !fs::is_directory(fs::symlink_status(partial))) return;
    LockObserver observer;
    const auto ours = LockFile::TryAcquire(lock, observer);
    std::error_code ignored;
    if (ours != nullptr && !ForeignIn(partial)) fs::remove_all(partial, ignored);
  } catch (...) {
    // Whoever may not write there, or finds somebody else's file, reads the dataset all the same.
    CaughtFault();
  }
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
  const DrawContext context{request.language, options.config, request.name, options.seed};
  const auto omit = [&](const SplitConfig& config, const std::string& reason) {
    manifest.omitted.push_back({config.name, reason});
    notes.push_back(fmt::format("{}: {} is left out: {}", request.name, config.name, reason));
  };

  StringSet taken;
  const auto make = [&](const SplitConfig& config) {
    if (config.size == 0) return;
    if (config.kind == SplitKind::kEditDistance &&
        request.language.language->edit_metric() == nullptr) {
      return;  // as published for languages that are not regular
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
  for (const SplitConfig& config : options.config.splits) {
    if (config.kind != SplitKind::kHeldOut) make(config);
  }
  for (const SplitConfig& config : options.config.splits) {
    if (config.kind == SplitKind::kHeldOut) make(config);
  }
  WriteFile(folder / kManifestFile, FormatManifest(manifest));
  return notes;
}

// Restores what is missing or has changed in an existing dataset.
GenerateReport Repair(const DatasetRequest& request, const GenerateOptions& options,
                      Manifest& manifest) {
  const fs::path directory = options.out / request.name;
  const PartialDirectory partial(options.out, request.name, options.wait);
  const Manifest there = *FindDataset(directory, manifest);
  const std::vector<std::string> damaged = DamagedFiles(directory, there);
  for (const std::string& file : damaged) {
    CheckNoLinks(directory, file);
  }
  MakeDataset(request, options, partial.path(), manifest);
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

// What the dataset was is not known any more: its other files must be what is wanted.
GenerateReport RestoreManifest(const DatasetRequest& request, const GenerateOptions& options,
                               Manifest& manifest) {
  const fs::path directory = options.out / request.name;
  const PartialDirectory partial(options.out, request.name, options.wait);
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
    Tidy(options.out, request.name);
    if (options.existing == ExistingData::kTrust) return {.already_there = true};
    const auto damaged = DamagedFiles(directory, *there);
    if (damaged.empty()) return {.already_there = true};
    if (options.existing == ExistingData::kRepair) return Repair(request, options, manifest);
    throw InputError(directory,
                     fmt::format("exists, but {} {}", fmt::join(damaged, ", "),
                                 damaged.size() == 1 ? "is missing or has changed"
                                                     : "are missing or have changed"),
                     "--repair restores what is missing or has changed");
  }
  CheckPaperName(request.name, request.language, "--name");

  MakeDirectories(options.out);
  PartialDirectory partial(options.out, request.name, options.wait);
  // Another process may have made it while we were on our way to the lock.
  if (FindDataset(directory, manifest)) return {.already_there = true};
  GenerateReport report;
  report.notes = MakeDataset(request, options, partial.path(), manifest);
  partial.Complete();
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
