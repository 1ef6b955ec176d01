#include "flare/experiments/format_errors.h"

#include <fmt/format.h>

#include <filesystem>

#include "flare/automata/matcher.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/runs/run_directory.h"
#include "flare/training/measure.h"

namespace flare {
namespace fs = std::filesystem;

const std::optional<std::vector<bool>>& FormatJudge::HasFormat(const RunData& data,
                                                               const std::string& split) {
  const auto [found, is_new] = known_.try_emplace(data.pinned.Sha256OfAll() + "\n" + split);
  std::optional<std::vector<bool>>& has_format = found->second;
  if (!is_new) return has_format;
  std::optional<Matcher> format;
  std::optional<Split> strings;
  try {
    if (!fs::exists(data.pinned.path)) return has_format;
    format = FormatOf(data);
    if (!format) return has_format;
    strings = ReadPinnedSplit(data, split, kOnlyStrings);
  } catch (...) {
    CaughtFault();
    return has_format;  // not there, not to be read, or other data than the run had
  }
  has_format.emplace();
  for (std::size_t i = 0; i < strings->size(); ++i) {
    has_format->push_back(format->Accepts(strings->string(i)));
  }
  return has_format;
}

std::optional<FormatErrors> FormatJudge::Errors(const Sweep& sweep, const PlacedRun& run,
                                                JsonReader& reader) {
  const std::string split = TestSplitOf(*run.result);
  const RunDirectory directory(sweep.RunPath(run.at));
  const fs::path answers = directory.evaluation() / (split + ".jsonl");
  const auto text = ReadEvaluation(*run.result, answers);
  if (!text) return std::nullopt;
  RunData data{.pinned = run.config->data, .alphabet = Alphabet(run.config->data.alphabet)};
  data.pinned.path = sweep.DatasetPath(run.at.language);
  const auto& has_format = HasFormat(data, split);
  if (!has_format) return std::nullopt;
  const std::vector<ExampleRow> rows = ReadExamples(*text, answers, reader);
  if (rows.size() != has_format->size()) {
    throw InputError(answers, fmt::format("has {} answers, and the split has {} strings",
                                          rows.size(), has_format->size()));
  }
  FormatErrors errors;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // As measure.cc decides.
    if (rows[i].label || !Accepts(rows[i].logit)) continue;
    ++((*has_format)[i] ? errors.right_format : errors.wrong_format);
  }
  return errors;
}

}  // namespace flare
