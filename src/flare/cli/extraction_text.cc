#include "flare/cli/extraction_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "flare/base/text.h"

namespace flare {
namespace {

std::string PercentText(const std::optional<double>& share) {
  return share ? fmt::format("{:.4g} %", 100 * *share) : "-";
}

std::string FidelityText(const std::vector<Fidelity>& rows) {
  std::string text =
      fmt::format("\n{:<13} {:<9} {:>12}  {:<16}  {:<10}  {}\n", "FIDELITY ON", "LENGTHS", "AGREES",
                  "95 % INTERVAL", "ITS ERROR", "SO THE NETWORK'S");
  for (const Fidelity& row : rows) {
    std::string line = fmt::format("{:<13} {:<9} {:>12}  {:.4f} to {:.4f}  {:<10}  ", row.kind,
                                   fmt::format("{}-{}", row.min_length, row.max_length),
                                   fmt::format("{} of {}", row.agree, row.strings), row.low,
                                   row.high, PercentText(row.error));
    line += row.error
                ? fmt::format("{} to {}", PercentText(row.error_low), PercentText(row.error_high))
                : "-";
    text += line + "\n";
  }
  return text;
}

std::string ErrorText(const ExactError& error) {
  const std::string up_to =
      error.known_up_to ? fmt::format(" up to length {}", *error.known_up_to) : "";
  if (error.equal()) return fmt::format("It is the target itself{}.\n", up_to);
  const auto word = [&](const std::optional<std::string>& w) {
    if (!w) return "none" + up_to;
    return w->empty() ? "ε" : *w;
  };
  std::string text =
      fmt::format("shortest wrongly accepted  {}\nshortest wrongly rejected  {}\n",
                  word(error.first_wrongly_accepted), word(error.first_wrongly_rejected));
  text += fmt::format(
      "\n{:>6}  {:>16}  {:>16}  {:>11}  {:>11}  {:>11}\n{:>6}  {:>16}  {:>16}  "
      "{:>11}  {:>11}  {:>11}\n",
      "", "WRONGLY", "WRONGLY", "REJECTS", "REJECTS", "ACCEPTS", "LENGTH", "ACCEPTED", "REJECTED",
      "(PAPER)", "(UNIFORM)", "(UNIFORM)");
  for (const std::size_t n : {5u, 10u, 20u, 40u, 80u, 160u, 500u}) {
    if (n >= error.wrongly_accepted.size()) break;
    text += fmt::format(
        "{:>6}  {:>16}  {:>16}  {:>11}  {:>11}  {:>11}\n", n, error.wrongly_accepted[n],
        error.wrongly_rejected[n], PercentText(error.rejects_by_paper[n]),
        PercentText(error.rejects_uniformly[n]), PercentText(error.accepts_uniformly[n]));
  }
  return text;
}

}  // namespace

std::string ExtractionText(const ExtractionReport& report) {
  std::string text =
      fmt::format("automaton  {}, from {} strings; a claim about lengths up to {}\n",
                  Counted(report.states, "state"), report.queries, report.max_length);
  if (!report.limit.empty()) {
    text +=
        fmt::format("limit      {}: of all hypotheses the smallest within 1 % of the best, of {}\n",
                    report.limit, Counted(*report.best_states, "state"));
  }
  text += fmt::format(
      "classes    {}\n           {}\n",
      report.classes.empty() ? "unknown" : fmt::format("{}", fmt::join(report.classes, "; ")),
      report.circuit_class);
  text += FidelityText(report.fidelity);
  text += fmt::format("\ntarget     {}\n", report.language.empty() ? "?" : report.language);
  return text + (report.error ? ErrorText(*report.error)
                              : fmt::format("No exact comparison: {}.\n", report.not_judged));
}

}  // namespace flare
