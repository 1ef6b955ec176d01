#include "flare/report/run_files.h"

#include "flare/base/error.h"
#include "flare/base/file.h"

namespace flare::report {

namespace fs = std::filesystem;

namespace {

// Nothing if there is no such file. Those of a finished run are checked against its result.
std::optional<std::string> TextOf(const Run& run, const fs::path& file) {
  return RunDirectory(run.directory)
      .ReadFileOf(run.result ? *run.result : RunResult(), file.lexically_relative(run.directory));
}

}  // namespace

template <class Read>
auto RunFiles::Try(const Run& run, const fs::path& file, Read read) {
  using Result = decltype(read(std::string(), file));
  // What is wrong with such a run is known, and nothing from it is shown.
  if (run.state == RunState::kDamaged) return Result();
  try {
    const auto text = TextOf(run, file);
    return text ? read(*text, file) : Result();
  } catch (...) {
    damage_.try_emplace(run.directory, CaughtFault());
    return Result();
  }
}

std::vector<CurvePoint> RunFiles::Curve(const Run& run) {
  if (run.curves != nullptr) return run.curves->training;
  return Try(run, run.directory / "events.jsonl",
             [&](const std::string& text, const fs::path& file) {
               // A line that is being written has no newline yet; a finished run has no such
               // line.
               if (run.result && !text.ends_with('\n'))
                 throw InputError(file, "its last line is damaged");
               return ReadCurve(text, file, reader_);
             });
}

std::vector<LengthPoint> RunFiles::Lengths(const Run& run) {
  if (run.curves != nullptr) return run.curves->lengths;
  const fs::path file = run.directory / "eval" / (run.test_split + ".json");
  return Try(run, file, [&](const std::string& text, const fs::path& where) {
    return LengthPointsFromJson(reader_.Parse(text, where));
  });
}

std::vector<ExampleRow> RunFiles::Examples(const Run& run, const std::string& split) {
  // Records have only those of the edit-distance test set.
  if (run.curves != nullptr) {
    return split == "test-edit-distance" ? run.curves->edits : std::vector<ExampleRow>();
  }
  const fs::path file = run.directory / "eval" / (split + ".jsonl");
  return Try(run, file, [&](const std::string& text, const fs::path& where) {
    return ReadExamples(text, where, reader_);
  });
}

std::vector<HardExample> RunFiles::Hardest(const Run& run) {
  const fs::path file = run.directory / "eval" / "hardest.json";
  return Try(run, file, [&](const std::string& text, const fs::path& where) {
    return HardestFromJson(reader_.Parse(text, where));
  });
}

std::optional<SavedExtraction> RunFiles::Extraction(const Run& run) {
  if (!run.result || run.curves != nullptr) return std::nullopt;
  const RunDirectory directory(run.directory);
  return Try(run, directory.extraction() / "report.json", [&](const std::string&, const fs::path&) {
    return ReadExtraction(directory, run.result->model_sha256);
  });
}

}  // namespace flare::report
