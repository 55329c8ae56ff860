//===- CpuCluster.cpp - blocks of a cluster that meet ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As in CpuSchedule.cpp, a failure leaves by `longjmp`, from functions that
// hold nothing with a destructor.
//
//===----------------------------------------------------------------------===//
#include "CpuCluster.h"
#include "CpuRuntime.h"
#include <limits>

using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// The cluster
//===----------------------------------------------------------------------===//

/// Who makes another block ready says that it is awake, so that a block that
/// finds all asleep knows that nothing will change.
CpuCluster::Outcome CpuCluster::sleep(Lock &lock, unsigned rank,
                                      std::string what,
                                      const std::function<bool()> &ready) {
  Peer &self = peers[rank];
  while (!ready()) {
    if (stopped)
      return Outcome::Stopped;
    self.asleep = true;
    self.waiting = what;
    bool all = true;
    for (const Peer &peer : peers)
      all &= peer.asleep;
    if (all) {
      stopped = true;
      changed.notify_all();
      return Outcome::Deadlock;
    }
    changed.wait(lock, [&] { return !self.asleep || stopped; });
  }
  self.asleep = false;
  self.waiting.clear();
  return stopped ? Outcome::Stopped : Outcome::Met;
}

CpuCluster::Outcome CpuCluster::meet(unsigned rank) {
  Lock lock(mutex);
  uint64_t own = meetings;
  if (++arrived == peers.size()) {
    arrived = 0;
    ++meetings;
    for (Peer &peer : peers)
      peer.asleep = false;
    changed.notify_all();
  }
  return sleep(lock, rank, "tile.cluster_barrier",
               [&] { return meetings != own; });
}

CpuCluster::Outcome CpuCluster::end(unsigned rank) {
  Lock lock(mutex);
  peers[rank].ended = true;
  uint64_t own = runs;
  if (++ended == peers.size()) {
    ended = arrived = 0;
    ++runs;
    for (Peer &peer : peers)
      peer = Peer();
    changed.notify_all();
  }
  return sleep(lock, rank, "", [&] { return runs != own; });
}

void CpuCluster::setTile(unsigned rank, int64_t tile, char *address) {
  Lock lock(mutex);
  peers[rank].tiles[tile] = address;
  for (Peer &peer : peers)
    if (!peer.ended)
      peer.asleep = false;
  changed.notify_all();
}

CpuCluster::Outcome CpuCluster::findTile(unsigned rank, int64_t tile,
                                         unsigned of, char *&address) {
  Lock lock(mutex);
  return sleep(lock, rank, "tile.cluster_copy, for the other block's tile",
               [&] {
                 auto it = peers[of].tiles.find(tile);
                 if (it == peers[of].tiles.end())
                   return false;
                 address = it->second;
                 return true;
               });
}

void CpuCluster::send(unsigned to, CpuArrival arrival) {
  Lock lock(mutex);
  peers[to].inbox.push_back(arrival);
  if (!peers[to].ended)
    peers[to].asleep = false;
  changed.notify_all();
}

CpuCluster::Outcome CpuCluster::receive(unsigned rank, CpuArrival &arrival,
                                        std::string what) {
  Lock lock(mutex);
  Peer &self = peers[rank];
  Outcome outcome =
      sleep(lock, rank, std::move(what), [&] { return !self.inbox.empty(); });
  if (outcome == Outcome::Met) {
    arrival = self.inbox.front();
    self.inbox.pop_front();
  }
  return outcome;
}

std::string CpuCluster::describe() {
  Lock lock(mutex);
  std::string text = "deadlock in a cluster: ";
  for (size_t rank = 0; rank < peers.size(); ++rank) {
    const Peer &peer = peers[rank];
    text += (rank ? "; block " : "block ") + std::to_string(rank) + " of it ";
    text += peer.ended ? "has ended" : "waits in " + peer.waiting;
  }
  return text;
}

void CpuCluster::stop() {
  Lock lock(mutex);
  stopped = true;
  changed.notify_all();
}

//===----------------------------------------------------------------------===//
// What compiled kernels call
//===----------------------------------------------------------------------===//

[[noreturn]] static void leave(CpuContext *context) {
  CpuSchedule &schedule = context->schedule;
  std::longjmp(schedule.agents[schedule.current].unwind, 1);
}

static void setDeadlock(CpuContext *context) {
  context->failedBlock = context->block;
  context->failureKind = "wrong meeting";
  context->failure = context->cluster->describe();
}

static void setNoBlock(CpuContext *context, int64_t rank) {
  context->failedBlock = context->block;
  context->failureKind = "wrong meeting";
  context->failure = "expected a block of the cluster's " +
                     std::to_string(context->cluster->size()) + ", got block " +
                     std::to_string(rank);
}

/// Goes on where the blocks have met.
static void follow(CpuContext *context, CpuCluster::Outcome outcome) {
  if (outcome == CpuCluster::Outcome::Met)
    return;
  if (outcome == CpuCluster::Outcome::Deadlock)
    setDeadlock(context);
  else if (context->failedBlock < 0) // another block says what is wrong
    context->failedBlock = std::numeric_limits<int64_t>::max();
  leave(context);
}

static unsigned checkRank(CpuContext *context, int64_t rank) {
  if (rank >= 0 && rank < context->cluster->size())
    return static_cast<unsigned>(rank);
  setNoBlock(context, rank);
  leave(context);
}

static void clusterBarrier(CpuContext *context) {
  follow(context, context->cluster->meet(context->rank));
}

static void clusterEnd(CpuContext *context) {
  follow(context, context->cluster->end(context->rank));
}

static void clusterTile(CpuContext *context, int64_t tile, char *address) {
  context->cluster->setTile(context->rank, tile, address);
}

static char *clusterPeer(CpuContext *context, int64_t tile, int64_t rank) {
  unsigned of = checkRank(context, rank);
  char *address = nullptr;
  follow(context, context->cluster->findTile(context->rank, tile, of, address));
  return address;
}

static void clusterArrive(CpuContext *context, int64_t number, int64_t index,
                          int64_t rank, int64_t threads) {
  context->cluster->send(checkRank(context, rank), {number, index, threads});
}

void mlir::tile::appendClusterFunctions(
    std::vector<std::pair<llvm::StringRef, void *>> &functions) {
  auto add = [&](llvm::StringRef name, auto *function) {
    functions.push_back({name, reinterpret_cast<void *>(function)});
  };
  add("tile_cpu_cluster_barrier", clusterBarrier);
  add("tile_cpu_cluster_end", clusterEnd);
  add("tile_cpu_cluster_tile", clusterTile);
  add("tile_cpu_cluster_peer", clusterPeer);
  add("tile_cpu_cluster_arrive", clusterArrive);
}
