#include "flare/automata/components.h"

#include <algorithm>
#include <limits>

namespace flare {
namespace {

// Tarjan's algorithm with a stack of its own: the graphs have paths of a million nodes. Calls
// emit(nodes) for every component, after all those that it leads to; the nodes are in the order in
// which the search entered them.
template <class Node, class EdgesOf, class Emit>
void FindComponents(std::size_t num_nodes, EdgesOf edges_of, Emit emit) {
  constexpr Node kUnseen = std::numeric_limits<Node>::max();
  constexpr Node kDone = kUnseen - 1;  // its component is known
  struct Visit {
    Node node;
    std::size_t edge;  // the next one to look at
  };
  std::vector<Node> number(num_nodes, kUnseen), low(num_nodes);
  std::vector<Node> open;  // visited, component not known yet
  std::vector<Visit> path;
  Node visited = 0;
  const auto enter = [&](Node v) {
    number[v] = low[v] = visited++;
    open.push_back(v);
    path.push_back({v, 0});
  };
  for (std::size_t root = 0; root < num_nodes; ++root) {
    if (number[root] == kUnseen) enter(static_cast<Node>(root));
    while (!path.empty()) {
      const Node v = path.back().node;
      const std::span<const Node> edges = edges_of(v);
      if (path.back().edge < edges.size()) {
        const Node w = edges[path.back().edge++];
        if (number[w] == kUnseen) {
          enter(w);
        } else if (number[w] != kDone) {
          low[v] = std::min(low[v], number[w]);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty()) low[path.back().node] = std::min(low[path.back().node], low[v]);
      if (low[v] != number[v]) continue;
      std::size_t first = open.size();
      do --first;
      while (open[first] != v);
      const std::span<const Node> component = std::span<const Node>(open).subspan(first);
      for (const Node w : component) number[w] = kDone;
      emit(component);
      open.resize(first);
    }
  }
}

}  // namespace

Components StrongComponents(std::span<const std::uint32_t> targets, std::size_t num_nodes,
                            std::size_t width) {
  Components result;
  result.of.resize(num_nodes);
  FindComponents<std::uint32_t>(
      num_nodes, [&](std::uint32_t v) { return targets.subspan(v * width, width); },
      [&](std::span<const std::uint32_t> component) {
        for (const std::uint32_t v : component) {
          result.of[v] = static_cast<std::uint32_t>(result.size.size());
        }
        result.size.push_back(static_cast<std::uint32_t>(component.size()));
      });
  return result;
}

std::vector<std::vector<std::size_t>> StrongComponents(
    const std::vector<std::vector<std::size_t>>& successors) {
  std::vector<std::vector<std::size_t>> components;
  FindComponents<std::size_t>(
      successors.size(), [&](std::size_t v) { return std::span<const std::size_t>(successors[v]); },
      [&](std::span<const std::size_t> component) {
        components.emplace_back(component.rbegin(), component.rend());
      });
  return components;
}

}  // namespace flare
