// Writes the records of a sweep as if all of its runs had been made, to measure reports of many
// runs without training any:
//
//   made_up_records SWEEP TO [TRIALS]
//
// SWEEP is a sweep that is planned, or records of one: results/paper/records with 116 trials has
// 50,112 runs. TO, which must not exist, is made a directory of records with its datasets'
// manifests, of which every language needs one, and its baselines. Settings and seeds are those of
// the grid; the figures are drawn from streams named after the runs, so that the same sweep gives
// the same bytes. They look plausible and mean nothing.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/rng.h"
#include "flare/base/sha256.h"
#include "flare/data/manifest.h"
#include "flare/nn/loss_terms.h"
#include "flare/runs/records.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

RunConfig ConfigOf(const Sweep& sweep, const Coordinates& at, const Manifest& manifest) {
  const SettingTexts given = sweep.grid.SettingsOf(at);
  RunConfig config{.settings = ParseSettings(given, sweep.grid.places, sweep.grid.externals),
                   .data = {.path = {},
                            .language = at.language,
                            .alphabet = manifest.language.alphabet,
                            .files = {},
                            .known_sha256 = sweep.data_sha256.at(at.language)}};
  RunSettings& settings = config.settings;
  settings.validation = ValidationSplit(settings.validation);
  DrawMissing(given, settings);
  settings.arithmetic = ArithmeticOf(settings.architecture, settings.options);
  constexpr std::size_t kHidden = 40;
  if (settings.hidden == 0) settings.hidden = kHidden;
  return config;
}

// `skill` is near 1 for a network that has learned the language, and near 0 for one that guesses.
SplitMetrics MetricsOf(const SplitConfig& split, const std::string& loss, double skill, Rng& rng) {
  SplitMetrics metrics;
  metrics.split = split.name;
  metrics.examples = split.size;
  metrics.positives = split.size / 2;
  const double chance = 0.5;
  const double accuracy = std::min(1.0, chance + skill * chance + 0.01 * rng.Uniform());
  const double size = static_cast<double>(split.size);
  const auto wrong = static_cast<std::size_t>(std::llround((1 - accuracy) * size));
  metrics.accuracy = static_cast<double>(split.size - wrong) / size;
  metrics.recognition_cross_entropy = 0.7 * (1 - accuracy) + 1e-4 * rng.Uniform();
  metrics.false_positives = wrong;
  const auto positives = static_cast<double>(metrics.positives);
  metrics.f1 = 2 * positives / (2 * positives + static_cast<double>(wrong));
  metrics.auc = *metrics.accuracy;
  metrics.longest_perfect_length =
      wrong == 0 ? static_cast<std::int64_t>(split.lengths.max) : std::int64_t{-1};
  for (const LossTermInfo& term : LossTermCatalog()) {
    if (!HasLossTerm(loss, term.name)) continue;
    metrics.terms.push_back({.key = term.key, .cross_entropy = rng.Uniform()});
    if (term.figures.empty()) continue;
    metrics.terms.back().measures_accuracy = true;
    metrics.terms.back().positions = accuracy;
    metrics.terms.back().strings = accuracy * accuracy;
  }
  return metrics;
}

RunCurves CurvesOf(const RunResult& result, const SplitConfig& test, Rng& rng) {
  RunCurves curves;
  const double accuracy = *result.Metric(test.name, "accuracy");
  constexpr std::size_t kStep = 10;
  for (std::size_t length = 0; length <= test.lengths.max; length += kStep) {
    const std::size_t examples = 2 * kStep * (1 + test.size / (test.lengths.max + 1));
    const double right = std::round(static_cast<double>(examples) * accuracy);
    curves.lengths.push_back({length, examples, right / static_cast<double>(examples),
                              1 - accuracy + 0.1 * rng.Uniform(), 0.1 * rng.Uniform()});
  }
  for (std::size_t epoch = 1; epoch <= result.epochs; ++epoch) {
    const double fall = std::exp(-static_cast<double>(epoch) / 8);
    curves.training.push_back({{.epoch = epoch,
                                .learning_rate = kNotANumber,
                                .is_best = epoch == result.best->epoch,
                                .cross_entropy = 0.7 * fall + 0.01 * rng.Uniform(),
                                .accuracy = 1 - 0.5 * fall},
                               0.7 * fall});
  }
  return curves;
}

Run MakeUp(const Sweep& sweep, const Coordinates& at, const Manifest& manifest,
           const std::vector<SplitConfig>& splits) {
  Rng rng = Rng::For(0, "made up/" + at.Path());
  const double ability = Rng::For(0, "made up/" + at.language + "/" + at.variant).Uniform();
  const double skill = std::clamp(2 * ability - 0.5 + 0.5 * rng.Uniform(), 0.0, 1.0);
  Run run{.at = at, .state = RunState::kFinished, .config = ConfigOf(sweep, at, manifest)};
  RunResult& result = run.result.emplace();
  result.stop_reason = kNoImprovement;
  result.epochs = 20 + rng.UniformInt(80);
  constexpr std::size_t kStepsPerEpoch = 360;
  result.steps = result.epochs * kStepsPerEpoch;
  result.parameters = at.budget;
  result.seconds = 2 * static_cast<double>(result.epochs);
  result.cpu_seconds = result.training_seconds = result.seconds;
  result.examples_per_second = 5000;
  result.model_sha256 = Sha256(at.Path());
  const SplitConfig* test = nullptr;
  for (const SplitConfig& split : splits) {
    if (split.size == 0 || split.kind == SplitKind::kEditDistance) continue;
    result.splits.emplace_back(split.name, MetricsOf(split, at.loss, skill, rng));
    if (split.name == "test") test = &split;
  }
  const auto validation = result.Metric(run.config->settings.validation, "accuracy").value_or(0.5);
  result.best = {result.epochs - 10, 0.7 * (1 - validation) + 1e-3 * rng.Uniform(), validation};
  run.curves = [curves = test ? CurvesOf(result, *test, rng) : RunCurves()] { return curves; };
  return run;
}

void Write(const fs::path& from, const fs::path& to, std::size_t trials) {
  Sweep sweep = ReadSweep(from);
  const Sweep source = sweep;
  sweep.out = to;
  sweep.data = "datasets";
  sweep.is_records = true;
  if (trials != 0) sweep.grid.trials = trials;
  if (fs::exists(to)) throw InputError(to, "exists");
  MakeDirectories(to / "baselines");
  WriteFile(SweepFile(to), SweepText(sweep));
  std::map<std::string, Records> records;
  for (const Coordinates& at : sweep.grid.Runs())
    records[at.language].emplace(at.Path(), Run{.at = at});
  for (auto& [language, runs] : records) {
    const fs::path dataset = source.DatasetPath(language);
    const auto manifest = ReadManifest(dataset);
    if (!manifest) throw InputError(dataset, "has no manifest");
    const fs::path file = dataset / kManifestFile;
    MakeDirectories(to / "datasets" / language);
    fs::copy_file(file, to / "datasets" / language / kManifestFile);
    if (fs::exists(source.BaselinesPath(language))) {
      fs::copy_file(source.BaselinesPath(language), sweep.BaselinesPath(language));
    }
    const std::vector<SplitConfig> splits = ConfigOf(*manifest, file).splits;
    for (auto& [path, run] : runs) run = MakeUp(sweep, run.at, *manifest, splits);
    WriteFile(RecordsFile(to, language), FormatRecords(runs, language));
    runs.clear();
  }
}

}  // namespace
}  // namespace flare

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4) {
    std::fputs("usage: made_up_records SWEEP TO [TRIALS]\n", stderr);
    return 2;
  }
  try {
    flare::Write(argv[1], argv[2], argc == 4 ? std::strtoull(argv[3], nullptr, 10) : 0);
  } catch (const std::exception& error) {
    fmt::print(stderr, "made_up_records: {}\n", error.what());
    return 1;
  }
}
