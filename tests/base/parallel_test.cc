#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "flare/base/long_work.h"

namespace flare {
namespace {

TEST(ForEachInParallel, CallsEachOnceWhateverTheNumberOfThreads) {
  for (const std::size_t jobs : {0u, 1u, 2u, 7u, 100u}) {
    std::vector<std::atomic<int>> calls(30);
    ForEachInParallel(calls.size(), jobs, [&](std::size_t i) { ++calls[i]; });
    for (const auto& count : calls) EXPECT_EQ(count, 1) << jobs;
  }
  ForEachInParallel(0, 3, [](std::size_t) { FAIL(); });
}

TEST(ForEachInParallel, ReallyWorksAtOnce) {
  std::atomic<int> inside{0};
  // Each waits for the other, which one thread could not do.
  ForEachInParallel(2, 2, [&](std::size_t) {
    ++inside;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (inside < 2 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    EXPECT_EQ(inside, 2);
  });
}

TEST(ForEachInParallel, ThrowsTheFirstErrorAndBeginsNothingAfterIt) {
  for (const std::size_t jobs : {1u, 3u}) {
    std::atomic<int> begun{0};
    try {
      ForEachInParallel(1000, jobs, [&](std::size_t i) {
        ++begun;
        if (i == 5) throw std::runtime_error("five");
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      });
      ADD_FAILURE();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "five");
    }
    EXPECT_LT(begun, 1000);
  }
}

}  // namespace
}  // namespace flare
