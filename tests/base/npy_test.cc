#include "flare/base/npy.h"

#include <gtest/gtest.h>

#include <string>

namespace flare {
namespace {

TEST(Npy, HeaderIsVersion1AndAligned) {
  for (const std::size_t rows : {0u, 7u, 123'456'789u}) {
    const std::string header = NpyHeader(rows, 40);
    EXPECT_EQ(header.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
    const auto size = static_cast<std::size_t>(static_cast<unsigned char>(header[8])) +
                      256 * static_cast<std::size_t>(static_cast<unsigned char>(header[9]));
    EXPECT_EQ(header.size(), 10 + size);
    EXPECT_EQ(header.size() % 64, 0u);
    EXPECT_EQ(header.back(), '\n');
    const std::string dictionary =
        "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", 40), }";
    EXPECT_EQ(header.substr(10, dictionary.size()), dictionary);
  }
}

}  // namespace
}  // namespace flare
