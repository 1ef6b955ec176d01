// A directory made from one input, for readers of several files:
//
//   == main.tok
//   0 1 1
//   == labels.txt
//   1
//
// A line `== NAME` begins a file, which continues to the next such line. NAME must be a harmless
// path (letters, digits and `+-._/`, no `..`, not absolute); others are left out. `@HERE@` in a
// file stands for the directory itself.

#ifndef FLARE_FUZZ_FOLDER_H_
#define FLARE_FUZZ_FOLDER_H_

#include <filesystem>
#include <string_view>

namespace flare {

class Folder {
 public:
  explicit Folder(std::string_view listing);
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace flare

#endif  // FLARE_FUZZ_FOLDER_H_
