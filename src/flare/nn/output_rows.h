// The positions of a group that a layer computes its output for, string by string: all of them, or
// the last of each string, which is all that is needed of the last layer if no more is wanted. Its
// inputs are those of all positions.

#ifndef FLARE_NN_OUTPUT_ROWS_H_
#define FLARE_NN_OUTPUT_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "flare/nn/encoder.h"
#include "flare/nn/group.h"

namespace flare {

struct OutputRows {
  struct String {
    std::size_t first_row, positions;  // among all positions of the group
    std::size_t first_query;           // the position of the first output
    std::size_t first_output;          // its row among the outputs
    std::size_t first_pair;            // its first causal pair among those of all outputs
  };
  // Numbers that name rows for dropout.
  struct Names {
    std::vector<std::uint32_t> position, string;
  };
  std::vector<String> strings;
  std::vector<std::size_t> group_row;  // the row of each output
  Names outputs, pairs;
  std::size_t num_rows = 0;   // positions of the group
  std::size_t num_pairs = 0;  // causal pairs (i, j ≤ i) of an output i and a position j

  std::size_t size() const { return group_row.size(); }
  // The row, among all positions, of string i's last one.
  std::size_t LastRow(std::size_t i) const {
    return strings[i].first_row + strings[i].positions - 1;
  }
  void Assign(const Group& group, Encoder::Positions wanted, bool name_pairs);
};

}  // namespace flare

#endif  // FLARE_NN_OUTPUT_ROWS_H_
