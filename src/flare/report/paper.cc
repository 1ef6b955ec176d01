#include "flare/report/paper.h"

#include <algorithm>
#include <initializer_list>

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

std::optional<PaperMean> PaperInductiveBias(const std::string& language,
                                            const std::string& architecture) {
  const Json& cell = At(language, {"inductive_bias", architecture});
  if (cell.is_null()) return std::nullopt;
  return PaperMean{cell["mean"].get<double>(), cell["std"].get<double>()};
}

std::optional<double> PaperExpressivity(const std::string& language,
                                        const std::string& architecture) {
  return Number(At(language, {"expressivity", architecture, "max"}));
}

std::string PaperBestLoss(const std::string& experiment, const std::string& language,
                          const std::string& architecture) {
  const Json& loss = At(language, {"best_loss", experiment, architecture});
  return loss.is_string() ? loss.get<std::string>() : "";
}

std::optional<double> PaperModelSize(const std::string& language, const std::string& architecture,
                                     std::uint64_t budget) {
  return Number(At(language, {"model_sizes", architecture, std::to_string(budget), "max"}));
}

std::optional<bool> PaperPerfect(const std::string& language, const std::string& architecture) {
  if (At(language, {"expressivity", architecture}).is_null()) return std::nullopt;
  const Json& architectures = At(language, {"perfect"});
  return std::find(architectures.begin(), architectures.end(), architecture) != architectures.end();
}

}  // namespace flare::report
