// The strongly connected components of a graph: of automata, Cayley graphs and grammars. All of
// them come from one implementation of Tarjan's algorithm, which is linear and does not recurse.

#ifndef FLARE_AUTOMATA_COMPONENTS_H_
#define FLARE_AUTOMATA_COMPONENTS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace flare {

struct Components {
  // By node. An edge never leads to a component of a higher number.
  std::vector<std::uint32_t> of;
  std::vector<std::uint32_t> size;  // by component
};

// A graph in which every node has the same number of edges: node v has the edges
// targets[v·width …]. Requires: width > 0 unless there is one node.
Components StrongComponents(std::span<const std::uint32_t> targets, std::size_t num_nodes,
                            std::size_t width);

// A graph with an edge from v to every entry of successors[v]. A component comes after all those
// that it leads to; its first node is the one that the search entered last.
std::vector<std::vector<std::size_t>> StrongComponents(
    const std::vector<std::vector<std::size_t>>& successors);

}  // namespace flare

#endif  // FLARE_AUTOMATA_COMPONENTS_H_
