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
  if (claim.needed_runs) return "none";
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

}  // namespace

Table ClaimsTable(const Selection& selection) {
  Table table;
  table.name = "claims";
  table.caption = "What the paper's results section says, tested on our runs.";
  table.columns = {{"claim", "Claim", "", true},        {"effect_of", "Effect", "", true},
                   {"claimed", "Claimed", "", true},    {"effect", "Effect", "Ours"},
                   {"effect_interval", "95 %", "Ours"}, {"n", "n", "Ours"},
                   {"unit", "of", "Ours", true},        {"p", "p", "Test"},
                   {"p_adjusted", "Corrected", "Test"}, {"verdict", "Verdict", "", true}};
  const std::vector<Claim> claims = PaperClaims(PaperRuns(selection));
  for (const Claim& claim : claims) {
    const Evidence& evidence = claim.evidence;
    const int decimals = claim.needed_runs ? 0 : 3;
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
                 Cell::Probability(evidence.p),
                 Cell::Probability(claim.adjusted_p),
                 Cell::Text(VerdictText(claim.verdict))};
    table.rows.push_back(std::move(row));
  }
  table.notes = {
      fmt::format("Of {} claims: {}.", claims.size(), VerdictCounts(claims)),
      fmt::format("A claim holds, or does not, where its test, corrected for the number of all "
                  "tests here (Holm), is at most {:g}; p is two-sided, of the effect being at the "
                  "bound. Over languages: signs flipped at random; run by run: runs of a language "
                  "and loss dealt out at random. Where all outcomes can be gone through, they are.",
                  kClaimLevel),
      "95 %: percentile bootstrap over languages, or over runs where every sample has five. A "
      "claim that there is none is refuted by one exception; that there is no exception says "
      "something "
      "after as many runs as the paper's.",
      "Run by run, the short validation set is meant; for perfect runs, what the format alone "
      "gives, "
      "and wrong answers, the long one; gains of losses are of both. A language without an order, "
      "because all its scores tie, has no rank correlation.",
      "All runs are on one draw of the data. That the same claims are looked at again as runs come "
      "in "
      "is not corrected for."};
  return table;
}

}  // namespace flare::report
