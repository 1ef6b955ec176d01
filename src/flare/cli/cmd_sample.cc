// flare sample LANG: strings of a language, or from outside it.

#include <fmt/format.h>

#include <cstdint>
#include <memory>

#include "flare/base/error.h"
#include "flare/base/rng.h"
#include "flare/cli/command.h"
#include "flare/data/negatives.h"

namespace flare {
namespace {

struct SampleArguments {
  explicit SampleArguments(CLI::App& app) : language(app), lengths(app) {
    AddCount(app, "-n,--count", count, "how many strings");
    app.add_flag("--negative", negative, "strings that are not in the language");
    app.add_option(
           "--distribution", distribution,
           "paper (each state uniform over its actions; a grammar's weights) or uniform (over "
           "the strings of a length)")
        ->check(CLI::IsMember({"paper", "uniform"}))
        ->capture_default_str();
    AddCount(app, "--seed", seed, "the same seed draws the same strings");
    app.add_flag("--log-probability", log_probability, "after a tab, the natural log of p(w)");
  }

  LanguageArgument language;
  LengthRangeOption lengths;
  std::uint64_t count = 10;
  bool negative = false;
  std::string distribution = "paper";
  std::uint64_t seed = 0;
  bool log_probability = false;
};

std::unique_ptr<PositiveSampler> MakeSampler(const NamedLanguage& l, LengthRange range,
                                             const std::string& distribution) {
  if (distribution == "paper") return l.language->MakeSampler(range);
  if (auto sampler = l.language->MakeUniformSampler(range)) return sampler;
  throw InputError("--distribution",
                   fmt::format("uniform is for regular languages and grammars; {} is {}", l.name,
                               LongName(l.language_class)));
}

int Sample(const SampleArguments& options) {
  const NamedLanguage l = options.language.Resolve();
  const LengthRange range = options.lengths.Get();
  const auto sampler = MakeSampler(l, range, options.distribution);
  const NegativeSampler negatives(*l.language, *sampler, range);
  const Density* density = sampler->density();
  if (options.log_probability && options.negative) {
    throw InputError("--log-probability", "is not defined for negatives");
  }
  if (options.log_probability && density == nullptr) {
    throw InputError("--log-probability", fmt::format("is not known for {}", l.name));
  }
  const std::string stream = l.identity + (options.negative ? "/sample-negative" : "/sample");
  std::string out;
  String w;
  for (std::size_t i = 0; i < options.count; ++i) {
    Rng rng = Rng::For(options.seed, stream, i);
    if (options.negative) {
      w = negatives.Sample(rng).w;
    } else {
      sampler->Sample(rng, w);
    }
    out += l.language->alphabet().Format(w);
    if (options.log_probability) out += fmt::format("\t{:.12g}", density->LogProbability(w));
    out += '\n';
    PrintIfLarge(out);
  }
  Print(out);
  return kDone;
}

}  // namespace

std::function<int()> SampleCommand(CLI::App& app) {
  const auto options = std::make_shared<SampleArguments>(app);
  return [options] { return Sample(*options); };
}

}  // namespace flare
