// SHA-256, as lower-case hexadecimal.

#ifndef FLARE_BASE_SHA256_H_
#define FLARE_BASE_SHA256_H_

#include <memory>
#include <string>
#include <string_view>

struct SHA256state_st;

namespace flare {

std::string Sha256(std::string_view bytes);

// The hash of bytes that come piece by piece.
class Sha256Stream {
 public:
  Sha256Stream();

  void Add(std::string_view bytes);
  // The hash of all that was added, followed by `more`, which is not added.
  std::string HexWith(std::string_view more) const;

 private:
  struct Free {
    void operator()(SHA256state_st* context) const;
  };
  std::unique_ptr<SHA256state_st, Free> context_;
};

}  // namespace flare

#endif  // FLARE_BASE_SHA256_H_
