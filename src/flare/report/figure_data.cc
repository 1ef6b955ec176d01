#include "flare/report/figure_data.h"

#include <filesystem>

#include "flare/base/file.h"

namespace flare::report {

namespace fs = std::filesystem;

RunFigures ReadRunFigures(const Run& run, JsonReader& reader) {
  const fs::path& directory = run.directory;
  RunFigures figures;
  figures.run = &run;
  const fs::path lengths = directory / "eval" / (run.test_split + ".json");
  const fs::path edits = directory / "eval" / "test-edit-distance.jsonl";
  const fs::path events = directory / "events.jsonl";
  if (fs::exists(lengths)) figures.lengths = LengthPointsFromJson(reader.Read(lengths));
  if (fs::exists(edits)) figures.edits = ReadExamples(ReadRegularFile(edits), edits, reader);
  if (fs::exists(events)) figures.training = ReadCurve(ReadRegularFile(events), events, reader);
  return figures;
}

std::vector<RunFigures> ReadLanguageFigures(const Selection& selection, const std::string& language,
                                            JsonReader& reader) {
  std::vector<RunFigures> all;
  for (const std::string& variant : selection.sweep().Variants()) {
    const Run* run = selection.ForFigures(language, variant);
    if (run != nullptr) all.push_back(ReadRunFigures(*run, reader));
  }
  return all;
}

}  // namespace flare::report
