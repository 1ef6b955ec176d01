#include "flare/report/figure_data.h"

#include <filesystem>

namespace flare::report {

namespace fs = std::filesystem;

RunFigures ReadRunFigures(const Run& run, RunFiles& files) {
  const fs::path& directory = run.directory;
  RunFigures figures;
  figures.run = &run;
  const fs::path lengths = directory / "eval" / "test.json";
  const fs::path edits = directory / "eval" / "test-edit-distance.jsonl";
  const fs::path events = directory / "events.jsonl";
  if (fs::exists(lengths)) figures.lengths = files.ReadLengthPoints(lengths);
  if (fs::exists(edits)) figures.edits = files.ReadExamples(edits);
  if (fs::exists(events)) figures.training = files.ReadCurve(events);
  return figures;
}

std::vector<RunFigures> ReadLanguageFigures(const Selection& selection, const std::string& language,
                                            RunFiles& files) {
  std::vector<RunFigures> all;
  for (const std::string& architecture : selection.sweep().Architectures()) {
    const Run* run = selection.ForFigures(language, architecture);
    if (run != nullptr) all.push_back(ReadRunFigures(*run, files));
  }
  return all;
}

}  // namespace flare::report
