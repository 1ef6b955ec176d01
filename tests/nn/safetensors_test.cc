#include "flare/nn/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "flare/base/error.h"

namespace flare {
namespace {

TensorFile Example() {
  TensorFile file;
  file.metadata = {{"architecture", "lstm"}, {"hidden", "40"}};
  file.tensors["b"] = Tensor::Of(std::vector<float>{1, -2, 3.5, 0, 1e-30f, 7}, {2, 3});
  file.tensors["a"] = Tensor::Of(std::vector<std::int32_t>{-1, 2}, {2});
  file.tensors["c"] = Tensor::Of(std::vector<std::uint8_t>{}, {0, 4});
  file.tensors["scalar"] = Tensor::Of(std::vector<float>{4}, {});
  return file;
}

TEST(Safetensors, ReadsBackWhatItWrites) {
  const TensorFile read = ParseSafetensors(FormatSafetensors(Example()), "file");
  EXPECT_EQ(read.metadata, Example().metadata);
  ASSERT_EQ(read.tensors.size(), 4u);
  for (const auto& [name, tensor] : Example().tensors) {
    EXPECT_EQ(read.tensors.at(name).shape, tensor.shape);
    EXPECT_EQ(read.tensors.at(name).bytes, tensor.bytes);
    EXPECT_EQ(read.tensors.at(name).type, tensor.type);
  }
}

TEST(Safetensors, EveryTruncationAndExtensionIsRefused) {
  const std::string good = FormatSafetensors(Example());
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW(ParseSafetensors(good.substr(0, size), "file"), InputError) << size;
  }
  EXPECT_THROW(ParseSafetensors(good + "x", "file"), InputError);
}

std::string WithHeader(const std::string& header, const std::string& data) {
  std::string bytes(8, '\0');
  const std::uint64_t length = header.size();
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + data;
}

TEST(Safetensors, SaysWhatIsInconsistent) {
  const auto error_of = [](const std::string& header, const std::string& data) -> std::string {
    try {
      ParseSafetensors(WithHeader(header, data), "file");
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(error_of("[]", ""), "file: the header is not a JSON object");
  EXPECT_EQ(error_of(R"({"x":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})", "12345678"),
            "file: tensor 'x': unknown dtype 'F64'");
  EXPECT_EQ(error_of(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", "1234"),
            "file: tensor 'x': its shape is larger than the file");
  EXPECT_EQ(error_of(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}})", "12345678"),
            "file: tensor 'x': its shape does not fit its offsets");
  EXPECT_EQ(error_of(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[4,99]}})", "1234"),
            "file: tensor 'x': its offsets are outside the 4 bytes of data");
  EXPECT_EQ(
      error_of(R"({"x":{"dtype":"F32","shape":[4294967296,4294967296,4],"data_offsets":[0,0]}})",
               ""),
      "file: tensor 'x': its shape is larger than the file");
  EXPECT_EQ(error_of(R"({"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                     R"("y":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
                     "1"),
            "file: its tensors overlap or leave gaps");
  EXPECT_EQ(error_of(R"({"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "12"),
            "file: 2 bytes of data, of which the tensors take 1");
  EXPECT_TRUE(error_of("{\"x\":", "").starts_with("file: header: is not JSON: "));
  EXPECT_TRUE(error_of(R"({"x":{"dtype":"F32"}})", "").starts_with("file: malformed header"));
  // A gigantic claim in a small file.
  std::string huge(16, '\xFF');
  EXPECT_THROW(ParseSafetensors(huge, "file"), InputError);
}

}  // namespace
}  // namespace flare
