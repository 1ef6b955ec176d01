#include "flare/report/runs_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "flare/base/csv.h"
#include "flare/base/error.h"
#include "flare/base/integrity.h"
#include "flare/base/number.h"
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
  for (const Run& run : study.runs) {
    for (const auto& [name, value] : run.settings) {
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
  for (const Run& run : study.runs) {
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

// The texts of a row by the names of their columns, without those that are empty.
using CellTexts = std::map<std::string, std::string>;

CellTexts RowTexts(const CsvRow& row) {
  CellTexts texts;
  for (const auto& [column, field] : row.fields) {
    if (!field.empty()) texts[CsvText(column)] = CsvText(field);
  }
  return texts;
}

class RowReader {
 public:
  // `metrics` are the columns of the splits' scores.
  RowReader(CellTexts texts, const std::vector<std::string>& metrics, std::string where,
            const Names& names)
      : texts_(std::move(texts)), metrics_(metrics), where_(std::move(where)), names_(names) {}

  RunRecord Record() const {
    RunRecord record;
    record.at = {.language = Required("language"),
                 .variant = Required(Has("variant") ? "variant" : "architecture"),
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
  static constexpr double kMostSeconds = 1e15, kAny = std::numeric_limits<double>::max(),
                          kUnknown = std::numeric_limits<double>::quiet_NaN();

  bool Has(const std::string& column) const { return texts_.contains(column); }

  // Empty if it is not there.
  std::string Text(const std::string& column) const {
    return Has(column) ? texts_.at(column) : std::string();
  }

  std::string Required(const std::string& column) const {
    if (!Has(column)) throw InputError(where_, fmt::format("'{}' is missing", column));
    return texts_.at(column);
  }

  std::size_t Count(const std::string& column) const {
    const std::string text = Required(column);
    if (const auto count = ParseNumber<std::size_t>(text)) return *count;
    throw InputError(where_, fmt::format("'{}' is {}; expected a count", column, Quoted(text)));
  }

  double Number(const std::string& column, double most) const {
    const std::string text = Required(column);
    const auto number = ParseNumber<double>(text);
    if (number && *number >= 0 && *number <= most) return *number;
    throw InputError(where_, fmt::format("'{}' is {}; expected a number from 0 to {}", column,
                                         Quoted(text), most));
  }

  std::optional<double> MaybeNumber(const std::string& column, double most) const {
    return Has(column) ? std::optional(Number(column, most)) : std::nullopt;
  }

  RunSettings Settings() const {
    SettingTexts given;
    for (const std::string& key : SettingKeys(names_)) {
      if (Has(ColumnOf(key))) given[key] = Required(ColumnOf(key));
    }
    if (Text(kSizedBy) == kHidden) given.erase("budget");
    for (const char* key : {"seed", "layers", "hidden"}) Required(key);
    Required(ColumnOf("validation"));
    RunSettings settings = ParseSettings(given, names_, where_);
    if (!given.contains("budget")) settings.budget = 0;
    settings.native_target = Text("native_target");
    // Version 0.1 did not say.
    settings.arithmetic = Has("arithmetic") ? Required("arithmetic") : "0.1";
    return settings;
  }

  RunResult Result() const {
    RunResult result;
    result.diverged = Required("state") == Name(RunState::kDiverged);
    result.stop_reason = Required("stop_reason");
    result.epochs = Count("epochs");
    result.parameters = Count("parameters");
    result.seconds = Number("seconds", kMostSeconds);
    result.cpu_seconds = MaybeNumber("cpu_seconds", kMostSeconds);
    result.examples_per_second = Number("examples_per_second", kMostSeconds);
    result.model_sha256 = Text("model_sha256");
    if (Has("best_epoch")) {
      result.best = {Count("best_epoch"), Number("best_validation_recognition_cross_entropy", kAny),
                     Number("best_validation_accuracy", 1)};
    }
    const std::string end = "_examples";
    for (const std::string& column : metrics_) {
      if (!column.ends_with(end) || !Has(column)) continue;
      const std::string split = column.substr(0, column.size() - end.size());
      result.splits.emplace_back(split, Metrics(split));
    }
    for (auto& [split, metrics] : result.splits) AddTerms(split, result, *metrics);
    return result;
  }

  // But for the figures of auxiliary terms.
  SplitMetrics Metrics(const std::string& split) const {
    const auto column = [&](const char* metric) { return split + "_" + metric; };
    const auto count_or_0 = [&](const char* metric) {
      return Has(column(metric)) ? Count(column(metric)) : 0;
    };
    SplitMetrics metrics;
    metrics.examples = Count(column("examples"));
    metrics.positives = Count(column("positives"));
    metrics.accuracy = Number(column("accuracy"), 1);
    metrics.recognition_cross_entropy =
        MaybeNumber(column("recognition_cross_entropy"), kAny).value_or(kUnknown);
    metrics.false_positives = count_or_0("false_positives");
    metrics.false_negatives = count_or_0("false_negatives");
    metrics.f1 = MaybeNumber(column("f1"), 1);
    metrics.auc = MaybeNumber(column("auc"), 1);
    const std::string length = Required(column("longest_perfect_length"));
    const auto longest = ParseNumber<std::int64_t>(length);
    if (!longest) {
      throw InputError(where_, fmt::format("'{}' is {}; expected a length, or -1",
                                           column("longest_perfect_length"), Quoted(length)));
    }
    metrics.longest_perfect_length = *longest;
    return metrics;
  }

  void AddTerms(const std::string& split, const RunResult& result, SplitMetrics& metrics) const {
    static const std::set<std::string> of_all = {
        "examples",        "positives", "accuracy", "recognition_cross_entropy", "false_positives",
        "false_negatives", "f1",        "auc",      "longest_perfect_length"};
    for (const std::string& column : metrics_) {
      if (!column.starts_with(split + "_") || !Has(column)) continue;
      // test_hard_accuracy is of the split test_hard, if there is one.
      const bool is_of_longer =
          std::any_of(result.splits.begin(), result.splits.end(), [&](const auto& other) {
            return other.first.size() > split.size() && column.starts_with(other.first + "_");
          });
      const std::string metric = column.substr(split.size() + 1);
      if (is_of_longer || of_all.contains(metric)) continue;
      if (!metrics.SetFigure(metric, Number(column, kAny))) {
        throw InputError(where_, fmt::format("{} is no metric of a split", Quoted(column)));
      }
    }
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

  CellTexts texts_;
  const std::vector<std::string>& metrics_;
  std::string where_;
  const Names& names_;
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
  std::vector<std::string> texts = {at.language,
                                    at.architecture(),
                                    at.loss,
                                    at.validation,
                                    std::to_string(at.budget),
                                    std::to_string(at.trial),
                                    StateWord(run.state),
                                    run.config ? std::to_string(run.config->settings.seed) : ""};
  for (const std::string& name : settings) texts.push_back(SettingOf(run, name));
  const auto add = [&](std::initializer_list<std::string> more) {
    texts.insert(texts.end(), more.begin(), more.end());
  };
  if (run.result) {
    const RunResult& result = *run.result;
    add({result.stop_reason, std::to_string(result.epochs)});
    if (const auto& best = result.best) {
      add({std::to_string(best->epoch), FormatExact(best->cross_entropy),
           FormatExact(best->accuracy)});
    } else {
      add({"", "", ""});
    }
    add({std::to_string(result.parameters), FormatExact(result.seconds), Exact(result.cpu_seconds),
         FormatExact(result.examples_per_second)});
  } else {
    texts.resize(texts.size() + 9);
  }
  add({run.config ? run.config->data.Sha256OfAll() : "", run.result ? run.result->model_sha256 : "",
       run.failure, at.variant});
  if (says_size) add({IsSizedByHidden(run) ? kHidden : ""});
  for (const auto& [split, metric] : metrics) add({Exact(run.Metric(split, metric))});
  return CsvLine(texts);
}

}  // namespace

std::string FormatRunsCsv(const Study& study) {
  const std::vector<std::string> settings = SettingNames(study);
  const MetricColumns metrics = MetricNames(study);
  const bool says_size = std::any_of(study.runs.begin(), study.runs.end(), IsSizedByHidden);
  std::vector<std::string> last = LastColumns();
  if (says_size) last.push_back(kSizedBy);
  for (const auto& [split, metric] : metrics) last.push_back(split + "_" + metric);
  std::vector<std::string> others = FirstColumns();
  others.insert(others.end(), last.begin(), last.end());
  others.push_back(kCheckColumn);
  std::vector<std::string> columns = FirstColumns();
  for (std::string& column : SettingColumns(settings, others)) columns.push_back(std::move(column));
  columns.insert(columns.end(), last.begin(), last.end());
  const std::string head = CsvLine(columns);
  std::string text = fmt::format("{},{}\n", head, kCheckColumn);
  for (const Run& run : study.runs) {
    const std::string row = RowOf(run, settings, says_size, metrics);
    text += fmt::format("{},{}\n", row, CheckOfRow(head, row));
  }
  return text;
}

RunsOfCsv ReadRunsCsv(std::string_view text, const std::string& file, const Names& names) {
  if (text.find('\n') == std::string_view::npos) {
    throw InputError(file, "is cut: it has no line that names the columns and ends",
                     "flare report writes the table again");
  }
  const CsvTable table = ParseCsv(text, file);
  const auto failure = std::find(table.columns.begin(), table.columns.end(), "failure");
  if (failure == table.columns.end() ||
      std::find(table.columns.begin(), failure, "state") == failure) {
    throw InputError(file, "is not a table of runs: it has no columns 'state' and 'failure'");
  }
  std::vector<std::string> metrics;
  std::transform(failure + 1, table.columns.end(), std::back_inserter(metrics), CsvText);
  RunsOfCsv runs;
  for (const CsvRow& row : table.rows) {
    VerifyRow(table, row, file);
    if (!HasEnded(row, file)) continue;
    CellTexts texts = RowTexts(row);
    const auto architecture = texts.find("architecture");
    if (architecture != texts.end() && names.FindArchitecture(architecture->second) == nullptr) {
      runs.left_out.push_back(fmt::format(
          "{}: {} is not one of our architectures, and a table does not have its command",
          FileLine(file, row.line), Quoted(architecture->second)));
      continue;
    }
    runs.records.push_back(
        RowReader(std::move(texts), metrics, FileLine(file, row.line), names).Record());
  }
  return runs;
}

}  // namespace flare::report
