//===- Batch.cpp - many runs from a list ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parent never touches the driver: it forks workers, hands each the number
// of one case at a time over a socket, and reads back an outcome. So whatever a
// kernel does to its process, the parent knows which case it was.
//
//===----------------------------------------------------------------------===//
#include "Batch.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/StringSaver.h"
#include <chrono>
#include <csignal>
#include <optional>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::run;
using Clock = std::chrono::steady_clock;

llvm::Expected<std::vector<BatchCase>> run::readBatch(StringRef path) {
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!file)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + file.getError().message());
  std::vector<BatchCase> cases;
  SmallVector<StringRef> lines;
  (*file)->getBuffer().split(lines, '\n');
  for (StringRef line : lines) {
    line = line.trim();
    if (line.empty() || line.starts_with("#"))
      continue;
    llvm::BumpPtrAllocator allocator;
    llvm::StringSaver saver(allocator);
    SmallVector<const char *> words;
    llvm::cl::TokenizeGNUCommandLine(line, saver, words);
    BatchCase next;
    next.name = line.str();
    for (const char *word : words) {
      StringRef text = word;
      if (next.arguments.empty() && text == "tile-run")
        continue;
      StringRef flag =
          text.ltrim('-').take_until([](char c) { return c == '='; });
      if (text.starts_with("-") &&
          llvm::is_contained(
              {"help", "help-hidden", "help-list", "version", "h"}, flag))
        return llvm::createStringError("expected command lines that run a "
                                       "kernel, got '" +
                                       text + "' in '" + line + "'");
      if (text.consume_front("--name=") || text.consume_front("-name="))
        next.name = text.str();
      next.arguments.push_back(word);
    }
    cases.push_back(std::move(next));
  }
  if (cases.empty())
    return llvm::createStringError("expected command lines in '" + path +
                                   "', one a line");
  return cases;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

/// A case's number to the worker; an outcome and its text back.
struct Reply {
  uint8_t passed, processLost;
  uint32_t size;
};

static bool writeAll(int file, const void *data, size_t size) {
  auto *bytes = static_cast<const char *>(data);
  while (size) {
    ssize_t count = ::send(file, bytes, size, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    bytes += count;
    size -= count;
  }
  return true;
}

static bool readAll(int file, void *data, size_t size) {
  auto *bytes = static_cast<char *>(data);
  while (size) {
    ssize_t count = ::read(file, bytes, size);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    bytes += count;
    size -= count;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

namespace {
class Worker {
public:
  bool start(ArrayRef<BatchCase> cases,
             llvm::function_ref<CaseOutcome(const BatchCase &)> run) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
      return false;
    pid_t parent = ::getpid();
    pid = ::fork();
    if (pid < 0) {
      ::close(ends[0]);
      ::close(ends[1]);
      return false;
    }
    if (pid == 0) {
      // A worker ends with its parent, whatever ends that: before this line,
      // too, after which the system sees to it.
      if (::prctl(PR_SET_PDEATHSIG, SIGTERM) || ::getppid() != parent)
        ::_exit(1);
      ::close(ends[0]);
      serve(ends[1], cases, run);
    }
    ::close(ends[1]);
    socket = ends[0];
    return true;
  }

  bool isRunning() const { return pid > 0; }
  bool isBusy() const { return current.has_value(); }

  void give(uint32_t number, Clock::time_point until) {
    current = number;
    deadline = until;
    // A worker that is gone shows when its reply is read.
    (void)writeAll(socket, &number, sizeof(number));
  }

  /// The outcome of the current case; none where the worker ended instead.
  std::optional<CaseOutcome> read() {
    Reply reply;
    CaseOutcome outcome;
    if (!readAll(socket, &reply, sizeof(reply)))
      return std::nullopt;
    outcome.passed = reply.passed;
    outcome.processLost = reply.processLost;
    outcome.line.resize(reply.size);
    if (!readAll(socket, outcome.line.data(), reply.size))
      return std::nullopt;
    return outcome;
  }

  /// Ends the process and says how it ended.
  std::string stop(bool force) {
    if (force)
      end();
    // Workers started later hold copies of this end: closing it alone would not
    // tell the worker that there is no more to do.
    ::shutdown(socket, SHUT_RDWR);
    ::close(socket);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR)
      ;
    pid = -1;
    current.reset();
    if (WIFSIGNALED(status))
      return "the process ended by signal " + std::to_string(WTERMSIG(status));
    return "the process ended with status " +
           std::to_string(WEXITSTATUS(status));
  }

  /// Asks the process to end, which removes its temporary files, and kills it
  /// where it does not.
  void end() {
    constexpr int kLooks = 100, kMilliseconds = 10;
    ::kill(pid, SIGTERM);
    siginfo_t ended = {};
    for (int look = 0; look < kLooks && ended.si_pid == 0; ++look) {
      ::poll(nullptr, 0, kMilliseconds);
      if (::waitid(P_PID, pid, &ended, WEXITED | WNOHANG | WNOWAIT))
        break;
    }
    if (ended.si_pid == 0)
      ::kill(pid, SIGKILL);
  }

  int socket = -1;
  std::optional<uint32_t> current;
  Clock::time_point deadline;

private:
  [[noreturn]] static void
  serve(int socket, ArrayRef<BatchCase> cases,
        llvm::function_ref<CaseOutcome(const BatchCase &)> run) {
    uint32_t number;
    bool lost = false;
    while (!lost && readAll(socket, &number, sizeof(number))) {
      CaseOutcome outcome = run(cases[number]);
      lost = outcome.processLost;
      Reply reply = {outcome.passed, outcome.processLost,
                     static_cast<uint32_t>(outcome.line.size())};
      if (!writeAll(socket, &reply, sizeof(reply)) ||
          !writeAll(socket, outcome.line.data(), outcome.line.size()))
        break;
    }
    // What the parent's exit does (its temporary files, its output) is not for
    // a worker to repeat.
    ::_exit(0);
  }

  pid_t pid = -1;
};

/// Lines in the list's order, whoever finishes first.
class Results {
public:
  Results(size_t count, raw_ostream &lines) : outcomes(count), lines(lines) {}

  void add(uint32_t number, CaseOutcome outcome) {
    ++(outcome.passed ? passed : failed);
    outcomes[number] = std::move(outcome);
    for (; next < outcomes.size() && outcomes[next]; ++next)
      lines << outcomes[next]->line << "\n";
    lines.flush();
  }
  bool isComplete() const { return passed + failed == outcomes.size(); }

  size_t passed = 0, failed = 0;

private:
  std::vector<std::optional<CaseOutcome>> outcomes;
  size_t next = 0;
  raw_ostream &lines;
};
} // namespace

bool run::runBatch(
    ArrayRef<BatchCase> cases, const BatchOptions &options,
    llvm::function_ref<CaseOutcome(const BatchCase &)> run,
    llvm::function_ref<std::string(const BatchCase &, StringRef)> failure,
    raw_ostream &lines, raw_ostream &summary) {
  Results results(cases.size(), lines);
  uint32_t next = 0;
  auto fail = [&](uint32_t number, StringRef why) {
    results.add(number, {false, false, failure(cases[number], why)});
  };

  if (options.jobs == 0)
    for (; next < cases.size(); ++next)
      results.add(next, run(cases[next]));

  std::vector<Worker> workers(std::min<size_t>(options.jobs, cases.size()));
  while (!results.isComplete()) {
    std::vector<pollfd> files;
    std::vector<Worker *> owners;
    auto soonest = Clock::time_point::max();
    for (Worker &worker : workers) {
      if (!worker.isBusy() && next < cases.size()) {
        // Flush before the fork, or buffered output is written twice: here and
        // in the child.
        llvm::outs().flush();
        if (!worker.isRunning() && !worker.start(cases, run)) {
          fail(next++, "cannot start a process");
          continue;
        }
        worker.give(next++, Clock::now() +
                                std::chrono::seconds(options.timeoutSeconds));
      }
      if (!worker.isBusy())
        continue;
      files.push_back({worker.socket, POLLIN, 0});
      owners.push_back(&worker);
      soonest = std::min(soonest, worker.deadline);
    }
    if (files.empty())
      continue;
    auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(
        soonest - Clock::now());
    ::poll(files.data(), files.size(),
           static_cast<int>(std::max<int64_t>(0, wait.count()) + 1));
    for (auto [file, worker] : llvm::zip(files, owners)) {
      uint32_t number = *worker->current;
      if (file.revents) {
        std::optional<CaseOutcome> outcome = worker->read();
        if (!outcome) {
          fail(number, worker->stop(/*force=*/false));
          continue;
        }
        bool lost = outcome->processLost;
        results.add(number, std::move(*outcome));
        worker->current.reset();
        if (lost)
          worker->stop(/*force=*/false);
      } else if (Clock::now() >= worker->deadline) {
        worker->stop(/*force=*/true);
        fail(number, "still running after " +
                         std::to_string(options.timeoutSeconds) + " seconds");
      }
    }
  }
  for (Worker &worker : workers)
    if (worker.isRunning())
      worker.stop(/*force=*/false);
  summary << results.passed << " passed, " << results.failed << " failed\n";
  summary.flush();
  return results.failed == 0;
}
