#include "flare/automata/algebra/components.h"

#include <algorithm>

namespace flare::algebra {

// Tarjan's algorithm with a stack of its own: the graphs have paths of a million nodes.
Components StrongComponents(std::span<const std::uint32_t> targets, std::size_t num_nodes,
                            std::size_t width) {
  constexpr std::uint32_t kUnseen = UINT32_MAX;
  Components result;
  result.of.assign(num_nodes, kUnseen);
  std::vector<std::uint32_t> number(num_nodes, kUnseen);
  std::vector<std::uint32_t> low(num_nodes);
  std::vector<std::uint32_t> open;  // visited, component not known yet
  struct Visit {
    std::uint32_t node;
    std::uint32_t edge;
  };
  std::vector<Visit> path;
  std::uint32_t visited = 0;
  for (std::size_t root = 0; root < num_nodes; ++root) {
    if (number[root] != kUnseen) continue;
    const auto enter = [&](std::uint32_t v) {
      number[v] = low[v] = visited++;
      open.push_back(v);
      path.push_back({v, 0});
    };
    enter(static_cast<std::uint32_t>(root));
    while (!path.empty()) {
      const std::uint32_t v = path.back().node;
      if (path.back().edge < width) {
        const std::uint32_t w = targets[v * width + path.back().edge++];
        if (number[w] == kUnseen) {
          enter(w);
        } else if (result.of[w] == kUnseen) {
          low[v] = std::min(low[v], number[w]);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty()) low[path.back().node] = std::min(low[path.back().node], low[v]);
      if (low[v] != number[v]) continue;
      const auto component = static_cast<std::uint32_t>(result.size.size());
      result.size.push_back(0);
      for (std::uint32_t w = kUnseen; w != v;) {
        w = open.back();
        open.pop_back();
        result.of[w] = component;
        ++result.size[component];
      }
    }
  }
  return result;
}

}  // namespace flare::algebra
