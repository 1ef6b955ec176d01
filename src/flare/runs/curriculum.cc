#include "flare/runs/curriculum.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "flare/base/error.h"
#include "flare/base/text.h"

namespace flare {
namespace {

constexpr std::size_t kMostStages = 100;
constexpr std::size_t kLargestNumber = 1'000'000'000;  // a step, or a length

constexpr const char* kExpectedStages =
    "expected steps and lengths that grow, from step 0 on: [[0, 10], [5000, 20]] or 0:10+5000:20";

std::string WithoutBlanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

// "[[0,10],[5000,20]]" as "0:10+5000:20"; other texts as they are.
std::string WithoutBrackets(std::string text) {
  if (!text.starts_with("[[") || !text.ends_with("]]")) return text;
  text = text.substr(2, text.size() - 4);
  for (std::size_t at = 0; (at = text.find("],[", at)) != std::string::npos;) {
    text.replace(at, 3, "+");
  }
  std::replace(text.begin(), text.end(), ',', ':');
  return text;
}

}  // namespace

std::size_t Curriculum::StageAt(std::size_t step) const {
  const auto next =
      std::upper_bound(stages.begin(), stages.end(), step,
                       [](std::size_t s, const Stage& stage) { return s < stage.step; });
  return static_cast<std::size_t>(next - stages.begin()) - 1;
}

bool Curriculum::BeginsAt(std::size_t step) const {
  return step > 0 && stages[StageAt(step)].step == step;
}

std::string Curriculum::Text() const {
  if (stages.size() == 1 && stages[0].longest == Stage{}.longest) return "";
  std::vector<std::string> parts;
  for (const Stage& stage : stages)
    parts.push_back(fmt::format("{}:{}", stage.step, stage.longest));
  return fmt::format("{}", fmt::join(parts, "+"));
}

Curriculum ParseCurriculum(const std::string& text, const std::string& where) {
  const std::string plain = WithoutBrackets(WithoutBlanks(text));
  if (plain.empty()) return {};
  const auto refuse = [&](const std::string& why) {
    throw InputError(where, fmt::format("{} is not a curriculum: {}", Quoted(text), why),
                     kExpectedStages);
  };
  Curriculum curriculum{{}};
  for (std::size_t begin = 0; begin <= plain.size();) {
    const std::size_t end = std::min(plain.find('+', begin), plain.size());
    const std::string_view part = std::string_view(plain).substr(begin, end - begin);
    const std::size_t colon = std::min(part.find(':'), part.size());
    const auto step = ParseNumber<std::size_t>(part.substr(0, colon));
    const auto longest = ParseNumber<std::size_t>(part.substr(std::min(colon + 1, part.size())));
    if (!step || !longest || *step > kLargestNumber || *longest > kLargestNumber) {
      refuse(fmt::format("{} is not a step and a length", Quoted(part)));
    }
    if (curriculum.stages.size() == kMostStages) {
      refuse(fmt::format("it has more than {} stages", kMostStages));
    }
    if (curriculum.stages.empty() && *step != 0) {
      refuse(fmt::format("it begins with step {}", *step));
    }
    if (!curriculum.stages.empty()) {
      const Curriculum::Stage& last = curriculum.stages.back();
      if (*step <= last.step) refuse(fmt::format("step {} comes after {}", *step, last.step));
      if (*longest <= last.longest) {
        refuse(fmt::format("length {} comes after {}", *longest, last.longest));
      }
    }
    curriculum.stages.push_back({*step, *longest});
    begin = end + 1;
  }
  return curriculum;
}

}  // namespace flare
