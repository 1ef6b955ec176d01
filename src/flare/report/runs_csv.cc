#include "flare/report/runs_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "flare/base/csv.h"
#include "flare/base/error.h"
#include "flare/base/integrity.h"
#include "flare/base/json.h"
#include "flare/base/json_reader.h"
#include "flare/base/number.h"
#include "flare/base/text.h"
#include "flare/report/names.h"
#include "flare/report/table_formats.h"
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
std::vector<std::string> SettingNames(const Sweep& sweep) {
  std::vector<std::string> names;
  std::set<std::string> seen = KnownElsewhere();
  for (const Run& run : sweep.runs) {
    for (const auto& [name, value] : run.settings) {
      if (seen.insert(name).second) names.push_back(name);
    }
  }
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
                                                 "variant"};
  return names;
}

// "hidden" where a run's size was given by that, so that it has no budget; the coordinate of that
// name says nothing then.
constexpr const char* kSizedBy = "sized_by";
constexpr const char* kHidden = "hidden";

bool IsSizedByHidden(const Run& run) { return run.config && run.config->settings.budget == 0; }

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

std::string SettingOf(const Run& run, const std::string& name) {
  for (const auto& [setting, value] : run.settings) {
    if (setting == name) return value;
  }
  return "";
}

// What a row has of a run's config.json and result.json is given to their readers in the form that
// these files have.
class RowReader {
 public:
  // `metrics` are the columns of the splits' scores.
  RowReader(const CsvRow& row, const std::vector<std::string>& metrics, const std::string& file,
            const Names& names)
      : row_(row), metrics_(metrics), where_(fmt::format("{}:{}", file, row.line)), names_(names) {}

  RunRecord Record() {
    RunRecord record;
    record.at = {.language = Required("language"),
                 .variant = Has("variant") ? Required("variant") : Required("architecture"),
                 .loss = Required("loss"),
                 .validation = Required("validation"),
                 .budget = Count("budget"),
                 .trial = Count("trial")};
    record.config.settings = Settings();
    record.config.data.language = record.at.language;
    record.config.data.known_sha256 = Required("data_sha256");
    record.result = Result();
    CheckIsConsistent(record.result, record.config.settings);
    record.imported = "runs.csv";
    return record;
  }

 private:
  bool Has(const std::string& column) const {
    const auto found = row_.fields.find(column);
    return found != row_.fields.end() && !found->second.empty();
  }

  std::string Required(const std::string& column) const {
    if (!Has(column)) throw InputError(where_, fmt::format("'{}' is missing", column));
    return CsvText(row_.fields.at(column));
  }

  std::size_t Count(const std::string& column) const {
    const auto count = ParseNumber<std::size_t>(Required(column));
    if (!count) throw InputError(where_, fmt::format("'{}' is not a number", column));
    return *count;
  }

  Json Number(const std::string& column) const {
    if (!Has(column)) return nullptr;
    const auto number = ParseNumber<double>(row_.fields.at(column));
    if (!number) throw InputError(where_, fmt::format("'{}' is not a number", column));
    return *number;
  }

  RunSettings Settings() {
    std::vector<std::string> keys = SettingKeys(names_);
    keys.insert(keys.end(), {"native_target", "arithmetic"});
    Json json = Json::object();
    for (const std::string& key : keys) {
      const std::string column = ColumnOf(key);
      if (key == "budget" && Has(kSizedBy) && Required(kSizedBy) == kHidden) continue;
      if (Has(column)) json[key] = Required(column);
    }
    return SettingsFromJson(reader_.Parse(json.dump(), where_), names_, {});
  }

  RunResult Result() {
    Json json = {{"outcome", Required("state")},
                 {"stop_reason", Required("stop_reason")},
                 {"epochs", Count("epochs")},
                 {"parameters", Count("parameters")},
                 {"seconds", Number("seconds")},
                 {"cpu_seconds", Number("cpu_seconds")},
                 {"examples_per_second", Number("examples_per_second")},
                 {"splits", Json::object()}};
    if (Has("model_sha256")) json["model_sha256"] = Required("model_sha256");
    if (Has("best_epoch")) {
      json["best_epoch"] = Count("best_epoch");
      json["best_validation"] = {
          {"recognition_cross_entropy", Number("best_validation_recognition_cross_entropy")},
          {"accuracy", Number("best_validation_accuracy")}};
    }
    const std::vector<std::string> splits = Splits();
    for (const std::string& split : splits) json["splits"][split] = Metrics(split, splits);
    return ResultFromJson(reader_.Parse(json.dump(), where_));
  }

  // Nothing else would notice a digit or a heading that was changed.
  void CheckIsConsistent(const RunResult& result, const RunSettings& settings) const {
    for (const auto& [split, metrics] : result.splits) {
      const bool has_positives = Has(split + "_false_positives");
      if (has_positives != Has(split + "_false_negatives")) {
        throw InputError(where_, fmt::format("{}: of its errors a part is missing", split));
      }
      if (!has_positives) continue;
      const std::string contradiction = ContradictionIn(*metrics);
      if (!contradiction.empty()) {
        throw InputError(where_, fmt::format("{}: {}", split, contradiction));
      }
    }
    if (result.best && result.best->epoch > result.epochs) {
      throw InputError(
          where_, fmt::format("its best epoch is {} of {}", result.best->epoch, result.epochs));
    }
    if (result.epochs > settings.max_epochs) {
      throw InputError(where_, fmt::format("it has {} epochs of at most {}", result.epochs,
                                           settings.max_epochs));
    }
    CheckBest(result);
  }

  // The checkpoint that was chosen is the model that was measured at the end. Metrics may be
  // written with fewer digits than the best checkpoint's.
  void CheckBest(const RunResult& result) const {
    const SplitMetrics* measured = result.Split(ValidationSplit(Required("validation")));
    if (!result.best || measured == nullptr) return;
    if (std::abs(result.best->accuracy - measured->accuracy) > 1e-9) {
      throw InputError(where_, fmt::format("its best validation accuracy is {}, and that of the "
                                           "model on the validation set {}",
                                           result.best->accuracy, measured->accuracy));
    }
    const double best = result.best->cross_entropy, last = measured->recognition_cross_entropy;
    if (std::abs(best - last) > 1e-4 * std::max(best, last)) {
      throw InputError(where_, fmt::format("its best validation cross-entropy is {}, and that of "
                                           "the model on the validation set {}",
                                           best, last));
    }
  }

  // That the run was measured on.
  std::vector<std::string> Splits() const {
    const std::string end = "_examples";
    std::vector<std::string> splits;
    for (const std::string& column : metrics_) {
      if (!column.ends_with(end) || !Has(column)) continue;
      splits.push_back(column.substr(0, column.size() - end.size()));
    }
    return splits;
  }

  Json Metrics(const std::string& split, const std::vector<std::string>& splits) const {
    static const std::string kAccuracy = "next_symbol_accuracy_";
    Json json = Json::object();
    for (const std::string& column : metrics_) {
      if (!column.starts_with(split + "_") || !Has(column)) continue;
      // test_hard_accuracy is of the split test_hard, if there is one.
      const bool is_of_longer = std::any_of(splits.begin(), splits.end(), [&](const auto& other) {
        return other.size() > split.size() && column.starts_with(other + "_");
      });
      if (is_of_longer) continue;
      const std::string metric = column.substr(split.size() + 1);
      const auto whole = ParseNumber<std::int64_t>(Required(column));
      const Json value = whole ? Json(*whole) : Number(column);
      if (metric.starts_with(kAccuracy)) {
        json["next_symbol_accuracy"][metric.substr(kAccuracy.size())] = value;
      } else {
        json[metric] = value;
      }
    }
    return json;
  }

  const CsvRow& row_;
  const std::vector<std::string>& metrics_;
  std::string where_;
  const Names& names_;
  JsonReader reader_;
};

// The last column: of the names of the others and what is in them.
constexpr const char* kCheckColumn = "check";

std::string CheckOfRow(const std::string& head, const std::string& row) {
  return CheckOf(head + "\n" + row);
}

// Tables of versions before have no check.
void VerifyRow(const CsvTable& table, const CsvRow& row, const std::string& file) {
  if (table.columns.back() != kCheckColumn) return;
  const auto others = [](const std::string& text) { return text.substr(0, text.rfind(',')); };
  if (row.fields.at(kCheckColumn) == CheckOfRow(others(table.head), others(row.text))) return;
  throw InputError(FileLine(file, row.line),
                   "its check is wrong: the row was damaged, or changed by hand",
                   "flare report writes the table again; without its column 'check' it is taken "
                   "as it is");
}

// A row that is not of a run that has ended says nothing.
bool HasEnded(const CsvRow& row, const std::string& file) {
  const std::string& state = row.fields.at("state");
  for (const RunState known : {RunState::kLeft, RunState::kRunning, RunState::kFinished,
                               RunState::kDiverged, RunState::kFailed, RunState::kDamaged}) {
    if (state != StateWord(known) && state != Name(known)) continue;
    return known == RunState::kFinished || known == RunState::kDiverged;
  }
  throw InputError(FileLine(file, row.line), fmt::format("'state' is {}", Quoted(state)),
                   "expected finished, diverged, or why there is no result");
}

std::string Exact(const std::optional<double>& value) { return value ? FormatExact(*value) : ""; }

using MetricColumns = std::vector<std::pair<std::string, std::string>>;  // split and metric

std::string RowOf(const Run& run, const std::vector<std::string>& settings, bool says_size,
                  const MetricColumns& metrics) {
  const Coordinates& at = run.at;
  std::string text = CsvField(at.language) + "," + CsvField(at.architecture()) + "," + at.loss +
                     "," + CsvField(at.validation) + "," + std::to_string(at.budget) + "," +
                     std::to_string(at.trial) + "," + StateWord(run.state) + ",";
  if (run.config) text += std::to_string(run.config->settings.seed);
  for (const std::string& name : settings) text += "," + CsvField(SettingOf(run, name));
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
  if (says_size) text += fmt::format(",{}", IsSizedByHidden(run) ? kHidden : "");
  for (const auto& [split, metric] : metrics) text += "," + Exact(run.Metric(split, metric));
  return text;
}

}  // namespace

std::string FormatRunsCsv(const Sweep& sweep) {
  const std::vector<std::string> settings = SettingNames(sweep);
  const MetricColumns metrics = MetricNames(sweep);
  const bool says_size = std::any_of(sweep.runs.begin(), sweep.runs.end(), IsSizedByHidden);
  std::vector<std::string> last = LastColumns();
  if (says_size) last.push_back(kSizedBy);
  for (const auto& [split, metric] : metrics) last.push_back(split + "_" + metric);
  std::vector<std::string> others = FirstColumns();
  others.insert(others.end(), last.begin(), last.end());
  others.push_back(kCheckColumn);
  std::string head;
  const auto add = [&](const std::vector<std::string>& columns) {
    for (const std::string& column : columns) head += (head.empty() ? "" : ",") + CsvField(column);
  };
  add(FirstColumns());
  add(SettingColumns(settings, others));
  add(last);
  std::string text = fmt::format("{},{}\n", head, kCheckColumn);
  for (const Run& run : sweep.runs) {
    const std::string row = RowOf(run, settings, says_size, metrics);
    text += fmt::format("{},{}\n", row, CheckOfRow(head, row));
  }
  return text;
}

RunsOfCsv ReadRunsCsv(std::string_view text, const std::string& file, const Names& names) {
  const CsvTable table = ParseCsv(text, file);
  const auto failure = std::find(table.columns.begin(), table.columns.end(), "failure");
  if (failure == table.columns.end() ||
      std::find(table.columns.begin(), failure, "state") == failure) {
    throw InputError(file, "is not a table of runs: it has no columns 'state' and 'failure'");
  }
  const std::vector<std::string> metrics(failure + 1, table.columns.end());
  RunsOfCsv runs;
  for (const CsvRow& row : table.rows) {
    VerifyRow(table, row, file);
    if (!HasEnded(row, file)) continue;
    const auto architecture = row.fields.find("architecture");
    if (architecture != row.fields.end() && !architecture->second.empty() &&
        names.FindArchitecture(CsvText(architecture->second)) == nullptr) {
      runs.left_out.push_back(fmt::format(
          "{}: {} is not one of our architectures, and a table does not have its command",
          FileLine(file, row.line), Quoted(CsvText(architecture->second))));
      continue;
    }
    runs.records.push_back(RowReader(row, metrics, file, names).Record());
  }
  return runs;
}

}  // namespace flare::report
