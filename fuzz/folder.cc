#include "folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <string>
#include <system_error>

#include "flare/base/file.h"

namespace flare {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMarker = "== ", kHere = "@HERE@";
constexpr std::size_t kMostFiles = 40, kLongestName = 150;

bool IsHarmless(std::string_view name) {
  if (name.empty() || name.size() > kLongestName || name.find("..") != std::string_view::npos ||
      name.front() == '/' || name.back() == '/') {
    return false;
  }
  for (const char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (!plain && std::string_view("+-._/").find(c) == std::string_view::npos) return false;
  }
  return true;
}

std::string WithHere(std::string_view text, const std::string& here) {
  std::string out;
  while (true) {
    const std::size_t at = text.find(kHere);
    out += text.substr(0, at);
    if (at == std::string_view::npos) return out;
    out += here;
    text.remove_prefix(at + kHere.size());
  }
}

}  // namespace

Folder::Folder(std::string_view listing)
    : path_(fs::temp_directory_path() / fmt::format("flare-fuzz-{}", ::getpid())) {
  fs::create_directories(path_);
  std::size_t files = 0;
  while (listing.starts_with(kMarker) && files++ < kMostFiles) {
    const std::size_t end_of_line = std::min(listing.find('\n'), listing.size());
    const std::string name(listing.substr(kMarker.size(), end_of_line - kMarker.size()));
    listing.remove_prefix(std::min(end_of_line + 1, listing.size()));
    std::size_t end = 0;
    while (!listing.substr(end).starts_with(kMarker)) {
      const std::size_t next = listing.find('\n', end);
      end = next == std::string_view::npos ? listing.size() : next + 1;
      if (end == listing.size()) break;
    }
    if (IsHarmless(name)) {
      // A file where a directory should be, say: then it is left out.
      std::error_code failed;
      fs::create_directories((path_ / name).parent_path(), failed);
      if (!failed && !fs::is_directory(path_ / name)) {
        WriteFile(path_ / name, WithHere(listing.substr(0, end), path_));
      }
    }
    listing.remove_prefix(end);
  }
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace flare
