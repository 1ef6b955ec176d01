// Strongly connected components.

#ifndef FLARE_GRAMMARS_COMPONENTS_H_
#define FLARE_GRAMMARS_COMPONENTS_H_

#include <cstddef>
#include <vector>

namespace flare {

// The components of the graph with an edge from v to every entry of successors[v]; a component
// comes after all those that it leads to (Tarjan). O(vertices + edges), without recursion.
std::vector<std::vector<std::size_t>> StrongComponents(
    const std::vector<std::vector<std::size_t>>& successors);

}  // namespace flare

#endif  // FLARE_GRAMMARS_COMPONENTS_H_
