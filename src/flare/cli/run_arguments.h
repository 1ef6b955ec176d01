// The runs that commands mean by their arguments: flare train's, and what several commands share.

#ifndef FLARE_CLI_RUN_ARGUMENTS_H_
#define FLARE_CLI_RUN_ARGUMENTS_H_

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flare/base/long_work.h"
#include "flare/cli/command.h"
#include "flare/extraction/extract.h"
#include "flare/nn/model.h"
#include "flare/runs/run_directory.h"
#include "flare/runs/run_settings.h"
#include "flare/training/run.h"

namespace flare {

// Opens a run for a command that writes into it (train, extract, score). Waits until it is clear
// whether an owner elsewhere is alive. If it is, or if a signal or `time_limit` seconds end the
// wait, prints why and returns null. Throws InputError, IoError.
std::unique_ptr<OwnedRun> OpenRun(const std::string& path, const StopSignals& signals,
                                  double time_limit = std::numeric_limits<double>::infinity());

// Throws InputError if the folder is a run's or within one, since a finished run's files must stay
// as they are.
void CheckIsOutsideRuns(const std::filesystem::path& folder);

// Loads the model of a run for evaluate and predict. Prints a note if the run is not finished.
// Throws InputError.
std::unique_ptr<Model> LoadAndTell(const RunDirectory& run, const RunPlan& plan);

// --max-length, --max-states and --queries: what flare extract and flare sweep extract share.
class ExtractionArguments {
 public:
  explicit ExtractionArguments(CLI::App& app);
  // Throws InputError if one makes no sense.
  ExtractionOptions Get() const;

 private:
  std::uint64_t max_length_ = 0;
  CLI::Option* max_length_option_;
  std::uint64_t max_states_ = ExtractionOptions{}.max_states;
  std::uint64_t queries_ = ExtractionOptions{}.max_queries;
};

// The arguments of `flare train`, and the run that they describe: flags override the settings of a
// file, of another run, or of the run that is continued.
class TrainArguments {
 public:
  explicit TrainArguments(CLI::App& app);

  const std::string& run() const { return run_; }
  // Throws InputError, which names all that is missing.
  RunPlan Plan() const;
  // --time-limit and --save-interval. Throws InputError.
  RunOptions Options() const;

 private:
  // The settings and data that flags override, and where they were written.
  struct Basis {
    SettingTexts settings;
    SettingPlaces places = "";
    std::optional<RunData> data;
    std::string data_path;  // the dataset to use
  };

  CLI::Option* Add(CLI::App& app, const std::string& key, const std::string& help);
  void AddOptions(CLI::App& app);
  SettingTexts Given() const;
  Basis FindBasis(const SettingTexts& given) const;
  void CheckComplete(const Basis& basis) const;

  std::string data_, run_, config_, from_, time_limit_, save_interval_;
  SettingTexts texts_;
  std::vector<std::pair<std::string, CLI::Option*>> flags_;
};

}  // namespace flare

#endif  // FLARE_CLI_RUN_ARGUMENTS_H_
