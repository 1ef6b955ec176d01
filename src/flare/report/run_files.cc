#include "flare/report/run_files.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <cmath>
#include <limits>
#include <string_view>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/text.h"

namespace flare::report {
namespace {

namespace fs = std::filesystem;
namespace dom = simdjson::dom;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// A value and where it stands, for messages. Cheap: the file's name is borrowed.
class Value {
 public:
  Value(dom::element element, const std::string& where) : element_(element), where_(&where) {}

  // The field, or nothing if it is absent or null.
  std::optional<Value> Find(std::string_view name) const {
    dom::object object;
    if (element_.get(object) != simdjson::SUCCESS) Fail("expected an object");
    dom::element field;
    if (object[name].get(field) != simdjson::SUCCESS || field.is_null()) return std::nullopt;
    return Value(field, *where_);
  }
  Value At(std::string_view name) const {
    const auto field = Find(name);
    if (!field) Fail(fmt::format("'{}' is missing", name));
    return *field;
  }
  double Number(std::string_view name) const { return At(name).AsNumber(name); }
  double NumberOr(std::string_view name, double otherwise) const {
    const auto field = Find(name);
    return field ? field->AsNumber(name) : otherwise;
  }
  std::optional<double> MaybeNumber(std::string_view name) const {
    const auto field = Find(name);
    if (!field) return std::nullopt;
    return field->AsNumber(name);
  }
  std::uint64_t Count(std::string_view name) const { return At(name).AsCount(name); }
  std::uint64_t AsCount(std::string_view name) const {
    std::uint64_t count;
    if (element_.get(count) == simdjson::SUCCESS) return count;
    Fail(fmt::format("'{}' is {}, not a count", name, Quoted(Text())));
  }
  std::string String(std::string_view name) const {
    std::string_view text;
    if (At(name).element_.get(text) != simdjson::SUCCESS) {
      Fail(fmt::format("'{}' is no text", name));
    }
    return std::string(text);
  }
  std::string StringOr(std::string_view name, const std::string& otherwise) const {
    return Find(name) ? String(name) : otherwise;
  }
  std::vector<Value> Array(std::string_view name) const { return At(name).Elements(name); }
  std::vector<Value> Elements(std::string_view name) const {
    dom::array array;
    if (element_.get(array) != simdjson::SUCCESS) Fail(fmt::format("'{}' is no list", name));
    std::vector<Value> values;
    for (const dom::element element : array) values.emplace_back(element, *where_);
    return values;
  }
  std::vector<std::string> Strings(std::string_view name) const {
    std::vector<std::string> texts;
    for (const Value& value : Array(name)) {
      std::string_view text;
      if (value.element_.get(text) != simdjson::SUCCESS) {
        Fail(fmt::format("'{}' holds something that is no text", name));
      }
      texts.emplace_back(text);
    }
    return texts;
  }
  // Calls visit(name, value) for every field; values may be null.
  template <class Visit>
  void ForEach(Visit visit) const {
    dom::object object;
    if (element_.get(object) != simdjson::SUCCESS) Fail("expected an object");
    for (const auto& [name, field] : object) visit(name, Value(field, *where_));
  }
  bool IsNull() const { return element_.is_null(); }
  bool IsObject() const { return element_.is_object(); }
  bool IsArray() const { return element_.is_array(); }
  bool IsNumber() const { return element_.is_number(); }
  double AsNumber(std::string_view name) const {
    double number;
    if (element_.get(number) == simdjson::SUCCESS) return number;
    bool truth;
    if (element_.get(truth) == simdjson::SUCCESS) return truth ? 1 : 0;
    Fail(fmt::format("'{}' is {}, not a number", name, Quoted(Text())));
  }
  bool Truth(std::string_view name) const {
    const auto field = Find(name);
    return field && field->AsNumber(name) != 0;
  }
  std::string Text() const {
    std::string_view text;
    if (element_.get(text) == simdjson::SUCCESS) return std::string(text);
    return simdjson::minify(element_);
  }
  [[noreturn]] void Fail(const std::string& what) const {
    throw InputError(*where_, what, "see docs/report.md for the files that a report reads");
  }

 private:
  dom::element element_;
  const std::string* where_;
};

[[noreturn]] void ThrowNoJson(const std::string& where, simdjson::error_code error) {
  throw InputError(where, fmt::format("no valid JSON: {}", simdjson::error_message(error)));
}

// Calls visit(value, index) for every complete line of a JSONL file.
template <class Visit>
void ForEachLine(dom::parser& parser, const fs::path& file, Visit visit) {
  const std::string text = ReadRegularFile(file);
  std::size_t index = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) break;
    dom::element element;
    const auto error = parser.parse(text.data() + begin, end - begin).get(element);
    const std::string where = FileLine(file, index + 1);
    if (error != simdjson::SUCCESS) ThrowNoJson(where, error);
    visit(Value(element, where), index);
    begin = end + 1;
    ++index;
  }
}

void AddMetric(const std::string& name, const Value& value, SplitMetrics& metrics) {
  if (value.IsNumber()) metrics.values.emplace_back(name, value.AsNumber(name));
  if (value.IsObject()) {
    value.ForEach([&](std::string_view part, const Value& inner) {
      AddMetric(fmt::format("{}_{}", name, part), inner, metrics);
    });
  }
}

}  // namespace

struct RunFiles::Parser {
  dom::parser json;
  std::string where;

  Value Read(const fs::path& file) {
    where = file;
    const std::string text = ReadRegularFile(where);
    dom::element element;
    const auto error = json.parse(text).get(element);
    if (error != simdjson::SUCCESS) ThrowNoJson(where, error);
    return Value(element, where);
  }
};

RunFiles::RunFiles() : parser_(std::make_unique<Parser>()) {}
RunFiles::~RunFiles() = default;

SweepFile RunFiles::ReadSweep(const fs::path& file) {
  const Value json = parser_->Read(file);
  if (json.NumberOr("format", 1) != 1) json.Fail("written by a newer version of flare");
  SweepFile sweep;
  sweep.name = json.StringOr("name", "");
  if (json.Find("seed")) sweep.seed = json.Count("seed");
  sweep.data = json.StringOr("data", "");
  const Value grid = json.At("grid");
  sweep.grid.languages = grid.Strings("languages");
  sweep.grid.architectures = grid.Strings("architectures");
  sweep.grid.losses = grid.Strings("losses");
  sweep.grid.validations = grid.Strings("validations");
  for (const Value& budget : grid.Array("budgets")) {
    sweep.grid.budgets.push_back(budget.AsCount("budgets"));
  }
  sweep.grid.trials = grid.Count("trials");
  return sweep;
}

std::map<std::string, Baselines> RunFiles::ReadBaselines(const fs::path& file) {
  const Value json = parser_->Read(file);
  std::map<std::string, Baselines> splits;
  json.At("splits").ForEach([&](std::string_view split, const Value& row) {
    splits[std::string(split)] = {row.MaybeNumber("majority"),
                                  row.MaybeNumber("majority_per_length"),
                                  row.MaybeNumber("format_only"), row.MaybeNumber("symbol_counts"),
                                  row.MaybeNumber("ngrams")};
  });
  return splits;
}

RunConfig RunFiles::ReadConfig(const fs::path& file) {
  const Value json = parser_->Read(file);
  RunConfig config;
  config.seed = json.At("seed").Text();
  if (const auto data = json.Find("data")) config.data_sha256 = data->StringOr("sha256", "");
  json.ForEach([&](std::string_view name, const Value& value) {
    if (value.IsObject() || value.IsArray() || name == "format") return;
    config.settings.emplace_back(name, value.IsNull() ? "" : value.Text());
  });
  return config;
}

RunResult RunFiles::ReadResult(const fs::path& file, RunState& state) {
  const Value json = parser_->Read(file);
  const std::string outcome = json.String("outcome");
  if (outcome != "finished" && outcome != "diverged") {
    json.Fail(fmt::format("'outcome' is {}, not finished or diverged", Quoted(outcome)));
  }
  state = outcome == "finished" ? RunState::kFinished : RunState::kDiverged;
  RunResult result;
  result.stop_reason = json.StringOr("stop_reason", "");
  result.epochs = json.Number("epochs");
  result.best_epoch = json.MaybeNumber("best_epoch");
  if (const auto best = json.Find("best_validation")) {
    result.validation_cross_entropy = best->MaybeNumber("recognition_cross_entropy");
    result.validation_accuracy = best->MaybeNumber("accuracy");
  }
  result.parameters = json.NumberOr("parameters", 0);
  result.seconds = json.NumberOr("seconds", 0);
  result.cpu_seconds = json.MaybeNumber("cpu_seconds");
  result.examples_per_second = json.NumberOr("examples_per_second", 0);
  result.model_sha256 = json.StringOr("model_sha256", "");
  json.At("splits").ForEach([&](std::string_view split, const Value& metrics) {
    if (metrics.IsNull()) return;
    SplitMetrics& ours = result.splits[std::string(split)];
    metrics.ForEach([&](std::string_view name, const Value& value) {
      AddMetric(std::string(name), value, ours);
    });
  });
  return result;
}

std::string RunFiles::ReadFailure(const fs::path& file) {
  return parser_->Read(file).StringOr("reason", "");
}

std::vector<CurvePoint> RunFiles::ReadCurve(const fs::path& events) {
  std::vector<CurvePoint> curve;
  double loss = kNaN;
  ForEachLine(parser_->json, events, [&](const Value& event, std::size_t) {
    const std::string kind = event.String("event");
    if (kind == "epoch") loss = event.NumberOr("loss", kNaN);
    if (kind != "checkpoint") return;
    CurvePoint point;
    point.epoch = event.Number("epoch");
    point.loss = loss;
    const Value validation = event.At("validation");
    point.validation_cross_entropy = validation.NumberOr("recognition_cross_entropy", kNaN);
    point.validation_accuracy = validation.NumberOr("accuracy", kNaN);
    point.is_best = event.Truth("is_best");
    curve.push_back(point);
  });
  return curve;
}

std::vector<LengthPoint> RunFiles::ReadLengthPoints(const fs::path& file) {
  const Value json = parser_->Read(file);
  std::vector<LengthPoint> points;
  if (!json.Find("smoothed")) return points;
  for (const Value& row : json.Array("smoothed")) {
    points.push_back({row.Number("length"), row.Number("examples"), row.NumberOr("accuracy", kNaN),
                      row.NumberOr("cross_entropy", kNaN),
                      row.NumberOr("cross_entropy_std", kNaN)});
  }
  return points;
}

std::vector<ExampleScore> RunFiles::ReadExamples(const fs::path& jsonl) {
  std::vector<ExampleScore> examples;
  ForEachLine(parser_->json, jsonl, [&](const Value& row, std::size_t index) {
    examples.push_back({index, row.NumberOr("logit", kNaN), row.Truth("label"),
                        row.Number("length"), row.NumberOr("cross_entropy", kNaN),
                        row.MaybeNumber("edit_distance")});
  });
  return examples;
}

std::vector<HardExample> RunFiles::ReadHardest(const fs::path& file) {
  const Value json = parser_->Read(file);
  std::vector<HardExample> examples;
  for (const Value& row : json.Array("examples")) {
    HardExample example;
    example.index = row.Count("index");
    example.text = row.String("string");
    example.label = row.Truth("label");
    example.logit = row.NumberOr("logit", kNaN);
    if (row.Find("prefix_probabilities")) {
      for (const Value& p : row.Array("prefix_probabilities")) {
        example.prefix_probabilities.push_back(p.IsNull() ? kNaN
                                                          : p.AsNumber("prefix_probabilities"));
      }
    }
    examples.push_back(std::move(example));
  }
  return examples;
}

}  // namespace flare::report
