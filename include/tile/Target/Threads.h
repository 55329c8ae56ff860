//===- Threads.h - threads that the system may refuse -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_TARGET_THREADS_H
#define TILE_TARGET_THREADS_H

#include <functional>
#include <memory>
#include <pthread.h>
#include <utility>
#include <vector>

namespace mlir::tile {

/// Threads that are waited for together. `std::thread` throws where the system
/// refuses one (`ulimit -u`), which ends a program without exceptions.
class Threads {
public:
  Threads() = default;
  Threads(const Threads &) = delete;
  Threads &operator=(const Threads &) = delete;
  ~Threads() { join(); }

  /// Runs `work` on a thread of its own; false where there is none to be had.
  [[nodiscard]] bool start(std::function<void()> work) {
    auto owned = std::make_unique<std::function<void()>>(std::move(work));
    pthread_t thread;
    if (pthread_create(&thread, nullptr, call, owned.get()))
      return false;
    (void)owned.release(); // the thread's
    threads.push_back(thread);
    return true;
  }

  void join() {
    for (pthread_t thread : threads)
      pthread_join(thread, nullptr);
    threads.clear();
  }

private:
  static void *call(void *work) {
    std::unique_ptr<std::function<void()>> owned(
        static_cast<std::function<void()> *>(work));
    (*owned)();
    return nullptr;
  }

  std::vector<pthread_t> threads;
};

} // namespace mlir::tile
#endif // TILE_TARGET_THREADS_H
