// What `flare train` is given, and the run that it means: flags, over the settings of a file, of
// another run, or of the run that is to be continued.

#ifndef FLARE_CLI_TRAIN_ARGUMENTS_H_
#define FLARE_CLI_TRAIN_ARGUMENTS_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flare/cli/command.h"
#include "flare/runs/run_settings.h"
#include "flare/training/run.h"

namespace flare {

class TrainArguments {
 public:
  explicit TrainArguments(CLI::App& app);

  const std::string& run() const { return run_; }
  // Throws InputError, which names all that is missing.
  RunPlan Plan() const;
  // --time-limit and --save-interval. Throws InputError.
  RunOptions Options() const;

 private:
  // What flags override: settings, where they were written, and data.
  struct Basis {
    SettingTexts settings;
    SettingPlaces places = "";
    std::optional<RunData> data;
    std::string data_path;  // of data that is to be used
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

#endif  // FLARE_CLI_TRAIN_ARGUMENTS_H_
