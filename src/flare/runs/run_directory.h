// The directory of a run: what config.json says, which files there are, and who may write them.

#ifndef FLARE_RUNS_RUN_DIRECTORY_H_
#define FLARE_RUNS_RUN_DIRECTORY_H_

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flare/base/json.h"
#include "flare/base/lock_file.h"
#include "flare/runs/external.h"
#include "flare/runs/result.h"
#include "flare/runs/run_settings.h"

namespace flare {

// config.json: everything that decides the result of a run, its settings and its data.

// A dataset, pinned: a run never trains or evaluates on files other than those it began with.
struct PinnedData {
  std::filesystem::path path;  // absolute
  std::string language;        // by the manifest, else the directory's name
  std::vector<std::string> alphabet;
  // Every file of the FLaRe layout and its SHA-256, by path relative to the dataset.
  std::map<std::string, std::string> files;
  // Sha256OfAll() of data that is known by this hash alone, as in a record; else empty.
  std::string known_sha256 = {};

  // Hashes the names and hashes of all files: two copies of a dataset have the same.
  std::string Sha256OfAll() const;
  // The same data without its path and files.
  PinnedData ByHash() const { return {{}, language, alphabet, {}, Sha256OfAll()}; }
};

struct RunConfig {
  RunSettings settings;
  PinnedData data;
  std::optional<External> external = {};  // if another program trains it
};

Json ConfigToJson(const RunConfig& config);
// Throws InputError.
RunConfig ConfigFromJson(const JsonValue& json);

// "learning_rate is 0.001, not 0.01" for the first thing in which two runs differ; empty if they do
// not. The contents of the data count, its path does not.
std::string ConfigDifference(const RunConfig& there, const RunConfig& wanted);

// The directory of a run: names of its files, and how they are written. docs/reference/runs.md
// describes the formats.

// What is known about a run of a sweep.
enum class RunState {
  kLeft,     // to be done, begun or not
  kRunning,  // somebody holds it
  kFailed,
  kFinished,
  kDiverged,  // ended by a loss that is not a finite number
  kDamaged,   // its files cannot be read, or are those of another run
};

// "left", "running", "failed", "finished", "diverged", "damaged".
std::string Name(RunState state);

// Thrown when another process has taken the run over, which happens to a process that was suspended
// for minutes. It must not write any more.
struct RunLost {};

// The hint for a run whose files are damaged.
inline constexpr const char* kStartOver = "remove the run's directory to start it over";

class RunDirectory {
 public:
  explicit RunDirectory(std::filesystem::path path) : path_(std::move(path)) {}

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path config() const { return path_ / "config.json"; }
  std::filesystem::path events() const { return path_ / "events.jsonl"; }
  std::filesystem::path checkpoint() const { return path_ / "checkpoint.safetensors"; }
  std::filesystem::path model() const { return path_ / "model.safetensors"; }
  std::filesystem::path result() const { return path_ / "result.json"; }
  std::filesystem::path failure() const { return path_ / "failure.json"; }
  std::filesystem::path lock() const { return path_ / "lock"; }
  std::filesystem::path evaluation() const { return path_ / "eval"; }
  std::filesystem::path extraction() const { return path_ / "extract"; }
  // The output of an external program (docs/reference/external-programs.md), and its answers for
  // the strings of a split.
  std::filesystem::path log() const { return path_ / "log.txt"; }
  std::filesystem::path logits(const std::string& split) const {
    return logits_folder() / (split + ".txt");
  }
  // ... and for its positions, for a term of the loss.
  std::filesystem::path logits(const std::string& split, const std::string& term) const {
    return logits_folder() / (split + "." + term + ".npy");
  }
  std::filesystem::path logits_folder() const { return path_ / "logits"; }

  bool is_begun() const { return std::filesystem::exists(config()); }
  bool is_finished() const { return std::filesystem::exists(result()); }

  // Throws InputError unless the directory is ours: there is none yet, it is empty but for a lock,
  // drafts and a failure, or it has our marker. That is config.json, which is written first, or the
  // folder with another program's answers, which flare score is given.
  void CheckIsRunOrEmpty() const;
  // The state that the names of the files show, without reading any.
  RunState Look() const;
  // Throw InputError if the file is missing or malformed.
  RunConfig ReadConfig() const;
  RunResult ReadResult() const;
  // The same, without making sure that the result belongs to the config.json beside it.
  RunResult ReadResultAlone() const;
  // The text of a file of a finished run, by its path in the directory; nothing if the run never
  // had one. Throws InputError if the result lists the file, and it is missing or has another hash.
  std::optional<std::string> ReadFileOf(const RunResult& result, const std::string& file) const;
  // Was the process killed between writing result.json and removing the checkpoint? Unknown for
  // runs of other programs.
  bool HasStaleCheckpoint() const;
  // Returns the reason that failure.json gives, or "?".
  std::string ReasonOfFailure() const;

 private:
  std::filesystem::path path_;
};

// Throws InputError unless the run that is begun there is the one that is wanted, naming the first
// setting in which they differ: "learning_rate is 0.001, not 0.01". The place of the data may
// differ, its contents may not. An unfinished run must also have the same arithmetic.
void CheckSameRun(const RunDirectory& run, const RunConfig& wanted);
void CheckSameArithmetic(const RunDirectory& run, const RunConfig& there, const RunConfig& wanted);

// A run directory that this process owns. Every write checks that it still does.
class OwnedRun {
 public:
  // Creates the directory if needed. Returns null if a live process holds the run, or may hold it;
  // then `owner` and `state` say which. Throws InputError if the directory holds something other
  // than a run.
  static std::unique_ptr<OwnedRun> TryOpen(const std::filesystem::path& path,
                                           LockObserver& observer, LockOwner* owner = nullptr,
                                           LockState* state = nullptr);

  const RunDirectory& directory() const { return directory_; }
  // Writes a file of the run atomically, and never through a link. Throws RunLost, IoError,
  // InputError.
  void Write(const std::filesystem::path& file, std::string_view contents) const;
  void Remove(const std::filesystem::path& file) const;
  // Does nothing if there is none.
  void RemoveFailure() const;
  // failure.json: why the run cannot be finished, and the last output of its program, if that is an
  // external one.
  void RecordFailure(const std::string& reason, const std::string& log = "") const;
  void CheckOwned() const;

 private:
  OwnedRun(RunDirectory directory, std::unique_ptr<LockFile> lock)
      : directory_(std::move(directory)), lock_(std::move(lock)) {}

  RunDirectory directory_;
  std::unique_ptr<LockFile> lock_;
};

}  // namespace flare

#endif  // FLARE_RUNS_RUN_DIRECTORY_H_
