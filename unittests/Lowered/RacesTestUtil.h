//===- RacesTestUtil.h - threads that touch one memory ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_UNITTESTS_LOWERED_RACESTESTUTIL_H
#define TILE_UNITTESTS_LOWERED_RACESTESTUTIL_H

#include "../../lib/Lowered/Races.h"
#include "gtest/gtest.h"
#include <numeric>

namespace racestest {

using namespace mlir::tile::lowered;

/// Each access returns its race. Sites are 1 to 4 unless told.
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

} // namespace racestest
#endif // TILE_UNITTESTS_LOWERED_RACESTESTUTIL_H
