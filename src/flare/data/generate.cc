#include "flare/data/generate.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/file.h"
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

// out/.<name>.partial, held by this process alone; empty at first, even if a killed generation left
// one behind. Gone at the end unless it was completed.
class PartialDirectory {
 public:
  PartialDirectory(const fs::path& out, const std::string& name)
      : path_(out / ("." + name + ".partial")), final_(out / name) {
    do {
      if (lock_ >= 0) ::close(lock_);
      MakeDirectories(path_);
      lock_ = OpenFile(path_, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      if (lock_ < 0) throw IoError(path_, "open as a directory", errno);
      if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
        const int error = errno;
        ::close(lock_);
        if (error != EWOULDBLOCK) throw IoError(path_, "lock", error);
        throw InputError(final_, "another process is generating this dataset");
      }
      // What was locked may have been completed and renamed in between: then begin again.
    } while (!IsLocked());
    for (const auto& entry : fs::directory_iterator(path_)) fs::remove_all(entry.path());
  }
  ~PartialDirectory() {
    std::error_code ignored;
    if (!completed_) fs::remove_all(path_, ignored);
    ::close(lock_);
  }
  PartialDirectory(const PartialDirectory&) = delete;
  PartialDirectory& operator=(const PartialDirectory&) = delete;

  const fs::path& path() const { return path_; }

  void Complete() {
    // All files are written before the first is synced, so that the disk works on them together.
    try {
      for (const auto& entry : fs::recursive_directory_iterator(path_)) Sync(entry.path());
    } catch (const fs::filesystem_error& error) {
      // It does not always say where.
      throw IoError(path_, "look through", error.code().value());
    }
    Sync(path_);
    std::error_code error;
    fs::rename(path_, final_, error);
    if (error) throw IoError(final_, "rename", error.value());
    completed_ = true;
    Sync(final_.parent_path());
  }

 private:
  // Is what we hold still what the path names?
  bool IsLocked() const {
    struct stat held, named;
    return ::fstat(lock_, &held) == 0 && ::lstat(path_.c_str(), &named) == 0 &&
           held.st_dev == named.st_dev && held.st_ino == named.st_ino;
  }

  fs::path path_, final_;
  int lock_ = -1;
  bool completed_ = false;
};

// True if the dataset is there with this recipe; throws if something else is.
bool IsThere(const fs::path& directory, const Manifest& wanted) {
  if (!fs::exists(directory)) return false;
  const auto there = ReadManifest(directory);
  if (!there) {
    throw InputError(directory, "exists, and is not a dataset that flare generated");
  }
  const std::string difference = RecipeDifference(*there, wanted);
  if (!difference.empty()) {
    throw InputError(directory, "exists with another recipe: " + difference,
                     "choose another --out, or remove it");
  }
  return true;
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

}  // namespace

GenerateReport GenerateDataset(const DatasetRequest& request, const GenerateOptions& options) {
  CheckDirectoryName(request.name, "--name");
  Validate(options.config);
  Manifest manifest = MakeManifest(request.language, request.name, options.seed, options.config);
  if (IsThere(options.out / request.name, manifest)) return {.already_there = true};
  CheckPaperName(request.name, request.language, "--name");

  MakeDirectories(options.out);
  PartialDirectory partial(options.out, request.name);
  // Another process may have made it while we were on our way to the lock.
  if (IsThere(options.out / request.name, manifest)) return {.already_there = true};
  Writer writer(partial.path(), manifest);
  const DrawContext context{request.language, options.config, request.name, options.seed};
  GenerateReport report;
  const auto omit = [&](const SplitConfig& config, const std::string& reason) {
    manifest.omitted.push_back({config.name, reason});
    report.notes.push_back(
        fmt::format("{}: {} is left out: {}", request.name, config.name, reason));
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
  WriteFile(partial.path() / kManifestFile, FormatManifest(manifest));
  partial.Complete();
  return report;
}

void GenerateAll(std::span<const DatasetRequest> requests, const GenerateOptions& options,
                 std::size_t jobs, Progress& progress) {
  ForEachInParallel(requests.size(), jobs, [&](std::size_t i) {
    const GenerateReport report = GenerateDataset(requests[i], options);
    for (const std::string& note : report.notes) progress.Say(note);
    if (report.already_there) progress.Say(requests[i].name + ": already there");
    progress.Step(report.already_there ? "" : requests[i].name + ": done");
  });
}

}  // namespace flare
