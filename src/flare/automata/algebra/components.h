// The strongly connected components of a graph in which every node has the same number of edges:
// automata and Cayley graphs.

#ifndef FLARE_AUTOMATA_ALGEBRA_COMPONENTS_H_
#define FLARE_AUTOMATA_ALGEBRA_COMPONENTS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace flare::algebra {

struct Components {
  // By node. An edge never leads to a component of a higher number.
  std::vector<std::uint32_t> of;
  std::vector<std::uint32_t> size;  // by component
};

// Node v has the edges targets[v·width …]. Requires: width > 0 unless there is one node.
Components StrongComponents(std::span<const std::uint32_t> targets, std::size_t num_nodes,
                            std::size_t width);

}  // namespace flare::algebra

#endif  // FLARE_AUTOMATA_ALGEBRA_COMPONENTS_H_
