#include "flare/training/result_writer.h"

#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/base/sha256.h"
#include "flare/runs/evaluation_files.h"

namespace flare {

void ResultWriter::WriteEvaluation(const std::string& name, const std::string& text) {
  const std::filesystem::path file = run_.directory().evaluation() / name;
  run_.Write(file, text);
  result_.files[file.lexically_relative(run_.directory().path())] = Sha256(text);
}

void ResultWriter::Add(const std::string& split, const std::optional<Evaluation>& evaluation,
                       double seconds) {
  result_.splits.emplace_back(split, std::nullopt);
  if (!evaluation) return;
  const SplitMetrics& metrics = evaluation->metrics;
  result_.splits.back().second = metrics;
  WriteEvaluation(split + ".json", MetricsToJson(metrics).dump() + "\n");
  if (KeepsExamples(split)) WriteEvaluation(split + ".jsonl", evaluation->examples);
  if (NumHardest(split) > 0 && metrics.accuracy) {
    WriteEvaluation(std::string(kHardest) + ".json",
                    HardestToJson(split, evaluation->hardest).dump() + "\n");
  }
  Figures figures;
  if (metrics.accuracy) {
    figures = {{std::string(kRecognitionAccuracy), *metrics.accuracy},
               {std::string(kRecognitionCrossEntropy),
                metrics.recognition_cross_entropy.value_or(kNotANumber)}};
  } else {
    metrics.ForEachScalar([&](std::string_view name, double value) {
      if (name != "examples" && name != "positives") figures.emplace_back(name, value);
    });
  }
  events_.Append(
      EvaluationEvent{.split = split, .figures = std::move(figures), .seconds = seconds});
}

void ResultWriter::EndEvents() {
  events_.Append(
      FinishEvent{.outcome = result_.outcome(),
                  .stop_reason = result_.stop_reason,
                  .epochs = result_.epochs,
                  .best_epoch = result_.best ? std::optional(result_.best->epoch) : std::nullopt});
  events_.Sync();
}

void ResultWriter::Write() {
  const RunDirectory& directory = run_.directory();
  for (const std::filesystem::path& file : {directory.config(), directory.events()}) {
    result_.files[file.filename()] = Sha256(ReadRegularFile(file));
  }
  if (!result_.model_sha256.empty()) {
    result_.files[directory.model().filename()] = result_.model_sha256;
  }
  run_.Write(directory.result(), CheckedText(ResultToJson(result_)));
}

}  // namespace flare
