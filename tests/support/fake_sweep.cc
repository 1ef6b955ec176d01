#include "support/fake_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "flare/base/file.h"
#include "flare/base/rng.h"
#include "flare/base/sha256.h"
#include "flare/languages/catalog.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

std::string ValidationSplit(const std::string& validation) {
  return validation == "short" || validation == "long" ? "validation-" + validation : validation;
}

Json Metrics(const std::string& split, double examples, double accuracy, double length) {
  return {{"split", split},
          {"examples", examples},
          {"positives", examples / 2},
          {"accuracy", accuracy},
          {"recognition_cross_entropy", 2 * (1 - accuracy)},
          {"lm_cross_entropy", nullptr},
          {"next_symbol_cross_entropy", nullptr},
          {"next_symbol_accuracy", nullptr},
          {"false_positives", 0},
          {"false_negatives", 0},
          {"f1", accuracy},
          {"auc", nullptr},
          {"longest_perfect_length", length}};
}

void WriteRun(const fs::path& directory, const FakeRun& run) {
  const bool lm = run.loss.find("lm") != std::string::npos;
  const bool ns = run.loss.find("ns") != std::string::npos;
  const std::string hash = Sha256(directory.string());
  const Json config = {
      {"format", 1},
      {"data", {{"path", "data/" + run.language}, {"language", run.language}, {"sha256", hash}}},
      {"architecture", run.architecture},
      {"layers", 5},
      {"hidden", 79},
      {"budget", run.budget},
      {"loss", run.loss},
      {"validation", ValidationSplit(run.validation)},
      {"seed", run.trial},
      {"dropout", 0.1},
      {"batch_tokens", 1024},
      {"learning_rate", 0.001},
      {"lm_coefficient", lm ? Json(0.25) : Json()},
      {"ns_coefficient", ns ? Json(0.5) : Json()},
      {"max_epochs", 1000},
      {"target", "avx2"},
      {"drawn", {"batch_tokens", "learning_rate"}}};
  WriteFile(directory / "config.json", JsonText(config));
  Json splits = {{"train", Metrics("train", 10'000, run.train, -1)},
                 {ValidationSplit(run.validation),
                  Metrics(ValidationSplit(run.validation), 1'000, run.validation_accuracy, -1)},
                 {"test", Metrics("test", 5'010, run.test, run.longest_perfect_length)}};
  if (run.short_test) {
    splits["test-short-held-out"] = Metrics("test-short-held-out", 1'000, *run.short_test, -1);
  }
  if (!run.has_metrics) {
    for (auto& [split, metrics] : splits.items()) metrics = nullptr;
  }
  Json result = {{"outcome", run.outcome},
                 {"stop_reason", run.outcome == "diverged" ? "not finite" : "no improvement"},
                 {"epochs", run.epochs},
                 {"best_epoch", nullptr},
                 {"best_validation", nullptr},
                 {"parameters", run.budget + 81},
                 {"seconds", run.seconds},
                 {"cpu_seconds", run.cpu_seconds ? Json(*run.cpu_seconds) : Json(nullptr)},
                 {"examples_per_second", run.epochs * 10'000 / run.seconds},
                 {"model_sha256", nullptr},
                 {"splits", splits}};
  if (run.has_metrics) {
    result["best_epoch"] = run.epochs - 10;
    result["best_validation"] = {{"recognition_cross_entropy", run.validation_cross_entropy},
                                 {"accuracy", run.validation_accuracy}};
    result["model_sha256"] = Sha256(hash);
  }
  WriteFile(directory / "result.json", JsonText(result));
}

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

struct Example {
  std::size_t length;
  bool label;
  double logit;
  double CrossEntropy() const { return std::log1p(std::exp(label ? -logit : logit)); }
};

// How sure a run is, on average, of the right answer: falls with length from `near` to `far`.
struct Skill {
  double near, far;
  double At(double length) const { return far + (near - far) * std::exp(-length / 120); }
};

std::vector<Example> DrawExamples(std::size_t count, std::size_t longest, Skill skill, Rng& rng) {
  std::vector<Example> examples;
  for (std::size_t i = 0; i < count; ++i) {
    Example example;
    example.length = rng.UniformInt(longest + 1);
    example.label = rng.Bit();
    const double noise = rng.Uniform() + rng.Uniform() + rng.Uniform() - 1.5;
    const double sure = skill.At(static_cast<double>(example.length)) + 2.5 * noise;
    example.logit = example.label ? sure : -sure;
    examples.push_back(example);
  }
  return examples;
}

std::string ExampleLines(const std::vector<Example>& examples, bool edit_distances) {
  std::string text;
  std::size_t index = 0;
  for (const Example& example : examples) {
    text +=
        fmt::format("{{\"logit\":{},\"label\":{},\"length\":{},\"cross_entropy\":{}", example.logit,
                    example.label ? 1 : 0, example.length, example.CrossEntropy());
    if (edit_distances) text += fmt::format(",\"edit_distance\":{}", 1 + index++ % 9);
    text += "}\n";
  }
  return text;
}

Json EvaluationOf(const std::vector<Example>& examples, Json metrics) {
  struct Sum {
    double examples = 0, correct = 0, ce = 0, squared = 0;
  };
  std::vector<Sum> by_length(501);
  for (const Example& example : examples) {
    Sum& sum = by_length[example.length];
    const double ce = example.CrossEntropy();
    sum.examples += 1;
    sum.correct += ce < std::log(2) ? 1 : 0;
    sum.ce += ce;
    sum.squared += ce * ce;
  }
  Json rows = Json::array(), smoothed = Json::array();
  for (std::size_t n = 0; n < by_length.size(); ++n) {
    const Sum& sum = by_length[n];
    if (sum.examples == 0) continue;
    rows.push_back({{"length", n},
                    {"examples", sum.examples},
                    {"correct", sum.correct},
                    {"ce_sum", sum.ce},
                    {"ce_squared_sum", sum.squared}});
  }
  for (std::size_t n = 0; n < by_length.size(); n += 10) {
    Sum sum;
    for (std::size_t m = n < 10 ? 0 : n - 10; m <= std::min<std::size_t>(n + 10, 500); ++m) {
      sum.examples += by_length[m].examples;
      sum.correct += by_length[m].correct;
      sum.ce += by_length[m].ce;
      sum.squared += by_length[m].squared;
    }
    if (sum.examples == 0) continue;
    const double mean = sum.ce / sum.examples;
    smoothed.push_back({{"length", n},
                        {"examples", sum.examples},
                        {"accuracy", sum.correct / sum.examples},
                        {"cross_entropy", mean},
                        {"cross_entropy_std",
                         std::sqrt(std::max(0.0, sum.squared / sum.examples - mean * mean))}});
  }
  metrics["by_length"] = rows;
  metrics["smoothed"] = smoothed;
  return metrics;
}

std::string Events(const FakeRun& run, Rng& rng) {
  std::string text =
      "{\"event\":\"start\",\"time\":\"2025-01-01T00:00:00Z\",\"parameters\":64081,"
      "\"examples\":10000,\"steps_per_epoch\":200}\n";
  const double floor = run.validation_cross_entropy;
  double best = 1e9;
  for (int epoch = 1; epoch <= run.epochs; ++epoch) {
    const double ce = floor + (0.72 - floor) * std::exp(-epoch / 8.0) + 0.03 * rng.Uniform();
    text += fmt::format(
        "{{\"event\":\"epoch\",\"time\":\"2025-01-01T00:00:00Z\",\"epoch\":{},\"examples\":10000,"
        "\"steps\":200,\"seconds\":1.5,\"examples_per_second\":6666.7,\"loss\":{:.6f},"
        "\"recognition_loss\":{:.6f},\"lm_loss\":null,\"next_symbol_loss\":null}}\n",
        epoch, ce * 0.9, ce * 0.9);
    text += fmt::format(
        "{{\"event\":\"checkpoint\",\"time\":\"2025-01-01T00:00:00Z\",\"epoch\":{},"
        "\"examples\":10000,\"learning_rate\":0.001,\"is_best\":{},\"validation\":"
        "{{\"recognition_cross_entropy\":{:.6f},\"accuracy\":{:.6f}}}}}\n",
        epoch, ce < best, ce, std::clamp(1 - 0.7 * ce, 0.5, 1.0));
    best = std::min(best, ce);
  }
  return text;
}

std::string RandomString(const std::vector<std::string>& symbols, std::size_t length, Rng& rng) {
  std::string text;
  for (std::size_t i = 0; i < length; ++i) {
    text += (i > 0 ? " " : "") + symbols[rng.UniformInt(symbols.size())];
  }
  return text;
}

Json Hardest(const std::vector<Example>& examples, const std::vector<std::string>& strings,
             Rng& rng) {
  std::vector<std::size_t> order(examples.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return examples[a].CrossEntropy() > examples[b].CrossEntropy();
  });
  Json rows = Json::array();
  for (const std::size_t i : order) {
    if (rows.size() == 5) break;
    if (examples[i].length > 60) continue;
    Json probabilities = Json::array();
    for (std::size_t t = 0; t <= examples[i].length; ++t) {
      const double share = static_cast<double>(t) / static_cast<double>(examples[i].length + 1);
      probabilities.push_back(Sigmoid(examples[i].logit * share + rng.Uniform() - 0.5));
    }
    rows.push_back({{"index", i},
                    {"string", strings[i]},
                    {"label", examples[i].label ? 1 : 0},
                    {"logit", examples[i].logit},
                    {"prefix_probabilities", probabilities}});
  }
  return {{"split", "test"}, {"examples", rows}};
}

}  // namespace

FakeSweep::FakeSweep(fs::path directory, const FakeGrid& grid) : directory_(std::move(directory)) {
  fs::create_directories(directory_ / "baselines");
  const Json json = {{"format", 1},
                     {"name", "fake"},
                     {"seed", 0},
                     {"data", (directory_ / "data").string()},
                     {"data_seed", 0},
                     {"grid",
                      {{"languages", grid.languages},
                       {"architectures", grid.architectures},
                       {"losses", grid.losses},
                       {"validations", grid.validations},
                       {"budgets", grid.budgets},
                       {"trials", grid.trials}}},
                     {"overrides", Json::object()}};
  WriteFile(directory_ / "sweep.json", JsonText(json));
}

fs::path FakeSweep::RunDirectory(const FakeRun& run) const {
  return directory_ / "runs" / run.language / run.architecture / run.loss / run.validation /
         std::to_string(run.budget) / std::to_string(run.trial);
}

void FakeSweep::Add(const FakeRun& run) {
  fs::create_directories(RunDirectory(run));
  WriteRun(RunDirectory(run), run);
}

void FakeSweep::AddFailure(const FakeRun& run, const std::string& reason) {
  fs::create_directories(RunDirectory(run));
  WriteFile(RunDirectory(run) / "failure.json",
            JsonText({{"reason", reason}, {"time", "2025-01-01T00:00:00Z"}}));
}

void FakeSweep::AddRunning(const FakeRun& run) {
  fs::create_directories(RunDirectory(run));
  WriteFile(RunDirectory(run) / "lock", "{}\n");
}

void FakeSweep::AddBaselines(const std::string& language, std::optional<double> format_only,
                             double majority_per_length, double ngrams) {
  Json json = {{"dataset", "data/" + language},
               {"language", language},
               {"splits",
                {{"test",
                  {{"examples", 5'010},
                   {"majority", 0.5},
                   {"majority_per_length", majority_per_length},
                   {"format_only", nullptr},
                   {"symbol_counts", 0.5},
                   {"ngrams", ngrams}}}}}};
  if (format_only) json["splits"]["test"]["format_only"] = *format_only;
  WriteFile(directory_ / "baselines" / (language + ".json"), JsonText(json));
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
    std::vector<Example> drawn = DrawExamples(5'010, 500, {4, 1}, rng);
    std::vector<std::string> strings;
    std::string lines;
    for (const Example& example : drawn) {
      strings.push_back(RandomString(symbols, example.length, rng));
      lines += strings.back() + "\n";
    }
    WriteFile(test / "main.tok", lines);
    for (const std::string& architecture : grid.architectures) {
      const double ability = rng.Uniform();
      std::vector<Example> examples = drawn;
      for (Example& example : examples) {
        const double sure = Skill{4, 4 * ability - 0.5}.At(static_cast<double>(example.length)) +
                            4 * (rng.Uniform() - 0.5);
        example.logit = example.label ? sure : -sure;
      }
      const fs::path bulk = directory / "bulk" / language / architecture;
      fs::create_directories(bulk);
      WriteFile(bulk / "test.json",
                JsonText(EvaluationOf(examples, Metrics("test", 5'010, 0, -1))));
      WriteFile(bulk / "test.jsonl", ExampleLines(examples, false));
      if (regular) {
        WriteFile(bulk / "test-edit-distance.jsonl",
                  ExampleLines(DrawExamples(50, 500, {1 + 2 * ability, ability}, rng), true));
      }
      // Not every run has them, as when a sweep was made without asking for them.
      if (architecture != "lstm") {
        WriteFile(bulk / "hardest.json", JsonText(Hardest(examples, strings, rng)));
      }
      for (const std::string& loss : grid.losses) {
        for (const std::string& validation : grid.validations) {
          for (const std::uint64_t budget : grid.budgets) {
            for (std::size_t trial = 1; trial <= grid.trials; ++trial) {
              FakeRun run{language, architecture, loss, validation, budget, trial};
              const double luck = rng.Uniform();
              const double share =
                  std::min(1.0, 0.5 + 0.5 * std::pow(ability, 0.7) + 0.2 * (luck - 0.6));
              run.test = std::round(5'010 * share) / 5'010;
              run.train = std::min(1.0, run.test + 0.1 * rng.Uniform());
              run.validation_accuracy = std::min(1.0, run.test + 0.05);
              run.validation_cross_entropy = 0.7 * (1 - run.validation_accuracy) + 1e-3 * luck;
              run.short_test = std::min(1.0, run.test + 0.02);
              if (language == "repeat-01") run.short_test.reset();
              run.longest_perfect_length = run.test == 1 ? 500 : std::floor(40 * luck) - 1;
              run.epochs = 15 + std::floor(50 * rng.Uniform());
              run.seconds = run.epochs * (architecture == "lstm" ? 4.5 : 1.5);
              run.cpu_seconds = 0.9 * run.seconds;
              ++number;
              if (partial && number % 37 == 0) {
                run.outcome = "diverged";
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
              const fs::path here = sweep.RunDirectory(run);
              fs::create_directories(here);
              WriteRun(here, run);
              WriteFile(here / "events.jsonl", Events(run, rng));
              if (run.has_metrics) fs::create_directory_symlink(bulk, here / "eval");
            }
          }
        }
      }
    }
  }
}

}  // namespace flare
