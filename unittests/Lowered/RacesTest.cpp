//===- RacesTest.cpp - which accesses of threads race ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each rule of lib/Lowered/Races.h in both directions: the race is found, and
// with the missing synchronization there is none.
//
//===----------------------------------------------------------------------===//

#include "RacesTestUtil.h"

using namespace racestest;

namespace {

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

/// What all blocks read is not written out anew for each of them.
TEST_F(RacesTest, ManyBlocksReadOneElement) {
  constexpr unsigned kBlocks = 200, kThreads = 8;
  for (unsigned block = 0; block < kBlocks; ++block) {
    for (Agent thread = 0; thread < kThreads; ++thread)
      EXPECT_FALSE(read(thread, 0, 4));
    detector.restart();
  }
  // Each thread's set of its block, and no block's of another one.
  EXPECT_LE(detector.statistics().members,
            kBlocks * kThreads * (kThreads + 1) / 2);
  // The first block's reads count, too, and an atomic among reads does.
  std::optional<Race> race = write(0, 0, 4);
  ASSERT_TRUE(race);
  EXPECT_TRUE(race->earlierGroup);
  read(1, 8, 4);
  detector.restart();
  EXPECT_TRUE(atomic(0, 8, 4));
  detector.restart();
  EXPECT_TRUE(read(0, 8, 4));
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
  Signal old;
  write(0, 0, 4);
  detector.release(0, old);
  RaceDetector other(32, 4);
  auto writeAnew = [&](Agent who) {
    return other.access(who, memory, 0, 4, AccessKind::Write, Proxy::Generic,
                        1);
  };
  EXPECT_FALSE(writeAnew(0));
  other.acquire(2, old);
  EXPECT_TRUE(writeAnew(2));
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

} // namespace
