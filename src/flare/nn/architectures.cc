#include "flare/nn/architectures.h"

#include <fmt/format.h>

#include <numeric>

#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/nn/aligned.h"

namespace flare {

// Each is defined in the file of its name, those with a stack in stack.cc.
Architecture DescribeRnn();
Architecture DescribeLstm();
Architecture DescribeGru();
Architecture DescribeTransformer();
Architecture DescribeMamba();
Architecture DescribeDeltaNet();
Architecture DescribeMLstm();
Architecture DescribeGla();
Architecture DescribeMamba2();
Architecture DescribeRwkv7();
Architecture DescribeSLstm();
Architecture DescribeStackRnn();
Architecture DescribeStackLstm();

std::size_t AnySize(const OptionTexts&) { return 1; }
std::size_t WholeVectors(const OptionTexts&) { return kLanes; }

Option HeadsOption(const char* default_value) {
  return {.name = "heads",
          .values = {},
          .least = 1,
          .most = 64,
          .default_value = default_value,
          .help = "the number of heads"};
}

Option EigenvaluesOption() {
  return {.name = "eigenvalues",
          .values = {"positive", "signed"},
          .default_value = "positive",
          .help = "the range of state transitions: (0, 1) or (-1, 1)"};
}

Option ConvolutionOption(const char* default_value) {
  return {.name = "conv",
          .values = {default_value, std::string_view(default_value) == "4" ? "0" : "4"},
          .default_value = default_value,
          .help = "the symbols that the short convolution sees; 0: none"};
}

Option StateOption(std::size_t most) {
  return {.name = "state",
          .values = {},
          .least = 1,
          .most = most,
          .default_value = "16",
          .help = "the states of a channel"};
}

Option ExpandOption() {
  return {.name = "expand",
          .values = {},
          .least = 1,
          .most = 16,
          .default_value = "2",
          .help = "channels, as multiples of the hidden size"};
}

Option FeedForwardOption(const char* default_value) {
  return {.name = "feed_forward",
          .values = {},
          .least = 0,
          .most = 64,
          .default_value = default_value,
          .help = "units of the feed-forward block, as multiples of the hidden size; 0: none"};
}

std::size_t WholeHeads(const OptionTexts& options) {
  return std::lcm(kLanes, OptionNumber(options, "heads"));
}

std::span<const Architecture> Architectures() {
  static const std::vector<Architecture> architectures = {
      DescribeRnn(),      DescribeLstm(),      DescribeGru(),   DescribeTransformer(),
      DescribeMamba(),    DescribeDeltaNet(),  DescribeMLstm(), DescribeSLstm(),
      DescribeStackRnn(), DescribeStackLstm(), DescribeGla(),   DescribeMamba2(),
      DescribeRwkv7(),
  };
  return architectures;
}

const Architecture* FindArchitecture(std::string_view name) {
  for (const Architecture& architecture : Architectures()) {
    if (architecture.name == name) return &architecture;
  }
  return nullptr;
}

OptionTexts CompleteOptions(const Architecture& architecture, const OptionTexts& given,
                            const std::string& where) {
  OptionTexts resolved;
  std::vector<std::string> names;
  for (const Option& option : architecture.options) {
    names.push_back(option.name);
    const auto found = given.find(option.name);
    resolved[option.name] =
        found == given.end()
            ? option.Default(resolved)
            : OptionValue(option, found->second,
                          where.empty() ? option.name : fmt::format("{}: {}", where, option.name));
  }
  for (const auto& [name, text] : given) {
    if (resolved.contains(name)) continue;
    const auto nearest = Nearest(name, names);
    throw InputError(where,
                     fmt::format("{} is not an option of {}", Quoted(name), architecture.name),
                     nearest ? fmt::format("did you mean {}?", *nearest) : "");
  }
  if (architecture.conflict != nullptr) {
    if (const auto conflict = architecture.conflict(resolved)) {
      throw InputError(
          where.empty() ? conflict->option : fmt::format("{}: {}", where, conflict->option),
          conflict->message);
    }
  }
  return resolved;
}

std::string ArithmeticOf(const Architecture& architecture, const OptionTexts& given) {
  const OptionTexts options = CompleteOptions(architecture, given, "");
  return architecture.arithmetic_of != nullptr ? architecture.arithmetic_of(options)
                                               : architecture.arithmetic;
}

std::size_t SizeStep(const Architecture& architecture, const OptionTexts& given) {
  return architecture.size_step(CompleteOptions(architecture, given, ""));
}

}  // namespace flare
