//===- ChildProcess.cpp - a program that this process waits for -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's ExecuteAndWait leaves the program running where this process is
// killed, sets a handler of SIGALRM for its timeout, and takes a lost exit
// status for an error.
//
//===----------------------------------------------------------------------===//
#include "ChildProcess.h"
#include "llvm/ADT/STLExtras.h"
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace mlir::tile;
using Clock = std::chrono::steady_clock;

/// The first descriptor that is no standard stream: a caller may have closed
/// those, and what is opened next would take their place.
static constexpr int kFirstOwn = 3;

static std::string nameOfError(int error) { return std::strerror(error); }

/// What the child does until it becomes the program. It shares its parent's
/// memory (vfork), so it calls nothing but the system. Returns only where that
/// fails.
static void becomeProgram(char *const *arguments, int output, pid_t parent,
                          const sigset_t &mask) {
  // The parent may have ended before the child asked to be killed then.
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) || ::getppid() != parent)
    return;
  // No handler of the parent may run here; SIGCHLD is not ignored, since the
  // program may have children of its own.
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action;
    if (::sigaction(signal, nullptr, &action))
      continue;
    if (action.sa_handler == SIG_IGN && signal != SIGCHLD)
      continue;
    action.sa_handler = SIG_DFL;
    action.sa_flags = 0;
    (void)::sigaction(signal, &action, nullptr);
  }
  int input = ::open("/dev/null", O_RDONLY);
  if (input < 0 || ::dup2(input, STDIN_FILENO) < 0 ||
      ::dup2(output, STDOUT_FILENO) < 0 || ::dup2(output, STDERR_FILENO) < 0)
    return;
  if (input >= kFirstOwn)
    ::close(input);
  if (::sigprocmask(SIG_SETMASK, &mask, nullptr))
    return;
  ::execv(arguments[0], arguments);
}

/// Starts the program with both output streams at `output`. Returns its
/// number, or -1 and why not.
static pid_t start(char *const *arguments, int output, int &error) {
  sigset_t all, mask;
  ::sigfillset(&all);
  if (int failed = ::pthread_sigmask(SIG_SETMASK, &all, &mask)) {
    error = failed;
    return -1;
  }
  pid_t parent = ::getpid();
  volatile int reason = 0; // the child writes it
  pid_t child = ::vfork();
  if (child == 0) {
    becomeProgram(arguments, output, parent, mask);
    reason = errno ? errno : ECANCELED;
    ::_exit(127);
  }
  if (child < 0)
    reason = errno;
  (void)::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  error = reason;
  if (child > 0 && error) {
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR)
      ;
    return -1;
  }
  return child;
}

/// Reads what is there. False at the end of the stream.
static bool readSome(int file, std::string &text) {
  char bytes[4096];
  while (true) {
    ssize_t count = ::read(file, bytes, sizeof(bytes));
    if (count > 0)
      text.append(bytes, count);
    else if (count == 0 || (errno != EINTR && errno != EAGAIN))
      return false;
    else if (errno == EAGAIN)
      return true;
  }
}

static void describeEnd(int status, ChildResult &result) {
  if (WIFEXITED(status)) {
    result.status = WEXITSTATUS(status);
    return;
  }
  int signal = WTERMSIG(status);
  result.failure = "ended by signal " + std::to_string(signal) + " (" +
                   ::strsignal(signal) + ")";
}

/// Collects the output until the program ends.
static void await(pid_t child, int file, unsigned timeoutSeconds,
                  ChildResult &result) {
  auto deadline = Clock::now() + std::chrono::seconds(timeoutSeconds);
  // A child of the program may hold the stream open for longer than it runs,
  // and the program may close it and go on.
  constexpr int kLookMilliseconds = 50, kSleepMilliseconds = 1;
  bool isOpen = true;
  while (true) {
    int status = 0;
    pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) {
      if (isOpen)
        (void)readSome(file, result.output);
      if (ended == child)
        describeEnd(status, result);
      return;
    }
    if (Clock::now() >= deadline) {
      ::kill(child, SIGKILL);
      while (::waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
      result.failure =
          "still running after " + std::to_string(timeoutSeconds) + " seconds";
      return;
    }
    pollfd stream = {file, POLLIN, 0};
    if (!isOpen)
      (void)::poll(nullptr, 0, kSleepMilliseconds);
    else if (::poll(&stream, 1, kLookMilliseconds) > 0)
      isOpen = readSome(file, result.output);
  }
}

ChildResult mlir::tile::runChild(llvm::ArrayRef<llvm::StringRef> arguments,
                                 unsigned timeoutSeconds) {
  ChildResult result;
  std::vector<std::string> texts(arguments.begin(), arguments.end());
  std::vector<char *> pointers;
  for (std::string &text : texts)
    pointers.push_back(text.data());
  pointers.push_back(nullptr);

  int ends[2];
  if (::pipe2(ends, O_CLOEXEC)) {
    result.failure = "cannot be started: " + nameOfError(errno);
    return result;
  }
  int error = 0;
  int output = ::fcntl(ends[1], F_DUPFD_CLOEXEC, kFirstOwn);
  pid_t child = output < 0 ? -1 : start(pointers.data(), output, error);
  if (output < 0)
    error = errno;
  else
    ::close(output);
  ::close(ends[1]);
  if (child < 0)
    result.failure = "cannot be started: " + nameOfError(error);
  else if (::fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0)
    await(child, ends[0], timeoutSeconds, result);
  ::close(ends[0]);
  return result;
}
