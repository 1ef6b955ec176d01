#include "flare/automata/dot.h"

#include <fmt/format.h>

#include <map>

namespace flare {
namespace {

std::string Escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
    // Graphviz reads &lt; as <.
    if (c == '&') out += "amp;";
  }
  return out;
}

}  // namespace

std::string FormatDot(const Dfa& dfa, const std::string& title) {
  std::string dot = fmt::format("digraph \"{}\" {{\n", Escaped(title));
  dot += "  rankdir=LR;\n  node [shape=circle];\n  start [shape=point];\n";
  dot += fmt::format("  start -> {};\n", Index(dfa.start()));
  for (std::size_t q = 0; q < dfa.num_states(); ++q) {
    const char* shape = dfa.IsAccepting(StateAt(q)) ? " [shape=doublecircle]" : "";
    dot += fmt::format("  {}{};\n", q, shape);
  }
  for (std::size_t q = 0; q < dfa.num_states(); ++q) {
    std::map<StateId, std::string> labels;
    for (const auto& [a, r] : dfa.TransitionsFrom(StateAt(q))) {
      std::string& label = labels[r];
      if (!label.empty()) label += ", ";
      label += Escaped(dfa.alphabet().Name(a));
    }
    for (const auto& [r, label] : labels) {
      dot += fmt::format("  {} -> {} [label=\"{}\"];\n", q, Index(r), label);
    }
  }
  return dot + "}\n";
}

}  // namespace flare
