// Another program that is started once and answers line by line.
//
//   Conversation program("./oracle");
//   program.Ask("contains a b");   // the line that it answers

#ifndef FLARE_BASE_CONVERSATION_H_
#define FLARE_BASE_CONVERSATION_H_

#include <sys/types.h>

#include <string>

namespace flare {

// Not for several threads at a time.
class Conversation {
 public:
  // How long an answer may take.
  static constexpr int kMostSeconds = 60;

  // `program` is a path, or a name that is looked up on the PATH; no shell is involved. Throws
  // InputError if there is no such program or it cannot be run, IoError for the machine's faults.
  explicit Conversation(const std::string& program);
  // Closes its input and waits a moment; if it has not ended by then, it is killed.
  ~Conversation();
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  // Sends a line and returns the line that comes back, both without their ends. Throws InputError,
  // with the last of what the program wrote to its standard error, if it ends, says nothing, or has
  // said something without being asked: all later answers would belong to other questions.
  // Requires: no newline in the question.
  std::string Ask(const std::string& question);

 private:
  // Takes what has come, without waiting. False if nothing more will come.
  bool Receive();
  // What it has written to its standard error so far.
  void ReadErrors();
  [[noreturn]] void Fail(const std::string& what, const std::string& question);

  std::string program_;
  pid_t pid_ = -1;
  int talk_ = -1;         // its standard input and output
  int errors_ = -1;       // its standard error
  std::string received_;  // beyond the last answer
  std::string last_words_;
};

}  // namespace flare

#endif  // FLARE_BASE_CONVERSATION_H_
