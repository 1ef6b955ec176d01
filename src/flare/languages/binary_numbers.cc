#include "flare/languages/binary_numbers.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "flare/base/error.h"

namespace flare {
namespace {

constexpr std::size_t kWordBits = 64;

mpz_class FromWords(const std::vector<std::uint64_t>& words) {
  mpz_class x;
  mpz_import(x.get_mpz_t(), words.size(), -1, sizeof(std::uint64_t), 0, 0, words.data());
  return x;
}

}  // namespace

mpz_class ParseBinary(const BinaryDigits& digits, StringView bits) {
  std::vector<std::uint64_t> words(bits.size() / kWordBits + 1, 0);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const std::uint64_t bit = bits[i] == digits.one ? 1 : 0;
    words[i / kWordBits] |= bit << (i % kWordBits);
  }
  return FromWords(words);
}

void AppendBinary(const BinaryDigits& digits, const mpz_class& x, std::size_t length, String& w) {
  FLARE_CHECK(length >= BinaryLength(x));
  for (std::size_t i = 0; i < length; ++i) {
    w.push_back(mpz_tstbit(x.get_mpz_t(), i) != 0 ? digits.one : digits.zero);
  }
}

std::size_t BinaryLength(const mpz_class& x) { return mpz_sizeinbase(x.get_mpz_t(), 2); }

void AppendResultSets(const BinaryDigits& digits, const mpz_class& z, std::size_t written,
                      NextSymbolSets& sets) {
  const std::size_t length = BinaryLength(z);
  for (std::size_t i = 0; i <= written; ++i) {
    sets.Append();
    if (i < length) {
      sets.Add(mpz_tstbit(z.get_mpz_t(), i) != 0 ? digits.one : digits.zero);
    } else {
      sets.Add(digits.zero);
      sets.AddEos();
    }
  }
}

mpz_class LargestOfLength(std::size_t n) { return (mpz_class(1) << n) - 1; }

mpz_class UniformUpTo(const mpz_class& most, Rng& rng) {
  FLARE_CHECK(most >= 0);
  const std::size_t bits = BinaryLength(most);
  std::vector<std::uint64_t> words((bits + kWordBits - 1) / kWordBits);
  while (true) {
    for (std::uint64_t& word : words) word = rng.Bits();
    if (bits % kWordBits != 0) words.back() >>= kWordBits - bits % kWordBits;
    mpz_class x = FromWords(words);
    if (x <= most) return x;
  }
}

std::vector<std::size_t> DirichletSplit(std::span<const std::size_t> alpha, std::size_t total,
                                        Rng& rng) {
  __extension__ using Wide = unsigned __int128;
  constexpr int kBits = 62;  // of a uniform number
  std::size_t spacings = 0;
  for (const std::size_t a : alpha) spacings += a;
  std::vector<std::uint64_t> cuts{0, std::uint64_t{1} << kBits};
  for (std::size_t i = 1; i < spacings; ++i) cuts.push_back(rng.Bits() >> (64 - kBits));
  std::sort(cuts.begin(), cuts.end());

  struct Part {
    std::uint64_t remainder;  // of 2^62
    std::uint64_t tie_break;
    std::size_t index;
  };
  std::vector<std::size_t> sizes;
  std::vector<Part> parts;
  std::size_t cut = 0;
  std::size_t left = total;
  for (std::size_t i = 0; i < alpha.size(); ++i) {
    const std::uint64_t share = cuts[cut + alpha[i]] - cuts[cut];
    cut += alpha[i];
    const Wide exact = static_cast<Wide>(share) * total;
    sizes.push_back(static_cast<std::size_t>(exact >> kBits));
    left -= sizes.back();
    const std::uint64_t mask = (std::uint64_t{1} << kBits) - 1;
    parts.push_back({static_cast<std::uint64_t>(exact) & mask, rng.Bits(), i});
  }
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    return std::pair(a.remainder, a.tie_break) > std::pair(b.remainder, b.tie_break);
  });
  for (std::size_t i = 0; i < left; ++i) ++sizes[parts[i].index];
  return sizes;
}

}  // namespace flare
