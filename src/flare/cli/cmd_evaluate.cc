// flare evaluate RUN: measures a trained recognizer on splits.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/sha256.h"
#include "flare/base/text.h"
#include "flare/cli/command.h"
#include "flare/cli/run_arguments.h"
#include "flare/data/flare_files.h"
#include "flare/nn/loss_terms.h"
#include "flare/nn/model_file.h"
#include "flare/nn/safetensors.h"
#include "flare/runs/run_settings.h"
#include "flare/training/measure.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

struct EvaluateArguments {
  explicit EvaluateArguments(CLI::App& app) {
    app.add_option("RUN", run, "directory of a run")->required();
    app.add_option("--split", splits, "only these splits")->type_name("NAME");
    app.add_option("--data", data, "splits of this dataset, instead of the run's own")
        ->type_name("DIR");
    app.add_option(
           "--to", to,
           "write SPLIT.json, SPLIT.jsonl (one line per example) and evaluation.json (of which "
           "model and data they are) here")
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

// The columns of an auxiliary term: its cross-entropy, and its accuracy at positions if it has one.
struct TermColumn {
  std::string title, figure;
  int width;
};

std::vector<TermColumn> TermColumns(const std::string& loss) {
  std::vector<TermColumn> columns;
  for (const LossTermInfo& term : LossTermCatalog()) {
    const bool always = term.in_all_files && HasRecognition(loss);
    if (!always && !HasLossTerm(loss, term.name)) continue;
    const std::string title = InCapitals(term.name);
    columns.push_back({title + " CE", term.key + "_cross_entropy", 8});
    if (!term.figures.empty())
      columns.push_back({title + " ACC", term.key + "_accuracy_positions", 7});
  }
  return columns;
}

std::string Header(const std::vector<TermColumn>& columns, bool recognizes) {
  std::string text = fmt::format("{:<20} {:>8}", "SPLIT", "EXAMPLES");
  if (recognizes) text += fmt::format("  {:>8}  {:>8}", "ACCURACY", "REC CE");
  for (const TermColumn& column : columns) {
    text += fmt::format("  {:>{}}", column.title, column.width);
  }
  if (!recognizes) return text + "\n";
  return text +
         fmt::format("  {:>5}  {:>5}  {:>6}  {:>6}  {:>7}\n", "FP", "FN", "F1", "AUC", "PERFECT");
}

std::string Line(const SplitMetrics& m, const std::vector<TermColumn>& columns) {
  std::string text = fmt::format("{:<20} {:>8}", m.split, m.examples);
  if (m.accuracy) {
    text += fmt::format("  {:>8.4f}  {:>8.6f}", *m.accuracy,
                        m.recognition_cross_entropy.value_or(kNotANumber));
  }
  for (const TermColumn& column : columns) {
    text += fmt::format("  {:>{}}", OrDash(m.Find(column.figure)), column.width);
  }
  if (!m.accuracy) return text + "\n";
  return text + fmt::format("  {:>5}  {:>5}  {:>6}  {:>6}  {:>7}\n", m.false_positives,
                            m.false_negatives, OrDash(m.f1), OrDash(m.auc),
                            m.longest_perfect_length);
}

// The data to measure on: the run's own, or another of the same alphabet.
RunData DataFor(const EvaluateArguments& options, const RunPlan& plan) {
  if (options.data.empty()) return plan.data;
  RunData data = IdentifyData(options.data);
  if (!(data.alphabet == plan.data.alphabet)) {
    throw InputError(
        options.data, "its alphabet differs from that of the run's data",
        fmt::format("expected the symbols {}", fmt::join(plan.data.alphabet.names(), " ")));
  }
  return data;
}

constexpr const char* kEvaluationFile = "evaluation.json";

// Says in the folder which model was measured on which data. Throws InputError unless the folder is
// new, empty, or of the same model and data.
void ClaimFolder(const fs::path& to, const std::vector<std::string>& splits, const Json& identity) {
  CheckIsOutsideRuns(to);
  for (const std::string& split : splits) {
    if (split + ".json" == kEvaluationFile) {
      throw InputError(
          to, fmt::format("the split {} would have the name of {}", split, kEvaluationFile));
    }
  }
  MakeDirectories(to);
  RemoveTemporaries(to);
  const fs::path file = to / kEvaluationFile;
  if (fs::exists(file)) {
    const Json there = ParseJson(ReadRegularFile(file), file);
    for (const char* key : {"model_sha256", "data_sha256"}) {
      if (there.is_object() && there.contains(key) && there[key] == identity[key]) continue;
      throw InputError(
          file, fmt::format("belongs to another evaluation: {}", FirstDifference(there, identity)),
          "name another folder");
    }
  } else if (!fs::is_empty(to)) {
    throw InputError(to, fmt::format("is not empty, and has no {}", kEvaluationFile),
                     "name another folder");
  }
  WriteInside(to, kEvaluationFile, JsonText(identity));
}

int Evaluate(const EvaluateArguments& options) {
  const RunDirectory run(options.run);
  const RunPlan plan = ReadPlan(run);
  const auto model = LoadAndTell(run, plan);
  const RunData data = DataFor(options, plan);
  // Other data must be of the same language for its states to be right.
  const auto tracker = TrackerFor(plan.settings, plan.data);
  const auto available = data.Splits();
  if (available.empty()) throw InputError(data.pinned.path, "has no splits");
  const auto& wanted = options.splits.empty() ? available : options.splits;
  for (const std::string& name : wanted) data.CheckSplit(name);
  if (!options.to.empty()) {
    ClaimFolder(options.to, wanted,
                {{"run", Visible(fs::weakly_canonical(options.run).string())},
                 {"model_sha256", Sha256(FormatSafetensors(ModelToTensors(*model)))},
                 {"data", Visible(fs::weakly_canonical(data.pinned.path).string())},
                 {"data_sha256", data.pinned.Sha256OfAll()}});
  }

  const auto format = FormatOf(data);
  Json all = Json::object();
  const auto columns = TermColumns(plan.settings.loss);
  std::string text = Header(columns, HasRecognition(plan.settings.loss)), hardest;
  for (const std::string& name : wanted) {
    const Split split = ReadPinnedSplit(
        data, name, {.next_symbols = NeedsNextSymbols(plan.settings), .log_probabilities = false});
    if (split.size() == 0) {
      if (!options.splits.empty()) {
        throw InputError(data.pinned.path, fmt::format("its split {} is empty", name));
      }
      all[name] = nullptr;
      text += fmt::format("{:<20} {:>8}\n", name, 0);
      continue;
    }
    const Evaluation evaluation =
        EvaluateSplit(*model, name, split, plan.data.alphabet, options.hardest,
                      tracker ? &*tracker : nullptr, nullptr, format ? &*format : nullptr);
    text += Line(evaluation.metrics, columns);
    all[name] = MetricsToJson(evaluation.metrics);
    if (!options.to.empty()) {
      WriteInside(options.to, name + ".json", all[name].dump() + "\n");
      WriteInside(options.to, name + ".jsonl", evaluation.examples);
    }
    if (options.hardest == 0) continue;
    if (options.json) {
      all[name]["hardest"] = HardestToJson(name, evaluation.hardest)["examples"];
      continue;
    }
    hardest += fmt::format("\nhardest of {}: cross-entropy, label, line, string\n", name);
    for (const HardExample& example : evaluation.hardest) {
      hardest += fmt::format("{:.6f}\t{}\t{}\t{}\n", CrossEntropy(example.logit, example.label),
                             example.label ? 1 : 0, example.index + 1, example.string);
    }
  }
  Print(options.json ? JsonText(all) : text + hardest);
  return kDone;
}

}  // namespace

std::function<int()> EvaluateCommand(CLI::App& app) {
  const auto options = std::make_shared<EvaluateArguments>(app);
  return [options] { return Evaluate(*options); };
}

}  // namespace flare
