#include "flare/base/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "flare/base/file.h"
#include "support/refusal.h"
#include "support/shell.h"

namespace flare {
namespace {

using testing::HasSubstr;

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

std::string BytesOf(const std::vector<float>& values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// A header as other programs may write it.
std::string Header(char version, const std::string& dictionary) {
  std::string header("\x93NUMPY", 6);
  header += version;
  header += '\0';
  header += static_cast<char>(dictionary.size() & 0xFF);
  header += static_cast<char>(dictionary.size() >> 8);
  if (version > 1) header += std::string(2, '\0');
  return header + dictionary;
}

std::vector<std::vector<float>> Read(const std::string& path) {
  NpyRows file(path);
  std::vector<std::vector<float>> rows;
  for (std::size_t i = 0; i < file.rows(); ++i) {
    const auto row = file.Next();
    rows.emplace_back(row.begin(), row.end());
  }
  return rows;
}

TEST(NpyRows, AreThoseOfTheMatrix) {
  const TemporaryDirectory folder;
  const std::string path = folder.path() / "matrix.npy";
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  const std::vector<std::vector<float>> expected = {{1, 2}, {3, 4}, {5, 6}};
  WriteFile(path, NpyHeader(3, 2) + BytesOf(values));
  EXPECT_EQ(Read(path), expected);
  for (const char version : {'\1', '\2', '\3'}) {
    WriteFile(path, Header(version, "{'shape':(3,2),'fortran_order': False,'descr':'<f4'}\n") +
                        BytesOf(values));
    EXPECT_EQ(Read(path), expected);
  }
  const std::string by_columns = "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 2), }";
  WriteFile(path, Header('\1', by_columns) + BytesOf({1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(Read(path), expected);
  WriteFile(path, NpyHeader(0, 2));
  EXPECT_EQ(Read(path).size(), 0u);
}

// More than is read at a time.
TEST(NpyRows, AreReadInBlocks) {
  const TemporaryDirectory folder;
  const std::string path = folder.path() / "matrix.npy";
  constexpr std::size_t kRows = 200'000, kColumns = 3;
  std::vector<float> values(kRows * kColumns), by_columns(kRows * kColumns);
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t j = 0; j < kColumns; ++j) {
      values[i * kColumns + j] = by_columns[j * kRows + i] = static_cast<float>(i * kColumns + j);
    }
  }
  WriteFile(path, NpyHeader(kRows, kColumns) + BytesOf(values));
  const auto rows = Read(path);
  ASSERT_EQ(rows.size(), kRows);
  for (std::size_t i = 0; i < kRows; ++i) ASSERT_EQ(rows[i][2], values[i * kColumns + 2]);
  WriteFile(path, Header('\1', "{'descr': '<f4', 'fortran_order': True, 'shape': (200000, 3), }") +
                      BytesOf(by_columns));
  EXPECT_EQ(Read(path), rows);
}

TEST(NpyRows, RefuseWhatIsNoMatrixOfFloats) {
  const TemporaryDirectory folder;
  const std::string path = folder.path() / "matrix.npy";
  const auto refusal = [&](const std::string& contents) {
    WriteFile(path, contents);
    return RefusalOf([&] { NpyRows rows(path); });
  };
  const std::string numbers = BytesOf({1, 2, 3, 4, 5, 6});
  EXPECT_THAT(RefusalOf([&] { NpyRows rows(path + "x"); }), HasSubstr("matrix.npyx: no such file"));
  EXPECT_THAT(RefusalOf([&] { NpyRows rows(folder.path()); }), HasSubstr("is not a regular file"));
  for (const std::string& text : {std::string(), std::string("\x93NUM"), std::string(200, 'x')}) {
    EXPECT_THAT(refusal(text), HasSubstr("is not a NumPy file"));
  }
  const std::string whole = NpyHeader(3, 2) + numbers;
  EXPECT_EQ(refusal(whole), "");
  EXPECT_THAT(refusal(whole.substr(0, 40)), HasSubstr("has a header that cannot be read"));
  EXPECT_THAT(refusal(Header('\4', "{}") + numbers), HasSubstr("cannot be read"));
  // Truncated, or with more than it says.
  EXPECT_THAT(refusal(whole.substr(0, whole.size() - 1)), HasSubstr("has 23 bytes of numbers"));
  EXPECT_THAT(refusal(whole + "1234"),
              HasSubstr("has 28 bytes of numbers; its header says (3, 2)"));
  // A product that does not fit.
  EXPECT_THAT(refusal(NpyHeader(std::size_t{1} << 62, 4) + numbers), HasSubstr("bytes of numbers"));
  for (const std::string dictionary :
       {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 1), }",
        "{'descr': '>f4', 'fortran_order': False, 'shape': (3, 2), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 1, 2), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-3, 2), }",
        "{'descr': '<f4', 'shape': (3, 2), }", "{'descr': [('a', '<f4')]}", "", "{"}) {
    EXPECT_THAT(refusal(Header('\1', dictionary) + numbers),
                HasSubstr("expected a matrix of float32"))
        << dictionary;
  }
}

}  // namespace
}  // namespace flare
