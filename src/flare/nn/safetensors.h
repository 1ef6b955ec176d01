// The safetensors file format: named tensors and string metadata, readable from PyTorch and NumPy.
//
//   8 bytes: length of the header, little-endian
//   header:  JSON, {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...,
//            "__metadata__": {"key": "value"}}, padded with spaces
//   data:    the tensors, row-major, little-endian, without gaps

#ifndef FLARE_NN_SAFETENSORS_H_
#define FLARE_NN_SAFETENSORS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace flare {

struct Tensor {
  enum class Type { kF32, kI32, kU8 };
  Type type = Type::kF32;
  std::vector<std::size_t> shape;
  std::string bytes;  // as in the file

  std::size_t num_elements() const;

  static Tensor Of(const std::vector<float>& values, std::vector<std::size_t> shape);
  static Tensor Of(const std::vector<std::int32_t>& values, std::vector<std::size_t> shape);
  static Tensor Of(const std::vector<std::uint8_t>& values, std::vector<std::size_t> shape);
  // Require: the tensor has this type.
  std::vector<float> Floats() const;
  std::vector<std::int32_t> Integers() const;
  std::vector<std::uint8_t> Bytes() const;
};

struct TensorFile {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;
};

std::string FormatSafetensors(const TensorFile& file);
// Throws InputError naming `file` if the bytes are truncated, oversized or inconsistent. Nothing is
// allocated that the file is not large enough to fill.
TensorFile ParseSafetensors(std::string_view bytes, const std::string& file);

}  // namespace flare

#endif  // FLARE_NN_SAFETENSORS_H_
