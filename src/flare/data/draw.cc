#include "flare/data/draw.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/interruption.h"
#include "flare/base/rng.h"
#include "flare/data/format_negatives.h"
#include "flare/data/mlregtest.h"
#include "flare/data/negatives.h"
#include "flare/data/next_symbols_limit.h"

namespace flare {
namespace {

constexpr std::size_t kMostRedraws = 10'000;

std::unique_ptr<PositiveSampler> MakeMemberSampler(const Language& language,
                                                   const SplitConfig& config) {
  if (config.law == MemberLaw::kPaper) return language.MakeSampler(config.lengths);
  auto sampler = language.MakeUniformSampler(config.lengths);
  if (sampler == nullptr) {
    throw InputError("",
                     fmt::format("splits.{}.distribution: how to draw uniformly from this "
                                 "language is not known",
                                 config.name),
                     "distribution = \"paper\" is its own law");
  }
  return sampler;
}

// Labelled, held-out and edit-distance splits and those of members: each example draws its label
// where there is a choice, then its string; a held-out one keeps the label and draws again while
// the string is taken.
std::optional<Split> DrawLabelled(const DrawContext& context, const SplitConfig& config,
                                  const StringSet& taken) {
  const Language& language = *context.language.language;
  const auto positives = MakeMemberSampler(language, config);
  const NegativeOptions& options = context.config.negatives;
  const NegativeSampler proposals(language, *positives, config.lengths, options);
  std::optional<FormatNegatives> of_format;
  const bool members_only = config.kind == SplitKind::kMembers;
  if (options.kind == NegativeKind::kFormat && !members_only) {
    const bool is_uniform =
        options.law == NegativeLaw::kUniform || config.law == MemberLaw::kUniform;
    of_format.emplace(context.language, config.lengths, options.most_proposals,
                      is_uniform ? Distribution::kUniform : Distribution::kPaper);
  }
  const bool negatives_only = config.kind == SplitKind::kEditDistance;
  Split split(language.alphabet().size());
  split.has_num_edits = true;
  String w;
  for (std::size_t i = 0; i < config.size; ++i) {
    Interruption::Check();
    Rng rng = Rng::For(context.seed, context.Stream(config), i);
    const bool label =
        members_only || (!negatives_only && rng.Uniform() < context.config.positive_probability);
    std::optional<std::size_t> num_edits;
    for (std::size_t redraws = 0;; ++redraws) {
      if (redraws == kMostRedraws) return std::nullopt;
      if (label) {
        positives->Sample(rng, w);
      } else if (of_format) {
        of_format->Sample(rng, w);
      } else {
        Negative negative = proposals.Sample(rng);
        w = std::move(negative.w);
        num_edits = negative.num_edits;
      }
      if (!taken.contains(w)) break;
    }
    split.Add(w, label);
    if (!label) split.num_edits.push_back(num_edits);
  }
  return split;
}

}  // namespace

std::size_t StringHash::operator()(const String& w) const {
  std::uint64_t hash = 0xcbf29ce484222325u ^ w.size();
  for (const Symbol a : w) hash = (hash ^ Index(a)) * 0x100000001b3u;
  return static_cast<std::size_t>(hash);
}

std::optional<Split> DrawSplit(const DrawContext& context, const SplitConfig& config,
                               const StringSet& taken) {
  const bool needs_regular =
      config.kind == SplitKind::kBalanced || config.kind == SplitKind::kAdversarial;
  try {
    if (needs_regular && context.language.regular() == nullptr) {
      throw InputError(
          "", fmt::format("a split of kind {} needs a regular language", Name(config.kind)));
    }
    switch (config.kind) {
      case SplitKind::kBalanced:
        return DrawBalanced(*context.language.language->dfa(), context, config);
      case SplitKind::kAdversarial:
        return DrawAdversarial(*context.language.language->dfa(), context, config);
      case SplitKind::kHeldOut:
        return DrawLabelled(context, config, taken);
      case SplitKind::kLabelled:
      case SplitKind::kEditDistance:
      case SplitKind::kMembers:
        return DrawLabelled(context, config, {});
    }
  } catch (const InputError& error) {
    throw InputError(context.Stream(config), error.what(), error.hint());
  }
  __builtin_unreachable();
}

namespace {

// A sampler's density, with the sampler it belongs to.
class SamplerDensity : public Density {
 public:
  explicit SamplerDensity(std::unique_ptr<PositiveSampler> sampler)
      : sampler_(std::move(sampler)) {}
  double LogProbability(StringView w) const override {
    return sampler_->density()->LogProbability(w);
  }

 private:
  std::unique_ptr<PositiveSampler> sampler_;
};

}  // namespace

std::unique_ptr<Density> MakeDensity(const NamedLanguage& language, const SplitConfig& config) {
  if (config.kind == SplitKind::kAdversarial) return nullptr;
  if (config.kind == SplitKind::kBalanced) {
    if (language.regular() == nullptr) return nullptr;
    return MakeBalancedDensity(*language.language->dfa(), config.lengths);
  }
  auto sampler = config.law == MemberLaw::kPaper
                     ? language.language->MakeSampler(config.lengths)
                     : language.language->MakeUniformSampler(config.lengths);
  if (sampler == nullptr || sampler->density() == nullptr) return nullptr;
  return std::make_unique<SamplerDensity>(std::move(sampler));
}

void FillColumns(const DrawContext& context, const SplitConfig& config, Split& split) {
  const Language& language = *context.language.language;
  const DatasetConfig& settings = context.config;
  split.has_num_edits = settings.write_num_edits;
  split.has_next_symbols = settings.write_next_symbols;

  const auto density = MakeDensity(context.language, config);
  split.has_log_probabilities = settings.write_log_probabilities && density != nullptr;
  split.has_edit_distances = settings.write_edit_distances && language.edit_metric() != nullptr &&
                             config.kind == SplitKind::kEditDistance;

  if (split.has_next_symbols) CheckNextSymbolsFit(split, "");
  NextSymbolSets sets(language.alphabet().size());
  for (std::size_t i = 0; i < split.size(); ++i) {
    Interruption::Check();
    const StringView w = split.string(i);
    if (split.labels[i] != 0) {
      if (split.has_next_symbols) {
        language.NextSymbols(w, sets);
        split.next_symbols.Append(sets);
      }
      if (split.has_log_probabilities) {
        split.log_probabilities.push_back(density->LogProbability(w));
      }
    } else if (split.has_edit_distances) {
      split.edit_distances.push_back(language.edit_metric()->Distance(w));
    }
  }
}

}  // namespace flare
