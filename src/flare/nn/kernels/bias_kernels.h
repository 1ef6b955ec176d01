// A bias, and its gradient. Widths are multiples of 8 floats; rows lie side by side.

#ifndef FLARE_NN_KERNELS_BIAS_KERNELS_H_
#define FLARE_NN_KERNELS_BIAS_KERNELS_H_

#include <cstddef>

namespace flare {

// x (rows, width) += bias.
void AddBias(std::size_t rows, std::size_t width, const float* bias, float* x);
// sum (width) += the column sums of d (rows, width).
void AddColumnSums(std::size_t rows, std::size_t width, const float* d, float* sum);

}  // namespace flare

#endif  // FLARE_NN_KERNELS_BIAS_KERNELS_H_
