#include "flare/runs/curves.h"

#include <filesystem>

#include "flare/base/file.h"

namespace flare {

namespace fs = std::filesystem;

RunCurves ReadCurves(const RunDirectory& run, const RunResult& result, JsonReader& reader) {
  RunCurves curves;
  const fs::path lengths = run.evaluation() / (TestSplitOf(result) + ".json");
  const fs::path edits = run.evaluation() / "test-edit-distance.jsonl";
  const fs::path events = run.events();
  if (const auto text = ReadEvaluation(result, lengths)) {
    curves.lengths = LengthPointsFromJson(reader.Parse(*text, lengths));
  }
  if (const auto text = ReadEvaluation(result, edits)) {
    curves.edits = ReadExamples(*text, edits, reader);
  }
  if (const auto text = ReadRunFile(result, events)) {
    curves.training = ReadCurve(*text, events, reader);
  }
  return curves;
}

std::vector<CurvePoint> Thinned(const std::vector<CurvePoint>& curve, std::size_t most) {
  if (curve.size() <= most + 2) return curve;  // also what was thinned before
  const std::size_t step = (curve.size() + most - 1) / most;
  std::size_t best = curve.size();
  for (std::size_t i = 0; i < curve.size(); ++i) {
    if (curve[i].checkpoint.is_best) best = i;
  }
  std::vector<CurvePoint> thinned;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    if (i % step == 0 || i == best || i + 1 == curve.size()) thinned.push_back(curve[i]);
  }
  return thinned;
}

}  // namespace flare
