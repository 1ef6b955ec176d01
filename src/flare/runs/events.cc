#include "flare/runs/events.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>

#include "flare/base/clock.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/runs/run_directory.h"

namespace flare {

std::string ReadEvents(const std::string& path, const EventsPrefix& prefix) {
  std::string text = ReadRegularFile(path);
  if (text.size() < prefix.size) {
    throw InputError(
        path,
        fmt::format("has {} bytes, but the checkpoint was made with {}", text.size(), prefix.size),
        kStartOver);
  }
  text.resize(prefix.size);
  const bool is_whole = text.empty() || text.ends_with('\n');
  if (!is_whole || (!prefix.sha256.empty() && Sha256(text) != prefix.sha256)) {
    throw InputError(path, "its beginning differs from what the checkpoint was made with",
                     kStartOver);
  }
  return text;
}

EventLog::EventLog(const std::string& path, std::string_view kept)
    : path_(path), size_(kept.size()) {
  const std::filesystem::path file(path);
  WriteInside(file.parent_path(), file.filename(), kept);
  hash_.Add(kept);
  fd_ = OpenFile(path, O_WRONLY);
  if (fd_ < 0) throw IoError(path, "open", errno);
}

EventLog::~EventLog() { ::close(fd_); }

void EventLog::Append(const StartEvent& event) {
  Append("start", {{"parameters", event.parameters},
                   {"all_parameters", event.all_parameters},
                   {"examples", event.examples},
                   {"steps_per_epoch", event.steps_per_epoch}});
}

void EventLog::Append(const EpochEvent& event) {
  Json fields = {{"epoch", event.epoch},
                 {"examples", event.examples},
                 {"steps", event.steps},
                 {"seconds", event.seconds},
                 {"examples_per_second", event.examples_per_second},
                 {"loss", event.loss}};
  if (event.recognition_loss) fields["recognition_loss"] = *event.recognition_loss;
  for (const auto& [key, loss] : event.term_losses) fields[key + "_loss"] = OrNull(loss);
  Append("epoch", fields);
}

void EventLog::Append(const CheckpointEvent& event) {
  Json validation = Json::object();
  if (!std::isnan(event.accuracy)) {
    validation = {{"recognition_cross_entropy", event.cross_entropy}, {"accuracy", event.accuracy}};
  }
  for (const auto& [figure, value] : event.others) validation[figure] = value;
  Append("checkpoint", {{"epoch", event.epoch},
                        {"examples", event.examples},
                        {"learning_rate", event.learning_rate},
                        {"is_best", event.is_best},
                        {"validation", validation}});
}

void EventLog::Append(const EvaluationEvent& event) {
  Json fields = {{"split", event.split}};
  for (const auto& [figure, value] : event.figures) fields[figure] = value;
  fields["seconds"] = event.seconds;
  Append("evaluation", fields);
}

void EventLog::Append(const FinishEvent& event) {
  Append("finish", {{"outcome", event.outcome},
                    {"stop_reason", event.stop_reason},
                    {"epochs", event.epochs},
                    {"best_epoch", OrNull(event.best_epoch)}});
}

void EventLog::Append(const std::string& name, const Json& fields) {
  Json event = {{"event", name}, {"time", UtcNow()}};
  event.update(fields);
  const std::string line = event.dump() + "\n";
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t count = ::pwrite(fd_, line.data() + written, line.size() - written,
                                   static_cast<off_t>(size_ + written));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw IoError(path_, "write", errno);
    written += static_cast<std::size_t>(count);
  }
  size_ += line.size();
  hash_.Add(line);
}

void EventLog::Sync() { flare::Sync(fd_, path_); }

namespace {

CheckpointEvent CheckpointFromJson(const JsonValue& event) {
  const JsonValue validation = event.At("validation");
  const double accuracy = validation.NumberOr("accuracy", kNotANumber);
  if (accuracy < 0 || accuracy > 1) event.Fail("'accuracy' is not between 0 and 1");
  Figures others;
  validation.ForEach([&](std::string_view name, const JsonValue& value) {
    // Other programs may say more than figures.
    if (name == kRecognitionAccuracy || name == kRecognitionCrossEntropy) return;
    if (!value.IsNumber()) return;
    others.emplace_back(name, value.AsNumber(name));
  });
  return {.epoch = event.Count("epoch"),
          .examples = event.CountOr("examples", 0),
          .learning_rate = event.NumberOr("learning_rate", kNotANumber),
          .is_best = event.Truth("is_best"),
          .cross_entropy = validation.NumberOr("recognition_cross_entropy", kNotANumber),
          .accuracy = accuracy,
          .others = std::move(others)};
}

}  // namespace

TrainingSummary Summarize(std::string_view events, const std::string& file, JsonReader& reader) {
  TrainingSummary summary;
  bool evaluated = false;
  std::size_t begin = 0;
  reader.ForEachLine(events, file, [&](const JsonValue& event, std::size_t) {
    const std::string kind = event.String("event");
    if (kind == "start") summary.parameters = event.CountOr("parameters", 0);
    if (kind == "epoch") {
      summary.epochs = event.Count("epoch");
      summary.steps += event.CountOr("steps", 0);
      summary.examples += event.CountOr("examples", 0);
      summary.training_seconds += event.NumberOr("seconds", 0);
    }
    if (kind == "checkpoint" && event.Truth("is_best")) summary.best = CheckpointFromJson(event);
    if (kind == "stop") {
      summary.stop_reason = event.StringOr("reason", "");
      summary.seconds = event.NumberOr("seconds", 0);
    }
    evaluated = evaluated || kind == "evaluation" || kind == "finish";
    begin = std::min(events.find('\n', begin), events.size() - 1) + 1;
    if (!evaluated) summary.size = begin;
  });
  summary.seconds = std::max(summary.seconds, summary.training_seconds);
  return summary;
}

std::vector<CurvePoint> ReadCurve(std::string_view events, const std::string& file,
                                  JsonReader& reader) {
  std::vector<CurvePoint> curve;
  double loss = kNotANumber;
  reader.ForEachLine(events, file, [&](const JsonValue& event, std::size_t) {
    const std::string kind = event.String("event");
    if (kind == "epoch") loss = event.NumberOr("loss", kNotANumber);
    if (kind != "checkpoint") return;
    curve.push_back({CheckpointFromJson(event), loss});
  });
  return curve;
}

}  // namespace flare
