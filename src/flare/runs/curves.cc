#include "flare/runs/curves.h"

#include <fmt/format.h>

namespace flare {

RunCurves ReadCurves(const RunDirectory& run, const RunResult& result, JsonReader& reader) {
  RunCurves curves;
  const auto read = [&](const std::string& file, auto parse) {
    if (const auto text = run.ReadFileOf(result, file)) parse(*text, run.path() / file);
  };
  read(fmt::format("eval/{}.json", TestSplitOf(result)), [&](const auto& text, const auto& file) {
    curves.lengths = LengthPointsFromJson(reader.Parse(text, file));
  });
  read("eval/test-edit-distance.jsonl", [&](const auto& text, const auto& file) {
    curves.edits = ReadExamples(text, file, reader);
  });
  read("events.jsonl", [&](const auto& text, const auto& file) {
    curves.training = ReadCurve(text, file, reader);
  });
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
