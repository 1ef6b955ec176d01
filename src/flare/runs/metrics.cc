#include "flare/runs/metrics.h"

#include <fmt/format.h>

#include <algorithm>
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

constexpr std::string_view kCrossEntropy = "_cross_entropy", kAccuracy = "_accuracy";

Json TermAccuracyToJson(const SplitMetrics::Term& term) {
  if (!term.positions && !term.strings) return nullptr;
  Json json = Json::object();
  if (term.positions) json["positions"] = *term.positions;
  if (term.strings) json["strings"] = *term.strings;
  return json;
}

void AddTerms(const SplitMetrics& m, Json& json) {
  for (const SplitMetrics::Term& term : m.terms) {
    json[term.key + std::string(kCrossEntropy)] = OrNull(term.cross_entropy);
    if (term.measures_accuracy) json[term.key + std::string(kAccuracy)] = TermAccuracyToJson(term);
  }
  if (m.wrong_answers) {
    json["wrong_answers"] = {{"format_wrong", static_cast<double>(m.wrong_answers->format_wrong)},
                             {"format_right", static_cast<double>(m.wrong_answers->format_right)}};
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
                                          "wrong_answers",
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

// A number between 0 and 1, or nothing.
std::optional<double> Share(const JsonValue& json, std::string_view name) {
  const auto share = json.MaybeNumber(name);
  if (share && !(*share >= 0 && *share <= 1)) {
    json.Fail(fmt::format("'{}' is {}, not between 0 and 1", name, *share));
  }
  return share;
}

// A count, which version 0.2 wrote as a number with a fraction: 3.0.
std::size_t CountIn(const JsonValue& json, std::string_view name) {
  const double number = json.Number(name);
  constexpr double kMost = 1e15;
  if (!(number >= 0 && number <= kMost) || number != std::floor(number)) {
    json.Fail(fmt::format("'{}' is {}, not a count", name, number));
  }
  return static_cast<std::size_t>(number);
}

// The term that a member belongs to, "lm" for lm_cross_entropy; it is added if it is new.
SplitMetrics::Term& TermOf(std::string_view member, std::string_view ending, SplitMetrics& m) {
  const std::string_view key = member.substr(0, member.size() - ending.size());
  const auto found = std::find_if(m.terms.begin(), m.terms.end(),
                                  [&](const SplitMetrics::Term& term) { return term.key == key; });
  if (found != m.terms.end()) return *found;
  m.terms.push_back({.key = std::string(key)});
  return m.terms.back();
}

void ReadTerms(const JsonValue& json, SplitMetrics& m) {
  json.ForEach([&](std::string_view name, const JsonValue& value) {
    if (std::find(std::begin(kMetricMembers), std::end(kMetricMembers), name) !=
        std::end(kMetricMembers)) {
      return;
    }
    if (name.ends_with(kByLength)) return ReadTermTable(name, json, m);
    if (name.ends_with(kCrossEntropy)) {
      TermOf(name, kCrossEntropy, m).cross_entropy = json.MaybeNumber(name);
    } else if (name.ends_with(kAccuracy)) {
      SplitMetrics::Term& term = TermOf(name, kAccuracy, m);
      term.measures_accuracy = true;
      if (value.IsNull()) return;
      term.positions = Share(value, "positions");
      term.strings = Share(value, "strings");
    } else if (value.IsNull() || !m.SetFigure(name, value.AsNumber(name))) {
      // Records that version 0.2 made from a table have figures by these names.
      json.Fail(fmt::format("unknown metric {}", Quoted(name)));
    }
  });
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

void SplitMetrics::ForEachScalar(const std::function<void(std::string_view, double)>& use) const {
  const auto add = [&](std::string_view name, const std::optional<double>& value) {
    if (value && !std::isnan(*value)) use(name, *value);
  };
  const auto count = [&](std::string_view name, auto value) {
    use(name, static_cast<double>(value));
  };
  count("examples", examples);
  count("positives", positives);
  add("accuracy", accuracy);
  add("recognition_cross_entropy", recognition_cross_entropy);
  for (const Term& term : terms) {
    add(fmt::format("{}{}", term.key, kCrossEntropy), term.cross_entropy);
    add(fmt::format("{}{}_positions", term.key, kAccuracy), term.positions);
    add(fmt::format("{}{}_strings", term.key, kAccuracy), term.strings);
  }
  if (wrong_answers) {
    count("wrong_answers_format_wrong", wrong_answers->format_wrong);
    count("wrong_answers_format_right", wrong_answers->format_right);
  }
  if (!accuracy) return;
  count("false_positives", false_positives);
  count("false_negatives", false_negatives);
  add("f1", f1);
  add("auc", auc);
  count("longest_perfect_length", longest_perfect_length);
}

bool SplitMetrics::SetFigure(std::string_view name, double value) {
  constexpr std::string_view kPositions = "_accuracy_positions", kStrings = "_accuracy_strings";
  if (name == "wrong_answers_format_wrong" || name == "wrong_answers_format_right") {
    if (!(value >= 0)) return false;
    if (!wrong_answers) wrong_answers.emplace();
    (name.ends_with("wrong") ? wrong_answers->format_wrong : wrong_answers->format_right) =
        static_cast<std::size_t>(value);
  } else if (name.ends_with(kCrossEntropy)) {
    TermOf(name, kCrossEntropy, *this).cross_entropy = value;
  } else if (name.ends_with(kPositions) || name.ends_with(kStrings)) {
    const bool is_positions = name.ends_with(kPositions);
    Term& term = TermOf(name, is_positions ? kPositions : kStrings, *this);
    term.measures_accuracy = true;
    (is_positions ? term.positions : term.strings) = value;
  } else {
    return false;
  }
  return true;
}

std::optional<double> SplitMetrics::Find(std::string_view scalar) const {
  // Reports ask for this one most.
  if (scalar == "accuracy") return accuracy;
  std::optional<double> found;
  ForEachScalar([&](std::string_view name, double value) {
    if (name == scalar) found = value;
  });
  return found;
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
  Json json = {{"examples", m.examples}, {"positives", m.positives}};
  if (m.accuracy) {
    json["accuracy"] = *m.accuracy;
    json["recognition_cross_entropy"] = OrNull(m.recognition_cross_entropy);
  }
  AddTerms(m, json);
  if (!m.accuracy) return json;
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
  if (!m.accuracy) {
    AddTermTables(m, json);
    return json;
  }
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
  ReadTerms(json, m);
  m.accuracy = Share(json, "accuracy");
  if (!m.accuracy) {
    // A model without recognition has the metrics of its terms, and no others.
    for (const char* of_recognition : {"recognition_cross_entropy", "longest_perfect_length"}) {
      if (json.Find(of_recognition)) json.Fail("'accuracy' is missing");
    }
    if (m.terms.empty()) json.Fail("'accuracy' is missing");
    return m;
  }
  // The cross-entropy of a model that diverged is not a number.
  m.recognition_cross_entropy = json.NumberOr("recognition_cross_entropy", kNotANumber);
  if (*m.recognition_cross_entropy < 0) {
    json.Fail(fmt::format("'recognition_cross_entropy' is {}, and none is negative",
                          *m.recognition_cross_entropy));
  }
  if (const auto wrong = json.Find("wrong_answers")) {
    m.wrong_answers = {CountIn(*wrong, "format_wrong"), CountIn(*wrong, "format_right")};
  }
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
