#include "flare/report/paper.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "flare/base/json.h"
#include "flare/report/embedded.h"

namespace flare::report {
namespace {

const Json& Paper() {
  static const Json paper = Json::parse(EmbeddedFile("paper.json"));
  return paper;
}

// The value at the end of a path of keys under a language; null if the paper has none.
const Json& At(const std::string& language, std::initializer_list<std::string> path) {
  static const Json none;
  const Json& languages = Paper()["languages"];
  if (!languages.contains(language)) return none;
  const Json* value = &languages[language];
  for (const std::string& key : path) {
    if (!value->is_object() || !value->contains(key)) return none;
    value = &(*value)[key];
  }
  return *value;
}

std::optional<double> Number(const Json& value) {
  if (!value.is_number()) return std::nullopt;
  return value.get<double>();
}

}  // namespace

bool PaperHasLoss(const std::string& loss) {
  static const std::vector<std::string> losses = {"rec", "rec+lm", "rec+ns", "rec+lm+ns"};
  return std::find(losses.begin(), losses.end(), loss) != losses.end();
}

std::optional<PaperMean> PaperInductiveBias(const std::string& language,
                                            const std::string& variant) {
  const Json& cell = At(language, {"inductive_bias", variant});
  if (cell.is_null()) return std::nullopt;
  return PaperMean{cell["mean"].get<double>(), cell["std"].get<double>()};
}

std::optional<double> PaperExpressivity(const std::string& language, const std::string& variant) {
  return Number(At(language, {"expressivity", variant, "max"}));
}

std::string PaperBestLoss(const std::string& experiment, const std::string& language,
                          const std::string& variant) {
  const Json& loss = At(language, {"best_loss", experiment, variant});
  return loss.is_string() ? loss.get<std::string>() : "";
}

std::optional<double> PaperModelSize(const std::string& language, const std::string& variant,
                                     std::size_t budget) {
  return Number(At(language, {"model_sizes", variant, std::to_string(budget), "max"}));
}

std::optional<bool> PaperPerfect(const std::string& language, const std::string& variant) {
  if (At(language, {"expressivity", variant}).is_null()) return std::nullopt;
  const Json& architectures = At(language, {"perfect"});
  return std::find(architectures.begin(), architectures.end(), variant) != architectures.end();
}

}  // namespace flare::report
