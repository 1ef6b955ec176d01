#include "flare/report/automaton_svg.h"

#include <fmt/format.h>
#include <graphviz/gvc.h>
#include <graphviz/gvplugin.h>

#include <memory>
#include <set>
#include <string_view>

#include "flare/automata/text_formats.h"
#include "flare/base/error.h"
#include "flare/base/text.h"

extern "C" {
extern gvplugin_library_t gvplugin_core_LTX_library;
extern gvplugin_library_t gvplugin_dot_layout_LTX_library;
}

namespace flare::report {
namespace {

struct CloseContext {
  void operator()(GVC_t* context) const { gvFreeContext(context); }
};
struct CloseGraph {
  void operator()(Agraph_t* graph) const { agclose(graph); }
};

// Graphviz wants char* and changes none of them.
void SetDefault(Agraph_t* graph, int kind, std::string name, std::string value) {
  agattr(graph, kind, name.data(), value.data());
}

void SetWidth(Agraph_t* graph, std::string node, std::string width) {
  std::string attribute = "width";
  agset(agnode(graph, node.data(), 0), attribute.data(), width.data());
}

// Says of the whole drawing what Graphviz says of each of its parts, and leaves out its comments: a
// report may have thousands of drawings.
std::string Compact(const std::string& drawn, const char* letters) {
  const std::string font =
      fmt::format(" font-family=\"Helvetica,sans-Serif\" font-size=\"{}.00\"", letters);
  const std::string anchor = " text-anchor=\"middle\"",
                    of_lines = " fill=\"none\" stroke=\"black\"";
  std::string svg;
  for (const std::string_view line : Lines(drawn)) {
    if (!line.starts_with("<!--")) svg += line;
  }
  const auto replace = [&](const std::string& text, const std::string& by) {
    for (std::size_t at = 0; (at = svg.find(text, at)) != std::string::npos; at += by.size()) {
      svg.replace(at, text.size(), by);
    }
  };
  replace(font, " fill=\"black\" stroke=\"none\"");
  replace(anchor, "");
  replace(of_lines, "");
  replace("class=\"graph\"", "class=\"graph\"" + font + anchor + of_lines);
  return svg;
}

}  // namespace

bool CanBeDrawn(const Dfa& dfa) {
  constexpr std::size_t kMostEdges = 300;
  std::size_t edges = 0;
  for (std::size_t q = 0; q < dfa.num_states() && edges <= kMostEdges; ++q) {
    std::set<StateId> next;
    for (const std::string& name : dfa.alphabet().names()) {
      if (const auto r = dfa.Next(StateAt(q), dfa.alphabet().At(name))) next.insert(*r);
    }
    edges += next.size();
  }
  return edges <= kMostEdges;
}

std::string AutomatonSvg(const Dfa& dfa, const std::string& title) {
  lt_symlist_t plugins[] = {{"gvplugin_core_LTX_library", &gvplugin_core_LTX_library},
                            {"gvplugin_dot_layout_LTX_library", &gvplugin_dot_layout_LTX_library},
                            {nullptr, nullptr}};
  const std::unique_ptr<GVC_t, CloseContext> context(gvContextPlugins(plugins, 0));
  const std::unique_ptr<Agraph_t, CloseGraph> graph(agmemread(FormatDot(dfa, title).c_str()));
  FLARE_CHECK(context != nullptr && graph != nullptr);
  SetDefault(graph.get(), AGRAPH, "bgcolor", "transparent");
  // Dense automata are scaled down to fit a page: larger letters, and as wide as a screen.
  const bool dense = dfa.num_transitions() > 60;
  if (dense) {
    SetDefault(graph.get(), AGRAPH, "rankdir", "TB");
    SetDefault(graph.get(), AGRAPH, "nodesep", "0.3");
    SetDefault(graph.get(), AGRAPH, "ranksep", "0.35");
  }
  const char* letters = dense ? "18" : "12";
  SetDefault(graph.get(), AGNODE, "fontname", "Helvetica");
  SetDefault(graph.get(), AGNODE, "width", dense ? "0.5" : "0.4");
  SetDefault(graph.get(), AGNODE, "fixedsize", "true");
  SetDefault(graph.get(), AGNODE, "fontsize", letters);
  SetWidth(graph.get(), "start", "0.08");
  SetDefault(graph.get(), AGEDGE, "fontname", "Helvetica");
  SetDefault(graph.get(), AGEDGE, "fontsize", letters);
  SetDefault(graph.get(), AGEDGE, "arrowsize", dense ? "1" : "0.7");
  char* rendered = nullptr;
  unsigned int size = 0;
  FLARE_CHECK(gvLayout(context.get(), graph.get(), "dot") == 0);
  FLARE_CHECK(gvRenderData(context.get(), graph.get(), "svg", &rendered, &size) == 0);
  const std::string svg(rendered, size);
  gvFreeRenderData(rendered);
  gvFreeLayout(context.get(), graph.get());
  const std::size_t begin = svg.find("<svg");
  FLARE_CHECK(begin != std::string::npos);
  return Compact(svg.substr(begin), letters);
}

}  // namespace flare::report
