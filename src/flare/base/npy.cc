#include "flare/base/npy.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <optional>
#include <string_view>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/text.h"

namespace flare {
namespace {

constexpr std::string_view kNpyMagic("\x93NUMPY", 6);
// Longer headers belong to arrays that are not matrices of floats.
constexpr std::size_t kLongestHeader = 1 << 16;
// The number of floats that are read at a time.
constexpr std::size_t kBlockFloats = 1 << 18;

// The value of a key in a dictionary without spaces, up to one of `ends`.
std::string_view ValueOf(std::string_view dictionary, std::string_view key, std::string_view ends) {
  const std::size_t found = dictionary.find(key);
  if (found == std::string_view::npos) return {};
  const std::string_view rest = dictionary.substr(found + key.size());
  return rest.substr(0, std::min(rest.find_first_of(ends), rest.size()));
}

struct Shape {
  std::size_t rows, columns;
};

std::optional<Shape> ShapeOf(std::string_view dictionary) {
  const std::string_view shape = ValueOf(dictionary, "'shape':(", ")");
  const std::size_t comma = shape.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const auto rows = ParseNumber<std::size_t>(shape.substr(0, comma));
  const auto columns = ParseNumber<std::size_t>(shape.substr(comma + 1));
  if (!rows || !columns) return std::nullopt;
  return Shape{*rows, *columns};
}

}  // namespace

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

NpyRows::NpyRows(const std::string& path)
    : path_(path), fd_(OpenFile(path, O_RDONLY | O_NONBLOCK)) {
  if (fd_ < 0) {
    if (errno == ENOENT || errno == ENOTDIR) throw InputError(path, "no such file");
    throw IoError(path, "open", errno);
  }
  try {
    ReadHeader();
  } catch (...) {
    ::close(fd_);
    throw;
  }
}

NpyRows::~NpyRows() { ::close(fd_); }

void NpyRows::ReadHeader() {
  constexpr const char* kExpected = "expected a matrix of float32 in NumPy's format";
  struct stat status;
  if (::fstat(fd_, &status) != 0) throw IoError(path_, "examine", errno);
  if (!S_ISREG(status.st_mode)) throw InputError(path_, "is not a regular file");
  const auto size = static_cast<std::uint64_t>(status.st_size);
  // Magic, the version's two numbers, and the header's length: two bytes, four since version 2.
  std::array<unsigned char, 12> start{};
  ReadAt(0, start.data(), static_cast<std::size_t>(std::min<std::uint64_t>(size, start.size())));
  if (size < start.size() ||
      !std::equal(kNpyMagic.begin(), kNpyMagic.end(), start.begin(),
                  [](char a, unsigned char b) { return static_cast<unsigned char>(a) == b; })) {
    throw InputError(path_, "is not a NumPy file", kExpected);
  }
  const bool is_first = start[6] == 1;
  const std::size_t length = is_first ? start[8] + std::size_t{256} * start[9]
                                      : start[8] + std::size_t{256} * start[9] +
                                            std::size_t{65536} * start[10] +
                                            std::size_t{16777216} * start[11];
  data_ = (is_first ? 10 : 12) + length;
  if (start[6] < 1 || start[6] > 3 || length > kLongestHeader || data_ > size) {
    throw InputError(path_, "has a header that cannot be read", kExpected);
  }
  std::string header(length, ' ');
  ReadAt(data_ - length, header.data(), length);
  std::string dictionary;
  std::copy_if(header.begin(), header.end(), std::back_inserter(dictionary),
               [](char c) { return c != ' ' && c != '\n'; });
  const auto shape = ShapeOf(dictionary);
  const std::string_view order = ValueOf(dictionary, "'fortran_order':", ",}");
  if (ValueOf(dictionary, "'descr':", ",}") != "'<f4'" || !shape ||
      (order != "False" && order != "True")) {
    throw InputError(path_, fmt::format("its header is {}", Quoted(dictionary)), kExpected);
  }
  rows_ = shape->rows;
  columns_ = shape->columns;
  by_columns_ = order == "True";
  const std::uint64_t floats = (size - data_) / sizeof(float);
  const bool fits = rows_ == 0 || columns_ == 0 || columns_ <= floats / rows_;
  if (!fits || (size - data_) != std::uint64_t{rows_} * columns_ * sizeof(float)) {
    throw InputError(path_, fmt::format("has {} bytes of numbers; its header says ({}, {}) of 4 "
                                        "bytes each",
                                        size - data_, rows_, columns_));
  }
}

std::span<const float> NpyRows::Next() {
  FLARE_CHECK(next_ < rows_);
  if (next_ == first_ + count_) Fill();
  return std::span<const float>(block_).subspan((next_++ - first_) * columns_, columns_);
}

void NpyRows::Fill() {
  first_ = next_;
  const std::size_t most =
      std::max<std::size_t>(1, kBlockFloats / std::max<std::size_t>(1, columns_));
  count_ = std::min(most, rows_ - first_);
  block_.resize(count_ * columns_);
  if (!by_columns_) {
    ReadAt(data_ + std::uint64_t{first_} * columns_ * sizeof(float), block_.data(),
           block_.size() * sizeof(float));
    return;
  }
  column_.resize(count_);
  for (std::size_t j = 0; j < columns_; ++j) {
    ReadAt(data_ + (std::uint64_t{j} * rows_ + first_) * sizeof(float), column_.data(),
           count_ * sizeof(float));
    for (std::size_t i = 0; i < count_; ++i) block_[i * columns_ + j] = column_[i];
  }
}

void NpyRows::ReadAt(std::uint64_t offset, void* bytes, std::size_t count) const {
  auto* to = static_cast<char*>(bytes);
  while (count > 0) {
    const ssize_t got = ::pread(fd_, to, count, static_cast<off_t>(offset));
    if (got < 0) {
      if (errno == EINTR) continue;
      throw IoError(path_, "read", errno);
    }
    if (got == 0) throw InputError(path_, "became shorter while it was being read");
    to += got;
    offset += static_cast<std::uint64_t>(got);
    count -= static_cast<std::size_t>(got);
  }
}

}  // namespace flare
