// flare train: one run, begun or resumed.

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <thread>

#include "flare/base/clock.h"
#include "flare/base/error.h"
#include "flare/base/stop_signals.h"
#include "flare/base/text.h"
#include "flare/cli/command.h"
#include "flare/cli/tell.h"
#include "flare/runs/loss_text.h"
#include "flare/training/known_names.h"
#include "flare/training/make_settings.h"
#include "flare/training/run.h"

namespace flare {
namespace {

struct TrainArguments {
  explicit TrainArguments(CLI::App& app) {
    app.add_option("--data", data, "a dataset in the FLaRe layout")->required();
    app.add_option("--run", run, "directory of the run; an unfinished one is resumed")->required();
    const Names& names = KnownNames();
    RunSettings defaults;
    VisitSettings(defaults, [&](const std::string& key, const auto& field, const SettingRange&,
                                const char* help) {
      constexpr bool kIsText = std::is_same_v<std::decay_t<decltype(field)>, std::string>;
      CLI::Option* option = Add(app, key, help);
      option->type_name(kIsText ? "NAME" : "NUMBER");
      if (key == "architecture" || key == "loss" || key == "validation") option->required();
      if (key != "learning_rate") return;
      for (const Names::LossTerm& term : names.loss_terms) {
        Add(app, CoefficientKey(term.name),
            fmt::format("weight of {} [drawn: log-uniform in 0.01..10]", term.help))
            ->type_name("NUMBER");
      }
    });
    AddOptions(app, names);
    app.add_option("--time-limit", time_limit, "stop, resumably, after this time: 90s, 15m, 2h");
    app.add_option("--save-interval", save_interval,
                   "save the state this often [10s]; nothing of the result depends on it");
  }

  // Texts, so that one reader of settings serves flags, grids and config.json.
  CLI::Option* Add(CLI::App& app, const std::string& key, const std::string& help) {
    CLI::Option* option = app.add_option(FlagOf(key), settings[key], help);
    flags.emplace_back(key, option);
    return option;
  }

  // An option that several architectures have is one flag.
  void AddOptions(CLI::App& app, const Names& names) {
    for (const Names::Architecture& architecture : names.architectures) {
      for (const Option& one : architecture.options) {
        if (settings.contains(one.name)) continue;
        Add(app, one.name, fmt::format("{} [{}]", one.help, one.default_value))
            ->group(fmt::format("Options of the {}", architecture.name));
      }
    }
  }

  SettingTexts GivenSettings() const {
    SettingTexts given;
    for (const auto& [key, option] : flags) {
      if (option->count() > 0) given[key] = settings.at(key);
    }
    return given;
  }

  std::string data, run, time_limit, save_interval;
  std::map<std::string, std::string> settings;
  std::vector<std::pair<std::string, CLI::Option*>> flags;
};

// A line that is rewritten at every epoch and checkpoint, on a terminal; nothing elsewhere.
class LiveLine {
 public:
  void Show(const CheckpointReport& r) {
    if (!terminal_) return;
    const double left = r.seconds_per_epoch * static_cast<double>(r.max_epochs - r.epoch);
    std::string loss = fmt::format("{:.4f}", r.loss);
    if (!r.term_losses.empty()) {
      loss += fmt::format(" (rec {:.4f}", r.recognition_loss);
      for (const auto& [term, value] : r.term_losses)
        loss += fmt::format(" {} {:.4f}", term, value);
      loss += ")";
    }
    std::string validation = "-";
    if (r.validation) {
      validation = fmt::format("{:.4f} {:.2f}%{}", r.validation->cross_entropy,
                               100 * r.validation->accuracy, r.is_best ? "*" : " ");
    }
    Tell("\r\033[Kepoch {}  loss {}  validation {}  rate {:.2g}  {:.0f} ex/s  {} to epoch {}",
         r.epoch, loss, validation, r.learning_rate, r.examples_per_second, FormatDuration(left),
         r.max_epochs);
    std::fflush(stderr);
  }
  ~LiveLine() {
    if (terminal_) Tell("\r\033[K");
  }

 private:
  bool terminal_ = ::isatty(STDERR_FILENO) != 0;
};

// Waits until it is clear whether an owner elsewhere is alive. Null if it is, or if we are to stop:
// by a signal, or in `time_limit` seconds.
std::unique_ptr<OwnedRun> Open(const std::string& path, const StopSignals& signals,
                               double time_limit) {
  const Stopwatch watch;
  LockObserver observer;
  LockOwner owner;
  LockState state{};
  bool told = false;
  while (true) {
    auto run = OwnedRun::TryOpen(path, observer, &owner, &state);
    if (run != nullptr) return run;
    if (state == LockState::kAlive) {
      Tell("flare: {}: {} is at work on this run\n", path, owner.Describe());
      return nullptr;
    }
    if (!told) {
      Tell("flare: {}: locked by {}; watching for up to {} s whether it is alive\n", path,
           owner.Describe(), LockObserver::kPatience.count());
      told = true;
    }
    const bool late = watch.Seconds() >= time_limit;
    if (late || !signals.Received().empty()) {
      Tell("flare: {}: stopped ({}) while it watched\n", path,
           late ? "time limit" : signals.Received());
      return nullptr;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

std::string Summary(const RunResult& result) {
  std::string text = fmt::format("{:<20} {:>8}  {:>8}  {:>13}  {:>7}\n", "SPLIT", "EXAMPLES",
                                 "ACCURACY", "CROSS-ENTROPY", "PERFECT");
  for (const auto& [split, metrics] : result.splits) {
    if (!metrics) {
      text += fmt::format("{:<20} {:>8}  {:>8}  {:>13}  {:>7}\n", split, "-", "-", "-", "-");
      continue;
    }
    const double cross_entropy = metrics->recognition_cross_entropy;
    text += fmt::format("{:<20} {:>8}  {:>8.4f}  {:>13}  {:>7}\n", split, metrics->examples,
                        metrics->accuracy,
                        std::isnan(cross_entropy) ? "-" : fmt::format("{:.6f}", cross_entropy),
                        metrics->longest_perfect_length);
  }
  return text;
}

int Train(const TrainArguments& options) {
  const RunData data = IdentifyData(options.data);
  const RunPlan plan{MakeSettings(options.GivenSettings(), data.alphabet.size()), data};
  RunOptions how;
  if (!options.time_limit.empty()) {
    how.time_limit = ParseDuration(options.time_limit, "--time-limit");
  }
  if (!options.save_interval.empty()) {
    how.save_interval = ParseDuration(options.save_interval, "--save-interval");
  }
  const StopSignals signals;
  how.stop = [&] { return signals.Received(); };

  const Stopwatch watch;
  const auto run = Open(options.run, signals, how.time_limit);
  if (run == nullptr) return kNegativeAnswer;
  how.time_limit -= watch.Seconds();
  const RunDirectory& directory = run->directory();
  if (directory.is_begun()) CheckSameRun(directory, plan.config(), KnownNames());
  if (directory.is_finished()) {
    const std::string summary = Summary(directory.ReadResult());
    Tell("flare: {} is finished already\n", options.run);
    Print(summary);
    return kDone;
  }
  RunEnd end;
  {
    LiveLine line;
    how.report = [&](const CheckpointReport& report) { line.Show(report); };
    end = ExecuteRun(*run, plan, how);
  }
  if (!end.finished) {
    Tell("flare: {}: stopped ({}); the same command goes on\n", options.run, end.reason);
    return kNegativeAnswer;
  }
  const RunResult result = directory.ReadResult();
  Tell("flare: {}: {} ({}) after {} in {}, {:.0f} examples/s\n", options.run, result.outcome(),
       result.stop_reason, Counted(result.epochs, "epoch"), FormatDuration(result.seconds),
       result.examples_per_second);
  Print(Summary(result));
  return kDone;
}

}  // namespace

std::function<int()> TrainCommand(CLI::App& app) {
  const auto options = std::make_shared<TrainArguments>(app);
  return [options] {
    try {
      return Train(*options);
    } catch (const RunLost&) {
      Tell("flare: {}: another process has taken this run over\n", options->run);
      return static_cast<int>(kNegativeAnswer);
    }
  };
}

}  // namespace flare
