# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cost model of lib/Runtime/Prediction.cpp for the configurations of random_gemms.py, over arrays, and the fit of its constants.

What lib/Analysis/Cost counts of such a GEMM is written here as formulas, without two things that are rare there: several blocks
on a multiprocessor, and results that find no room in shared memory. `gemm_random.py fit` prints how far both are apart.
docs/Rationale/TileChoice.md explains each term. Needs NumPy.
"""

import json
import math

import numpy as np

from . import random_gemms

# By their names in Prediction.cpp and CostFacts.cpp, without the k.
CONSTANTS = {
    "RoleCycles": 9.8,
    "ClusterCycles": 2790,
    "FillCycles": 2560,
    "PersistentCycles": 1000,
    "LatencyUnderLoad": 1.32,
    "AtHalfLines": 0.18,
    "AtSectors": 0.08,
    "BetweenSectors": 0.62,
    "Merged": 0.54,
    "OutsideCycles": 0.0153,
    "SharedEnergy": 0.017,
    "L2Energy": 0.025,
    "IdleEnergy": 0.042,
    "LaunchMicroseconds": 2.8,
    "DramMicroseconds": 4.1,
    "PartnerWaits": 0.117,
    "MeetingWaits": 1.07,
    "LaterMeeting": 0.17,
    "StoreWaits": 0.15,
    "Exchange": 5.5,
    "PartExchange": 4.8,
    "StreamExchange": 10,
    "StreamWaits": 6,
    "l2Bytes": 49.8,
    "sustainedGHz": 1.59,
}
# Figures of an H200 that are not fitted.
LATENCY, SHARED, DRAM, L2_CAPACITY, MAX_GHZ, MULTIPLY_ADDS = 1740, 128, 4.16e12 * 0.97, 50e6, 1.98, 2048
PLACES = {1: 132, 2: 66, 3: 39, 4: 30, 5: 22, 6: 17, 7: 15, 8: 15}  # clusters that run at a time
PANEL, NEIGHBOURS, PERSISTENT_EXCHANGE, CONVERSION, MOST_SHARERS = random_gemms.PANEL, 8, 25, 900, 8


def facts(points):
    """What the blocks do, for (configuration, (M, N, K)) pairs: an array for each fact."""
    rows = []
    for values, (m, n, k) in points:
        bm, bn, bk, stages, groups, cx, cy, split, persistent, stream = random_gemms.full(values)
        split = max(1, split)
        gx, gy = (-(-n // (bn * cx)) * cx, -(-m // (bm * cy)) * cy)
        across, along = (bn, bm) if bm % 64 else (bm, bn)
        size = cx * cy * split
        # Columns of one instruction: warpgroups share the rows, or where 64 does not divide these among them the columns.
        wide = along if across % (64 * groups) == 0 else along // groups
        wide //= -(-wide // 256)
        down = min(PANEL, gy)
        rows.append(
            dict(
                stages=stages, split=split, persistent=persistent, stream=stream, size=size, cx=cx, cy=cy, gx=gx, gy=gy, places=PLACES[size],
                trips=math.ceil(math.ceil(k / bk) / split),
                tensor=bm * bn * bk / MULTIPLY_ADDS,
                read=across / 64 * (along / wide) * (bk / 16) * (wide + 64) * 32,
                a=bm * bk * 2, b=bn * bk * 2, c=bm * bn * 2,
                whole_a=m * k * 2, whole_b=n * k * 2, whole_c=m * n * 2,
                held=bm * bn / 128 / groups,
                parts=split > 1 and along % (8 * split) == 0 and not persistent,
                between=next((i for i, part in enumerate((128, 64, 32)) if k * 2 % part == 0), 3),
                down=down, right=min(max(1, NEIGHBOURS / down), gx),
            )
        )  # fmt: skip
    return {name: np.array([row[name] for row in rows], dtype=float) for name in rows[0]}


def together(*limits):
    limits = [np.maximum(0, limit) for limit in limits]
    longest = np.maximum(np.maximum.reduce(limits), 1e-9)
    return longest * sum((limit / longest) ** 8 for limit in limits) ** 0.125


def predict(f, constants):
    """Microseconds."""
    at = {**CONSTANTS, **constants}
    latency = LATENCY * at["LatencyUnderLoad"]
    alone, split, persistent, stream = f["size"] == 1, f["split"], f["persistent"] > 0, f["stream"] > 0
    loaded_a, loaded_b = f["a"] / f["cx"], f["b"] / f["cy"]
    merged = np.where(alone & (f["between"] == 0), at["Merged"], 0)
    more = np.select([f["between"] == i for i in (1, 2, 3)], [at[n] for n in ("AtHalfLines", "AtSectors", "BetweenSectors")], 0)
    requested = loaded_a * (1 + more - merged * (1 - 1 / f["right"])) + loaded_b * (1 + more - merged * (1 - 1 / f["down"]))
    load, moved = requested / at["l2Bytes"], f["read"] + f["a"] + f["b"]
    iteration = together(f["tensor"], moved / SHARED, load, (latency + load) / np.maximum(1, f["stages"] - 1)) + at["RoleCycles"]
    clusters = f["gx"] * f["gy"] * split / f["size"]
    whole = np.ceil(clusters / f["places"])
    left = clusters % f["places"]
    sharers = np.minimum(np.minimum(f["places"] // np.maximum(left, 1), np.maximum(1, f["stream"])), MOST_SHARERS)
    rounds = np.where(stream & (left > 0), whole - 1 + np.where(sharers > 1, 1 / sharers, left / f["places"]), whole)
    exchange = np.where(split > 1, np.where(persistent, PERSISTENT_EXCHANGE, at["Exchange"]), 0)
    exchange = np.where(f["parts"] > 0, at["PartExchange"] * (split - 1) / split, exchange) 
    exchange = np.where(stream, at["StreamExchange"], exchange) * f["c"] * 2 / at["l2Bytes"]
    stored = f["c"] / np.where(f["parts"] > 0, split, 1)
    later = persistent & ~stream & (f["held"] * 1.5 <= 184)
    straight = exchange + np.where(later, CONVERSION, 2 * stored / SHARED + stored / at["l2Bytes"] + at["StoreWaits"] * latency)
    shared = moved * f["trips"] / SHARED + np.where(later, 0, 2 * stored / SHARED)
    tensor, loads = f["tensor"] * f["trips"], load * f["trips"] + exchange
    loops = together(iteration * f["trips"] * rounds, tensor * rounds, shared * rounds, loads * rounds)
    rest = straight * whole + np.where(persistent, 1, whole) * (at["FillCycles"] + latency)
    rest += np.where(f["size"] > split, at["ClusterCycles"] * whole, 0) + np.where(persistent, at["PersistentCycles"], 0)
    meeting = (at["MeetingWaits"] + at["PartnerWaits"] * (split - 1)) * latency * (1 + at["LaterMeeting"] * (whole - 1))
    rest += np.where(split > 1, meeting, 0) + np.where(stream, at["StreamWaits"] * latency, 0)

    running = np.minimum(clusters * f["size"], f["places"] * f["size"])
    times = np.maximum(1, clusters * f["size"] / running)
    left = np.maximum(1, running / split)
    down = np.minimum(np.minimum(left, f["gy"]), PANEL)
    right = np.minimum(np.maximum(1, left / down), f["gx"])
    fits = f["whole_a"] + f["whole_b"] < 0.75 * L2_CAPACITY
    bytes_moved = 0
    for tile, all_of, count, is_store in (("a", "whole_a", down, False), ("b", "whole_b", right, False), ("c", "whole_c", down * right, True)):
        tile_bytes = f[tile] if is_store else np.minimum(f[tile] * f["trips"] * split, f[all_of])
        distinct = np.minimum(tile_bytes, f[all_of]) * count
        total = np.where(fits | is_store, np.minimum(distinct * times, f[all_of]), distinct * times)
        bytes_moved = bytes_moved + np.maximum(total, np.minimum(f[all_of], distinct))
    dram = at["DramMicroseconds"] + bytes_moved / DRAM * 1e6

    def outside(whole, reach, loaded):
        return np.where(reach > whole, loaded * (1 - whole / np.maximum(reach, 1)), 0)

    beyond = outside(f["whole_a"], f["a"] * f["trips"] * split * f["gy"], loaded_a * f["trips"])
    beyond += outside(f["whole_b"], f["b"] * f["trips"] * split * f["gx"], loaded_b * f["trips"])
    beyond *= at["OutsideCycles"] * rounds

    def microseconds(ghz):
        return together(loops / ghz * 1e-3, dram + beyond / ghz * 1e-3) + rest / ghz * 1e-3 + at["LaunchMicroseconds"]

    working = clusters / (f["places"] * rounds) * f["places"] * f["size"] / 132
    energy = (at["SharedEnergy"] * shared + at["L2Energy"] * loads + tensor) * rounds * working + at["IdleEnergy"] * (loops + rest)
    power = at["sustainedGHz"] ** 3 * 1e3
    low, high = np.full_like(energy, 0.1), np.full_like(energy, MAX_GHZ)
    free = energy * high * high <= power * microseconds(high)
    for _ in range(22):
        middle = (low + high) / 2
        over = energy * middle * middle > power * microseconds(middle)
        low, high = np.where(over, low, middle), np.where(over, middle, high)
    return microseconds(np.where(free, MAX_GHZ, low))


class Surveys:
    """Times that `gemm_random.py survey` wrote: of several configurations for each problem. In benchmarks/surveys their names
    lack what all of them begin with."""

    def __init__(self, paths):
        names = {random_gemms.configuration(values).ident(): values for values in random_gemms.pool()}
        names |= {name.removeprefix("gemm_f16_nt_"): values for name, values in names.items()}
        self.points, times, groups, self.peers = [], [], [], []
        for row in (json.loads(line) for path in paths for line in path.read_text().splitlines()):
            known = {names[name]: ms for name, ms in row["times"].items() if name in names}
            self.points += [(values, (row["m"], row["n"], row["k"])) for values in known]
            times += known.values()
            groups += [len(self.peers)] * len(known)
            self.peers.append(row["cublas"] * 1e3)
        self.times, self.groups = np.array(times) * 1e3, np.array(groups)
        self.best = np.full(len(self.peers), np.inf)
        np.minimum.at(self.best, self.groups, self.times)
        self.facts = facts(self.points)

    def judge(self, constants):
        """How much longer the choice takes than the fastest (mean of logarithms), the scatter of predictions (weighted standard
        deviation of logarithms), and what is made small: both, and the regret of choices that are as good as the best."""
        predicted = predict(self.facts, constants)
        slower = self.times / self.best[self.groups]
        errors, weights = np.log(self.times / predicted), np.exp(-9 * (slower - 1))
        mean = (weights * errors).sum() / weights.sum()
        scatter = math.sqrt((weights * (errors - mean) ** 2).sum() / weights.sum())
        order = np.lexsort((predicted, self.groups))
        first = np.r_[True, self.groups[order][1:] != self.groups[order][:-1]]
        regret = np.log(slower[order[first]]).mean()
        least = np.full(len(self.peers), np.inf)
        np.minimum.at(least, self.groups, predicted)
        close = np.exp(-40 * (predicted / least[self.groups] - 1))
        sums = np.zeros((2, len(self.peers)))
        np.add.at(sums[0], self.groups, close * np.log(slower))
        np.add.at(sums[1], self.groups, close)
        return regret, scatter, (sums[0] / sums[1]).mean() + 0.5 * regret + 0.5 * scatter


def fit(surveys, rounds=12):
    """Constants by coordinate descent, from those of today."""
    constants, steps = dict(CONSTANTS), {name: 0.15 for name in CONSTANTS}
    least = surveys.judge(constants)[2]
    for _ in range(rounds):
        for name in constants:
            for factor in (1 + steps[name], 1 / (1 + steps[name])):
                tried = {**constants, name: constants[name] * factor}
                value = surveys.judge(tried)[2]
                if value < least - 1e-6:
                    least, constants = value, tried
                    break
            else:
                steps[name] *= 0.6
    return constants
