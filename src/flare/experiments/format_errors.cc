#include "flare/experiments/format_errors.h"

#include <fmt/format.h>

#include <filesystem>

#include "flare/automata/matcher.h"
#include "flare/automata/regex.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/data/dataset_language.h"
#include "flare/data/flare_reader.h"
#include "flare/runs/run_directory.h"
#include "flare/training/measure.h"

namespace flare {
namespace fs = std::filesystem;

const std::optional<std::vector<bool>>& FormatJudge::HasFormat(const std::string& dataset,
                                                               const std::string& split) {
  const auto [found, is_new] = known_.try_emplace(dataset + "\n" + split);
  std::optional<std::vector<bool>>& has_format = found->second;
  if (!is_new || !fs::exists(dataset) || !HasKnownLanguage(dataset)) return has_format;
  const NamedLanguage language = FindDatasetLanguage(dataset).language;
  if (language.envelope.empty()) return has_format;
  const Alphabet& alphabet = language.language->alphabet();
  const Matcher envelope(CompileRegex(language.envelope, alphabet.names()));
  const Split strings = ReadSplit(dataset, split, alphabet, kOnlyStrings);
  has_format.emplace();
  for (std::size_t i = 0; i < strings.size(); ++i) {
    has_format->push_back(envelope.Accepts(strings.string(i)));
  }
  return has_format;
}

std::optional<FormatErrors> FormatJudge::Errors(const Sweep& sweep, const PlacedRun& run,
                                                JsonReader& reader) {
  const std::string split = TestSplitOf(*run.result);
  const RunDirectory directory(sweep.RunPath(run.at));
  const fs::path answers = directory.evaluation() / (split + ".jsonl");
  if (!fs::exists(answers)) return std::nullopt;
  const auto& has_format = HasFormat(sweep.DatasetPath(run.at.language), split);
  if (!has_format) return std::nullopt;
  const std::vector<ExampleRow> rows = ReadExamples(ReadRegularFile(answers), answers, reader);
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
