// One step of the superposition stack (stack.cc), for rows of strings. An element has `width`
// floats, a multiple of 8; the stacks of two rows are `stride` floats apart, with the top first.

#ifndef FLARE_NN_KERNELS_STACK_KERNELS_H_
#define FLARE_NN_KERNELS_STACK_KERNELS_H_

#include <cstddef>

namespace flare {

struct StackShape {
  std::size_t rows;
  std::size_t units;   // of an element
  std::size_t width;   // the same, padded with zeros
  std::size_t stride;  // between rows
  // The number of elements that are computed, and the number before: those below were zero, or are
  // no longer needed.
  std::size_t depth, depth_before;

  // A row of signals: those of push, pop and no-op in the first eight, then the pushed vector's.
  std::size_t signals() const { return 8 + width; }
};

// `signals` become the probabilities of the actions, by a softmax, and σ of the vector;
//   stack[i] = push · before[i−1] + pop · before[i+1] + no-op · before[i],
// with the vector for before[−1].
void StackForward(const StackShape& shape, const float* before, float* signals, float* stack);
// Computes the gradient of the stack before, which is overwritten, and that of the signals, which
// replaces them and is 0 in the padding, from the gradient of the stack.
void StackBackward(const StackShape& shape, const float* before, const float* d_stack,
                   float* signals, float* d_before);

}  // namespace flare

#endif  // FLARE_NN_KERNELS_STACK_KERNELS_H_
