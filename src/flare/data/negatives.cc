#include "flare/data/negatives.h"

#include <fmt/format.h>

#include <utility>

#include "flare/base/error.h"

namespace flare {
namespace {

enum class Edit { kInsert, kReplace, kDelete };

}  // namespace

bool EditOnce(std::size_t alphabet_size, LengthRange range, Rng& rng, String& w) {
  Edit allowed[3];
  std::size_t count = 0;
  if (w.size() < range.max) allowed[count++] = Edit::kInsert;
  if (!w.empty() && alphabet_size > 1) allowed[count++] = Edit::kReplace;
  if (w.size() > range.min) allowed[count++] = Edit::kDelete;
  if (count == 0) return false;
  switch (allowed[rng.UniformInt(count)]) {
    case Edit::kInsert: {
      const std::size_t position = rng.UniformInt(w.size() + 1);
      const Symbol a = SymbolAt(rng.UniformInt(alphabet_size));
      w.insert(w.begin() + static_cast<std::ptrdiff_t>(position), a);
      break;
    }
    case Edit::kReplace: {
      Symbol& a = w[rng.UniformInt(w.size())];
      // One of the other symbols: skip over the present one.
      const std::size_t other = rng.UniformInt(alphabet_size - 1);
      a = SymbolAt(other < Index(a) ? other : other + 1);
      break;
    }
    case Edit::kDelete: {
      const std::size_t position = rng.UniformInt(w.size());
      w.erase(w.begin() + static_cast<std::ptrdiff_t>(position));
      break;
    }
  }
  return true;
}

void NegativeSampler::ProposeUniform(Rng& rng, String& w) const {
  w.resize(range_.min + rng.UniformInt(range_.max - range_.min + 1));
  for (Symbol& a : w) a = SymbolAt(rng.UniformInt(language_.alphabet().size()));
}

std::optional<std::size_t> NegativeSampler::ProposePerturbed(Rng& rng, String& w) const {
  positives_.Sample(rng, w);
  std::size_t edits = 1;
  while (rng.Uniform() >= options_.stop_probability) ++edits;
  for (std::size_t i = 0; i < edits; ++i) {
    if (!EditOnce(language_.alphabet().size(), range_, rng, w)) return std::nullopt;
  }
  return edits;
}

std::optional<std::size_t> NegativeSampler::Sample(Rng& rng, String& w) const {
  for (std::size_t i = 0; i < options_.most_proposals; ++i) {
    std::optional<std::size_t> num_edits;
    if (rng.Uniform() < options_.perturbation_probability) {
      num_edits = ProposePerturbed(rng, w);
      if (!num_edits) continue;
    } else {
      ProposeUniform(rng, w);
    }
    if (!language_.Contains(w)) return num_edits;
  }
  throw InputError("", fmt::format("no string outside the language found in {} proposals with "
                                   "lengths in [{}, {}]: its complement is too small",
                                   options_.most_proposals, range_.min, range_.max));
}

}  // namespace flare
