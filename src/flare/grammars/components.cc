#include "flare/grammars/components.h"

#include <algorithm>
#include <limits>

namespace flare {

std::vector<std::vector<std::size_t>> StrongComponents(
    const std::vector<std::vector<std::size_t>>& successors) {
  constexpr std::size_t kUnseen = std::numeric_limits<std::size_t>::max();
  struct Visit {
    std::size_t vertex, next;  // the next of its successors
  };
  std::vector<std::size_t> order(successors.size(), kUnseen), low(successors.size());
  std::vector<bool> open(successors.size(), false);
  std::vector<std::size_t> stack;
  std::vector<Visit> visits;
  std::vector<std::vector<std::size_t>> components;
  std::size_t clock = 0;
  const auto enter = [&](std::size_t v) {
    order[v] = low[v] = clock++;
    open[v] = true;
    stack.push_back(v);
    visits.push_back({v, 0});
  };
  for (std::size_t root = 0; root < successors.size(); ++root) {
    if (order[root] == kUnseen) enter(root);
    while (!visits.empty()) {
      const std::size_t v = visits.back().vertex;
      if (visits.back().next < successors[v].size()) {
        const std::size_t w = successors[v][visits.back().next++];
        if (order[w] == kUnseen) {
          enter(w);
        } else if (open[w]) {
          low[v] = std::min(low[v], order[w]);
        }
        continue;
      }
      visits.pop_back();
      if (!visits.empty()) {
        const std::size_t parent = visits.back().vertex;
        low[parent] = std::min(low[parent], low[v]);
      }
      if (low[v] != order[v]) continue;
      std::vector<std::size_t>& component = components.emplace_back();
      while (true) {
        const std::size_t w = stack.back();
        stack.pop_back();
        open[w] = false;
        component.push_back(w);
        if (w == v) break;
      }
    }
  }
  return components;
}

}  // namespace flare
