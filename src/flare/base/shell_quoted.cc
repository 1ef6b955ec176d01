#include "flare/base/shell_quoted.h"

#include <algorithm>
#include <string_view>

namespace flare {

std::string ShellQuoted(const std::string& word) {
  const auto is_plain = [](char c) {
    constexpr std::string_view kOthers = "-_./=,:@%+";
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kOthers.find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace flare
