#include "flare/report/runs_csv.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "flare/report/names.h"
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
    for (const auto& [name, value] : run.settings) {
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
      if (!values) continue;
      if (seen_splits.insert(split).second) splits.push_back(split);
      for (const auto& [metric, value] : values->Scalars()) {
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

std::string SettingOf(const Run& run, const std::string& name) {
  for (const auto& [setting, value] : run.settings) {
    if (setting == name) return value;
  }
  return "";
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
      "data_sha256,model_sha256,failure,variant";
  for (const auto& [split, metric] : metrics) text += "," + CsvField(split + "_" + metric);
  text += "\n";
  for (const Run& run : sweep.runs) {
    const Coordinates& at = run.at;
    text += CsvField(at.language) + "," + at.architecture() + "," + at.loss + "," +
            CsvField(at.validation) + "," + std::to_string(at.budget) + "," +
            std::to_string(at.trial) + "," + StateWord(run.state) + ",";
    if (run.config) text += std::to_string(run.config->settings.seed);
    for (const std::string& name : settings) {
      text += "," + CsvField(SettingOf(run, name == "validation_split" ? "validation" : name));
    }
    if (run.result) {
      const RunResult& result = *run.result;
      const auto& best = result.best;
      text += "," + CsvField(result.stop_reason) + "," + std::to_string(result.epochs) + "," +
              (best ? std::to_string(best->epoch) : "") + "," +
              (best ? FormatExact(best->cross_entropy) : "") + "," +
              (best ? FormatExact(best->accuracy) : "") + "," + std::to_string(result.parameters) +
              "," + FormatExact(result.seconds) + "," + Exact(result.cpu_seconds) + "," +
              FormatExact(result.examples_per_second) + ",";
    } else {
      text += ",,,,,,,,,,";
    }
    if (run.config) text += run.config->data.Sha256OfAll();
    text += ",";
    if (run.result) text += run.result->model_sha256;
    text += "," + CsvField(run.failure) + "," + CsvField(at.variant);
    for (const auto& [split, metric] : metrics) text += "," + Exact(run.Metric(split, metric));
    text += "\n";
  }
  return text;
}

}  // namespace flare::report
