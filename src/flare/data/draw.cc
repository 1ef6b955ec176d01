#include "flare/data/draw.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/long_work.h"
#include "flare/base/rng.h"
#include "flare/data/flare_files.h"
#include "flare/data/mlregtest.h"
#include "flare/data/negatives.h"

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
class LabelledDrawer : public SplitDrawer {
 public:
  LabelledDrawer(const NamedLanguage& language, const DatasetConfig& config,
                 const SplitConfig& split, bool leaves_out_negatives = false)
      : config_(config),
        split_(split),
        leaves_out_negatives_(leaves_out_negatives),
        positives_(MakeMemberSampler(*language.language, split)),
        proposals_(*language.language, *positives_, split.lengths, config.negatives) {
    const NegativeOptions& options = config.negatives;
    if (options.kind != NegativeKind::kFormat || split.kind == SplitKind::kMembers) return;
    const bool is_uniform =
        options.law == NegativeLaw::kUniform || split.law == MemberLaw::kUniform;
    of_format_.emplace(language, split.lengths, options.most_proposals,
                       is_uniform ? Distribution::kUniform : Distribution::kPaper);
  }

  void Draw(std::uint64_t seed, const std::string& stream, Split& split) const override {
    DrawWithout({}, seed, stream, split);
  }
  // False if one example falls into `taken` too often.
  bool DrawWithout(const StringSet& taken, std::uint64_t seed, const std::string& stream,
                   Split& split) const {
    const bool members_only = split_.kind == SplitKind::kMembers;
    const bool negatives_only = split_.kind == SplitKind::kEditDistance;
    split.Clear();
    split.has_num_edits = true;
    String w;
    for (std::size_t i = 0; i < split_.size; ++i) {
      Interruption::Check();
      Rng rng = Rng::For(seed, stream, i);
      const bool label =
          members_only || (!negatives_only && rng.Uniform() < config_.positive_probability);
      if (!label && leaves_out_negatives_) continue;
      std::optional<std::size_t> num_edits;
      for (std::size_t redraws = 0;; ++redraws) {
        if (redraws == kMostRedraws) return false;
        if (label) {
          positives_->Sample(rng, w);
        } else if (of_format_) {
          of_format_->Sample(rng, w);
        } else {
          num_edits = proposals_.Sample(rng, w);
        }
        if (taken.empty() || !taken.contains(w)) break;
      }
      split.Add(w, label);
      if (!label) split.num_edits.push_back(num_edits);
    }
    return true;
  }

 private:
  const DatasetConfig& config_;
  const SplitConfig& split_;
  bool leaves_out_negatives_;
  std::unique_ptr<PositiveSampler> positives_;
  NegativeSampler proposals_;
  std::optional<FormatNegatives> of_format_;
};

}  // namespace

std::unique_ptr<SplitDrawer> MakeDrawer(const NamedLanguage& language, const DatasetConfig& config,
                                        const SplitConfig& split, bool members_only) {
  const bool needs_regular =
      split.kind == SplitKind::kBalanced || split.kind == SplitKind::kAdversarial;
  if (needs_regular && language.regular() == nullptr) {
    throw InputError("",
                     fmt::format("a split of kind {} needs a regular language", Name(split.kind)));
  }
  if (split.kind == SplitKind::kBalanced) {
    return MakeBalancedDrawer(*language.language->dfa(), split);
  }
  if (split.kind == SplitKind::kAdversarial) {
    return MakeAdversarialDrawer(*language.language->dfa(), split);
  }
  return std::make_unique<LabelledDrawer>(language, config, split, members_only);
}

std::size_t StringHash::operator()(const String& w) const {
  std::uint64_t hash = 0xcbf29ce484222325u ^ w.size();
  for (const Symbol a : w) hash = (hash ^ Index(a)) * 0x100000001b3u;
  return static_cast<std::size_t>(hash);
}

std::optional<Split> DrawSplit(const DrawContext& context, const SplitConfig& config,
                               const StringSet& taken) {
  const std::string stream = context.Stream(config);
  Split split(context.language.language->alphabet().size());
  try {
    if (config.kind == SplitKind::kHeldOut) {
      const LabelledDrawer drawer(context.language, context.config, config);
      if (!drawer.DrawWithout(taken, context.seed, stream, split)) return std::nullopt;
    } else {
      MakeDrawer(context.language, context.config, config)->Draw(context.seed, stream, split);
    }
    return split;
  } catch (const InputError& error) {
    throw InputError(stream, error.what(), error.hint());
  }
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

  const auto density =
      settings.write_log_probabilities ? MakeDensity(context.language, config) : nullptr;
  split.has_log_probabilities = density != nullptr;
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
