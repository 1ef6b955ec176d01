#include "flare/runs/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/sha256.h"
#include "flare/base/text.h"
#include "flare/runs/run_directory.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHashDigits = 16;

Json Rounded(double value, int digits) {
  if (!std::isfinite(value)) return nullptr;
  // Not std::stod, which throws for numbers as small as 1e-310.
  return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

// Rounds all numbers but whole ones and accuracies: tables must show the same accuracies.
void RoundAll(Json& json, int digits) {
  for (auto& [key, item] : json.items()) {
    if (item.is_structured()) {
      RoundAll(item, digits);
    } else if (item.is_number_float() && key != "accuracy") {
      item = Rounded(item.get<double>(), digits);
    }
  }
}

Json AtToJson(const Coordinates& at) {
  return {{"language", at.language},     {"variant", at.variant}, {"loss", at.loss},
          {"validation", at.validation}, {"budget", at.budget},   {"trial", at.trial}};
}

Coordinates AtFromJson(const JsonValue& json) {
  return {.language = json.String("language"),
          .variant = json.String("variant"),
          .loss = json.String("loss"),
          .validation = json.String("validation"),
          .budget = json.Count("budget"),
          .trial = json.Count("trial")};
}

Json LengthsToJson(const std::vector<LengthPoint>& points) {
  Json rows = Json::array();
  for (const LengthPoint& p : points) {
    const double correct = p.accuracy * static_cast<double>(p.examples);
    rows.push_back({p.length, p.examples, std::llround(correct), Rounded(p.cross_entropy, 4),
                    Rounded(p.cross_entropy_std, 3)});
  }
  return rows;
}

Json EditsToJson(const std::vector<ExampleRow>& rows) {
  Json edits = Json::array();
  for (const ExampleRow& row : rows) {
    if (row.edit_distance) {
      edits.push_back({*row.edit_distance, row.length, Rounded(row.cross_entropy, 4)});
    }
  }
  return edits;
}

Json TrainingToJson(const std::vector<CurvePoint>& curve) {
  Json rows = Json::array();
  for (const CurvePoint& p : curve) {
    rows.push_back({p.checkpoint.epoch, Rounded(p.loss, 4), Rounded(p.checkpoint.cross_entropy, 4),
                    Rounded(p.checkpoint.accuracy, 4), p.checkpoint.is_best ? 1 : 0});
  }
  return rows;
}

// The numbers of a curve's rows, each of `width`, in the part of a line that has the curves; NaN
// where one is null. A line has hundreds of them, for which a tree of JSON would be slow.
template <std::size_t width, class Use>
void ForEachRow(std::string_view text, std::string_view name, const std::string& where, Use use) {
  const std::string head = fmt::format("\"{}\":[", name);
  const std::size_t begin = text.find(head);
  if (begin == std::string_view::npos) return;
  const char* at = text.data() + begin + head.size();
  const char* const end = text.data() + text.size();
  const auto take = [&](std::string_view expected) {
    if (!std::string_view(at, static_cast<std::size_t>(end - at)).starts_with(expected)) {
      throw InputError(where, fmt::format("'{}' is not rows of {} numbers", name, width));
    }
    at += expected.size();
  };
  for (bool first = true; at < end && *at != ']'; first = false) {
    take(first ? "[" : ",[");
    std::array<double, width> row;
    for (std::size_t i = 0; i < width; ++i) {
      if (i > 0) take(",");
      row[i] = kNotANumber;
      if (const auto [next, error] = std::from_chars(at, end, row[i]); error == std::errc()) {
        at = next;
      } else {
        take("null");
      }
    }
    take("]");
    use(row);
  }
  take("]");
}

RunCurves CurvesFromText(std::string_view text, const std::string& where) {
  const auto count = [](double value) { return static_cast<std::size_t>(value); };
  RunCurves curves;
  ForEachRow<5>(text, "lengths", where, [&](const std::array<double, 5>& row) {
    curves.lengths.push_back({count(row[0]), count(row[1]), row[2] / row[1], row[3], row[4]});
  });
  ForEachRow<3>(text, "edits", where, [&](const std::array<double, 3>& row) {
    curves.edits.push_back({.length = count(row[1]),
                            .cross_entropy = row[2],
                            .of_terms = {},
                            .edit_distance = count(row[0]),
                            .num_edits = {}});
  });
  ForEachRow<5>(text, "training", where, [&](const std::array<double, 5>& row) {
    curves.training.push_back({{.epoch = count(row[0]),
                                .learning_rate = kNotANumber,
                                .is_best = row[4] == 1,
                                .cross_entropy = row[2],
                                .accuracy = row[3]},
                               row[1]});
  });
  return curves;
}

// The scores of a split have the same names as those of the others, which are written once:
// "metrics" has them, and "splits" a row of values for every split that has any.
Json Packed(const Json& result) {
  Json packed = result;
  std::vector<std::string> metrics;
  for (const Json& split : result["splits"]) {
    if (split.is_null()) continue;
    for (const auto& [name, value] : split.items()) {
      if (std::find(metrics.begin(), metrics.end(), name) == metrics.end()) metrics.push_back(name);
    }
  }
  for (auto& [name, split] : packed["splits"].items()) {
    if (split.is_null()) continue;
    Json row = Json::array();
    for (const std::string& metric : metrics) row.push_back(split.value(metric, Json()));
    split = std::move(row);
  }
  packed["metrics"] = metrics;
  return packed;
}

RunResult ResultFromPacked(const JsonValue& json) {
  Json result = json.document();
  const std::vector<std::string> metrics = json.Strings("metrics");
  for (auto& [name, split] : result["splits"].items()) {
    if (split.is_null()) continue;
    if (!split.is_array() || split.size() != metrics.size()) {
      json.Fail(
          fmt::format("'{}' does not have a value for each of {} metrics", name, metrics.size()));
    }
    Json scores = Json::object();
    for (std::size_t i = 0; i < metrics.size(); ++i) scores[metrics[i]] = std::move(split[i]);
    split = std::move(scores);
  }
  result.erase("metrics");
  return ResultFromJson(JsonValue(result, json.where()));
}

constexpr std::string_view kCurves = ",\"lengths\":[";

// The curves of a line, as part of a file: the texts of 50,000 runs would fill the memory.
struct CurvesInFile {
  std::shared_ptr<const fs::path> file;  // the same of all its lines
  std::size_t line, begin, size;

  RunCurves operator()() const {
    std::string text(size, ' ');
    std::ifstream in(*file, std::ios::binary);
    in.seekg(static_cast<std::streamoff>(begin));
    const std::string where = FileLine(*file, line);
    if (!in.read(text.data(), static_cast<std::streamsize>(size)) ||
        (size > 0 && !text.starts_with(kCurves))) {
      throw InputError(where, "has changed since it was read");
    }
    return CurvesFromText(text, where);
  }
};

std::string HashOf(std::string_view line) { return Sha256(line).substr(0, kHashDigits); }

// Everything up to the hash.
std::string Unsigned(const Run& record, const RunCurves& curves, const Json& training) {
  Json result = ResultToJson(*record.result);
  RoundAll(result["splits"], 9);
  Json json = {{"run", AtToJson(record.at)},         {"config", ConfigToJson(*record.config)},
               {"result", Packed(result)},           {"lengths", LengthsToJson(curves.lengths)},
               {"edits", EditsToJson(curves.edits)}, {"training", training}};
  if (!record.imported.empty()) json["imported"] = record.imported;
  std::string text = json.dump();
  text.pop_back();  // the closing brace
  return text;
}

// Reads which run a line is of from its beginning alone, whatever became of the rest. Throws
// InputError.
Coordinates RecordedRun(std::string_view line, const std::string& where, JsonReader& reader) {
  constexpr std::string_view kBegin = "{\"run\":", kNext = ",\"config\":";
  const std::size_t end = line.find(kNext);
  if (!line.starts_with(kBegin) || end == std::string_view::npos) {
    throw InputError(where, "is not a record: it does not say which run it is of",
                     "remove the line, and collect the run again");
  }
  return AtFromJson(reader.Parse(line.substr(kBegin.size(), end - kBegin.size()), where));
}

// Trials last, as numbers: the lines of new trials stand between old ones, which do not change.
auto SortKey(const Coordinates& at) {
  return std::tie(at.variant, at.loss, at.validation, at.budget, at.trial);
}

// The part of a line that has the curves, which stand between the result and the hash, or what
// comes before that: in a string, their quotation marks would have backslashes. Empty if there is
// none.
std::string_view CurvesIn(std::string_view line) {
  const std::size_t begin = line.find(kCurves);
  if (begin == std::string_view::npos) return {};
  std::size_t end = line.find(",\"imported\":\"", begin);
  if (end == std::string_view::npos) end = line.find(",\"sha256\":\"", begin);
  return end == std::string_view::npos ? std::string_view() : line.substr(begin, end - begin);
}

// Adds the runs of a file's text. Throws InputError for a line that does not say which run it is.
void ReadLines(const fs::path& file, const std::string& language, const std::set<std::string>& runs,
               RecordsRead& read) {
  JsonReader reader;
  const auto shared_file = std::make_shared<const fs::path>(file);
  const std::string text = ReadRegularFile(file);
  std::size_t number = 0;
  for (const std::string_view line : Lines(text)) {
    const std::string where = FileLine(file, ++number);
    const Coordinates at = RecordedRun(line, where, reader);
    const std::string path = at.Path();
    const auto refuse = [&](const char* why) {
      throw InputError(where, fmt::format("the run {} {}", Quoted(path), why),
                       "remove the line, and collect the run again");
    };
    if (at.language != language || !runs.contains(path)) refuse("does not belong here");
    if (read.records.contains(path) || read.damaged.contains(path)) refuse("is listed twice");
    try {
      Run record = RecordFromLine(line, where, reader);
      const std::string_view curves = CurvesIn(line);
      const auto begin = curves.empty() ? 0 : static_cast<std::size_t>(curves.data() - text.data());
      record.curves = CurvesInFile{shared_file, number, begin, curves.size()};
      read.records.emplace(path, std::move(record));
    } catch (const InputError& error) {
      read.damaged[path] = error.what();
    }
  }
}

}  // namespace

std::string RecordLine(const Run& record) {
  constexpr std::array<std::size_t, 6> kPoints = {100, 60, 40, 25, 12, 6};
  const RunCurves curves = record.curves();
  std::string line;
  for (const std::size_t points : kPoints) {
    line = Unsigned(record, curves, TrainingToJson(Thinned(curves.training, points)));
    line += fmt::format(",\"sha256\":\"{}\"}}\n", HashOf(line));
    if (line.size() <= kMostRecordBytes) break;
  }
  return line;
}

Run RecordFromLine(std::string_view line, const std::string& where, JsonReader& reader) {
  const std::string_view curves = CurvesIn(line);
  std::string others(line);
  if (!curves.empty()) {
    others.erase(static_cast<std::size_t>(curves.data() - line.data()), curves.size());
  }
  const JsonValue json = reader.Parse(others, where);
  const std::string hash = json.String("sha256");
  const std::string end = fmt::format(",\"sha256\":\"{}\"}}", hash);
  if (!line.ends_with(end) || HashOf(line.substr(0, line.size() - end.size())) != hash) {
    json.Fail("the line is not what was written: its hash does not match");
  }
  Run run{.at = AtFromJson(json.At("run")),
          .config = ConfigFromJson(json.At("config")),
          .imported = json.StringOr("imported", "")};
  run.result = ResultFromPacked(json.At("result"));
  run.curves = [text = std::string(curves), where] { return CurvesFromText(text, where); };
  run.state = run.result->diverged ? RunState::kDiverged : RunState::kFinished;
  return run;
}

Run RecordOf(const Run& run, JsonReader& reader) {
  Run record = run;
  if (!record.curves) {
    record.curves = [curves = ReadCurves(RunDirectory(run.path), *run.result, reader)] {
      return curves;
    };
  }
  record.path.clear();
  record.config->data = record.config->data.ByHash();
  record.result->files.clear();  // a record has no files, and carries its own hash
  return record;
}

RecordsRead ReadRecords(const Sweep& sweep, const Grid::GridLanguage& language) {
  std::set<std::string> paths;
  for (const Coordinates& at : sweep.grid.RunsOf(language)) paths.insert(at.Path());
  RecordsRead read;
  try {
    const fs::path file = RecordsFile(sweep.out, language.name);
    if (fs::exists(file)) ReadLines(file, language.name, paths, read);
  } catch (...) {
    const std::string why = CaughtFault();
    read = {.records = {}, .damaged = {}, .unreadable = {{language.name, why}}};
    for (const std::string& path : paths) read.damaged[path] = why;
  }
  return read;
}

RecordsRead ReadRecords(const Sweep& sweep) {
  RecordsRead read;
  for (const Grid::GridLanguage& language : sweep.grid.languages) {
    RecordsRead of_language = ReadRecords(sweep, language);
    read.records.merge(of_language.records);
    read.damaged.merge(of_language.damaged);
    read.unreadable.merge(of_language.unreadable);
  }
  return read;
}

std::string FormatRecords(const Records& records, const std::string& language) {
  std::vector<const Run*> sorted;
  for (const auto& [path, record] : records) {
    if (record.at.language == language) sorted.push_back(&record);
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const Run* a, const Run* b) { return SortKey(a->at) < SortKey(b->at); });
  std::string text;
  for (const Run* record : sorted) text += RecordLine(*record);
  return text;
}

}  // namespace flare
