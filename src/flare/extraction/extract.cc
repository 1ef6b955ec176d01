#include "flare/extraction/extract.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "flare/automata/matching.h"
#include "flare/automata/operations.h"
#include "flare/automata/text_formats.h"
#include "flare/base/error.h"
#include "flare/base/sha256.h"
#include "flare/classes/classification.h"
#include "flare/extraction/difference.h"
#include "flare/extraction/fidelity.h"
#include "flare/extraction/network_answers.h"
#include "flare/extraction/strings.h"
#include "flare/training/run.h"

namespace flare {
namespace {

constexpr std::size_t kMostShortStrings = std::size_t{1} << 15;
constexpr std::size_t kPoolStrings = 1'000;    // of each kind
constexpr std::size_t kHeldOutStrings = 500;   // of each kind
constexpr std::size_t kLongestExact = 500;     // as in the paper's long test set
constexpr std::size_t kMostElements = 20'000;  // of a syntactic monoid: a moment

// The states that can be reached and answer differently to strings of up to two symbols: the
// minimal automaton has at least as many, not counting a sink. A collision of hashes can only lower
// the number. Much cheaper than minimizing. Requires: complete.
std::size_t DistinguishedStates(const Dfa& dfa) {
  std::vector<StateId> reached = {dfa.start()};
  std::vector<bool> is_reached(dfa.num_states(), false);
  is_reached[Index(dfa.start())] = true;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const Dfa::Transition& t : dfa.TransitionsFrom(reached[i])) {
      if (is_reached[Index(t.target)]) continue;
      is_reached[Index(t.target)] = true;
      reached.push_back(t.target);
    }
  }
  std::vector<std::uint64_t> answers(dfa.num_states());
  for (const StateId q : reached) answers[Index(q)] = dfa.IsAccepting(q) ? 1 : 2;
  for (int length = 1; length <= 2; ++length) {
    std::vector<std::uint64_t> longer(dfa.num_states());
    for (const StateId q : reached) {
      std::uint64_t hash = answers[Index(q)];
      for (const Dfa::Transition& t : dfa.TransitionsFrom(q)) {
        hash = (hash ^ (hash >> 29)) * 0x9E3779B97F4A7C15 + answers[Index(t.target)];
      }
      longer[Index(q)] = hash;
    }
    answers.swap(longer);
  }
  std::vector<std::uint64_t> different;
  for (const StateId q : reached) different.push_back(answers[Index(q)]);
  std::sort(different.begin(), different.end());
  return static_cast<std::size_t>(std::unique(different.begin(), different.end()) -
                                  different.begin());
}

// If a limit stops the learner, its last hypothesis is one among others. This one compares them on
// strings that the learner has not seen, and keeps those that agree nearly as often with the
// network as the best does: within 1 %.
class Hypotheses {
 public:
  Hypotheses(std::vector<String> strings, std::vector<std::uint8_t> labels)
      : strings_(std::move(strings)), labels_(std::move(labels)) {}

  void Add(const Dfa& hypothesis) {
    const Matcher matcher(hypothesis);
    std::size_t agree = 0;
    for (std::size_t i = 0; i < strings_.size(); ++i) {
      if (matcher.Accepts(strings_[i]) == (labels_[i] != 0)) ++agree;
    }
    most_ = std::max(most_, agree);
    const auto is_too_far = [&](const Tried& tried) { return 100 * tried.agree < 99 * most_; };
    kept_.push_back({hypothesis, agree});
    std::erase_if(kept_, is_too_far);
  }

  // Returns the hypothesis that agrees most often, the first of equals.
  Dfa Best() const {
    return Minimize(
        std::max_element(kept_.begin(), kept_.end(), [](const Tried& a, const Tried& b) {
          return a.agree < b.agree;
        })->automaton);
  }
  // The smallest of all that are kept; of several the best, then the first. A network that is not
  // an automaton has large ones that follow its slips and a small one that says what it does.
  Dfa Smallest() const {
    Dfa smallest = Best();
    for (const Tried& tried : kept_) {
      if (DistinguishedStates(tried.automaton) > smallest.num_states()) continue;
      Dfa automaton = Minimize(tried.automaton);
      if (automaton.num_states() < smallest.num_states()) smallest = std::move(automaton);
    }
    return smallest;
  }

 private:
  struct Tried {
    Dfa automaton;
    std::size_t agree;
  };

  std::vector<String> strings_;
  std::vector<std::uint8_t> labels_;
  std::size_t most_ = 0;
  std::vector<Tried> kept_;
};

std::size_t LongestOf(const Split& split) {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < split.size(); ++i) {
    longest = std::max(longest, split.string(i).size());
  }
  return longest;
}

// A whole number as long as a double has it exactly, else seven digits and the exponent.
std::string CountText(const ExtendedReal& count) {
  if (count.IsZero()) return "0";
  if (count < ExtendedReal(0x1p53)) return fmt::format("{:.0f}", count.ToDouble());
  const double log10 = count.Log() / std::log(10.0);
  double exponent = std::floor(log10), mantissa = std::pow(10.0, log10 - exponent);
  if (mantissa >= 9.9999995) {
    mantissa = 1;
    ++exponent;
  }
  return fmt::format("{:.6f}e{:.0f}", mantissa, exponent);
}

ExactError ErrorOf(const LanguageDifference& difference, const Alphabet& alphabet) {
  const auto text = [&](const std::optional<String>& w) {
    return w ? std::optional(alphabet.Format(*w)) : std::nullopt;
  };
  ExactError error;
  error.first_wrongly_accepted = text(difference.first_wrongly_accepted);
  error.first_wrongly_rejected = text(difference.first_wrongly_rejected);
  if (difference.only_differs_on) {
    error.only_differs_on.emplace();
    for (const String& w : *difference.only_differs_on) {
      error.only_differs_on->push_back(alphabet.Format(w));
    }
  }
  error.known_up_to = difference.known_up_to;
  for (const LengthDifference& row : difference.by_length) {
    error.wrongly_accepted.push_back(CountText(row.wrongly_accepted));
    error.wrongly_rejected.push_back(CountText(row.wrongly_rejected));
    error.rejects_by_paper.push_back(row.rejects_by_paper);
    error.rejects_uniformly.push_back(row.rejects_uniformly);
    error.accepts_uniformly.push_back(row.accepts_uniformly);
  }
  return error;
}

// Learns, and says how that went.
Dfa Learn(NetworkAnswers& network, const ExtractionTarget& target,
          const std::optional<Split>& training, const Alphabet& alphabet,
          const LearnerLimits& limits, ExtractionReport& report) {
  const std::size_t width = alphabet.size();
  std::vector<String> held_out = DrawLikeTheRun(target, training, width, report.max_length,
                                                kHeldOutStrings, "extract/held-out");
  std::vector<std::uint8_t> labels = network.Of(held_out);
  Hypotheses hypotheses(std::move(held_out), std::move(labels));

  QueryLearner learner(
      alphabet, [&](std::span<const String> strings) { return network.OfPrefixes(strings); },
      limits);
  learner.AddToPool(AllOfOneLength(width, report.max_length, kMostShortStrings));
  learner.AddToPool(
      DrawLikeTheRun(target, training, width, report.max_length, kPoolStrings, "extract/pool"));
  do {
    hypotheses.Add(learner.hypothesis());
  } while (learner.Refine());

  report.queries = learner.num_queries();
  report.limit = learner.limit();
  if (report.limit.empty()) return Minimize(learner.hypothesis());
  report.best_states = hypotheses.Best().num_states();
  return hypotheses.Smallest();
}

// Compares with the target, or says why not.
std::optional<LanguageDifference> Judge(const ExtractionTarget& target, const Dfa& automaton,
                                        std::size_t longest, ExtractionReport& report) {
  if (!target.language) {
    report.not_judged = target.unknown;
    return std::nullopt;
  }
  report.language = target.language->name;
  const ContextFreeLanguage* grammar = target.grammar();
  if (target.dfa() == nullptr && (grammar == nullptr || !grammar->is_lr1())) {
    report.not_judged = fmt::format(
        "the target is {}: only regular ones and grammars with an LR(1) certificate are compared "
        "exactly",
        LongName(target.language->language_class));
    return std::nullopt;
  }
  try {
    if (target.dfa() != nullptr) return CompareLanguages(*target.dfa(), automaton, longest);
    return CompareWithGrammar(grammar->normal_form(), grammar->recognizer(), automaton, longest);
  } catch (const InputError& error) {
    report.not_judged = error.what();
    return std::nullopt;
  }
}

}  // namespace

Extraction ExtractAutomaton(Model& model, const RunPlan& plan, const ExtractionOptions& options) {
  const ExtractionTarget target = TargetOf(plan.data);
  std::optional<Split> training;
  const bool is_there = std::filesystem::is_directory(plan.data.pinned.path);
  if (!options.max_length || (!target.language && is_there)) {
    training = ReadPinnedSplit(plan.data, "train", kOnlyStrings);
  }
  const Alphabet& alphabet = plan.data.alphabet;
  ExtractionReport report;
  report.alphabet = alphabet.names();
  report.max_length = options.max_length ? *options.max_length : LongestOf(*training);
  report.max_states = options.max_states;
  report.max_queries = options.max_queries;
  if (report.max_length > model.longest()) {
    throw InputError(
        "", fmt::format("a length of {} symbols: a {} reads strings of up to {}", report.max_length,
                        model.config().architecture, model.longest()));
  }
  NetworkAnswers network(model, alphabet.size());
  const LearnerLimits limits{options.max_states, options.max_queries, model.longest()};
  Dfa automaton = Learn(network, target, training, alphabet, limits, report);
  report.states = automaton.num_states();
  const auto classification = classes::Classify(automaton, {.max_elements = kMostElements});
  report.classes = classes::SmallestClasses(classification);
  report.circuit_class = classes::CircuitClassTitle(classification.circuit_class);

  const auto ranges =
      FidelityRanges(report.max_length, std::min<std::size_t>(kLongestExact, model.longest()));
  const auto difference =
      Judge(target, automaton, std::max(kLongestExact, ranges.back().max), report);
  if (difference) report.error = ErrorOf(*difference, alphabet);
  report.fidelity =
      MeasureFidelity(automaton, network, target, ranges, difference ? &*difference : nullptr);
  return {std::move(automaton), std::move(report), network.seconds()};
}

RunExtraction ExtractFromRun(const RunDirectory& run, const ExtractionOptions& options) {
  const RunPlan plan = ReadPlan(run);
  if (!run.is_finished()) {
    throw InputError(run.path(), "the run is not finished", "flare train continues it");
  }
  const auto model = LoadModel(run, plan).model;
  Extraction extraction = ExtractAutomaton(*model, plan, options);
  RunExtraction result{{std::move(extraction.report), FormatAtt(extraction.automaton)},
                       extraction.network_seconds};
  result.saved.report.model_sha256 = run.ReadResult().model_sha256;
  result.saved.report.automaton_sha256 = Sha256(result.saved.automaton);
  return result;
}

}  // namespace flare
