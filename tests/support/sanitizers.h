// What a test must know about the sanitizers that it may be built with.

#ifndef FLARE_TESTS_SUPPORT_SANITIZERS_H_
#define FLARE_TESTS_SUPPORT_SANITIZERS_H_

namespace flare {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// How much longer things may take. The program's promises hold without sanitizers.
inline constexpr double kSlowness = kSanitized ? 10 : 1;

}  // namespace flare

#endif  // FLARE_TESTS_SUPPORT_SANITIZERS_H_
