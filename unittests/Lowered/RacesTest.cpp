//===- RacesTest.cpp - which accesses race and which do not ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each rule of lib/Lowered/Races.h in both directions: the race is found, and
// with the missing synchronization there is none.
//
//===----------------------------------------------------------------------===//

#include "../../lib/Lowered/Races.h"
#include "gtest/gtest.h"
#include <chrono>
#include <numeric>

using namespace mlir::tile::lowered;

namespace {

class RacesTest : public testing::Test {
protected:
  RaceDetector detector{256, 32};
  Shadow memory{8192};

  std::optional<Race> read(Agent who, size_t offset, size_t bytes,
                           SiteId site = 1) {
    return detector.access(who, memory, offset, bytes, AccessKind::Read,
                           Proxy::Generic, site);
  }
  std::optional<Race> write(Agent who, size_t offset, size_t bytes,
                            SiteId site = 2) {
    return detector.access(who, memory, offset, bytes, AccessKind::Write,
                           Proxy::Generic, site);
  }
  std::optional<Race> atomic(Agent who, size_t offset, size_t bytes,
                             SiteId site = 3) {
    return detector.access(who, memory, offset, bytes, AccessKind::Atomic,
                           Proxy::Generic, site);
  }
  std::optional<Race> async(Agent who, AccessKind kind, size_t offset,
                            size_t bytes, SiteId site = 4) {
    return detector.access(who, memory, offset, bytes, kind, Proxy::Async,
                           site);
  }
  /// A whole operation, whose end nobody waits for.
  std::optional<Race> asyncOnce(Agent issuer, AccessKind kind, size_t offset,
                                size_t bytes) {
    Agent operation = detector.beginAsync(issuer);
    std::optional<Race> race = async(operation, kind, offset, bytes);
    Signal nobody;
    detector.endAsync(operation, nobody);
    return race;
  }
  /// What `from` did so far happens before what `to` does from now on.
  void order(Agent from, Agent to) {
    Signal signal;
    detector.release(from, signal);
    detector.acquire(to, signal);
  }
  static std::vector<Agent> threads(Agent first, unsigned count) {
    std::vector<Agent> all(count);
    std::iota(all.begin(), all.end(), first);
    return all;
  }
};

//===----------------------------------------------------------------------===//
// Reads and writes of threads
//===----------------------------------------------------------------------===//

TEST_F(RacesTest, ThreadIsOrderedWithItself) {
  EXPECT_FALSE(write(0, 0, 16));
  EXPECT_FALSE(read(0, 4, 8));
  EXPECT_FALSE(write(0, 0, 4));
}

TEST_F(RacesTest, ReadAfterWrite) {
  write(0, 0, 16, 7);
  std::optional<Race> race = read(1, 0, 16);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->kind, AccessKind::Read);
  EXPECT_EQ(race->otherKind, AccessKind::Write);
  EXPECT_EQ(race->other, 0u);
  EXPECT_EQ(race->otherSite, 7u);
  EXPECT_FALSE(race->onlyFenceMissing);
  EXPECT_FALSE(race->earlierGroup);
  order(0, 2);
  EXPECT_FALSE(read(2, 0, 16));
}

TEST_F(RacesTest, WriteAfterRead) {
  read(0, 0, 16, 7);
  read(1, 0, 16, 8);
  order(0, 2);
  std::optional<Race> race = write(2, 0, 16);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->other, 1u);
  EXPECT_EQ(race->otherSite, 8u);
  EXPECT_EQ(race->otherKind, AccessKind::Read);
  read(0, 32, 16);
  read(1, 32, 16);
  order(0, 2);
  order(1, 2);
  EXPECT_FALSE(write(2, 32, 16));
}

TEST_F(RacesTest, WriteAfterWrite) {
  write(0, 0, 4);
  EXPECT_TRUE(write(1, 0, 4));
  write(0, 16, 4);
  order(0, 1);
  EXPECT_FALSE(write(1, 16, 4));
}

TEST_F(RacesTest, ReadsDoNotRace) {
  for (Agent thread = 0; thread < 256; ++thread)
    EXPECT_FALSE(read(thread, 0, 64));
}

TEST_F(RacesTest, ReleaseCoversEarlierAccessesOnly) {
  Signal signal;
  write(0, 0, 4);
  detector.release(0, signal);
  write(0, 4, 4);
  detector.acquire(1, signal);
  EXPECT_FALSE(read(1, 0, 4));
  EXPECT_TRUE(read(1, 4, 4));
}

TEST_F(RacesTest, OrderIsTransitive) {
  write(0, 0, 4);
  order(0, 1);
  order(1, 2);
  EXPECT_FALSE(write(2, 0, 4));
}

/// A read that another read follows in order need not be remembered, one that
/// nothing orders must be.
TEST_F(RacesTest, ReadsOfSeveralThreadsAreRemembered) {
  read(0, 0, 4);
  read(1, 0, 4);
  order(1, 2);
  read(2, 0, 4); // covers thread 1, not thread 0
  order(2, 3);
  std::optional<Race> race = write(3, 0, 4);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->other, 0u);
}

TEST_F(RacesTest, BytesAreToldApart) {
  write(0, 0, 3);
  write(1, 3, 1);
  write(2, 4, 8);
  std::optional<Race> race = read(0, 0, 8);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->offset, 3u);
  EXPECT_EQ(race->other, 1u);
  order(1, 0);
  race = read(0, 0, 8);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->offset, 4u);
  EXPECT_FALSE(read(0, 0, 4));
  // Over the end of a page of cells.
  write(3, 1020, 8);
  race = read(4, 1000, 48);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->offset, 1020u);
  EXPECT_TRUE(read(5, 1027, 1));
  EXPECT_FALSE(read(5, 1028, 1));
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

TEST_F(RacesTest, AtomicsDoNotRaceWithEachOther) {
  for (Agent thread = 0; thread < 8; ++thread)
    EXPECT_FALSE(atomic(thread, 0, 4));
}

TEST_F(RacesTest, AtomicsRaceWithPlainAccesses) {
  write(0, 0, 4);
  EXPECT_TRUE(atomic(1, 0, 4));
  read(0, 8, 4);
  EXPECT_TRUE(atomic(1, 8, 4));
  atomic(0, 16, 4);
  EXPECT_TRUE(read(1, 16, 4));
  atomic(0, 24, 4);
  EXPECT_TRUE(write(1, 24, 4));
}

TEST_F(RacesTest, OrderedAtomicsAndPlainAccesses) {
  write(0, 0, 4);
  order(0, 1);
  order(0, 2);
  EXPECT_FALSE(atomic(1, 0, 4));
  EXPECT_FALSE(atomic(2, 0, 4));
  order(1, 3);
  std::optional<Race> race = read(3, 0, 4);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->other, 2u);
  order(2, 3);
  EXPECT_FALSE(read(3, 0, 4));
  EXPECT_FALSE(write(3, 0, 4));
}

/// An ordered access of another kind does not stand for an atomic or a read.
TEST_F(RacesTest, ReadsAndAtomicsAreRememberedApart) {
  atomic(0, 0, 4);
  order(0, 1);
  read(1, 0, 4);
  EXPECT_TRUE(read(2, 0, 4));
  read(0, 8, 4);
  order(0, 1);
  atomic(1, 8, 4);
  EXPECT_TRUE(atomic(2, 8, 4));
}

//===----------------------------------------------------------------------===//
// Asynchronous operations
//===----------------------------------------------------------------------===//

TEST_F(RacesTest, AsyncReadNeedsTheFence) {
  write(0, 0, 16, 7);
  std::optional<Race> race = asyncOnce(0, AccessKind::Read, 0, 16);
  ASSERT_TRUE(race);
  EXPECT_TRUE(race->onlyFenceMissing);
  EXPECT_EQ(race->otherSite, 7u);
  EXPECT_EQ(race->proxy, Proxy::Async);
  EXPECT_EQ(race->otherProxy, Proxy::Generic);
  write(0, 32, 16);
  detector.fenceProxy(0);
  EXPECT_FALSE(asyncOnce(0, AccessKind::Read, 32, 16));
}

TEST_F(RacesTest, FenceCoversEarlierWritesOnly) {
  write(0, 0, 4);
  detector.fenceProxy(0);
  write(0, 4, 4);
  EXPECT_FALSE(asyncOnce(0, AccessKind::Read, 0, 4));
  EXPECT_TRUE(asyncOnce(0, AccessKind::Read, 4, 4));
}

/// The usual order (writers fence, then a barrier), and a fence of the reader
/// after the barrier, which also works; no fence does not.
TEST_F(RacesTest, FenceTravelsThroughBarriers) {
  std::vector<Agent> all = threads(0, 128);
  for (Agent thread : all) {
    write(thread, thread * 16, 16);
    detector.fenceProxy(thread);
  }
  detector.synchronize(all);
  EXPECT_FALSE(asyncOnce(5, AccessKind::Read, 0, 128 * 16));
  detector.synchronize(all);
  for (Agent thread : all)
    write(thread, 4096 + thread * 16, 16);
  detector.synchronize(all);
  std::optional<Race> race = asyncOnce(5, AccessKind::Read, 4096, 128 * 16);
  ASSERT_TRUE(race);
  EXPECT_TRUE(race->onlyFenceMissing);
  detector.fenceProxy(5);
  EXPECT_FALSE(asyncOnce(5, AccessKind::Read, 4096, 128 * 16));
}

TEST_F(RacesTest, FenceWithoutOrderIsARace) {
  write(0, 0, 4);
  detector.fenceProxy(0);
  std::optional<Race> race = asyncOnce(1, AccessKind::Read, 0, 4);
  ASSERT_TRUE(race);
  EXPECT_FALSE(race->onlyFenceMissing);
}

TEST_F(RacesTest, AsyncWriteAfterGenericReadNeedsOrderOnly) {
  memory.reset(true);
  read(0, 0, 16);
  EXPECT_TRUE(asyncOnce(1, AccessKind::Write, 0, 16));
  memory.reset(true);
  read(0, 0, 16);
  order(0, 1);
  EXPECT_FALSE(asyncOnce(1, AccessKind::Write, 0, 16));
}

TEST_F(RacesTest, AsyncWriteAfterGenericWriteNeedsTheFence) {
  write(0, 0, 16);
  order(0, 1);
  std::optional<Race> race = asyncOnce(1, AccessKind::Write, 0, 16);
  ASSERT_TRUE(race);
  EXPECT_TRUE(race->onlyFenceMissing);
}

/// Of two races at a byte the one without order is reported.
TEST_F(RacesTest, MissingOrderComesBeforeMissingFence) {
  write(0, 0, 4, 7);
  order(0, 1);
  order(0, 2);
  read(2, 0, 4, 8);
  std::optional<Race> race = asyncOnce(1, AccessKind::Write, 0, 4);
  ASSERT_TRUE(race);
  EXPECT_FALSE(race->onlyFenceMissing);
  EXPECT_EQ(race->otherSite, 8u);
}

TEST_F(RacesTest, GenericReadWaitsForAsyncWrite) {
  Agent load = detector.beginAsync(0);
  EXPECT_FALSE(async(load, AccessKind::Write, 0, 64));
  std::optional<Race> race = read(0, 0, 4);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->other, load);
  EXPECT_EQ(race->otherProxy, Proxy::Async);
  Signal full;
  detector.endAsync(load, full);
  EXPECT_TRUE(read(0, 4, 4));
  detector.acquire(0, full);
  detector.acquire(9, full);
  EXPECT_FALSE(read(0, 8, 4));
  EXPECT_FALSE(read(9, 8, 4));
  EXPECT_TRUE(read(10, 8, 4));
}

TEST_F(RacesTest, GenericWriteWaitsForAsyncRead) {
  detector.fenceProxy(0);
  Agent store = detector.beginAsync(0);
  EXPECT_FALSE(async(store, AccessKind::Read, 0, 64));
  EXPECT_FALSE(read(0, 0, 4));
  EXPECT_TRUE(write(0, 4, 4));
  Signal done;
  detector.endAsync(store, done);
  detector.acquire(0, done);
  EXPECT_FALSE(write(0, 8, 4));
}

TEST_F(RacesTest, AsyncOperationsNeedOrderAmongEachOther) {
  Agent load = detector.beginAsync(0);
  async(load, AccessKind::Write, 0, 64);
  async(load, AccessKind::Write, 64, 64);
  EXPECT_TRUE(asyncOnce(0, AccessKind::Read, 0, 64));
  Signal full;
  detector.endAsync(load, full);
  detector.acquire(0, full);
  EXPECT_FALSE(asyncOnce(0, AccessKind::Read, 64, 64)); // no fence
}

TEST_F(RacesTest, OperationDoesNotRaceWithItself) {
  Agent reduce = detector.beginAsync(0);
  EXPECT_FALSE(async(reduce, AccessKind::Read, 0, 64));
  EXPECT_FALSE(async(reduce, AccessKind::Write, 0, 64));
  EXPECT_FALSE(async(reduce, AccessKind::Read, 0, 64));
}

/// The issuer's accesses after the start of an operation are not before it.
TEST_F(RacesTest, OperationKnowsTheIssuerUpToItsStart) {
  Agent store = detector.beginAsync(0);
  write(0, 0, 4);
  detector.fenceProxy(0);
  std::optional<Race> race = async(store, AccessKind::Read, 0, 4);
  ASSERT_TRUE(race);
  EXPECT_FALSE(race->onlyFenceMissing);
}

/// A consumer that waits for the multiplication knows the load that the
/// multiplication waited for: the next load may write the same stage.
TEST_F(RacesTest, CompletionHandsOnWhatTheOperationKnew) {
  Signal full, empty;
  Agent load = detector.beginAsync(0);
  async(load, AccessKind::Write, 0, 64);
  detector.endAsync(load, full);
  detector.acquire(1, full);
  Agent multiply = detector.beginAsync(1);
  EXPECT_FALSE(async(multiply, AccessKind::Read, 0, 64));
  detector.endAsync(multiply, empty);
  detector.acquire(0, empty);
  EXPECT_FALSE(asyncOnce(0, AccessKind::Write, 0, 64));
}

/// cp.async writes through the generic proxy.
TEST_F(RacesTest, GenericWriteOfAnOperationNeedsTheFence) {
  Agent copy = detector.beginAsync(0);
  write(copy, 0, 16);
  EXPECT_TRUE(read(0, 0, 16));
  Signal done;
  detector.endAsync(copy, done);
  detector.acquire(0, done);
  EXPECT_FALSE(read(0, 0, 16));
  std::optional<Race> race = asyncOnce(0, AccessKind::Read, 0, 16);
  ASSERT_TRUE(race);
  EXPECT_TRUE(race->onlyFenceMissing);
  detector.fenceProxy(0);
  EXPECT_FALSE(asyncOnce(0, AccessKind::Read, 0, 16));
}

/// More operations in flight than agents: races may be missed, none invented.
TEST_F(RacesTest, OperationsShareAgentsWhenNoneIsFree) {
  std::vector<Agent> loads;
  for (unsigned i = 0; i < 100; ++i) {
    write(i, i * 16, 16);
    detector.fenceProxy(i);
    loads.push_back(detector.beginAsync(i));
  }
  std::vector<Signal> done(100);
  for (unsigned i = 0; i < 100; ++i)
    EXPECT_FALSE(async(loads[i], AccessKind::Write, i * 16, 16));
  for (unsigned i = 0; i < 100; ++i)
    detector.endAsync(loads[i], done[i]);
  for (unsigned i = 0; i < 100; ++i) {
    detector.acquire(i, done[i]);
    EXPECT_FALSE(read(i, i * 16, 16));
  }
}

//===----------------------------------------------------------------------===//
// Barriers and rings
//===----------------------------------------------------------------------===//

TEST_F(RacesTest, BarrierOrdersItsThreadsOnly) {
  std::vector<Agent> half = threads(0, 128);
  for (unsigned round = 0; round < 50; ++round) {
    for (Agent thread : half)
      EXPECT_FALSE(write(thread, thread * 4, 4));
    detector.synchronize(half);
    for (Agent thread : half)
      EXPECT_FALSE(read(thread, 0, 512));
    detector.synchronize(half);
  }
  EXPECT_TRUE(write(128, 0, 4));
}

TEST_F(RacesTest, MissingBarrierIsFound) {
  std::vector<Agent> all = threads(0, 128);
  for (Agent thread : all)
    EXPECT_FALSE(write(thread, thread * 4, 4));
  detector.synchronize(all);
  for (Agent thread : all)
    EXPECT_FALSE(read(thread, (127 - thread) * 4, 4));
  std::optional<Race> race = write(3, 12, 4);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->other, 124u);
  EXPECT_EQ(race->otherKind, AccessKind::Read);
}

/// A ring of stages that thread 0 fills with bulk copies and 128 threads read.
class RingTest : public RacesTest {
protected:
  static constexpr unsigned kStages = 4;
  static constexpr unsigned kBytes = 256;
  Signal full[kStages], empty[kStages];
  std::vector<Agent> consumers = threads(128, 128);

  std::optional<Race> step(unsigned i, bool waitsForEmpty,
                           bool waitsForFull = true) {
    unsigned stage = i % kStages;
    std::optional<Race> race;
    if (i >= kStages && waitsForEmpty) {
      Signal phase = empty[stage];
      empty[stage].clear();
      detector.acquire(0, phase);
    }
    Agent load = detector.beginAsync(0);
    race = async(load, AccessKind::Write, stage * kBytes, kBytes);
    detector.endAsync(load, full[stage]);
    Signal phase = full[stage];
    full[stage].clear();
    for (Agent consumer : consumers) {
      if (waitsForFull)
        detector.acquire(consumer, phase);
      if (!race)
        race = read(consumer, stage * kBytes, kBytes);
    }
    for (Agent consumer : consumers)
      detector.release(consumer, empty[stage]);
    return race;
  }
};

TEST_F(RingTest, RunsWithoutRacesAndWithoutGrowth) {
  for (unsigned i = 0; i < 200; ++i)
    ASSERT_FALSE(step(i, true)) << i;
  size_t clocks = detector.statistics().clocks;
  for (unsigned i = 200; i < 20000; ++i)
    ASSERT_FALSE(step(i, true)) << i;
  EXPECT_LE(detector.statistics().clocks, clocks + 512);
  EXPECT_LE(detector.statistics().accesses, size_t(2) << 20);
}

TEST_F(RingTest, ProducerThatDoesNotWait) {
  for (unsigned i = 0; i < kStages; ++i)
    ASSERT_FALSE(step(i, true));
  std::optional<Race> race = step(kStages, false);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->kind, AccessKind::Write);
}

TEST_F(RingTest, ConsumersThatDoNotWait) {
  std::optional<Race> race = step(0, true, false);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->kind, AccessKind::Read);
  EXPECT_EQ(race->otherProxy, Proxy::Async);
}

TEST_F(RingTest, OneConsumerThatDoesNotRelease) {
  for (unsigned i = 0; i < 2 * kStages; ++i)
    ASSERT_FALSE(step(i, true));
  read(5, 0, 16, 77);
  std::optional<Race> race = step(2 * kStages, true);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->other, 5u);
  EXPECT_EQ(race->otherSite, 77u);
}

/// A copy of a signal is a phase that is complete.
TEST_F(RacesTest, CopyOfASignalStaysAsItIs) {
  Signal signal;
  write(0, 0, 4);
  detector.release(0, signal);
  Signal copy = signal;
  write(1, 4, 4);
  detector.release(1, signal);
  detector.acquire(2, copy);
  EXPECT_FALSE(read(2, 0, 4));
  EXPECT_TRUE(read(2, 4, 4));
  detector.acquire(3, signal);
  EXPECT_FALSE(read(3, 0, 4));
  EXPECT_FALSE(read(3, 4, 4));
}

//===----------------------------------------------------------------------===//
// Blocks and launches
//===----------------------------------------------------------------------===//

TEST_F(RacesTest, BlocksOfALaunchAreNotOrdered) {
  write(0, 0, 4, 7);
  read(1, 8, 4);
  atomic(0, 16, 4);
  detector.restart();
  std::optional<Race> race = read(0, 0, 4);
  ASSERT_TRUE(race);
  EXPECT_TRUE(race->earlierGroup);
  EXPECT_EQ(race->otherSite, 7u);
  EXPECT_TRUE(write(1, 8, 4));
  EXPECT_FALSE(atomic(0, 16, 4));
  EXPECT_FALSE(write(0, 32, 4));
}

TEST_F(RacesTest, SignalsOfEarlierBlocksOrder) {
  Signal counter;
  for (unsigned block = 0; block < 20; ++block) {
    EXPECT_FALSE(write(block, block * 4, 4));
    detector.acquire(block, counter);
    detector.release(block, counter);
    detector.restart();
  }
  Signal old = counter;
  write(7, 128, 4);
  detector.acquire(3, counter);
  EXPECT_FALSE(read(3, 0, 80));
  order(3, 4);
  EXPECT_FALSE(read(4, 0, 80));
  EXPECT_TRUE(read(5, 0, 80));
  EXPECT_TRUE(read(4, 128, 4));
  detector.restart();
  EXPECT_TRUE(read(5, 0, 80));
  detector.acquire(5, old);
  EXPECT_FALSE(read(5, 0, 80));
}

TEST_F(RacesTest, LaunchesAreOrdered) {
  Signal old;
  write(0, 0, 4);
  detector.release(0, old);
  read(1, 8, 4);
  detector.startLaunch();
  EXPECT_FALSE(read(1, 0, 4));
  EXPECT_FALSE(write(2, 8, 4));
  EXPECT_FALSE(asyncOnce(3, AccessKind::Read, 16, 4));
  detector.acquire(4, old); // says nothing about this launch
  EXPECT_TRUE(read(4, 8, 4));
}

TEST_F(RacesTest, FenceIsNotNeededAfterALaunch) {
  write(0, 0, 4);
  detector.startLaunch();
  EXPECT_FALSE(asyncOnce(1, AccessKind::Read, 0, 4));
}

TEST_F(RacesTest, AnotherDetectorStartsAnew) {
  write(0, 0, 4);
  RaceDetector other(32, 4);
  EXPECT_FALSE(
      other.access(1, memory, 0, 4, AccessKind::Write, Proxy::Generic, 1));
  EXPECT_TRUE(
      other.access(2, memory, 0, 4, AccessKind::Write, Proxy::Generic, 1));
}

//===----------------------------------------------------------------------===//
// Written bytes
//===----------------------------------------------------------------------===//

TEST_F(RacesTest, WrittenBytes) {
  EXPECT_FALSE(memory.isWritten(0, 1));
  write(0, 4, 4);
  EXPECT_TRUE(memory.isWritten(4, 4));
  EXPECT_FALSE(memory.isWritten(3, 4));
  EXPECT_FALSE(memory.isWritten(4, 5));
  read(0, 8, 4);
  EXPECT_FALSE(memory.isWritten(8, 4));
  memory.setWritten(1000, 2000);
  EXPECT_TRUE(memory.isWritten(1000, 2000));
  EXPECT_FALSE(memory.isWritten(999, 2));
  EXPECT_FALSE(memory.isWritten(2999, 2));
  detector.startLaunch();
  read(0, 0, 1);
  EXPECT_TRUE(memory.isWritten(4, 4));
  EXPECT_FALSE(memory.isWritten(8, 4));
  memory.reset(true);
  EXPECT_TRUE(memory.isWritten(0, memory.size()));
  memory.reset(false);
  EXPECT_FALSE(memory.isWritten(4, 1));
}

TEST_F(RacesTest, ResetForgetsAccesses) {
  write(0, 0, 64);
  memory.reset(false);
  EXPECT_FALSE(write(1, 0, 64));
}

//===----------------------------------------------------------------------===//
// Size and speed
//===----------------------------------------------------------------------===//

/// Tables are renumbered while they are in use; races of before are still
/// found.
TEST_F(RacesTest, TablesStayBounded) {
  write(200, 8000, 4, 77);
  read(201, 8000, 4, 78);
  std::vector<Agent> all = threads(0, 128);
  for (unsigned round = 0; round < 20000; ++round) {
    for (Agent thread : all)
      ASSERT_FALSE(write(thread, thread * 16, 16));
    detector.synchronize(all);
    ASSERT_FALSE(read(round % 128, 0, 16));
    detector.synchronize(all);
  }
  EXPECT_LE(detector.statistics().accesses, size_t(1100) << 10);
  EXPECT_LE(detector.statistics().clocks, 1000u);
  std::optional<Race> race = write(0, 8000, 4);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->other, 200u);
  EXPECT_EQ(race->otherSite, 77u);
}

/// 16 blocks of 512 threads, tiles of 32 KiB, 10 million bytes and a thousand
/// barriers, in much less than the limit here.
TEST(RacesSpeed, TenMillionBytes) {
  constexpr unsigned kBlocks = 16, kThreads = 512;
  RaceDetector detector(kBlocks * kThreads, 256);
  std::vector<Shadow> shared;
  std::vector<std::vector<Agent>> blocks(kBlocks);
  for (unsigned block = 0; block < kBlocks; ++block) {
    shared.emplace_back(size_t(32768));
    for (unsigned i = 0; i < kThreads; ++i)
      blocks[block].push_back(block * kThreads + i);
  }
  auto start = std::chrono::steady_clock::now();
  for (unsigned round = 0; round < 10; ++round)
    for (unsigned block = 0; block < kBlocks; ++block) {
      for (unsigned piece = 0; piece < 4; ++piece)
        for (unsigned i = 0; i < kThreads; ++i)
          ASSERT_FALSE(detector.access(
              blocks[block][i], shared[block], piece * 8192 + i * 16, 16,
              AccessKind::Write, Proxy::Generic, piece));
      detector.synchronize(blocks[block]);
      for (unsigned piece = 0; piece < 8; ++piece)
        for (unsigned i = 0; i < kThreads; ++i)
          ASSERT_FALSE(detector.access(
              blocks[block][i], shared[block], (piece * 8192 + i * 272) % 32768,
              16, AccessKind::Read, Proxy::Generic, 4 + piece));
      detector.synchronize(blocks[block]);
    }
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  EXPECT_LT(seconds.count(), 10);
}

} // namespace
