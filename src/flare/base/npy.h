// NumPy's file format, version 1.0: a header that says what follows, then the numbers row by row.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

#ifndef FLARE_BASE_NPY_H_
#define FLARE_BASE_NPY_H_

#include <cstddef>
#include <string>

namespace flare {

// Of a matrix (rows, columns) of floats of four bytes each, the lowest first. What follows begins
// at a multiple of 64 bytes.
std::string NpyHeader(std::size_t rows, std::size_t columns);

}  // namespace flare

#endif  // FLARE_BASE_NPY_H_
