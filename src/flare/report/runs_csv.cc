#include "flare/report/runs_csv.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "flare/report/table_formats.h"

namespace flare::report {
namespace {

// Settings that are coordinates, or columns of their own.
const std::set<std::string>& KnownElsewhere() {
  static const std::set<std::string> names = {"architecture", "loss", "budget", "seed"};
  return names;
}

// The settings of any run, in the order in which they were met.
std::vector<std::string> SettingNames(const Sweep& sweep) {
  std::vector<std::string> names;
  std::set<std::string> seen = KnownElsewhere();
  for (const Run& run : sweep.runs) {
    if (!run.config) continue;
    for (const auto& [name, value] : run.config->settings) {
      if (seen.insert(name).second) names.push_back(name);
    }
  }
  // The coordinate `validation` is there already; this is the split that it means.
  std::replace(names.begin(), names.end(), std::string("validation"),
               std::string("validation_split"));
  return names;
}

std::vector<std::pair<std::string, std::string>> MetricNames(const Sweep& sweep) {
  static const std::vector<std::string> usual = {
      "train", "validation-short",    "validation-long",
      "test",  "test-short-held-out", "test-edit-distance"};
  std::vector<std::string> splits = usual;
  std::vector<std::string> metrics;
  std::set<std::string> seen_splits(usual.begin(), usual.end()), seen_metrics;
  std::set<std::pair<std::string, std::string>> there;
  for (const Run& run : sweep.runs) {
    if (!run.result) continue;
    for (const auto& [split, values] : run.result->splits) {
      if (seen_splits.insert(split).second) splits.push_back(split);
      for (const auto& [metric, value] : values.values) {
        if (seen_metrics.insert(metric).second) metrics.push_back(metric);
        there.emplace(split, metric);
      }
    }
  }
  std::vector<std::pair<std::string, std::string>> names;
  for (const std::string& split : splits) {
    for (const std::string& metric : metrics) {
      if (there.contains({split, metric})) names.emplace_back(split, metric);
    }
  }
  return names;
}

std::string Exact(const std::optional<double>& value) { return value ? FormatExact(*value) : ""; }

}  // namespace

std::string FormatRunsCsv(const Sweep& sweep) {
  const std::vector<std::string> settings = SettingNames(sweep);
  const auto metrics = MetricNames(sweep);
  std::string text = "language,architecture,loss,validation,budget,trial,state,seed";
  for (const std::string& name : settings) text += "," + CsvField(name);
  text +=
      ",stop_reason,epochs,best_epoch,best_validation_recognition_cross_entropy,"
      "best_validation_accuracy,parameters,seconds,cpu_seconds,examples_per_second,"
      "data_sha256,model_sha256,failure";
  for (const auto& [split, metric] : metrics) text += "," + CsvField(split + "_" + metric);
  text += "\n";
  for (const Run& run : sweep.runs) {
    const RunCoordinates& at = run.at;
    text += CsvField(at.language) + "," + at.architecture + "," + at.loss + "," +
            CsvField(at.validation) + "," + std::to_string(at.budget) + "," +
            std::to_string(at.trial) + "," + std::string(Name(run.state)) + ",";
    if (run.config) text += run.config->seed;
    for (const std::string& name : settings) {
      const bool split = name == "validation_split";
      text += ",";
      if (run.config) text += CsvField(run.config->Setting(split ? "validation" : name));
    }
    if (run.result) {
      const RunResult& result = *run.result;
      text += "," + CsvField(result.stop_reason) + "," + FormatExact(result.epochs) + "," +
              Exact(result.best_epoch) + "," + Exact(result.validation_cross_entropy) + "," +
              Exact(result.validation_accuracy) + "," + FormatExact(result.parameters) + "," +
              FormatExact(result.seconds) + "," + Exact(result.cpu_seconds) + "," +
              FormatExact(result.examples_per_second) + ",";
    } else {
      text += ",,,,,,,,,,";
    }
    if (run.config) text += run.config->data_sha256;
    text += ",";
    if (run.result) text += run.result->model_sha256;
    text += "," + CsvField(run.failure);
    for (const auto& [split, metric] : metrics) text += "," + Exact(run.Metric(split, metric));
    text += "\n";
  }
  return text;
}

}  // namespace flare::report
