#include "flare/base/error.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <utility>

#include "flare/base/text.h"

namespace flare {

InputError::InputError(std::string where, const std::string& what, std::string hint)
    : std::runtime_error(where.empty() ? what : Visible(where) + ": " + what),
      where_(std::move(where)),
      hint_(std::move(hint)) {}

IoError::IoError(const std::string& path, const std::string& operation, int error_number)
    : std::runtime_error(
          fmt::format("{}: cannot {}: {}", Visible(path), operation, std::strerror(error_number))),
      path_(path),
      error_number_(error_number) {}

std::string CaughtFault() {
  try {
    throw;
  } catch (const InputError& error) {
    return error.hint().empty() ? error.what() : fmt::format("{}; {}", error.what(), error.hint());
  } catch (const IoError& error) {
    return error.what();
  } catch (const std::filesystem::filesystem_error& error) {
    return fmt::format("{}: {}", Visible(error.path1().string()), error.code().message());
  }
}

std::string FileLine(const std::string& file, std::size_t line) {
  return fmt::format("{}:{}", file, line);
}

void CheckFailed(const char* file, int line, const char* condition) {
  throw CheckError(fmt::format("{}:{}: check failed: {}", file, line, condition));
}

}  // namespace flare
