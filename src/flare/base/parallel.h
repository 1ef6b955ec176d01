// Many independent pieces of work on a few threads.

#ifndef FLARE_BASE_PARALLEL_H_
#define FLARE_BASE_PARALLEL_H_

#include <cstddef>
#include <functional>

namespace flare {

// Calls work(0), ..., work(count - 1), each once, on up to `jobs` threads, the caller's among them.
// On a failure the calls that have begun are finished, no other is begun, and the first exception
// is thrown.
void ForEachInParallel(std::size_t count, std::size_t jobs,
                       const std::function<void(std::size_t)>& work);

}  // namespace flare

#endif  // FLARE_BASE_PARALLEL_H_
