// Training epochs, or passes of evaluation, of our engine on one core, a line of JSON for each
// model; bench/peer/compare.py compares it with PyTorch (`make bench-peer`).
//
//   nn_bench --data DIR MODEL... [--batch-tokens B] [--strings N] [--repeat R] [--evaluate DIR2]
//
// MODEL is an architecture and what is not usual of it:
// transformer,heads=2,hidden=64,target=native. Several models take turns, epoch by epoch, so that
// all see the same disturbances of the machine: ratios of their processor times are what a busy
// machine can tell. DIR holds main.tok and labels.txt. Everything that an epoch needs is timed:
// shuffling, batching, forward, backward, clipping, Adam. The peak is that of a large libxsmm
// product, which takes its turn, too.

#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "flare/base/clock.h"
#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/data/flare_files.h"
#include "flare/nn/architectures.h"
#include "flare/nn/kernels/gemm.h"
#include "flare/nn/model.h"
#include "flare/nn/optimizer.h"
#include "flare/nn/target.h"
#include "flare/training/batching.h"

namespace flare {
namespace {

constexpr std::size_t kLayers = 5;
constexpr std::size_t kBudget = 64'000;
constexpr double kDropoutRate = 0.1;

double PeakMegabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double Least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

// GFLOP/s of a product that libxsmm does best: the machine's limit for a target.
double PeakGflops(Target target) {
  constexpr std::size_t kRows = 256, kWidth = 96, kDepth = 64;
  const Gemm product(kWidth, kDepth, kDepth, kWidth, true, target);
  FloatArray A(kRows * kDepth, 0.5f), B(kDepth * kWidth, 0.5f), C(kRows * kWidth, 0);
  double best = 0;
  for (int run = 0; run < 20; ++run) {
    constexpr int kTimes = 200;
    const double begin = ProcessCpuSeconds();
    for (int i = 0; i < kTimes; ++i) product(kRows, A.data(), B.data(), C.data());
    best = std::max(best, 2e-9 * kRows * kWidth * kDepth * kTimes / (ProcessCpuSeconds() - begin));
  }
  return best;
}

// One model and the epochs that it has taken.
class Contender {
 public:
  Contender(const std::string& text, const Alphabet& alphabet, std::size_t batch_tokens,
            const Split& split, bool trains)
      : text_(text), target_("avx2"), trains_(trains), split_(split) {
    config_.vocabulary = alphabet.size();
    config_.layers = kLayers;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');) {
      const std::size_t equals = part.find('=');
      if (config_.architecture.empty()) {
        config_.architecture = part;
      } else if (equals == std::string::npos) {
        throw InputError(text, fmt::format("{} is not NAME=VALUE", Quoted(part)));
      } else {
        Set(part.substr(0, equals), part.substr(equals + 1), batch_tokens);
      }
    }
    const Architecture* architecture = FindArchitecture(config_.architecture);
    if (architecture == nullptr) throw InputError(text, "unknown architecture");
    config_.options = CompleteOptions(*architecture, config_.options, text);
    if (config_.hidden == 0) config_.hidden = HiddenSizeForBudget(config_, kBudget);
    batch_tokens_ = batch_tokens;
    model_ = std::make_unique<Model>(config_, ParseTarget(target_));
    model_->Initialize(0);
    adam_ = std::make_unique<Optimizer>(model_->parameters(), OptimizerConfig{});
    const std::size_t extra = architecture->reads_bos ? 1 : 0;
    batcher_ = std::make_unique<Batcher>(split, BatchLimits(trains ? batch_tokens : 16'384, extra));
    for (std::size_t i = 0; i < split.size(); ++i) symbols_ += split.string(i).size() + extra;
  }

  void Epoch() {
    const Stopwatch watch;
    const double begin = ProcessCpuSeconds();
    if (trains_) {
      batcher_->PlanEpoch(0, cpu_.size());
      for (std::size_t b = 0; b < batcher_->num_batches(); ++b) {
        batcher_->Fill(b, batch_);
        model_->Gradients(batch_, {}, MakeDropout(dropout_, 0, adam_->steps()));
        adam_->Step(1e-3, model_->parameters());
        model_->ParametersChanged();
      }
    } else {
      batcher_->PlanInOrder();
      for (std::size_t b = 0; b < batcher_->num_batches(); ++b) {
        batcher_->Fill(b, batch_);
        model_->Logits(batch_, logits_);
      }
    }
    cpu_.push_back(ProcessCpuSeconds() - begin);
    seconds_.push_back(watch.Seconds());
    peak_.push_back(PeakGflops(ParseTarget(target_)));
  }

  void Print(const Contender& first) const {
    const double passes = trains_ ? 6 : 2;
    const double flops = passes * static_cast<double>(model_->parameters().Count(true)) *
                         static_cast<double>(symbols_);
    std::vector<double> ratios;
    for (std::size_t i = 0; i < cpu_.size(); ++i) ratios.push_back(first.cpu_[i] / cpu_[i]);
    const auto count = static_cast<double>(split_.size());
    fmt::print(
        "{{\"model\": \"{}\", \"architecture\": \"{}\", \"hidden\": {}, \"parameters\": {}, "
        "\"batch_tokens\": {}, \"examples_per_second\": {:.1f}, \"seconds\": {:.4f}, "
        "\"examples_per_cpu_second\": {:.1f}, \"speed_by_first\": {:.3f}, "
        "\"least_ratio\": {:.3f}, \"most_ratio\": {:.3f}, \"gflops\": {:.2f}, "
        "\"cpu_gflops\": {:.2f}, \"peak_gflops\": {:.2f}, \"peak_memory_mb\": {:.1f}}}\n",
        text_, config_.architecture, config_.hidden, model_->parameters().Count(true),
        batch_tokens_, count / Least(seconds_), Least(seconds_), count / Least(cpu_),
        Median(ratios), Least(ratios), *std::max_element(ratios.begin(), ratios.end()),
        flops / Least(seconds_) / 1e9, flops / Least(cpu_) / 1e9,
        *std::max_element(peak_.begin(), peak_.end()), PeakMegabytes());
  }

 private:
  void Set(const std::string& name, const std::string& value, std::size_t& batch_tokens) {
    if (name == "hidden") {
      config_.hidden = std::stoul(value);
    } else if (name == "layers") {
      config_.layers = std::stoul(value);
    } else if (name == "target") {
      target_ = value;
    } else if (name == "dropout") {
      dropout_ = std::stod(value);
    } else if (name == "batch-tokens") {
      batch_tokens = std::stoul(value);
    } else {
      config_.options[name] = value;
    }
  }

  std::string text_, target_;
  bool trains_;
  double dropout_ = kDropoutRate;
  std::size_t batch_tokens_ = 0, symbols_ = 0;
  const Split& split_;
  ModelConfig config_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Optimizer> adam_;
  std::unique_ptr<Batcher> batcher_;
  Batch batch_;
  std::vector<float> logits_;
  std::vector<double> cpu_, seconds_, peak_;  // of each epoch
};

int Main(int argc, char** argv) {
  CLI::App app("Speed of the neural engine");
  std::string data, architecture, evaluate;
  std::vector<std::string> models;
  std::size_t batch_tokens = 1024, repeat = 1, strings = 0;
  app.add_option("models", models, "architectures with options, as transformer,heads=2");
  app.add_option("--data", data)->required();
  app.add_option("--architecture", architecture, "the same as one model");
  app.add_option("--batch-tokens", batch_tokens);
  app.add_option("--strings", strings, "as many of the first strings; 0: all");
  app.add_option("--evaluate", evaluate);
  app.add_option("--repeat", repeat);
  CLI11_PARSE(app, argc, argv);
  if (!architecture.empty()) models.push_back(architecture);

  const Alphabet alphabet = ReadAlphabet(data);
  Split split = ReadSplit(evaluate.empty() ? data : evaluate, "train", alphabet, kOnlyStrings);
  if (strings > 0 && strings < split.size()) {
    Split some(alphabet.size());
    for (std::size_t i = 0; i < strings; ++i) some.Add(split.string(i), split.labels[i] != 0);
    split = std::move(some);
  }
  std::vector<std::unique_ptr<Contender>> contenders;
  for (const std::string& model : models) {
    contenders.push_back(
        std::make_unique<Contender>(model, alphabet, batch_tokens, split, evaluate.empty()));
  }
  for (std::size_t run = 0; run < repeat; ++run) {
    for (const auto& contender : contenders) contender->Epoch();
  }
  for (const auto& contender : contenders) contender->Print(*contenders[0]);
  return 0;
}

}  // namespace
}  // namespace flare

// Whoever runs it sees what was thrown.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char** argv) { return flare::Main(argc, argv); }
