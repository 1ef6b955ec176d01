// flare score RUN: metrics and result of a run that another program trained.

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "flare/base/error.h"
#include "flare/cli/command.h"
#include "flare/cli/run_arguments.h"
#include "flare/cli/screen.h"
#include "flare/training/external_run.h"

namespace flare {
namespace {

struct ScoreArguments {
  explicit ScoreArguments(CLI::App& app) {
    app.add_option("RUN", run, "directory of the run, with a file logits/SPLIT.txt per split")
        ->required();
    app.add_option("--data", data, "for a run without config.json: its dataset")->type_name("DIR");
    app.add_option("--name", name, "... and what its architecture is called");
    app.add_option("--command", command, "... and the program that trained it");
    app.add_option("--set", settings, "... and a setting, as learning_rate=0.001; may be repeated")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
  }

  std::string run, data, name;
  std::vector<std::string> command, settings;
};

// A run that has not been described yet.
RunConfig DescribedBy(const ScoreArguments& options) {
  if (options.data.empty() || options.name.empty()) {
    throw InputError(options.run, "has no config.json", "say what it is with --data and --name");
  }
  SettingTexts settings = {{"loss", "rec"}, {"validation", "short"}};
  for (const std::string& setting : options.settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos) {
      throw InputError("--set", fmt::format("'{}' is not KEY=VALUE", setting));
    }
    settings[setting.substr(0, equals)] = setting.substr(equals + 1);
  }
  const std::vector<std::string> command =
      options.command.empty() ? std::vector<std::string>{options.name} : options.command;
  return MakeExternalConfig({options.name, command, {}}, settings, IdentifyData(options.data));
}

RunConfig ConfigFor(const ScoreArguments& options, const RunDirectory& directory) {
  if (!directory.is_begun()) return DescribedBy(options);
  RunConfig config = directory.ReadConfig();
  if (!config.external) {
    throw InputError(options.run, "was trained by flare train",
                     "flare evaluate measures its model");
  }
  const bool is_described = !options.data.empty() && !options.name.empty();
  if (is_described) {
    // The user repeats the command, for example after an interruption.
    const std::string difference = ConfigDifference(config, DescribedBy(options));
    if (!difference.empty()) {
      throw InputError(options.run, fmt::format("is a different run: its {}", difference));
    }
  } else if (!options.data.empty() || !options.name.empty() || !options.command.empty() ||
             !options.settings.empty()) {
    throw InputError(options.run,
                     "has a config.json: it says what --data, --name, --command and --set would");
  }
  return config;
}

int Score(const ScoreArguments& options) {
  const RunDirectory directory(options.run);
  if (!std::filesystem::is_directory(options.run)) {
    throw InputError(options.run, "no such directory");
  }
  const RunConfig config = ConfigFor(options, directory);
  const bool is_new = !directory.is_begun();
  const StopSignals signals;
  const auto run = OpenRun(options.run, signals);
  if (run == nullptr) return kNegativeAnswer;
  DescribeExternal(*run, config);
  try {
    Print(ResultTable(ScoreExternal(*run, config)));
  } catch (const InputError&) {
    // Let the user give different --data the next time.
    if (is_new) run->Remove(directory.config());
    throw;
  }
  return kDone;
}

}  // namespace

std::function<int()> ScoreCommand(CLI::App& app) {
  const auto options = std::make_shared<ScoreArguments>(app);
  return [options] { return Score(*options); };
}

}  // namespace flare
