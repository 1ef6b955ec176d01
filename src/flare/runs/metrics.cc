#include "flare/runs/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "flare/base/text.h"

namespace flare {
namespace {

// Spacing and half width of the smoothed curves (paper, Appendix I).
constexpr std::size_t kCurveStep = 10;

Json RowsToJson(const char* name, const std::vector<SplitMetrics::Row>& rows) {
  Json json = Json::array();
  for (const auto& [key, tally] : rows) {
    json.push_back({{name, OrNull(key)},
                    {"examples", tally.examples},
                    {"correct", tally.correct},
                    {"ce_sum", tally.ce_sum},
                    {"ce_squared_sum", tally.ce_squared_sum}});
  }
  return json;
}

std::vector<SplitMetrics::Row> RowsFromJson(const JsonValue& json, const char* table,
                                            const char* name) {
  std::vector<SplitMetrics::Row> rows;
  for (const JsonValue& row : json.Array(table)) {
    const auto key = row.MaybeCount(name);
    rows.push_back(
        {key ? std::optional<std::size_t>(*key) : std::nullopt,
         {row.Count("examples"), row.Count("correct"), row.NumberOr("ce_sum", kNotANumber),
          row.NumberOr("ce_squared_sum", kNotANumber)}});
  }
  return rows;
}

// The figures of the auxiliary terms, into objects where their names say so. An object without any
// figure is null.
void AddTerms(const SplitMetrics& m, Json& json) {
  for (const auto& [name, value] : m.of_terms) {
    const std::size_t dot = name.find('.');
    if (dot == std::string::npos) {
      json[name] = OrNull(value);
      continue;
    }
    Json& object = json[name.substr(0, dot)];
    if (value) object[name.substr(dot + 1)] = *value;
  }
}

// The members that every summary has.
constexpr const char* kMetricMembers[] = {"split",
                                          "examples",
                                          "positives",
                                          "accuracy",
                                          "recognition_cross_entropy",
                                          "false_positives",
                                          "false_negatives",
                                          "f1",
                                          "auc",
                                          "longest_perfect_length",
                                          "by_length",
                                          "smoothed",
                                          "by_edit_distance",
                                          "by_num_edits"};

// "state_by_length" is the table of the term whose key is "state".
constexpr std::string_view kByLength = "_by_length";

void AddTermTables(const SplitMetrics& m, Json& json) {
  for (const auto& [key, rows] : m.terms_by_length) {
    Json& table = json[key + std::string(kByLength)] = Json::array();
    for (const SplitMetrics::TermRow& row : rows) {
      table.push_back({{"length", row.length},
                       {"examples", row.examples},
                       {"correct", row.correct},
                       {"positions", row.positions},
                       {"positions_correct", row.positions_correct}});
    }
  }
}

void ReadTermTable(std::string_view name, const JsonValue& json, SplitMetrics& m) {
  std::vector<SplitMetrics::TermRow> rows;
  for (const JsonValue& row : json.Array(name)) {
    rows.push_back({row.Count("length"), row.Count("examples"), row.Count("correct"),
                    row.Count("positions"), row.Count("positions_correct")});
  }
  m.terms_by_length.emplace_back(name.substr(0, name.size() - kByLength.size()), std::move(rows));
}

void ReadTerms(const JsonValue& json, SplitMetrics& m) {
  json.ForEach([&](std::string_view name, const JsonValue& value) {
    if (std::find(std::begin(kMetricMembers), std::end(kMetricMembers), name) !=
        std::end(kMetricMembers)) {
      return;
    }
    if (name.ends_with(kByLength)) return ReadTermTable(name, json, m);
    const std::string figure(name);
    if (value.IsNull()) {
      m.of_terms.emplace_back(figure, std::nullopt);
    } else if (value.IsObject()) {
      value.ForEach([&](std::string_view member, const JsonValue& inner) {
        m.of_terms.emplace_back(fmt::format("{}.{}", name, member), inner.AsNumber(member));
      });
    } else {
      m.of_terms.emplace_back(figure, value.AsNumber(name));
    }
  });
}

// A number between 0 and 1, or nothing.
std::optional<double> Share(const JsonValue& json, std::string_view name) {
  const auto share = json.MaybeNumber(name);
  if (share && !(*share >= 0 && *share <= 1)) {
    json.Fail(fmt::format("'{}' is {}, not between 0 and 1", name, *share));
  }
  return share;
}

}  // namespace

void Tally::Add(bool is_correct, double cross_entropy) {
  ++examples;
  correct += is_correct ? 1 : 0;
  ce_sum += cross_entropy;
  ce_squared_sum += cross_entropy * cross_entropy;
}

void Tally::Add(const Tally& other) {
  examples += other.examples;
  correct += other.correct;
  ce_sum += other.ce_sum;
  ce_squared_sum += other.ce_squared_sum;
}

std::vector<std::pair<std::string, double>> SplitMetrics::Scalars() const {
  std::vector<std::pair<std::string, double>> scalars = {
      {"examples", static_cast<double>(examples)},
      {"positives", static_cast<double>(positives)},
      {"accuracy", accuracy}};
  const auto add = [&](const std::string& name, const std::optional<double>& value) {
    if (value && !std::isnan(*value)) scalars.emplace_back(name, *value);
  };
  add("recognition_cross_entropy", recognition_cross_entropy);
  for (const auto& [name, value] : of_terms) {
    std::string flat = name;
    std::replace(flat.begin(), flat.end(), '.', '_');
    add(flat, value);
  }
  scalars.emplace_back("false_positives", static_cast<double>(false_positives));
  scalars.emplace_back("false_negatives", static_cast<double>(false_negatives));
  add("f1", f1);
  add("auc", auc);
  scalars.emplace_back("longest_perfect_length", static_cast<double>(longest_perfect_length));
  return scalars;
}

std::optional<double> SplitMetrics::Find(std::string_view scalar) const {
  for (const auto& [name, value] : Scalars()) {
    if (name == scalar) return value;
  }
  return std::nullopt;
}

std::vector<LengthPoint> Smoothed(const std::vector<SplitMetrics::Row>& by_length) {
  std::vector<LengthPoint> points;
  if (by_length.empty()) return points;
  auto first = by_length.begin();
  for (std::size_t n = 0; n <= *by_length.back().key; n += kCurveStep) {
    while (*first->key + kCurveStep < n) ++first;
    Tally window;
    for (auto row = first; row != by_length.end() && *row->key <= n + kCurveStep; ++row) {
      window.Add(row->tally);
    }
    if (window.examples == 0) continue;
    const auto count = static_cast<double>(window.examples);
    const double mean = window.ce_sum / count;
    points.push_back({n, window.examples, static_cast<double>(window.correct) / count, mean,
                      std::sqrt(std::max(0.0, window.ce_squared_sum / count - mean * mean))});
  }
  return points;
}

Json MetricsSummary(const SplitMetrics& m) {
  Json json = {{"examples", m.examples},
               {"positives", m.positives},
               {"accuracy", m.accuracy},
               {"recognition_cross_entropy", m.recognition_cross_entropy}};
  AddTerms(m, json);
  json["false_positives"] = m.false_positives;
  json["false_negatives"] = m.false_negatives;
  json["f1"] = OrNull(m.f1);
  json["auc"] = OrNull(m.auc);
  json["longest_perfect_length"] = m.longest_perfect_length;
  return json;
}

Json MetricsToJson(const SplitMetrics& m) {
  Json json = {{"split", m.split}};
  json.update(MetricsSummary(m));
  json["by_length"] = RowsToJson("length", m.by_length);
  json["smoothed"] = Json::array();
  for (const LengthPoint& point : Smoothed(m.by_length)) {
    json["smoothed"].push_back({{"length", point.length},
                                {"examples", point.examples},
                                {"accuracy", point.accuracy},
                                {"cross_entropy", point.cross_entropy},
                                {"cross_entropy_std", point.cross_entropy_std}});
  }
  json["by_edit_distance"] = nullptr;
  json["by_num_edits"] = nullptr;
  if (m.by_edit_distance) {
    json["by_edit_distance"] = RowsToJson("edit_distance", *m.by_edit_distance);
  }
  if (m.by_num_edits) json["by_num_edits"] = RowsToJson("num_edits", *m.by_num_edits);
  AddTermTables(m, json);
  return json;
}

SplitMetrics MetricsFromJson(const JsonValue& json) {
  SplitMetrics m;
  m.split = json.StringOr("split", "");
  m.examples = json.Count("examples");
  m.positives = json.Count("positives");
  const auto accuracy = Share(json, "accuracy");
  if (!accuracy) json.Fail("'accuracy' is missing");
  m.accuracy = *accuracy;
  // That of a model that diverged is not a number.
  m.recognition_cross_entropy = json.NumberOr("recognition_cross_entropy", kNotANumber);
  if (m.recognition_cross_entropy < 0) {
    json.Fail(fmt::format("'recognition_cross_entropy' is {}, and none is negative",
                          m.recognition_cross_entropy));
  }
  ReadTerms(json, m);
  m.false_positives = json.CountOr("false_positives", 0);
  m.false_negatives = json.CountOr("false_negatives", 0);
  m.f1 = Share(json, "f1");
  m.auc = Share(json, "auc");
  m.longest_perfect_length = json.At("longest_perfect_length").AsInteger("longest_perfect_length");
  if (json.Find("by_length")) m.by_length = RowsFromJson(json, "by_length", "length");
  if (json.Find("by_edit_distance")) {
    m.by_edit_distance = RowsFromJson(json, "by_edit_distance", "edit_distance");
  }
  if (json.Find("by_num_edits")) m.by_num_edits = RowsFromJson(json, "by_num_edits", "num_edits");
  return m;
}

std::string ContradictionIn(const SplitMetrics& m) {
  // Far less than one example, far more than what division rounds away.
  const auto is = [](double value, double computed) { return std::abs(value - computed) < 1e-9; };
  const auto wrong = static_cast<double>(m.false_positives + m.false_negatives);
  const auto examples = static_cast<double>(m.examples);
  if (m.positives > m.examples) {
    return fmt::format("{} of {} are positive", m.positives, Counted(m.examples, "example"));
  }
  if (m.false_negatives > m.positives) {
    return fmt::format("{} of {} are false negatives", m.false_negatives,
                       Counted(m.positives, "positive"));
  }
  if (m.false_positives > m.examples - m.positives) {
    return fmt::format("{} of {} are false positives", m.false_positives,
                       Counted(m.examples - m.positives, "negative"));
  }
  if (!is(m.accuracy, 1 - wrong / examples)) {
    return fmt::format("accuracy is {}, and {} of {} are wrong", m.accuracy, wrong, m.examples);
  }
  const auto found = static_cast<double>(m.positives - m.false_negatives);
  if (m.f1 && !is(*m.f1, 2 * found / (2 * found + wrong))) {
    return fmt::format("f1 is {}, with {} false positives and {} false negatives of {}", *m.f1,
                       m.false_positives, m.false_negatives, Counted(m.positives, "positive"));
  }
  const auto format_wrong = m.Find("wrong_answers_format_wrong");
  const auto format_right = m.Find("wrong_answers_format_right");
  if (format_wrong && format_right && *format_wrong + *format_right != wrong) {
    return fmt::format("{} wrong answers have the wrong format and {} the right one, of {}",
                       *format_wrong, *format_right, wrong);
  }
  // A string that is wrong has a length, up to which not all are right; -1 says that none is.
  if (m.longest_perfect_length < -1 || (wrong == 0 && m.longest_perfect_length == -1)) {
    return fmt::format("all strings are right up to length {}, and {} of {} are wrong",
                       m.longest_perfect_length, wrong, m.examples);
  }
  return "";
}

std::vector<LengthPoint> LengthPointsFromJson(const JsonValue& json) {
  std::vector<LengthPoint> points;
  if (!json.Find("smoothed")) return points;
  for (const JsonValue& row : json.Array("smoothed")) {
    points.push_back({row.Count("length"), row.Count("examples"),
                      row.NumberOr("accuracy", kNotANumber),
                      row.NumberOr("cross_entropy", kNotANumber),
                      row.NumberOr("cross_entropy_std", kNotANumber)});
  }
  return points;
}

}  // namespace flare
