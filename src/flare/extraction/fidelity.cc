#include "flare/extraction/fidelity.h"

#include <algorithm>
#include <cmath>

#include "flare/automata/matcher.h"

namespace flare {
namespace {

constexpr std::size_t kFreshStrings = 1'000;  // of each kind and range

struct KindOfStrings {
  StringKind kind;
  const char* name;
  // The automaton's error at one length, by the law of this kind.
  std::optional<double> LengthDifference::*error;
};
constexpr KindOfStrings kOfKnownTarget[] = {
    {StringKind::kMembers, "members", &LengthDifference::rejects_by_paper},
    {StringKind::kNonMembers, "non-members", &LengthDifference::accepts_uniformly},
};
constexpr KindOfStrings kOfUnknownTarget[] = {{StringKind::kAny, "strings", nullptr}};

// Lengths that have such strings are equally likely. Nothing if not all of them were compared.
std::optional<double> MeanError(const LanguageDifference& difference, LengthRange lengths,
                                std::optional<double> LengthDifference::*error) {
  if (lengths.max >= difference.by_length.size()) return std::nullopt;
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t n = lengths.min; n <= lengths.max; ++n) {
    if (const auto& at_length = difference.by_length[n].*error) {
      sum += *at_length;
      ++count;
    }
  }
  return count == 0 ? std::nullopt : std::optional(sum / static_cast<double>(count));
}

Fidelity Measure(const Matcher& automaton, NetworkAnswers& network,
                 const std::vector<String>& strings) {
  Fidelity row;
  const std::vector<std::uint8_t> answers = network.Of(strings);
  row.strings = strings.size();
  for (std::size_t i = 0; i < strings.size(); ++i) {
    if (automaton.Accepts(strings[i]) == (answers[i] != 0)) ++row.agree;
  }
  const ShareInterval interval = WilsonInterval(row.agree, row.strings);
  row.low = interval.low;
  row.high = interval.high;
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
  // At the ends it is 0 or 1, but for rounding.
  return {agree == 0 ? 0 : middle - half, agree == strings ? 1 : middle + half};
}

std::vector<Fidelity> MeasureFidelity(const Dfa& automaton, NetworkAnswers& network,
                                      const ExtractionTarget& target,
                                      const std::vector<LengthRange>& ranges,
                                      const LanguageDifference* difference) {
  const Matcher matcher(automaton);
  std::vector<Fidelity> rows;
  const std::span<const KindOfStrings> kinds =
      target.language ? std::span<const KindOfStrings>(kOfKnownTarget) : kOfUnknownTarget;
  for (const KindOfStrings& kind : kinds) {
    for (const LengthRange& lengths : ranges) {
      const std::vector<String> strings =
          DrawOfKind(kind.kind, target, automaton.alphabet().size(), lengths, kFreshStrings,
                     std::string("extract/fidelity/") + kind.name);
      if (strings.empty()) continue;
      Fidelity row = Measure(matcher, network, strings);
      row.kind = kind.name;
      row.min_length = lengths.min;
      row.max_length = lengths.max;
      if (difference != nullptr) row.error = MeanError(*difference, lengths, kind.error);
      if (row.error) {
        // Network and automaton are both wrong, or both right, wherever they agree.
        row.error_low = std::max(0.0, *row.error - (1 - row.low));
        row.error_high = std::min(1.0, *row.error + (1 - row.low));
      }
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace flare
