#include "support/fake_sweep.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/base/lock_file.h"
#include "flare/base/rng.h"
#include "flare/base/sha256.h"
#include "flare/data/baselines.h"
#include "flare/languages/catalog.h"
#include "flare/nn/loss_terms.h"
#include "flare/runs/evaluation_files.h"
#include "flare/runs/events.h"
#include "flare/runs/metrics.h"
#include "flare/runs/result.h"
#include "flare/runs/run_directory.h"
#include "flare/runs/run_settings.h"
#include "flare/runs/sweep_file.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTrainingExamples = 10'000;
constexpr std::size_t kStepsPerEpoch = 200;
constexpr std::size_t kTestExamples = 5'010;

Grid MakeGrid(const FakeGrid& fake) {
  Grid grid;
  grid.name = fake.name;
  grid.seed = fake.seed;
  grid.report = fake.report;
  grid.settings = fake.settings;
  grid.data = fake.data;
  grid.externals = fake.externals;
  for (const std::string& language : fake.languages) {
    grid.languages.push_back({language, language, "", ""});
  }
  for (const std::string& variant : fake.variants) {
    grid.variants.push_back(ParseVariant(variant, "variants", grid.externals));
    const auto label = fake.labels.find(variant);
    if (label != fake.labels.end()) grid.variants.back().label = label->second;
  }
  grid.losses = fake.losses;
  grid.validations = fake.validations;
  grid.budgets = fake.budgets;
  grid.trials = fake.trials;
  return grid;
}

std::map<std::string, std::string> FakeFiles(const std::string& data) {
  return {{"main.tok", Sha256(data)}};
}

// With the test strings, if the dataset has some.
std::map<std::string, std::string> FilesOfRun(const std::string& data, const fs::path& dataset) {
  auto files = FakeFiles(data);
  const std::string test = "datasets/test/main.tok";
  if (fs::exists(dataset / test)) files[test] = Sha256(ReadFile(dataset / test));
  return files;
}

std::set<std::string> LanguagesOfRecipe(const FakeGrid& grid) {
  if (!grid.data_is_of_recipe) return {};
  return {grid.languages.begin(), grid.languages.end()};
}

// What a grid's run would be, of a round size.
RunConfig ConfigOf(const FakeRun& run, const Sweep& sweep) {
  SettingTexts texts = sweep.grid.SettingsOf(run.at());
  texts["validation"] = ValidationSplit(run.validation);
  const bool has_budget = texts.try_emplace("hidden", "79").second;
  RunConfig config{.settings = ParseSettings(texts, "a fake run", sweep.grid.externals),
                   .data = {}};
  const External* external = FindExternal(sweep.grid.externals, run.at().architecture());
  if (external != nullptr) config.external = *external;
  config.settings.arithmetic = !run.arithmetic.empty() ? run.arithmetic
                               : external != nullptr
                                   ? kExternalArithmetic
                                   : ArithmeticOf(run.at().architecture(), config.settings.options);
  config.settings.native_target = run.native_target;
  if (!has_budget) config.settings.budget = 0;
  DrawMissing(texts, config.settings);
  config.data = {.path = sweep.DatasetPath(run.language),
                 .language = run.language,
                 .alphabet = {"0", "1"},
                 .files = FilesOfRun(run.data.empty() ? run.language : run.data,
                                     sweep.DatasetPath(run.language))};
  return config;
}

SplitMetrics Metrics(const std::string& split, std::size_t examples, double accuracy,
                     std::int64_t longest_perfect_length) {
  SplitMetrics metrics;
  metrics.split = split;
  metrics.examples = examples;
  metrics.positives = examples / 2;
  metrics.accuracy = accuracy;
  metrics.recognition_cross_entropy = 2 * (1 - accuracy);
  for (const LossTermInfo& term : LossTermCatalog()) {
    if (!term.in_all_files) continue;
    metrics.terms.push_back({.key = term.key, .measures_accuracy = !term.figures.empty()});
  }
  metrics.f1 = accuracy;
  metrics.longest_perfect_length = longest_perfect_length;
  return metrics;
}

void CountErrors(SplitMetrics& metrics) {
  const double wrong = (1 - *metrics.accuracy) * static_cast<double>(metrics.examples);
  metrics.false_positives = static_cast<std::size_t>(std::llround(wrong));
  const auto found = static_cast<double>(metrics.positives);
  metrics.f1 = 2 * found / (2 * found + static_cast<double>(metrics.false_positives));
}

RunResult ResultOf(const FakeRun& run, const std::string& model_sha256) {
  RunResult result;
  result.diverged = run.diverged;
  result.stop_reason = run.diverged ? "not finite" : "no improvement";
  result.epochs = run.epochs;
  result.steps = run.epochs * kStepsPerEpoch;
  result.parameters = run.budget + 81;
  result.seconds = run.seconds;
  result.cpu_seconds = run.cpu_seconds;
  result.training_seconds = run.seconds;
  result.examples_per_second = static_cast<double>(run.epochs * kTrainingExamples) / run.seconds;
  const auto add = [&](const std::string& split, std::size_t examples, double accuracy,
                       std::int64_t length) {
    result.splits.emplace_back(split, std::nullopt);
    if (run.has_metrics) {
      SplitMetrics& metrics =
          result.splits.back().second.emplace(Metrics(split, examples, accuracy, length));
      if (run.counts_errors) CountErrors(metrics);
    }
  };
  add("train", kTrainingExamples, run.train, -1);
  add(ValidationSplit(run.validation), 1'000, run.validation_accuracy, -1);
  add("test", kTestExamples, run.test, run.longest_perfect_length);
  if (run.wrong_answers && run.has_metrics) {
    const auto [format_wrong, format_right] = *run.wrong_answers;
    SplitMetrics& metrics = *result.splits.back().second;
    metrics.false_positives = format_wrong;
    metrics.false_negatives = format_right;
    metrics.wrong_answers = {format_wrong, format_right};
  }
  if (run.next_symbol_accuracy && run.has_metrics) {
    for (SplitMetrics::Term& term : result.splits.back().second->terms) {
      if (term.key != "next_symbol") continue;
      std::tie(term.positions, term.strings) = *run.next_symbol_accuracy;
    }
  }
  if (run.short_test) add("test-short-held-out", 1'000, *run.short_test, -1);
  for (const auto& [split, accuracy] : run.further_tests) add(split, 1'000, accuracy, -1);
  for (auto& [split, metrics] : result.splits) {
    if (run.recognizes || !metrics) continue;
    metrics->accuracy = metrics->recognition_cross_entropy = metrics->f1 = std::nullopt;
  }
  if (run.has_metrics) {
    result.best = {run.epochs - 10, run.validation_cross_entropy, run.validation_accuracy};
    result.model_sha256 = model_sha256;
  }
  return result;
}

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// How sure a run is, on average, of the right answer: falls with length from `near` to `far`.
struct Skill {
  double near, far;
  double At(std::size_t length) const {
    return far + (near - far) * std::exp(-static_cast<double>(length) / 120);
  }
};

// Makes the run this sure of the right answer; of the other one if it is negative.
void Score(double sure, ExampleRow& example) {
  example.logit = static_cast<float>(example.label ? sure : -sure);
  example.cross_entropy = std::log1p(std::exp(-sure));
}

std::vector<ExampleRow> DrawExamples(std::size_t count, std::size_t longest, Skill skill,
                                     Rng& rng) {
  std::vector<ExampleRow> examples(count);
  for (ExampleRow& example : examples) {
    example.length = rng.UniformInt(longest + 1);
    example.label = rng.Bit();
    const double noise = rng.Uniform() + rng.Uniform() + rng.Uniform() - 1.5;
    Score(skill.At(example.length) + 2.5 * noise, example);
  }
  return examples;
}

std::string ExampleLines(const std::vector<ExampleRow>& examples) {
  std::string text;
  for (const ExampleRow& example : examples) AppendExample(example, text);
  return text;
}

SplitMetrics EvaluationOf(const std::vector<ExampleRow>& examples) {
  SplitMetrics metrics = Metrics("test", examples.size(), 0, -1);
  std::map<std::size_t, Tally> by_length;
  for (const ExampleRow& example : examples) {
    by_length[example.length].Add(example.cross_entropy < std::log(2), example.cross_entropy);
  }
  for (const auto& [length, tally] : by_length) metrics.by_length.push_back({length, tally});
  return metrics;
}

void WriteEvents(const FakeRun& run, const fs::path& file, Rng& rng) {
  EventLog log(file);
  log.Append(StartEvent{.parameters = 64'081,
                        .all_parameters = 64'081,
                        .examples = kTrainingExamples,
                        .steps_per_epoch = kStepsPerEpoch});
  const double floor = run.validation_cross_entropy;
  double best = 1e9;
  for (std::size_t epoch = 1; epoch <= run.epochs; ++epoch) {
    const double ce =
        floor + (0.72 - floor) * std::exp(-static_cast<double>(epoch) / 8) + 0.03 * rng.Uniform();
    log.Append(EpochEvent{.epoch = epoch,
                          .examples = kTrainingExamples,
                          .steps = kStepsPerEpoch,
                          .seconds = 1.5,
                          .examples_per_second = kTrainingExamples / 1.5,
                          .loss = ce * 0.9,
                          .recognition_loss = ce * 0.9,
                          .term_losses = {}});
    log.Append(CheckpointEvent{.epoch = epoch,
                               .examples = epoch * kTrainingExamples,
                               .learning_rate = 0.001,
                               .is_best = ce < best,
                               .cross_entropy = ce,
                               .accuracy = std::clamp(1 - 0.7 * ce, 0.5, 1.0)});
    best = std::min(best, ce);
  }
}

std::string RandomString(const std::vector<std::string>& symbols, std::size_t length, Rng& rng) {
  std::string text;
  for (std::size_t i = 0; i < length; ++i) {
    text += (i > 0 ? " " : "") + symbols[rng.UniformInt(symbols.size())];
  }
  return text;
}

std::vector<HardExample> Hardest(const std::vector<ExampleRow>& examples,
                                 const std::vector<std::string>& strings, Rng& rng) {
  std::vector<std::size_t> order(examples.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return examples[a].cross_entropy > examples[b].cross_entropy;
  });
  std::vector<HardExample> hardest;
  for (const std::size_t i : order) {
    const ExampleRow& example = examples[i];
    if (hardest.size() == 5) break;
    if (example.length > 60) continue;
    std::vector<double> probabilities;
    for (std::size_t t = 0; t <= example.length; ++t) {
      const double share = static_cast<double>(t) / static_cast<double>(example.length + 1);
      probabilities.push_back(Sigmoid(example.logit * share + rng.Uniform() - 0.5));
    }
    hardest.push_back({i, strings[i], example.label, example.logit, probabilities});
  }
  return hardest;
}

}  // namespace

ReportSpec PapersReport() {
  return {.published = "built-in:papers/butoi-2025/published.json",
          .columns = {{.name = "inductive_bias",
                       .title = "Inductive Bias",
                       .validation = "short",
                       .value = ReportColumn::Value::kMean,
                       .budget = 64'000},
                      {.name = "expressivity",
                       .title = "Expressivity",
                       .validation = "long",
                       .value = ReportColumn::Value::kMax,
                       .budget = 64'000}}};
}

std::string FakeDataSha256(const std::string& data) {
  PinnedData pinned;
  pinned.files = FakeFiles(data);
  return pinned.Sha256OfAll();
}

FakeSweep::FakeSweep(const fs::path& directory, const FakeGrid& grid)
    : sweep_{directory, directory / "data", MakeGrid(grid), grid.data_sha256,
             LanguagesOfRecipe(grid)} {
  fs::create_directories(directory / "baselines");
  WriteFile(SweepFile(directory), SweepText(sweep_));
}

void FakeSweep::Add(const FakeRun& run) {
  const RunDirectory directory(RunPath(run));
  fs::create_directories(directory.path());
  WriteFile(directory.config(), CheckedText(ConfigToJson(ConfigOf(run, sweep_))));
  const std::string model = Sha256(run.at().Path());
  RunResult result = ResultOf(run, model);
  result.files["config.json"] = Sha256(ReadFile(directory.config()));
  WriteFile(directory.result(), CheckedText(ResultToJson(result)));
}

void FakeSweep::AddFailure(const FakeRun& run, const std::string& reason) {
  LockObserver observer;
  OwnedRun::TryOpen(RunPath(run), observer)->RecordFailure(reason);
}

void FakeSweep::AddRunning(const FakeRun& run) {
  fs::create_directories(RunPath(run));
  // Nobody here can tell whether a process of another machine lives, so the run counts as running.
  WriteFile(RunDirectory(RunPath(run)).lock(),
            R"({"host":"elsewhere","pid":1,"start_time":1,"boot":"","job":"",)"
            R"("token":"0123456789abcdef","heartbeat":"000000000000"})"
            "\n");
}

void FakeSweep::AddBaselines(const std::string& language, std::optional<double> format_only,
                             double majority_per_length, double ngrams) {
  const BaselineRow test{.split = "test",
                         .examples = kTestExamples,
                         .majority = 0.5,
                         .majority_per_length = majority_per_length,
                         .format_only = format_only,
                         .symbol_counts = 0.5,
                         .ngrams = ngrams};
  Json document = {{kFormatMember, kBaselinesFormat}};
  document.update(BaselinesToJson(
      {.dataset = sweep_.DatasetPath(language), .language = language, .rows = {test}}));
  WriteFile(sweep_.BaselinesPath(language), CheckedText(document));
}

void WritePlausibleSweep(const fs::path& directory, const FakeGrid& grid, bool partial) {
  FakeSweep sweep(directory, grid);
  std::size_t number = 0;
  for (const std::string& language : grid.languages) {
    Rng rng = Rng::For(0, "fake/" + language);
    sweep.AddBaselines(language, 0.5 + 0.4 * rng.Uniform(), 0.52, 0.5 + 0.2 * rng.Uniform());
    const CatalogEntry* entry = FindInCatalog(language);
    const bool regular = entry != nullptr && entry->language_class == LanguageClass::kRegular;
    const std::vector<std::string> symbols =
        entry != nullptr ? entry->make()->alphabet().names() : std::vector<std::string>{"a", "b"};
    const fs::path test = directory / "data" / language / "datasets" / "test";
    fs::create_directories(test);
    // The lengths and labels of the test set are the same for every architecture.
    const std::vector<ExampleRow> drawn = DrawExamples(kTestExamples, 500, {4, 1}, rng);
    std::vector<std::string> strings;
    std::string lines;
    for (const ExampleRow& example : drawn) {
      strings.push_back(RandomString(symbols, example.length, rng));
      lines += strings.back() + "\n";
    }
    WriteFile(test / "main.tok", lines);
    for (const std::string& variant : grid.variants) {
      const double ability = rng.Uniform();
      std::vector<ExampleRow> examples = drawn;
      for (ExampleRow& example : examples) {
        Score(Skill{4, 4 * ability - 0.5}.At(example.length) + 4 * (rng.Uniform() - 0.5), example);
      }
      const fs::path bulk = directory / "bulk" / language / variant;
      fs::create_directories(bulk);
      WriteFile(bulk / "test.json", JsonText(MetricsToJson(EvaluationOf(examples))));
      WriteFile(bulk / "test.jsonl", ExampleLines(examples));
      if (regular) {
        auto edited = DrawExamples(50, 500, {1 + 2 * ability, ability}, rng);
        for (std::size_t i = 0; i < edited.size(); ++i) edited[i].edit_distance = 1 + i % 9;
        WriteFile(bulk / "test-edit-distance.jsonl", ExampleLines(edited));
      }
      // Not every run has them, as when a sweep was made without asking for them.
      if (variant != "lstm") {
        WriteFile(bulk / "hardest.json",
                  JsonText(HardestToJson("test", Hardest(examples, strings, rng))));
      }
      for (const std::string& loss : grid.losses) {
        for (const std::string& validation : grid.validations) {
          for (const std::size_t budget : grid.budgets) {
            for (std::size_t trial = 1; trial <= grid.trials; ++trial) {
              FakeRun run{language, variant, loss, validation, budget, trial};
              const double luck = rng.Uniform();
              const double share =
                  std::min(1.0, 0.5 + 0.5 * std::pow(ability, 0.7) + 0.2 * (luck - 0.6));
              run.test = std::round(kTestExamples * share) / kTestExamples;
              run.train = std::min(1.0, run.test + 0.1 * rng.Uniform());
              run.validation_accuracy = std::min(1.0, run.test + 0.05);
              run.validation_cross_entropy = 0.7 * (1 - run.validation_accuracy) + 1e-3 * luck;
              run.short_test = std::min(1.0, run.test + 0.02);
              if (language == "repeat-01") run.short_test.reset();
              run.longest_perfect_length =
                  run.test == 1 ? 500 : static_cast<std::int64_t>(40 * luck) - 1;
              run.epochs = 15 + static_cast<std::size_t>(50 * rng.Uniform());
              run.seconds = static_cast<double>(run.epochs) * (variant == "lstm" ? 4.5 : 1.5);
              run.cpu_seconds = 0.9 * run.seconds;
              ++number;
              if (partial && number % 37 == 0) {
                run.diverged = true;
                run.has_metrics = number % 2 == 0;
              }
              if (partial && number % 41 == 0) {
                sweep.AddFailure(run, "the worker was killed by signal 9");
                continue;
              }
              if (partial && number % 11 == 0) continue;
              if (partial && number % 53 == 0) {
                sweep.AddRunning(run);
                continue;
              }
              sweep.Add(run);
              const RunDirectory here(sweep.RunPath(run));
              WriteEvents(run, here.events(), rng);
              Json result = Json::parse(ReadFile(here.result()));
              result.erase(kCheckMember);
              result["files"]["events.jsonl"] = Sha256(ReadFile(here.events()));
              WriteFile(here.result(), CheckedText(result));
              if (run.has_metrics) fs::create_directory_symlink(bulk, here.evaluation());
            }
          }
        }
      }
    }
  }
}

}  // namespace flare
