#include "flare/base/clock.h"

#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <regex>

#include "flare/base/error.h"
#include "flare/base/text.h"

namespace flare {

std::string UtcNow() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  return {text, std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

double ProcessCpuSeconds() {
  std::timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double ParseDuration(const std::string& text, const std::string& where) {
  static const std::regex units(R"((?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,9})s)?)");
  static const std::regex plain(R"((\d{1,9})(\.\d{1,6})?)");
  static const std::regex colons(R"((?:(\d{1,6})-)?(\d{1,6})(?::(\d{1,2}))?(?::(\d{1,2}))?)");
  std::smatch match;
  const auto number = [&](std::size_t group) {
    return match[group].matched ? std::stod(match[group]) : 0;
  };
  if (std::regex_match(text, match, plain)) return std::stod(text);
  if (!text.empty() && std::regex_match(text, match, units)) {
    return ((number(1) * 24 + number(2)) * 60 + number(3)) * 60 + number(4);
  }
  if (std::regex_match(text, match, colons)) {
    // Slurm: minutes:seconds, but hours:minutes after days.
    if (match[4].matched || match[1].matched) {
      return ((number(1) * 24 + number(2)) * 60 + number(3)) * 60 + number(4);
    }
    return number(2) * 60 + number(3);
  }
  throw InputError(where, fmt::format("{} is not a duration", Quoted(text)),
                   "expected seconds, or something like 90s, 15m, 1h30m, 02:00:00");
}

std::string FormatDuration(double seconds) {
  constexpr long long kDay = 24LL * 3600;
  const long long total = std::llround(seconds);
  if (total < 60) return fmt::format("{}s", total);
  if (total < 3600) return fmt::format("{}m {:02}s", total / 60, total % 60);
  if (total < kDay) return fmt::format("{}h {:02}m", total / 3600, total / 60 % 60);
  return fmt::format("{}d {:02}h", total / kDay, total / 3600 % 24);
}

}  // namespace flare
