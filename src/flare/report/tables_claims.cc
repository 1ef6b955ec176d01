#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "flare/report/paper_claims.h"
#include "flare/report/tables.h"

namespace flare::report {
namespace {

std::string ClaimedText(const Claim& claim) {
  if (claim.is_none) return "none";
  return fmt::format("{} {:g}", claim.is_above ? "above" : "below", claim.bound);
}

// "holds: 2; does not hold: 1; cannot be told yet: 20".
std::string VerdictCounts(const std::vector<Claim>& claims) {
  std::string text;
  for (const ClaimVerdict verdict :
       {ClaimVerdict::kHolds, ClaimVerdict::kDoesNotHold, ClaimVerdict::kCannotBeTold}) {
    const auto n = std::count_if(claims.begin(), claims.end(),
                                 [&](const Claim& claim) { return claim.verdict == verdict; });
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", VerdictText(verdict), n);
  }
  return text;
}

// How many of the tests could not have decided by themselves, whatever the runs had shown.
std::string PowerlessText(const std::vector<Claim>& claims) {
  std::size_t tests = 0, powerless = 0;
  for (const Claim& claim : claims) tests += claim.evidence.p ? 1 : 0;
  for (const Claim& claim : claims) {
    const auto& least = claim.evidence.least_p;
    if (least && *least * static_cast<double>(tests) > kClaimLevel) ++powerless;
  }
  return fmt::format(
      "Least: the smallest p that so few values could have given at all. Times the {} tests here "
      "it is above {:g} for {}: whatever so few runs show, those claims have no verdict before "
      "others have theirs.",
      tests, kClaimLevel, powerless);
}

}  // namespace

Table ClaimsTable(const Selection& selection) {
  Table table;
  table.name = "claims";
  table.caption =
      "Statements modelled on the paper's results section, tested on our runs; thresholds, and "
      "what is pooled, are ours.";
  table.columns = {{"claim", "Claim", "", true},
                   {"effect_of", "Effect", "", true},
                   {"claimed", "Claimed", "", true},
                   {"effect", "Effect", "Ours"},
                   {"effect_interval", "95 %", "Ours"},
                   {"n", "n", "Ours"},
                   {"unit", "of", "Ours", true},
                   {"p_least", "Least", "Test"},
                   {"p", "p", "Test"},
                   {"p_adjusted", "Corrected", "Test"},
                   {"verdict", "Verdict", "", true}};
  const std::vector<Claim> claims = PaperClaims(PaperRuns(selection));
  for (const Claim& claim : claims) {
    const Evidence& evidence = claim.evidence;
    const int decimals = claim.is_none ? 0 : 3;
    Cell interval;
    interval.decimals = decimals;
    interval.interval = evidence.interval;
    Row row;
    row.cells = {Cell::Text(claim.statement),
                 Cell::Text(claim.quantity),
                 Cell::Text(ClaimedText(claim)),
                 Cell::Maybe(evidence.effect, decimals),
                 interval,
                 Cell::Number(static_cast<double>(evidence.n), 0),
                 Cell::Text(claim.unit),
                 Cell::Probability(evidence.least_p),
                 Cell::Probability(evidence.p),
                 Cell::Probability(claim.adjusted_p),
                 Cell::Text(VerdictText(claim.verdict))};
    table.rows.push_back(std::move(row));
  }
  table.notes = {
      fmt::format("Of {} claims: {}.", claims.size(), VerdictCounts(claims)),
      fmt::format(
          "A claim holds, or does not, where its test, corrected for the number of all tests here "
          "(Holm), is at most {:g}; p is two-sided, of values that lie symmetrically about the "
          "bound. Over languages: signs flipped at random; run by run: runs of a language and loss "
          "dealt out at random. Where all outcomes can be gone through, they are.",
          kClaimLevel),
      PowerlessText(claims),
      "95 %: percentile bootstrap over languages, or over runs where every sample has five; for "
      "one claim at a time, and somewhat too narrow for few values: verdicts go by p. A claim that "
      "there is none is refuted by one exception; that there is no exception says something after "
      "as many runs as the paper's.",
      "Run by run, the short validation set is meant; for perfect runs, what the format alone "
      "gives, and wrong answers, the long one; gains of losses are of both. Runs of which it was "
      "not recorded which wrong answers have the right format do not count there. A language "
      "without an order, because all its scores tie, has no rank correlation.",
      "All runs are on one draw of the data. That the same claims are looked at again as runs come "
      "in is not corrected for."};
  return table;
}

}  // namespace flare::report
