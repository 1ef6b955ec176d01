#include "flare/base/npy.h"

#include <fmt/format.h>

#include <bit>
#include <string_view>

namespace flare {

std::string NpyHeader(std::size_t rows, std::size_t columns) {
  static_assert(std::endian::native == std::endian::little);
  constexpr std::string_view kMagic("\x93NUMPY\x01\x00", 8);
  constexpr std::size_t kAlignment = 64, kSizeBytes = 2;
  std::string dictionary =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
  const std::size_t unpadded = kMagic.size() + kSizeBytes + dictionary.size() + 1;
  dictionary.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  dictionary += '\n';
  std::string header(kMagic);
  header += static_cast<char>(dictionary.size() & 0xFF);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

}  // namespace flare
