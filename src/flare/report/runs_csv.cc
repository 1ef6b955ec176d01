#include "flare/report/runs_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/report/table_formats.h"
#include "flare/report/titles.h"
#include "flare/runs/run_settings.h"

namespace flare::report {
namespace {

// Settings that are coordinates, or columns of their own.
const std::set<std::string>& KnownElsewhere() {
  static const std::set<std::string> names = {"architecture", "loss", "budget", "seed"};
  return names;
}

// Two settings have the names of columns that mean something else: the coordinate `validation`,
// which is not the split that it means, and the state of a run, which is not the size of a mamba's.
std::string ColumnOf(const std::string& setting) {
  if (setting == "validation") return "validation_split";
  if (setting == "state") return "state_size";
  return setting;
}

// The settings of any run, in the order in which they were met.
std::vector<std::string> SettingNames(const Study& study) {
  std::vector<std::string> names;
  std::set<std::string> seen = KnownElsewhere();
  // Which settings a run lists depends on its loss and on what makes its cohort: some are left out
  // where they have their default.
  std::set<std::pair<std::string, std::string>> kinds;
  for (const StudyRun& run : study.runs) {
    if (!run.config) continue;
    if (!kinds.insert({run.cohort, run.config->settings.loss}).second) continue;
    for (const auto& [name, value] : study.SettingsOf(run)) {
      if (seen.insert(name).second) names.push_back(name);
    }
  }
  return names;
}

std::vector<std::pair<std::string, std::string>> MetricNames(const Study& study) {
  static const std::vector<std::string> usual = {
      "train", "validation-short",    "validation-long",
      "test",  "test-short-held-out", "test-edit-distance"};
  std::vector<std::string> splits = usual;
  std::vector<std::string> metrics;
  std::set<std::string> seen_splits(usual.begin(), usual.end()), seen_metrics;
  std::set<std::pair<std::string, std::string>> there;
  for (const StudyRun& run : study.runs) {
    if (!run.result) continue;
    for (const auto& [split, values] : run.result->splits) {
      if (!values) continue;
      if (seen_splits.insert(split).second) splits.push_back(split);
      values->ForEachScalar([&, &split = split](std::string_view name, double) {
        const std::string metric(name);
        if (seen_metrics.insert(metric).second) metrics.push_back(metric);
        there.emplace(split, metric);
      });
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

// Before the settings, and after them.
const std::vector<std::string>& FirstColumns() {
  static const std::vector<std::string> names = {"language", "architecture", "loss",  "validation",
                                                 "budget",   "trial",        "state", "seed"};
  return names;
}

const std::vector<std::string>& LastColumns() {
  static const std::vector<std::string> names = {"stop_reason",
                                                 "epochs",
                                                 "best_epoch",
                                                 "best_validation_recognition_cross_entropy",
                                                 "best_validation_accuracy",
                                                 "parameters",
                                                 "seconds",
                                                 "cpu_seconds",
                                                 "examples_per_second",
                                                 "data_sha256",
                                                 "model_sha256",
                                                 "failure",
                                                 "variant",
                                                 "cohort",
                                                 "left_out",
                                                 "incomparable",
                                                 "format_only"};
  return names;
}

// "hidden" where a run's size was given by that, so that it has no budget; the coordinate of that
// name says nothing then.
constexpr const char* kSizedBy = "sized_by";
constexpr const char* kHidden = "hidden";

bool IsSizedByHidden(const StudyRun& run) { return run.config && run.config->settings.budget == 0; }

// Options of other programs may have the name of a column of ours; theirs is called
// `epochs_setting` then.
std::vector<std::string> SettingColumns(const std::vector<std::string>& settings,
                                        const std::vector<std::string>& others) {
  std::set<std::string> taken(others.begin(), others.end());
  std::vector<std::string> columns;
  for (const std::string& setting : settings) {
    std::string column = ColumnOf(setting);
    while (!taken.insert(column).second) column += "_setting";
    columns.push_back(std::move(column));
  }
  return columns;
}

std::string Exact(const std::optional<double>& value) { return value ? FormatExact(*value) : ""; }

// The columns of a row's settings and, by split, of its metrics.
struct RowPlaces {
  RowPlaces(const std::vector<std::string>& settings,
            const std::vector<std::pair<std::string, std::string>>& metrics) {
    for (const std::string& name : settings) of_settings.emplace(name, of_settings.size());
    for (const auto& [split, metric] : metrics) of_metrics[split].emplace(metric, num_metrics++);
  }

  using Places = std::map<std::string, std::size_t, std::less<>>;
  Places of_settings;
  std::map<std::string, Places, std::less<>> of_metrics;
  std::size_t num_metrics = 0;
};

std::vector<std::string> SettingTextsOf(const Study& study, const StudyRun& run,
                                        const RowPlaces& places) {
  std::vector<std::string> texts(places.of_settings.size());
  for (auto& [setting, value] : study.SettingsOf(run)) {
    const auto place = places.of_settings.find(setting);
    if (place != places.of_settings.end()) texts[place->second] = std::move(value);
  }
  return texts;
}

std::vector<std::string> MetricTextsOf(const StudyRun& run, const RowPlaces& places) {
  std::vector<std::string> texts(places.num_metrics);
  if (!run.result) return texts;
  for (const auto& [split, metrics] : run.result->splits) {
    const auto of_split = places.of_metrics.find(split);
    if (!metrics || of_split == places.of_metrics.end()) continue;
    metrics->ForEachScalar([&](std::string_view name, double value) {
      const auto place = of_split->second.find(name);
      if (place != of_split->second.end()) texts[place->second] = FormatExact(value);
    });
  }
  return texts;
}

std::string RowOf(const Study& study, const StudyRun& run, bool says_size,
                  const RowPlaces& places) {
  const Coordinates& at = run.at;
  std::vector<std::string> texts = {at.language,
                                    at.architecture(),
                                    at.loss,
                                    at.validation,
                                    std::to_string(at.budget),
                                    std::to_string(at.trial),
                                    StateWord(run.state),
                                    run.config ? std::to_string(run.config->settings.seed) : ""};
  for (std::string& text : SettingTextsOf(study, run, places)) texts.push_back(std::move(text));
  const auto add = [&](std::initializer_list<std::string> more) {
    texts.insert(texts.end(), more.begin(), more.end());
  };
  if (run.result) {
    const RunResult& result = *run.result;
    add({result.stop_reason, std::to_string(result.epochs)});
    if (const auto& best = result.best) {
      add({std::to_string(best->epoch), Exact(best->cross_entropy), Exact(best->accuracy)});
    } else {
      add({"", "", ""});
    }
    add({std::to_string(result.parameters), FormatExact(result.seconds), Exact(result.cpu_seconds),
         FormatExact(result.examples_per_second)});
  } else {
    texts.resize(texts.size() + 9);
  }
  add({run.config ? run.config->data.Sha256OfAll() : "", run.result ? run.result->model_sha256 : "",
       run.fault, at.variant});
  const Baselines* baselines = study.FindBaselines(at.language);
  add({run.cohort, run.left_out ? "1" : "", study.Incomparable(at.language, run.cohort),
       baselines != nullptr ? Exact(baselines->format_only) : ""});
  if (says_size) add({IsSizedByHidden(run) ? kHidden : ""});
  for (std::string& text : MetricTextsOf(run, places)) texts.push_back(std::move(text));
  return CsvLine(texts);
}

}  // namespace

std::string FormatRunsCsv(const Study& study) {
  const std::vector<std::string> settings = SettingNames(study);
  const auto metrics = MetricNames(study);
  const bool says_size = std::any_of(study.runs.begin(), study.runs.end(), IsSizedByHidden);
  std::vector<std::string> last = LastColumns();
  if (says_size) last.push_back(kSizedBy);
  for (const auto& [split, metric] : metrics) last.push_back(split + "_" + metric);
  std::vector<std::string> others = FirstColumns();
  others.insert(others.end(), last.begin(), last.end());
  std::vector<std::string> columns = FirstColumns();
  for (std::string& column : SettingColumns(settings, others)) columns.push_back(std::move(column));
  columns.insert(columns.end(), last.begin(), last.end());
  const RowPlaces places(settings, metrics);
  std::string text = CsvLine(columns) + "\n";
  for (const StudyRun& run : study.runs) {
    text += RowOf(study, run, says_size, places) + "\n";
  }
  return text;
}

}  // namespace flare::report
