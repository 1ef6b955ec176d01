#include "flare/base/lock_file.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "flare/base/file.h"
#include "flare/base/json.h"
#include "support/refusal.h"
#include "support/shell.h"

namespace flare {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class LockFileTest : public testing::Test {
 protected:
  // A lock of a process that lives elsewhere.
  void WriteForeign(int heartbeat, const std::string& token = "abc") {
    WriteFile(path_, Json({{"host", "elsewhere"},
                           {"pid", 1},
                           {"start_time", 1},
                           {"boot", "another"},
                           {"job", "77"},
                           {"token", token},
                           {"heartbeat", std::to_string(heartbeat)}})
                         .dump());
  }
  std::size_t Files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator{}));
  }

  TemporaryDirectory folder_;
  std::string path_ = folder_.path() / "lock";
  std::chrono::steady_clock::time_point now_{};
  LockObserver observer_{[this] { return now_; }};
};

TEST_F(LockFileTest, OneOwnerAtATime) {
  LockOwner owner;
  LockState state;
  auto lock = LockFile::TryAcquire(path_, observer_);
  ASSERT_NE(lock, nullptr);
  EXPECT_TRUE(lock->StillOurs());
  EXPECT_EQ(LockFile::TryAcquire(path_, observer_, &owner, &state), nullptr);
  EXPECT_EQ(owner.pid, ::getpid());
  EXPECT_EQ(state, LockState::kAlive);
  EXPECT_EQ(Files(), 1u);
  lock.reset();
  EXPECT_EQ(Files(), 0u);
  EXPECT_NE(LockFile::TryAcquire(path_, observer_), nullptr);
}

// Processes on other machines wait for its contents to change; in place, since a reader may come at
// any moment.
TEST_F(LockFileTest, ItsHeartBeats) {
  const auto lock =
      LockFile::TryAcquire(path_, observer_, nullptr, nullptr, std::chrono::milliseconds(2));
  const std::string first = ReadFile(path_);
  const auto beat = [&] { return Json::parse(ReadFile(path_)).at("heartbeat").get<std::string>(); };
  while (beat() < "000000000012") std::this_thread::sleep_for(1ms);
  Json then = Json::parse(ReadFile(path_)), before = Json::parse(first);
  EXPECT_EQ(ReadFile(path_).size(), first.size());
  then.erase("heartbeat");
  before.erase("heartbeat");
  EXPECT_EQ(then, before);
  EXPECT_LT(LockFile::kHeartbeatPeriod * 4, LockObserver::kPatience);
}

// The token of a dead owner becomes part of a file's name.
TEST_F(LockFileTest, ALockWhoseTokenIsAPathIsRefused) {
  WriteForeign(1, "x/../../elsewhere");
  EXPECT_THROW(observer_.Look(path_), InputError);
  now_ += LockObserver::kPatience;
  EXPECT_THROW(LockFile::TryAcquire(path_, observer_), InputError);
  EXPECT_EQ(Files(), 1u);
}

TEST_F(LockFileTest, ADeadProcessOfThisMachineIsSeenAtOnce) {
  const pid_t child = ::fork();
  if (child == 0) {
    auto lock = LockFile::TryAcquire(path_, observer_);
    ::_exit(lock != nullptr ? 0 : 1);  // without releasing it
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  EXPECT_TRUE(fs::exists(path_));
  const auto lock = LockFile::TryAcquire(path_, observer_);
  EXPECT_NE(lock, nullptr);
  EXPECT_TRUE(lock->StillOurs());
  EXPECT_EQ(Files(), 1u);
}

TEST_F(LockFileTest, AForeignOwnerIsDeadWhenItsHeartStopsForLong) {
  LockOwner owner;
  LockState state;
  WriteForeign(1);
  EXPECT_EQ(LockFile::TryAcquire(path_, observer_, &owner, &state), nullptr);
  EXPECT_EQ(state, LockState::kUndecided);
  EXPECT_EQ(owner.Describe(), "process 1 on elsewhere (job 77)");
  now_ += 119s;
  EXPECT_EQ(observer_.Look(path_), LockState::kUndecided);
  WriteForeign(2);
  EXPECT_EQ(observer_.Look(path_), LockState::kAlive);
  now_ += 119s;
  EXPECT_EQ(observer_.Look(path_), LockState::kAlive);
  now_ += 1s;
  EXPECT_EQ(observer_.Look(path_), LockState::kDead);
  // Another owner starts afresh.
  WriteForeign(2, "def");
  EXPECT_EQ(observer_.Look(path_), LockState::kUndecided);
  now_ += 120s;
  EXPECT_NE(LockFile::TryAcquire(path_, observer_), nullptr);
}

// Cut off at any byte, or with zeros in place of what never reached the disk.
TEST_F(LockFileTest, LockTruncatedByACrashIsTakenOverAfterTheUsualTime) {
  WriteForeign(1);
  const std::string whole = ReadFile(path_);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    for (const std::size_t zeros : {0u, 100u}) {
      WriteFile(path_, whole.substr(0, size) + std::string(zeros, '\0'));
      EXPECT_EQ(LockFile::TryAcquire(path_, observer_), nullptr) << size;
      now_ += 121s;
      EXPECT_NE(LockFile::TryAcquire(path_, observer_), nullptr) << size;
    }
  }
}

TEST_F(LockFileTest, AFileOfOthersUnderItsNameIsRefusedAtOnce) {
  for (const std::string& foreign :
       {std::string("MY NOTES\n"), std::string("{\"mine\": 1}"), std::string("[]"),
        std::string("\0binary", 7), std::string(1 << 17, '\0'),
        std::string(R"({"host":"db.example.org","port":5432,"password":"secret"})"),
        std::string(R"({"host":"a"} and other words of mine)"),
        std::string(R"({"host":"a","pid":"b"})"), std::string(R"({"host": "a", "pid": 1})")}) {
    WriteFile(path_, foreign);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(RefusalOf([&] { LockFile::TryAcquire(path_, observer_); }),
                path_ +
                    ": is not a lock that flare wrote; it stands where a lock belongs: move it "
                    "away, or name another directory");
      now_ += 121s;
    }
    EXPECT_THROW(observer_.Look(path_), InputError);
    EXPECT_EQ(ReadFile(path_), foreign);
    EXPECT_EQ(Files(), 1u);
  }
}

// A clone of this machine has our boot id, and whatever process has its pid here is a different
// one.
TEST_F(LockFileTest, TheHostCounts) {
  const auto lock = LockFile::TryAcquire(path_, observer_);
  Json cloned = Json::parse(ReadFile(path_));
  cloned["host"] = cloned["host"].get<std::string>() + "-clone";
  for (const int pid : {::getpid(), 4'000'000}) {
    cloned["pid"] = pid;
    WriteFile(folder_.path() / "clone", cloned.dump());
    EXPECT_EQ(LockObserver().Look(folder_.path() / "clone"), LockState::kUndecided);
  }
}

TEST_F(LockFileTest, KnowsItsFilesByTheirNames) {
  for (const char* name : {"lock", "lock.00ff", "lock.00ff.12", "lock.unreadable", "lock.00ff.tmp",
                           "lock.flare.00ff.tmp", "lock.00ff.flare.12.tmp"}) {
    EXPECT_TRUE(IsLockName(name, "lock")) << name;
  }
  for (const char* name : {"locksmith", "lock.txt", "lock.00ff.txt", "block", "lock.flare.tmp"}) {
    EXPECT_FALSE(IsLockName(name, "lock")) << name;
  }
}

TEST_F(LockFileTest, OwnersNameCannotMoveTheCursor) {
  LockOwner owner;
  owner.host = "\033[2Jhost";
  owner.job = "7\n";
  EXPECT_EQ(owner.Describe(), "process 0 on \\x1b[2Jhost (job 7\\x0a)");
}

// A successor elsewhere that died in the middle of taking over.
TEST_F(LockFileTest, AnInterruptedTakeoverIsTakenOverInItsTurn) {
  WriteForeign(1, "aaaa");
  now_ += 1s;
  EXPECT_EQ(observer_.LookForTakeover(path_), LockState::kUndecided);
  now_ += 120s;
  const std::string lock = path_;
  path_ += ".aaaa";
  WriteForeign(1, "bbbb");
  path_ = lock;
  EXPECT_EQ(observer_.LookForTakeover(path_), LockState::kUndecided);
  EXPECT_EQ(LockFile::TryAcquire(path_, observer_), nullptr);
  now_ += 120s;
  EXPECT_EQ(observer_.LookForTakeover(path_), LockState::kDead);
  EXPECT_NE(LockFile::TryAcquire(path_, observer_), nullptr);
}

// One that died after taking over, before it gave back the right to do so.
TEST_F(LockFileTest, LeftoversOfADeadSuccessorAreRemoved) {
  const pid_t successor = ::fork();
  if (successor == 0) {
    WriteForeign(1, "aaaa");
    LockObserver observer([this] { return now_; });
    observer.Look(path_);
    now_ += 120s;
    const auto lock = LockFile::TryAcquire(path_, observer);
    const auto right = LockFile::TryAcquire(path_ + ".aaaa", observer);
    ::_exit(lock != nullptr && right != nullptr ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(successor, &status, 0), successor);
  ASSERT_EQ(status, 0);
  WriteFile(folder_.path() / "lock.thesis", "not a lock");
  ASSERT_EQ(Files(), 3u);
  auto lock = LockFile::TryAcquire(path_, observer_);
  ASSERT_NE(lock, nullptr);
  EXPECT_FALSE(fs::exists(path_ + ".aaaa"));
  lock.reset();
  EXPECT_EQ(Files(), 1u);
}

TEST_F(LockFileTest, AnOwnerNoticesThatItWasReplaced) {
  auto lock = LockFile::TryAcquire(path_, observer_);
  fs::remove(path_);
  EXPECT_FALSE(lock->StillOurs());
  WriteForeign(1);
  EXPECT_FALSE(lock->StillOurs());
  lock.reset();
  // And leaves the new owner alone.
  EXPECT_TRUE(fs::exists(path_));
}

// Many processes find the same dead owner: one of them gets the lock.
TEST_F(LockFileTest, ADeadOwnersLockIsTakenOverOnce) {
  for (int round = 0; round < 20; ++round) {
    const pid_t owner = ::fork();
    if (owner == 0) {
      [[maybe_unused]] const auto lock = LockFile::TryAcquire(path_, observer_);
      ::_exit(0);
    }
    ::waitpid(owner, nullptr, 0);
    std::vector<pid_t> children;
    int gate[2];
    ASSERT_EQ(::pipe(gate), 0);
    for (int i = 0; i < 8; ++i) {
      const pid_t child = ::fork();
      if (child == 0) {
        char byte;
        ::close(gate[1]);
        [[maybe_unused]] const ssize_t ignored = ::read(gate[0], &byte, 1);
        LockObserver observer;
        auto lock = LockFile::TryAcquire(path_, observer);
        if (lock == nullptr) ::_exit(0);
        // Hold it until all others have tried.
        ::usleep(100'000);
        ::_exit(lock->StillOurs() ? 1 : 2);
      }
      children.push_back(child);
    }
    ::close(gate[0]);
    ::close(gate[1]);
    int winners = 0;
    for (const pid_t child : children) {
      int status = 0;
      ::waitpid(child, &status, 0);
      EXPECT_NE(WEXITSTATUS(status), 2);
      winners += WEXITSTATUS(status) == 1 ? 1 : 0;
    }
    EXPECT_EQ(winners, 1) << round;
    fs::remove(path_);
  }
}

}  // namespace
}  // namespace flare
