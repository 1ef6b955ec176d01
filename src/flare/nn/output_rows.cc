#include "flare/nn/output_rows.h"

#include "flare/nn/kernels/transformer_kernels.h"

namespace flare {

void OutputRows::Assign(const Group& group, Encoder::Positions wanted, bool name_pairs) {
  strings.clear();
  group_row.clear();
  for (Names* names : {&outputs, &pairs}) {
    names->position.clear();
    names->string.clear();
  }
  num_rows = num_pairs = 0;
  for (std::size_t i = 0; i < group.num_strings(); ++i) {
    const std::size_t positions = group.length(i) + 1;
    const std::size_t first_query = wanted == Encoder::Positions::kLast ? positions - 1 : 0;
    strings.push_back({num_rows, positions, first_query, size(), num_pairs});
    for (std::size_t t = first_query; t < positions; ++t) {
      group_row.push_back(group.Row(i, t));
      outputs.position.push_back(static_cast<std::uint32_t>(t));
      outputs.string.push_back(group.string(i));
      for (std::size_t j = 0; name_pairs && j <= t; ++j) {
        pairs.position.push_back(static_cast<std::uint32_t>(CausalPairs(t) + j));
        pairs.string.push_back(group.string(i));
      }
    }
    num_rows += positions;
    num_pairs += CausalPairs(positions) - CausalPairs(first_query);
  }
}

}  // namespace flare
