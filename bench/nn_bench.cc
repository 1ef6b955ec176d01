// One epoch of training steps, or a pass of evaluation, of our engine on one core, as a line of
// JSON; bench/peer/compare.py compares it with PyTorch (`make bench-peer`).
//
//   nn_bench --data DIR --architecture NAME --batch-tokens B [--evaluate DIR2]
//
// DIR holds main.tok and labels.txt. Everything that an epoch needs is timed: shuffling, batching,
// forward, backward, clipping, Adam. The peak is that of a large libxsmm product in the same
// process.

#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "flare/base/clock.h"
#include "flare/data/flare_reader.h"
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

// GFLOP/s of a product that libxsmm does best: the machine's limit.
double PeakGflops() {
  constexpr std::size_t kRows = 256, kWidth = 96, kDepth = 64;
  const Gemm product(kWidth, kDepth, kDepth, kWidth, kWidth, true);
  FloatArray A(kRows * kDepth, 0.5f), B(kDepth * kWidth, 0.5f), C(kRows * kWidth, 0);
  double best = 0;
  for (int run = 0; run < 20; ++run) {
    constexpr int kTimes = 200;
    const Stopwatch watch;
    for (int i = 0; i < kTimes; ++i) product(kRows, A.data(), B.data(), C.data());
    best = std::max(best, 2e-9 * kRows * kWidth * kDepth * kTimes / watch.Seconds());
  }
  return best;
}

int Main(int argc, char** argv) {
  CLI::App app("Speed of the neural engine");
  std::string data, architecture, evaluate, target = "avx2";
  std::size_t batch_tokens = 1024, repeat = 1;
  app.add_option("--data", data)->required();
  app.add_option("--architecture", architecture)->required();
  app.add_option("--batch-tokens", batch_tokens);
  app.add_option("--evaluate", evaluate);
  app.add_option("--target", target);
  app.add_option("--repeat", repeat);
  CLI11_PARSE(app, argc, argv);

  const Alphabet alphabet = ReadAlphabet(data);
  const Split split =
      ReadSplit(evaluate.empty() ? data : evaluate, "train", alphabet, kOnlyStrings);
  const std::size_t extra = FindArchitecture(architecture)->reads_bos ? 1 : 0;
  ModelConfig config = {
      .architecture = architecture, .vocabulary = alphabet.size(), .layers = kLayers};
  config.hidden = HiddenSizeForBudget(config, kBudget);
  Model model(config, ParseTarget(target));
  model.Initialize(0);
  Optimizer adam(model.parameters(), {});
  Batcher batcher(split, {evaluate.empty() ? batch_tokens : 16'384, extra});
  Batch batch;
  std::size_t symbols = 0;
  for (std::size_t i = 0; i < split.size(); ++i) symbols += split.string(i).size() + extra;

  double best = 0;
  for (std::size_t run = 0; run < repeat; ++run) {
    const Stopwatch watch;
    if (evaluate.empty()) {
      batcher.PlanEpoch(0, run);
      for (std::size_t b = 0; b < batcher.num_batches(); ++b) {
        batcher.Fill(b, batch);
        model.Gradients(batch, {}, MakeDropout(kDropoutRate, 0, adam.steps()));
        adam.Step(1e-3, model.parameters());
        model.ParametersChanged();
      }
    } else {
      batcher.PlanInOrder();
      std::vector<float> logits;
      for (std::size_t b = 0; b < batcher.num_batches(); ++b) {
        batcher.Fill(b, batch);
        model.Logits(batch, logits);
      }
    }
    const double seconds = watch.Seconds();
    if (run == 0 || seconds < best) best = seconds;
  }
  const double passes = evaluate.empty() ? 6 : 2;
  const double flops =
      passes * static_cast<double>(model.parameters().Count(true)) * static_cast<double>(symbols);
  fmt::print(
      "{{\"architecture\": \"{}\", \"hidden\": {}, \"batch_tokens\": {}, \"examples_per_second\": "
      "{:.1f}, "
      "\"seconds\": {:.4f}, \"gflops\": {:.2f}, \"peak_gflops\": {:.2f}, "
      "\"peak_memory_mb\": {:.1f}}}\n",
      architecture, config.hidden, batch_tokens, static_cast<double>(split.size()) / best, best,
      flops / best / 1e9, PeakGflops(), PeakMegabytes());
  return 0;
}

}  // namespace
}  // namespace flare

// Whoever runs it sees what was thrown.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char** argv) { return flare::Main(argc, argv); }
