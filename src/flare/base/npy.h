// NumPy's file format, version 1.0: a header that says what follows, then the numbers row by row.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

#ifndef FLARE_BASE_NPY_H_
#define FLARE_BASE_NPY_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace flare {

// The header of a matrix (rows, columns) of four-byte floats, little-endian. The numbers after it
// begin at a multiple of 64 bytes.
std::string NpyHeader(std::size_t rows, std::size_t columns);

// Reads such a matrix row by row, without holding it: it may be larger than memory. Later versions
// of the format are read as well, and matrices that are stored column by column, as some programs
// write them.
class NpyRows {
 public:
  // Throws InputError unless the file holds one whole matrix of four-byte floats, and nothing else.
  explicit NpyRows(const std::string& path);
  ~NpyRows();
  NpyRows(const NpyRows&) = delete;
  NpyRows& operator=(const NpyRows&) = delete;

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  // Valid until the next call. Requires: there is one. Throws IoError, or InputError if the file
  // has become shorter.
  std::span<const float> Next();

 private:
  void ReadHeader();
  void Fill();
  void ReadAt(std::uint64_t offset, void* bytes, std::size_t count) const;

  std::string path_;
  int fd_;
  std::uint64_t data_ = 0;  // where the numbers begin
  std::size_t rows_ = 0, columns_ = 0;
  bool by_columns_ = false;
  std::size_t next_ = 0;               // the next row to return
  std::size_t first_ = 0, count_ = 0;  // the rows in `block_`
  std::vector<float> block_, column_;
};

}  // namespace flare

#endif  // FLARE_BASE_NPY_H_
