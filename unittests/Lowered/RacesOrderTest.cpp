//===- RacesOrderTest.cpp - barriers, rings, many accesses ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns of kernels, over many iterations: what is found, and what the
// detector holds and costs meanwhile.
//
//===----------------------------------------------------------------------===//

#include "RacesTestUtil.h"
#include <chrono>

using namespace racestest;

namespace {

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
    for (Agent consumer : consumers) {
      detector.fenceProxy(consumer);
      detector.release(consumer, empty[stage]);
    }
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
