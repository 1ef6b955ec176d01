// Arrays of floats on cache lines, and the padding of widths.

#ifndef FLARE_NN_ALIGNED_H_
#define FLARE_NN_ALIGNED_H_

#include <cstddef>
#include <new>
#include <vector>

namespace flare {

inline constexpr std::size_t kAlignment = 64;
// Widths are padded to whole vectors of 8 floats, with zeros that stay zero.
inline constexpr std::size_t kLanes = 8;
constexpr std::size_t Padded(std::size_t width) { return (width + kLanes - 1) / kLanes * kLanes; }

template <class T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}
  T* allocate(std::size_t n) {
    return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{kAlignment}));
  }
  void deallocate(T* p, std::size_t) { ::operator delete (p, std::align_val_t{kAlignment}); }
  bool operator==(const AlignedAllocator&) const { return true; }
};

using FloatArray = std::vector<float, AlignedAllocator<float>>;

// Buffers grow and never shrink: after the largest group, nothing more is allocated.
template <class Array>
void Grow(Array& array, std::size_t size) {
  if (array.size() < size) array.resize(size);
}

}  // namespace flare

#endif  // FLARE_NN_ALIGNED_H_
