#include "flare/runs/drawn_settings.h"

#include <cmath>
#include <cstdint>
#include <string>

#include "flare/base/rng.h"
#include "flare/runs/loss_text.h"

namespace flare {
namespace {

// A log-uniform draw; each setting has a stream of its own, so that giving one changes no other.
double DrawLogUniform(std::uint64_t seed, const std::string& key, double least, double most) {
  Rng rng = Rng::For(seed, "settings/" + key);
  return std::exp(std::log(least) + rng.Uniform() * (std::log(most) - std::log(least)));
}

}  // namespace

void DrawMissing(const SettingTexts& given, RunSettings& settings) {
  const auto missing = [&](const std::string& key) {
    if (given.contains(key)) return false;
    settings.drawn.emplace_back(key);
    return true;
  };
  if (missing("batch_tokens")) {
    Rng rng = Rng::For(settings.seed, "settings/batch_tokens");
    settings.batch_tokens = 128 + static_cast<std::size_t>(rng.UniformInt(4096 - 128 + 1));
  }
  if (missing("learning_rate")) {
    settings.learning_rate = DrawLogUniform(settings.seed, "learning_rate", 1e-4, 1e-2);
  }
  for (const std::string& term : LossTerms(settings.loss)) {
    const std::string key = CoefficientKey(term);
    // The law is for terms beside recognition. Without it the terms are the objective, and count
    // alike.
    if (!HasRecognition(settings.loss)) {
      if (!given.contains(key)) settings.coefficients[term] = 1;
      continue;
    }
    if (missing(key)) settings.coefficients[term] = DrawLogUniform(settings.seed, key, 0.01, 10);
  }
}

}  // namespace flare
