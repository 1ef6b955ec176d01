#include "flare/training/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/sha256.h"
#include "flare/nn/model_file.h"
#include "flare/nn/safetensors.h"
#include "flare/nn/target.h"

namespace flare {
namespace fs = std::filesystem;

namespace {

// Saving may take this share of the time at most.
constexpr double kSavingShare = 0.02;

// Of the test split, shown in reports.
constexpr std::size_t kHardestExamples = 5;

Split ReadForTraining(const RunRecord& record, const std::string& name, bool next_symbols) {
  record.data.CheckSplit(name);
  ReadOptions options = kOnlyStrings;
  options.next_symbols = next_symbols;
  Split split = ReadPinnedSplit(record.data, name, options);
  if (split.size() == 0) {
    throw InputError(record.data.path, fmt::format("its split {} is empty", name));
  }
  if (next_symbols && !split.has_next_symbols) {
    throw InputError(record.data.path,
                     fmt::format("its split {} has no next-symbol sets, which the loss {} needs",
                                 name, record.config.loss));
  }
  return split;
}

class Execution {
 public:
  Execution(const OwnedRun& run, const RunRecord& record, const RunOptions& options)
      : run_(run),
        directory_(run.directory()),
        record_(record),
        options_(options),
        training_(ReadForTraining(record, "train", record.config.has_next_symbols())),
        validation_(ReadForTraining(record, record.config.validation, false)),
        trainer_(record.config, training_, validation_, record.data.alphabet.size()),
        pause_(options.save_interval) {}

  RunEnd Run() {
    Begin();
    while (!trainer_.done()) {
      if (std::string reason = StopReason(); !reason.empty()) {
        Save();
        return {false, std::move(reason)};
      }
      CheckBeginning();
      trainer_.Step(*events_, options_.report);
      if (since_save_.Seconds() >= pause_) Save();
    }
    Save();
    try {
      WriteResult();
    } catch (const Stopped& stopped) {
      // The checkpoint says that training is done; the evaluation will be made anew.
      return {false, stopped.reason};
    }
    run_.Remove(directory_.checkpoint());
    if (fs::exists(directory_.failure())) run_.Remove(directory_.failure());
    return {true, ""};
  }

 private:
  double Seconds() const { return seconds_before_ + watch_.Seconds(); }
  double CpuSeconds() const { return cpu_seconds_before_ + ProcessCpuSeconds() - cpu_start_; }

  std::string StopReason() const {
    if (watch_.Seconds() >= options_.time_limit) return "time limit";
    return options_.stop ? options_.stop() : "";
  }

  // config.json comes last: a run that has one has a checkpoint too.
  void Begin() {
    if (!directory_.is_begun()) {
      if (fs::exists(directory_.checkpoint())) {
        trainer_.Resume(ReadRegularFile(directory_.checkpoint()), directory_.checkpoint());
        if (trainer_.progress().examples > 0) {
          throw InputError(directory_.config(), "is missing, but the run has a checkpoint",
                           "remove the run's directory to start it over");
        }
      }
      trainer_.Begin();
      events_ = std::make_unique<EventLog>(directory_.events(), 0);
      events_->Append("start", {{"parameters", trainer_.model().parameters().Count(true)},
                                {"all_parameters", trainer_.model().parameters().Count(false)},
                                {"examples", training_.size()},
                                {"steps_per_epoch", trainer_.steps_per_epoch()}});
      // Beside the first steps, which need not wait for the disk.
      beginning_ = std::async(std::launch::async, [this, checkpoint = State()] {
        events_->Sync();
        run_.Write(directory_.checkpoint(), checkpoint);
        run_.Write(directory_.config(), JsonText(RunRecordToJson(record_)));
      });
      return;
    }
    if (!fs::exists(directory_.checkpoint())) {
      throw InputError(directory_.checkpoint(), "is missing, and the run is not finished",
                       "remove the run's directory to start it over");
    }
    trainer_.Resume(ReadRegularFile(directory_.checkpoint()), directory_.checkpoint());
    seconds_before_ = trainer_.progress().seconds;
    cpu_seconds_before_ = trainer_.progress().cpu_seconds;
    events_ = std::make_unique<EventLog>(directory_.events(), trainer_.progress().events_size);
  }

  std::string State() { return trainer_.Checkpoint(events_->size(), Seconds(), CpuSeconds()); }

  // Throws what went wrong with the first files, as soon as that is known.
  void CheckBeginning() {
    using namespace std::chrono_literals;
    if (beginning_.valid() && beginning_.wait_for(0s) == std::future_status::ready) {
      beginning_.get();
    }
  }

  void Save() {
    if (beginning_.valid()) beginning_.get();
    const Stopwatch watch;
    events_->Sync();
    run_.Write(directory_.checkpoint(), State());
    pause_ = std::max(options_.save_interval, watch.Seconds() / kSavingShare);
    since_save_ = {};
  }

  void WriteResult() {
    const TrainingProgress& progress = trainer_.progress();
    const bool diverged = progress.stop_reason == kNotFinite;
    Json splits = Json::object();
    Json model_hash = nullptr;
    if (progress.best) {
      trainer_.RestoreBest();
      const std::string bytes = FormatSafetensors(ModelToTensors(trainer_.model()));
      run_.Write(directory_.model(), bytes);
      model_hash = Sha256(bytes);
    }
    for (const std::string& split : record_.data.Splits()) {
      splits[split] = progress.best ? Evaluate(split) : Json(nullptr);
    }
    Json best = nullptr;
    if (progress.best) {
      best = {{"recognition_cross_entropy", progress.best->cross_entropy},
              {"accuracy", progress.best->accuracy}};
    }
    const Json best_epoch = progress.best ? Json(progress.best->epoch) : Json(nullptr);
    const char* outcome = diverged ? "diverged" : "finished";
    events_->Append("finish", {{"outcome", outcome},
                               {"stop_reason", progress.stop_reason},
                               {"epochs", trainer_.epochs()},
                               {"best_epoch", best_epoch}});
    events_->Sync();
    const double examples_per_second =
        static_cast<double>(progress.examples) / progress.training_seconds;
    run_.Write(directory_.result(),
               JsonText({{"outcome", outcome},
                         {"stop_reason", progress.stop_reason},
                         {"epochs", trainer_.epochs()},
                         {"steps", trainer_.steps()},
                         {"best_epoch", best_epoch},
                         {"best_validation", best},
                         {"parameters", trainer_.model().parameters().Count(true)},
                         {"seconds", Seconds()},
                         {"cpu_seconds", CpuSeconds()},
                         {"training_seconds", progress.training_seconds},
                         {"examples_per_second", examples_per_second},
                         {"model_sha256", model_hash},
                         {"splits", splits}}));
  }

  Json Evaluate(const std::string& name) {
    const Stopwatch watch;
    const AvailableHeads heads{.lm = record_.config.has_lm(),
                               .next_symbols = record_.config.has_next_symbols()};
    const Split split = ReadPinnedSplit(
        record_.data, name, {.next_symbols = heads.next_symbols, .log_probabilities = false});
    if (split.size() == 0) return nullptr;
    const auto scores = ScoreSplit(trainer_.model(), split, [this] { return StopReason(); });
    const SplitMetrics metrics = Measure(name, split, scores, heads);
    const fs::path folder = directory_.evaluation();
    run_.Write(folder / (name + ".json"), MetricsToJson(metrics).dump() + "\n");
    if (KeepsExamples(name)) {
      run_.Write(folder / (name + ".jsonl"), ExamplesToJsonl(split, scores, heads));
    }
    if (name == "test") {
      run_.Write(folder / (std::string(kHardest) + ".json"),
                 HardestToJson(trainer_.model(), name, split, record_.data.alphabet, scores,
                               kHardestExamples)
                         .dump() +
                     "\n");
    }
    events_->Append("evaluation", {{"split", name},
                                   {"accuracy", metrics.accuracy},
                                   {"recognition_cross_entropy", metrics.recognition_cross_entropy},
                                   {"seconds", watch.Seconds()}});
    return MetricsSummary(metrics);
  }

  const OwnedRun& run_;
  const RunDirectory& directory_;
  const RunRecord& record_;
  const RunOptions& options_;
  const Stopwatch watch_;
  const double cpu_start_ = ProcessCpuSeconds();
  double seconds_before_ = 0, cpu_seconds_before_ = 0;
  const Split training_, validation_;
  Trainer trainer_;
  std::unique_ptr<EventLog> events_;
  Stopwatch since_save_;
  double pause_;
  std::future<void> beginning_;  // last: it ends before what it uses
};

}  // namespace

bool KeepsExamples(const std::string& split) {
  return split == "test" || split == "test-edit-distance";
}

RunEnd ExecuteRun(const OwnedRun& run, const RunRecord& record, const RunOptions& options) {
  return Execution(run, record, options).Run();
}

std::unique_ptr<Model> LoadModel(const RunDirectory& run, const RunRecord& record) {
  if (!run.is_finished()) {
    throw InputError(run.path(), "the run is not finished",
                     "flare train with the same settings goes on with it");
  }
  const Json result = run.ReadResult();
  if (!fs::exists(run.model()) && result["outcome"] == "diverged") {
    throw InputError(run.path(), "the run diverged before its first checkpoint: it has no model");
  }
  const std::string bytes = ReadRegularFile(run.model());
  if (result.value("model_sha256", Json()) != Json(Sha256(bytes))) {
    throw InputError(run.model(), "is not the file that the run wrote: its SHA-256 differs");
  }
  const ModelConfig config = record.config.model(record.data.alphabet.size());
  const TensorFile tensors = ParseSafetensors(bytes, run.model());
  CheckHoldsModel(tensors, run.model(), config);
  auto model = std::make_unique<Model>(config, ParseTarget(record.config.target));
  LoadParameters(tensors, run.model(), *model);
  return model;
}

}  // namespace flare
