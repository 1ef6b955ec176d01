// Draws the examples of a split. Example i depends on (seed, dataset name, split, i) alone, so that
// splits and languages can be drawn in any order and on any number of threads; only a held-out
// split also depends on what it must not contain.

#ifndef FLARE_DATA_DRAW_H_
#define FLARE_DATA_DRAW_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

#include "flare/data/dataset_config.h"
#include "flare/data/flare_files.h"
#include "flare/languages/language.h"

namespace flare {

struct StringHash {
  std::size_t operator()(const String& w) const;
};
using StringSet = std::unordered_set<String, StringHash>;

struct DrawContext {
  const NamedLanguage& language;
  const DatasetConfig& config;
  std::string dataset;  // its name, which is part of the name of every random stream
  std::uint64_t seed;

  std::string Stream(const SplitConfig& split) const { return dataset + "/" + split.name; }
};

// Draws the examples of a split, any number of times: it prepares its tables only once.
class SplitDrawer {
 public:
  virtual ~SplitDrawer() = default;
  // Replaces what `split` held by strings, labels and the numbers of edits of negatives. Example i
  // depends on (seed, stream, i) alone.
  virtual void Draw(std::uint64_t seed, const std::string& stream, Split& split) const = 0;
};

// Makes a drawer for a split that depends on no other, that is, not for a held-out one. Keeps
// references to the language and the configuration. If `members_only` is set and examples are drawn
// one by one, the split leaves out non-members. Throws InputError as DrawSplit does.
std::unique_ptr<SplitDrawer> MakeDrawer(const NamedLanguage& language, const DatasetConfig& config,
                                        const SplitConfig& split, bool members_only = false);

// The strings and labels of a split, and the numbers of edits of its negatives. `taken` holds what
// a held-out split must not contain; nothing is returned if 10,000 redraws of one example all fall
// into it, because the language has too few strings. Throws InputError if the language has no
// strings that fit, or the kind needs a regular language.
std::optional<Split> DrawSplit(const DrawContext& context, const SplitConfig& split,
                               const StringSet& taken);

// The law of a split's members, as far as it is known in closed form: not for adversarial pairs,
// nor for languages without one. Keeps references to the language. Throws InputError if no member
// fits.
std::unique_ptr<Density> MakeDensity(const NamedLanguage& language, const SplitConfig& config);

// Fills the columns that follow from the strings: next symbols, log-probabilities, edit distances,
// as far as the configuration asks for them and the language has them.
void FillColumns(const DrawContext& context, const SplitConfig& config, Split& split);

}  // namespace flare

#endif  // FLARE_DATA_DRAW_H_
