#include "flare/report/run_files.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/text.h"
#include "flare/data/flare_files.h"
#include "flare/report/dataset_facts.h"

namespace flare::report {

namespace fs = std::filesystem;

namespace {

// Returns nothing if there is no such file. Checks a file of a finished run against its result.
std::optional<std::string> TextOf(const StudyRun& run, const fs::path& file) {
  return RunDirectory(run.path).ReadFileOf(run.result ? *run.result : RunResult(),
                                           file.lexically_relative(run.path));
}

}  // namespace

template <class Read>
auto RunFiles::Try(const StudyRun& run, const fs::path& file, Read read) {
  using Result = decltype(read(std::string(), file));
  // The fault of a damaged run is known already, and nothing of it is shown.
  if (run.state == RunState::kDamaged) return Result();
  try {
    const auto text = TextOf(run, file);
    return text ? read(*text, file) : Result();
  } catch (...) {
    damage_.try_emplace(run.path, CaughtFault());
    return Result();
  }
}

std::vector<CurvePoint> RunFiles::Curve(const StudyRun& run) {
  if (run.curves != nullptr) return run.curves().training;
  return Try(run, run.path / "events.jsonl", [&](const std::string& text, const fs::path& file) {
    // A line that is being written has no newline yet; a finished run has no such
    // line.
    if (run.result && !text.ends_with('\n')) throw InputError(file, "its last line is damaged");
    return ReadCurve(text, file, reader_);
  });
}

std::vector<LengthPoint> RunFiles::Lengths(const StudyRun& run) {
  if (run.curves != nullptr) return run.curves().lengths;
  const fs::path file = run.path / "eval" / (run.test_split + ".json");
  return Try(run, file, [&](const std::string& text, const fs::path& where) {
    return LengthPointsFromJson(reader_.Parse(text, where));
  });
}

LengthTables RunFiles::ByLength(const StudyRun& run) {
  if (run.curves != nullptr) {
    knows_windows_only_ = true;
    LengthTables tables;
    const RunCurves curves = run.curves();
    for (const LengthPoint& p : curves.lengths) {
      if (p.length % 20 != 10) continue;
      const auto examples = static_cast<double>(p.examples);
      tables.accuracy.push_back({p.length, examples, examples * p.accuracy});
    }
    return tables;
  }
  const fs::path file = run.path / "eval" / (run.test_split + ".json");
  return Try(run, file, [&](const std::string& text, const fs::path& where) {
    LengthTables tables;
    SplitMetrics metrics = MetricsFromJson(reader_.Parse(text, where));
    for (const SplitMetrics::Row& row : metrics.by_length) {
      tables.accuracy.push_back({*row.key, static_cast<double>(row.tally.examples),
                                 static_cast<double>(row.tally.correct)});
    }
    tables.terms = std::move(metrics.terms_by_length);
    return tables;
  });
}

std::vector<ExampleRow> RunFiles::Examples(const StudyRun& run, const std::string& split) {
  // Records have only those of the edit-distance test set.
  if (run.curves != nullptr) {
    return split == "test-edit-distance" ? run.curves().edits : std::vector<ExampleRow>();
  }
  const fs::path file = run.path / "eval" / (split + ".jsonl");
  return Try(run, file, [&](const std::string& text, const fs::path& where) {
    return ReadExamples(text, where, reader_);
  });
}

std::vector<HardExample> RunFiles::Hardest(const StudyRun& run) {
  const fs::path file = run.path / "eval" / "hardest.json";
  return Try(run, file, [&](const std::string& text, const fs::path& where) {
    return HardestFromJson(reader_.Parse(text, where));
  });
}

std::optional<SavedExtraction> RunFiles::Extraction(const StudyRun& run) {
  if (!run.result || run.curves != nullptr) return std::nullopt;
  const RunDirectory directory(run.path);
  return Try(run, directory.extraction() / "report.json", [&](const std::string&, const fs::path&) {
    return ReadExtraction(directory, run.result->model_sha256);
  });
}

namespace {

constexpr std::size_t kExamples = 10;

// A score that is not a number is the worst: a model that diverged gave it.
double Hardness(const ExampleRow& example) {
  return std::isnan(example.cross_entropy) ? std::numeric_limits<double>::infinity()
                                           : example.cross_entropy;
}

}  // namespace

std::vector<std::string> ReadTestStrings(const Study& study, const std::string& language) {
  std::vector<std::string> strings;
  try {
    const auto text =
        ReadAsRecorded(study.datasets.at(language), SplitPath(study.test_split) / kMainFile,
                       study.data.at(language));
    if (!text) return strings;
    for (const std::string_view line : Lines(*text)) strings.emplace_back(line);
  } catch (...) {
    CaughtFault();  // data that cannot be read counts as missing
  }
  return strings;
}

std::vector<HardExample> ReadHardExamples(const StudyRun& run,
                                          const std::vector<std::string>& strings,
                                          RunFiles& files) {
  std::vector<HardExample> hardest = files.Hardest(run);
  if (hardest.size() > kExamples) hardest.resize(kExamples);
  if (!hardest.empty()) return hardest;
  const std::vector<ExampleRow> rows = files.Examples(run, run.test_split);
  // Strings of another dataset would be nonsense next to these scores.
  if (rows.size() != strings.size()) return hardest;
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto count = static_cast<std::ptrdiff_t>(std::min(kExamples, order.size()));
  std::partial_sort(
      order.begin(), order.begin() + count, order.end(), [&](std::size_t a, std::size_t b) {
        return Hardness(rows[a]) != Hardness(rows[b]) ? Hardness(rows[a]) > Hardness(rows[b])
                                                      : a < b;
      });
  order.resize(static_cast<std::size_t>(count));
  for (const std::size_t i : order) {
    hardest.push_back({i, strings[i], rows[i].label, rows[i].logit, {}});
  }
  return hardest;
}

}  // namespace flare::report
