// flare evaluate RUN: measures a trained recognizer on splits.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/cli/command.h"
#include "flare/data/flare_files.h"
#include "flare/training/evaluator.h"
#include "flare/training/run.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

struct Options {
  explicit Options(CLI::App& app) {
    app.add_option("RUN", run, "directory of a finished run")->required();
    app.add_option("--split", splits, "only these splits")->type_name("NAME");
    app.add_option("--data", data, "splits of this dataset, instead of the run's own");
    app.add_option("--to", to, "write SPLIT.json and SPLIT.jsonl (one line per example) here")
        ->type_name("DIR");
    AddCount(app, "--hardest", hardest, "print the N examples with the highest cross-entropy");
    app.add_flag("--json", json, "as JSON");
  }

  std::string run, data, to;
  std::vector<std::string> splits;
  std::uint64_t hardest = 0;
  bool json = false;
};

std::string OrDash(const std::optional<double>& value) {
  return value ? fmt::format("{:.4f}", *value) : "-";
}

std::string Header() {
  return fmt::format(
      "{:<20} {:>8}  {:>8}  {:>8}  {:>8}  {:>8}  {:>7}  {:>5}  {:>5}  {:>6}  {:>6}  "
      "{:>7}\n",
      "SPLIT", "EXAMPLES", "ACCURACY", "REC CE", "LM CE", "NS CE", "NS ACC", "FP", "FN", "F1",
      "AUC", "PERFECT");
}

std::string Line(const SplitMetrics& m) {
  return fmt::format(
      "{:<20} {:>8}  {:>8.4f}  {:>8.6f}  {:>8}  {:>8}  {:>7}  {:>5}  {:>5}  {:>6}  {:>6}  {:>7}\n",
      m.split, m.examples, m.accuracy, m.recognition_cross_entropy, OrDash(m.lm_cross_entropy),
      OrDash(m.next_symbol_cross_entropy),
      m.next_symbol_accuracy ? fmt::format("{:.4f}", m.next_symbol_accuracy->positions) : "-",
      m.false_positives, m.false_negatives, OrDash(m.f1), OrDash(m.auc), m.longest_perfect_length);
}

// The data to measure on: the run's own, or another of the same alphabet.
RunData DataOf(const Options& options, const RunRecord& record) {
  if (options.data.empty()) return record.data;
  RunData data = IdentifyData(options.data);
  if (!(data.alphabet == record.data.alphabet)) {
    throw InputError(
        options.data, "has another alphabet than the run's data",
        fmt::format("expected the symbols {}", fmt::join(record.data.alphabet.names(), " ")));
  }
  return data;
}

int Evaluate(const Options& options) {
  const RunDirectory run(options.run);
  const RunRecord record = run.ReadRecord();
  const auto model = LoadModel(run, record);
  const RunData data = DataOf(options, record);
  const auto available = data.Splits();
  if (available.empty()) throw InputError(data.path, "has no splits");
  const auto& wanted = options.splits.empty() ? available : options.splits;
  for (const std::string& name : wanted) data.CheckSplit(name);
  if (!options.to.empty()) MakeDirectories(options.to);

  const AvailableHeads heads{.lm = record.config.has_lm(),
                             .next_symbols = record.config.has_next_symbols()};
  Json all = Json::object();
  std::string text = Header(), hardest;
  for (const std::string& name : wanted) {
    const Split split = ReadPinnedSplit(
        data, name, {.next_symbols = heads.next_symbols, .log_probabilities = false});
    if (split.size() == 0) {
      if (!options.splits.empty()) {
        throw InputError(data.path, fmt::format("its split {} is empty", name));
      }
      all[name] = nullptr;
      text += fmt::format("{:<20} {:>8}\n", name, 0);
      continue;
    }
    const auto scores = ScoreSplit(*model, split);
    const SplitMetrics metrics = Measure(name, split, scores, heads);
    text += Line(metrics);
    all[name] = MetricsToJson(metrics);
    if (!options.to.empty()) {
      WriteFileAtomically(fs::path(options.to) / (name + ".json"), all[name].dump() + "\n");
      WriteFileAtomically(fs::path(options.to) / (name + ".jsonl"),
                          ExamplesToJsonl(split, scores, heads));
    }
    if (options.hardest == 0) continue;
    if (options.json) {
      all[name]["hardest"] = HardestToJson(*model, name, split, record.data.alphabet, scores,
                                           options.hardest)["examples"];
      continue;
    }
    hardest += fmt::format("\nhardest of {}: cross-entropy, label, line, string\n", name);
    for (const std::size_t i : HardestExamples(split, scores, options.hardest)) {
      const bool label = split.labels[i] != 0;
      hardest += fmt::format("{:.6f}\t{}\t{}\t{}\n", CrossEntropy(scores[i].logit, label),
                             label ? 1 : 0, i + 1, record.data.alphabet.Format(split.string(i)));
    }
  }
  Print(options.json ? JsonText(all) : text + hardest);
  return kDone;
}

}  // namespace

std::function<int()> EvaluateCommand(CLI::App& app) {
  const auto options = std::make_shared<Options>(app);
  return [options] { return Evaluate(*options); };
}

}  // namespace flare
