//===- CpuGrid.cpp - blocks that wait for each other ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As in CpuSchedule.cpp, a failure leaves by `longjmp`, from functions that
// hold nothing with a destructor.
//
//===----------------------------------------------------------------------===//
#include "CpuGrid.h"
#include "CpuRuntime.h"
#include <limits>
#include <thread>

using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// The meeting
//===----------------------------------------------------------------------===//

void CpuGrid::stop() {
  stopped = true;
  changed.notify_all();
}

CpuGrid::Outcome CpuGrid::arrive() {
  std::unique_lock<std::mutex> lock(mutex);
  if (stopped)
    return Outcome::Stopped;
  if (ended) {
    stop();
    return Outcome::Uneven;
  }
  if (++arrived == blocks) {
    arrived = 0;
    ++meetings;
    changed.notify_all();
    return Outcome::Met;
  }
  uint64_t own = meetings;
  changed.wait(lock, [&] { return meetings != own || ended || stopped; });
  if (meetings != own)
    return Outcome::Met;
  if (stopped)
    return Outcome::Stopped;
  stop(); // the first to see that a block has ended says so
  return Outcome::Uneven;
}

void CpuGrid::end(bool failed) {
  std::lock_guard<std::mutex> lock(mutex);
  ++ended;
  if (failed) {
    stopped = true;
    for (CpuCluster &cluster : clusters)
      cluster.stop();
  }
  changed.notify_all();
}

CpuCluster *CpuGrid::clusterOf(unsigned worker, unsigned size) {
  while (clusters.size() <= worker / size)
    clusters.emplace_back(size);
  return &clusters[worker / size];
}

//===----------------------------------------------------------------------===//
// What compiled kernels call
//===----------------------------------------------------------------------===//

[[noreturn]] static void leave(CpuContext *context) {
  CpuSchedule &schedule = context->schedule;
  std::longjmp(schedule.agents[schedule.current].unwind, 1);
}

/// Ends a block with nothing to report: another one has.
[[noreturn]] static void leaveQuietly(CpuContext *context) {
  if (context->failedBlock < 0)
    context->failedBlock = std::numeric_limits<int64_t>::max();
  leave(context);
}

/// How many blocks there are, before the first runs.
static void gridBegin(CpuContext *context, int64_t blocks) {
  if (!context->countsBlocks)
    return;
  context->blocks = blocks;
  leave(context);
}

static void setUneven(CpuContext *context, int64_t block) {
  context->failedBlock = block;
  context->failureKind = "wrong meeting";
  context->failure = "the block waits at a tile.grid_barrier, and another one "
                     "has ended: all blocks have to run it equally often";
}

static void gridBarrier(CpuContext *context, int64_t block) {
  switch (context->grid->arrive()) {
  case CpuGrid::Outcome::Met:
    return;
  case CpuGrid::Outcome::Stopped:
    leaveQuietly(context);
  case CpuGrid::Outcome::Uneven:
    setUneven(context, block);
    leave(context);
  }
}

/// In front of a read that a loop repeats until others have stored something.
static void poll(CpuContext *context) {
  if (context->grid && context->grid->isStopped())
    leaveQuietly(context);
  letRolesRun(context);
  // What it waits for may need the core: look a few times, then give it away.
  constexpr unsigned kLooks = 16;
  if (++context->polls % kLooks == 0)
    std::this_thread::yield();
}

void mlir::tile::appendGridFunctions(
    std::vector<std::pair<llvm::StringRef, void *>> &functions) {
  auto add = [&](llvm::StringRef name, auto *function) {
    functions.push_back({name, reinterpret_cast<void *>(function)});
  };
  add("tile_cpu_grid_begin", gridBegin);
  add("tile_cpu_grid_barrier", gridBarrier);
  add("tile_cpu_poll", poll);
}
