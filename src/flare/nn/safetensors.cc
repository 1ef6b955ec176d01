#include "flare/nn/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/json.h"
#include "flare/base/text.h"

namespace flare {
namespace {

static_assert(std::endian::native == std::endian::little,
              "tensors are written as they are in memory");

constexpr const char* kMetadata = "__metadata__";

struct TypeName {
  Tensor::Type type;
  const char* name;
  std::size_t size;
};
constexpr TypeName kTypes[] = {
    {Tensor::Type::kF32, "F32", 4}, {Tensor::Type::kI32, "I32", 4}, {Tensor::Type::kU8, "U8", 1}};

const TypeName& Describe(Tensor::Type type) {
  return *std::find_if(std::begin(kTypes), std::end(kTypes),
                       [&](const TypeName& t) { return t.type == type; });
}

template <class T>
Tensor Make(Tensor::Type type, const std::vector<T>& values, std::vector<std::size_t> shape) {
  Tensor tensor{type, std::move(shape), std::string(values.size() * sizeof(T), '\0')};
  FLARE_CHECK(tensor.num_elements() == values.size());
  if (!values.empty()) std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}

template <class T>
std::vector<T> Read(const Tensor& tensor, Tensor::Type type) {
  FLARE_CHECK(tensor.type == type);
  std::vector<T> values(tensor.bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

}  // namespace

std::size_t Tensor::num_elements() const {
  std::size_t count = 1;
  for (const std::size_t extent : shape) count *= extent;
  return count;
}

Tensor Tensor::Of(const std::vector<float>& values, std::vector<std::size_t> shape) {
  return Make(Type::kF32, values, std::move(shape));
}
Tensor Tensor::Of(const std::vector<std::int32_t>& values, std::vector<std::size_t> shape) {
  return Make(Type::kI32, values, std::move(shape));
}
Tensor Tensor::Of(const std::vector<std::uint8_t>& values, std::vector<std::size_t> shape) {
  return Make(Type::kU8, values, std::move(shape));
}
std::vector<float> Tensor::Floats() const { return Read<float>(*this, Type::kF32); }
std::vector<std::int32_t> Tensor::Integers() const { return Read<std::int32_t>(*this, Type::kI32); }
std::vector<std::uint8_t> Tensor::Bytes() const { return Read<std::uint8_t>(*this, Type::kU8); }

std::string FormatSafetensors(const TensorFile& file) {
  Json header = Json::object();
  if (!file.metadata.empty()) header[kMetadata] = file.metadata;
  std::size_t offset = 0;
  for (const auto& [name, tensor] : file.tensors) {
    header[name] = {{"dtype", Describe(tensor.type).name},
                    {"shape", tensor.shape},
                    {"data_offsets", {offset, offset + tensor.bytes.size()}}};
    offset += tensor.bytes.size();
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = text.size();
  std::string bytes(sizeof(length), '\0');
  std::memcpy(bytes.data(), &length, sizeof(length));
  bytes += text;
  for (const auto& [name, tensor] : file.tensors) bytes += tensor.bytes;
  return bytes;
}

TensorFile ParseSafetensors(std::string_view bytes, const std::string& file) {
  std::uint64_t length = 0;
  if (bytes.size() < sizeof(length)) throw InputError(file, "cut off before the header's length");
  std::memcpy(&length, bytes.data(), sizeof(length));
  bytes.remove_prefix(sizeof(length));
  if (length > bytes.size()) {
    throw InputError(
        file, fmt::format("a header of {} bytes in {} bytes: cut off, or not safetensors", length,
                          bytes.size()));
  }
  const std::string_view data = bytes.substr(length);
  TensorFile result;
  try {
    const Json header = ParseJson(bytes.substr(0, length), file + ": header");
    if (!header.is_object()) throw InputError(file, "the header is not a JSON object");
    struct Range {
      std::size_t begin, end;
    };
    std::vector<Range> ranges;
    for (const auto& [name, entry] : header.items()) {
      if (name == kMetadata) {
        result.metadata = entry.get<std::map<std::string, std::string>>();
        continue;
      }
      const auto fail = [&, &n = name](const std::string& what) {
        throw InputError(file, fmt::format("tensor {}: {}", Quoted(n), what));
      };
      const std::string dtype = entry.at("dtype");
      const auto type = std::find_if(std::begin(kTypes), std::end(kTypes),
                                     [&](const TypeName& t) { return dtype == t.name; });
      if (type == std::end(kTypes)) fail(fmt::format("unknown dtype {}", Quoted(dtype)));
      const auto offsets = Wholes<std::size_t>(entry.at("data_offsets"));
      if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data.size()) {
        fail(fmt::format("its offsets are outside the {} bytes of data", data.size()));
      }
      Tensor tensor{type->type, Wholes<std::size_t>(entry.at("shape")), ""};
      // The product of the shape, without overflow.
      std::size_t size = type->size;
      for (const std::size_t extent : tensor.shape) {
        if (extent != 0 && size > data.size() / extent) fail("its shape is larger than the file");
        size *= extent;
      }
      if (size != offsets[1] - offsets[0]) fail("its shape does not fit its offsets");
      tensor.bytes = data.substr(offsets[0], size);
      ranges.push_back({offsets[0], offsets[1]});
      if (!result.tensors.emplace(name, std::move(tensor)).second) fail("is listed twice");
    }
    std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    std::size_t end = 0;
    for (const Range& range : ranges) {
      if (range.begin != end) throw InputError(file, "its tensors overlap or leave gaps");
      end = range.end;
    }
    if (end != data.size()) {
      throw InputError(
          file, fmt::format("{} bytes of data, of which the tensors take {}", data.size(), end));
    }
  } catch (const Json::exception& error) {
    throw InputError(file, fmt::format("malformed header: {}", error.what()));
  }
  return result;
}

}  // namespace flare
