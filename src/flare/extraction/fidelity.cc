#include "flare/extraction/fidelity.h"

#include <algorithm>
#include <cmath>

#include "flare/automata/matching.h"

namespace flare {
namespace {

constexpr std::size_t kFreshStrings = 1'000;  // of each kind and range

struct KindOfStrings {
  StringKind kind;
  const char* name;
  const char* law;
};
constexpr KindOfStrings kKinds[] = {
    {StringKind::kMembers, "members", kDatasetLaw},
    {StringKind::kNegatives, "negatives", kDatasetLaw},
    {StringKind::kUniform, "strings", kUniformLaw},
};

// The automaton's exact error at one length, for strings of this kind; nothing if the length has no
// such strings, or the law is known only as a procedure.
std::optional<double> ErrorAtLength(StringKind kind, bool members_are_uniform,
                                    const LengthDifference& row) {
  switch (kind) {
    case StringKind::kMembers:
      return members_are_uniform ? row.rejects_uniformly : row.rejects_by_paper;
    case StringKind::kNegatives:
      return std::nullopt;
    case StringKind::kUniform:
      break;
  }
  return ((row.wrongly_accepted + row.wrongly_rejected) / (row.members + row.non_members))
      .ToDouble();
}

// The mean over the lengths that have such strings, which are equally likely. Nothing if some
// lengths were not compared.
std::optional<double> MeanError(const LanguageDifference& difference, LengthRange lengths,
                                StringKind kind, bool members_are_uniform) {
  if (lengths.max >= difference.by_length.size()) return std::nullopt;
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t n = lengths.min; n <= lengths.max; ++n) {
    if (const auto at_length = ErrorAtLength(kind, members_are_uniform, difference.by_length[n])) {
      sum += *at_length;
      ++count;
    }
  }
  return count == 0 ? std::nullopt : std::optional(sum / static_cast<double>(count));
}

// Requires: at least one string. `target` may be null.
Fidelity Measure(const Matcher& automaton, NetworkAnswers& network, const Language* target,
                 const std::vector<String>& strings) {
  Fidelity row;
  const std::vector<std::uint8_t> answers = network.Of(strings);
  row.strings = strings.size();
  std::size_t automaton_wrong = 0, network_wrong = 0;
  for (std::size_t i = 0; i < strings.size(); ++i) {
    const bool by_automaton = automaton.Accepts(strings[i]), by_network = answers[i] != 0;
    if (by_automaton == by_network) ++row.agree;
    if (target == nullptr) continue;
    const bool is_member = target->Contains(strings[i]);
    if (by_automaton != is_member) ++automaton_wrong;
    if (by_network != is_member) ++network_wrong;
  }
  const ShareInterval interval = WilsonInterval(row.agree, row.strings);
  row.low = interval.low;
  row.high = interval.high;
  if (target != nullptr) {
    row.automaton_wrong = automaton_wrong;
    row.network_wrong = network_wrong;
  }
  return row;
}

}  // namespace

std::vector<LengthRange> FidelityRanges(std::size_t max_length, std::size_t longest) {
  std::vector<LengthRange> ranges;
  std::size_t begin = 0;
  for (const std::size_t end : {max_length / 2, max_length, 2 * max_length, longest}) {
    if (end < begin || end > std::max(longest, max_length)) continue;
    ranges.push_back({begin, end});
    begin = end + 1;
  }
  return ranges;
}

ShareInterval WilsonInterval(std::size_t agree, std::size_t strings) {
  constexpr double z = 1.959963984540054;  // 97.5 % of the normal distribution are below
  const auto n = static_cast<double>(strings);
  const double p = static_cast<double>(agree) / n;
  const double scale = 1 / (1 + z * z / n);
  const double middle = scale * (p + z * z / (2 * n));
  const double half = scale * z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  // The bounds at the ends are 0 and 1, but rounding would miss them.
  return {agree == 0 ? 0 : middle - half, agree == strings ? 1 : middle + half};
}

std::vector<Fidelity> MeasureFidelity(const Dfa& automaton, NetworkAnswers& network,
                                      const ExtractionTarget& target,
                                      const std::vector<LengthRange>& ranges,
                                      const LanguageDifference* difference) {
  const Matcher matcher(automaton);
  const Language* language = target.language ? target.language->language.get() : nullptr;
  std::vector<Fidelity> rows;
  for (const KindOfStrings& kind : kKinds) {
    if (language == nullptr && kind.kind != StringKind::kUniform) continue;
    for (const LengthRange& lengths : ranges) {
      const std::vector<String> strings =
          DrawStrings(kind.kind, target, automaton.alphabet().size(), lengths, kFreshStrings);
      if (strings.empty()) continue;
      Fidelity row = Measure(matcher, network, language, strings);
      row.kind = kind.name;
      row.law = kind.law;
      row.min_length = lengths.min;
      row.max_length = lengths.max;
      if (difference != nullptr) {
        row.error = MeanError(*difference, lengths, kind.kind, target.members_are_uniform());
      }
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace flare
