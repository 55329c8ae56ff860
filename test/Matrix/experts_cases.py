# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of experts_test.py: a program or a chain of them, small data, and what numpy says of the results."""

import dataclasses

import numpy as np

import elements
import experts_references as reference
from attention_cases import Case, normal, poison
from tilebench.block_scaled import BlockScaled, Cast
from tilebench.experts import Grouped
from tilebench.experts_backward import WeightGradient
from tilebench.experts_route import Combine, Count, Gate, Offsets, Place

CASES = []


@dataclasses.dataclass
class Problem:
    steps: list  # (program, {argument: array, number or key of data}, {output: key of data}), one after the other
    data: dict  # arrays by key
    expected: dict  # key: (value, error)
    found: dict  # key: a function of `data` that gives what is compared

    def decode(self, key):
        return self.found[key](self.data)


def case(name, make, lowered=False):
    CASES.append(Case(name, make, lowered))


def numbers(raw, kind):
    if kind == "bf16":
        return elements.from_bf16(raw)
    return elements.from_e4m3(raw) if kind == "f8E4M3FN" else raw.astype(np.float64)


def empty(shape, kind):
    """An array of what no result is."""
    if kind == "i32":
        return np.full(shape, -(1 << 31), "i4")
    return np.full(shape, 255, "u1") if kind == "f8E4M3FN" else poison(shape, kind)


def given(p):
    return {name: name for name, _, shape, *_ in p.arguments() if shape is not None}


def tile_table(counts, rows, rng, spare=2):
    """Tiles of experts in any order, some that nobody has among them."""
    offsets = np.cumsum([0, *counts])
    tiles = [(e, m, offsets[e + 1], 0) for e in range(len(counts)) for m in range(offsets[e], offsets[e + 1], rows)]
    tiles += [(-1, -1, -1, -1)] * spare
    return np.array(tiles, "i4")[rng.permutation(len(tiles))]


# --- grouped products

UNEVEN = (0, 1, 70, 0, 64, 33, 0)  # rows of experts


def grouped(p, counts=UNEVEN, K=88, N=72, tokens=40):
    def make(rng):
        E, R = len(counts), sum(counts)
        offsets = np.cumsum([0, *counts])
        masked, padded = p.form == "masked", p.form == "padded"
        if p.form == "padded":
            tiles = [(e, i) for e in range(E) for i in range(-(-counts[e] // p.rows))]
            # A run that nobody has stands between two experts.
            tiles.insert(next((at for at, (_, i) in enumerate(tiles) if at and i == 0), len(tiles)), (-1, 0))
            offsets = np.zeros(E, int)
            for at, (e, i) in enumerate(tiles):
                offsets[e] = at * p.rows if i == 0 and e >= 0 else offsets[e]
            R = len(tiles) * p.rows
        most = max(counts) + 5
        x, X = normal(rng, (E, most, K) if masked else (tokens if p.gather else R + 3, K), p.element)
        columns = 2 * N if p.gate else N
        w, W = normal(rng, (E, columns, K) if p.tb else (E, K, columns), p.element, 0.25)
        wide = W.swapaxes(1, 2) if p.tb else W
        data = dict(X=x, W=w, OFF=offsets.astype("i4"), COUNT=np.array(counts, "i4"), TILE=tile_table(counts, p.rows, rng))
        if padded:
            data["EXPERT"] = np.array([e for e, _ in tiles], "i4")
        data["TOTAL"] = np.array([len(data["TILE"])], "i4")
        if p.loop:
            # Behind TOTAL stands nothing to look at.
            data["TILE"] = np.concatenate([data["TILE"], np.full((3, 4), 1 << 20, "i4")])
        data |= dict(ROW=rng.integers(0, tokens, R).astype("i4"), WEIGHT=rng.random(R + 3).astype("f4"))
        data |= dict(SX=rng.uniform(0.5, 1.5, len(x)).astype("f4"), SW=rng.uniform(0.5, 1.5, (E, columns)).astype("f4"))
        results = 1 if p.store == "add" else R + 3
        data |= dict(TO=rng.integers(0, tokens, R).astype("i4"), OUT=rng.standard_normal((tokens, N)).astype("f4"))
        data["Y"] = empty((E, most, N) if masked else (results, N), p.result)
        value, error, where = [], [], []
        for e in range(E):
            rows = np.arange(counts[e]) + (0 if masked else offsets[e])
            source = data["ROW"][rows] if p.gather else rows
            part = X[e, rows] if masked else X[source]
            y, off = reference.product(part, wide[e], p.element)
            if p.scaled:
                scale = data["SX"].astype(float)[source][:, None] * data["SW"].astype(float)[e][None]
                y, off = y * scale, off * scale + np.abs(y * scale) * 4 * reference.F32
            if p.gate:
                y, off = reference.silu_times(y[:, :N], off[:, :N], y[:, N:], off[:, N:])
            if p.weighted:
                weight = data["WEIGHT"].astype(float)[rows][:, None]
                y, off = y * weight, off * weight + np.abs(y * weight) * reference.F32
            value.append(y)
            error.append(reference.rounded(y, off, p.result))
            where.append((np.full(len(rows), e), rows))
        value, error = np.concatenate(value), np.concatenate(error)
        which, rows = (np.concatenate(x) for x in zip(*where))
        arguments = given(p) | ({"blocks": 3} if p.loop else {})
        if p.store == "add":
            # Padding belongs to no token.
            owned = np.full(R, -1, "i4")
            owned[rows] = data["TO"][rows]
            data["TO"] = owned
            total, off = data["OUT"].astype(float), np.zeros((tokens, N))
            sizes = np.abs(total)
            for at, r in enumerate(rows):
                total[data["TO"][r]] += value[at]
                off[data["TO"][r]] += error[at]
                sizes[data["TO"][r]] += np.abs(value[at])
            off += sizes * 40 * reference.F32
            return Problem([(p, arguments, {"OUT": "OUT"})], data, {"OUT": (total, off)}, {"OUT": lambda d: d["OUT"].astype(float)})
        found = lambda d: numbers(d["Y"][which, rows] if masked else d["Y"][rows], p.result)
        expected, decoded = {"Y": (value, error)}, {"Y": found}
        if not p.whole:
            # What is no expert's row is not written.
            expected["behind"], decoded["behind"] = (np.zeros(()), np.zeros(())), lambda d: (d["Y"][R:].view("u1") != 255).sum() * 1.0
        return Problem([(p, arguments, {"Y": "Y"})], data, expected, decoded)

    return make


def small(**fields):
    return Grouped(**dict(dict(rows=64, columns=64, threads=128, stages=2), **fields))


FP8 = dict(element="f8E4M3FN", tb=True, depth=128)
ZIPF = (97, 48, 32, 24, 19, 16, 14, 12, 0, 1, 0, 3)
case("grouped contiguous", grouped(small()), True)
case("grouped contiguous f16 transposed", grouped(small(element="f16", tb=True)))
case("grouped contiguous zipf", grouped(small(), ZIPF), True)
case("grouped contiguous nobody", grouped(small(), (0, 0)), True)
case("grouped contiguous one row", grouped(small(), (0, 0, 1)), True)
case("grouped contiguous persistent", grouped(small(persistent=1, panel=2)), True)
case("grouped contiguous two warpgroups", grouped(small(rows=128, threads=256, specialize=True), (0, 129, 3, 128)), True)
case("grouped view", grouped(small(store="view")), True)
case("grouped staged", grouped(small(store="staged")), True)
case("grouped staged fp8 persistent", grouped(small(**FP8, store="staged", scaled=True, persistent=1), K=144, N=80))
case("grouped branch", grouped(small(store="branch")), True)
case("grouped element", grouped(small(store="element")))
case("grouped table", grouped(small(form="table")), True)
case("grouped table loop", grouped(small(form="table", loop=True)), True)
case("grouped table loop gate", grouped(small(form="table", loop=True, gate=True, tb=True)))
case("grouped padded", grouped(small(form="padded")), True)
case("grouped padded persistent", grouped(small(form="padded", persistent=1)))
case("grouped masked", grouped(small(form="masked")), True)
case("grouped masked gate f16", grouped(small(form="masked", gate=True, tb=True, element="f16")))
case("grouped fp8", grouped(small(**FP8, scaled=True), K=144, N=80), True)
case("grouped fp8 masked", grouped(small(**FP8, form="masked"), K=144, N=80))
case("grouped fp8 gate gather", grouped(small(**FP8, scaled=True, gate=True, gather=True), K=144, N=80), True)
case("grouped gate", grouped(small(gate=True, tb=True)), True)
case("grouped gather", grouped(small(gather=True)), True)
case("grouped gather gate table", grouped(small(gather=True, gate=True, tb=True, form="table")), True)
case("grouped gather padded", grouped(small(gather=True, form="padded")))
case("grouped weighted f32", grouped(small(weighted=True, out="f32")))
case("grouped add", grouped(small(store="add", weighted=True)), True)
case("grouped add table loop", grouped(small(store="add", weighted=True, form="table", loop=True)))
case("grouped add padded", grouped(small(store="add", form="padded")))
case("grouped add gather", grouped(small(store="add", gather=True)))


# --- the gradient of weights


def gradient(p, counts=UNEVEN, K=72, N=88, tokens=40):
    def make(rng):
        E, R = len(counts), sum(counts)
        offsets = np.cumsum([0, *counts])
        x, X = normal(rng, (tokens if p.gather else R + 3, K), p.element)
        d, D = normal(rng, (R + 3, N), p.element)
        data = dict(X=x, DY=d, OFF=offsets.astype("i4"), ROW=rng.integers(0, tokens, R).astype("i4"), DW=empty((E, K, N), p.out))
        value, error = np.zeros((E, K, N)), np.zeros((E, K, N))
        for e in range(E):
            rows = np.arange(offsets[e], offsets[e + 1])
            value[e], off = reference.product(X[data["ROW"][rows] if p.gather else rows].T, D[rows])
            error[e] = reference.rounded(value[e], off, p.out)
        return Problem([(p, given(p), {"DW": "DW"})], data, {"DW": (value, error)}, {"DW": lambda d: numbers(d["DW"], p.out)})

    return make


tall = lambda **fields: WeightGradient(**dict(dict(rows=64, columns=64, threads=128, stages=2), **fields))
case("weights view", gradient(tall()), True)
case("weights view bf16 gather", gradient(tall(out="bf16", gather=True)), True)
case("weights mask", gradient(tall(tail="mask")), True)
case("weights mask gather zipf f16", gradient(tall(tail="mask", gather=True, element="f16"), ZIPF))
case("weights rest", gradient(tall(tail="rest")), True)
case("weights none", gradient(tall(tail="none"), (0, 64, 128, 0)), True)
case("weights rest gather persistent", gradient(tall(tail="rest", gather=True, persistent=1)))


# --- routing


def best(logits, k):
    """The k largest of each row, the first of equals first."""
    return np.argsort(-logits, axis=1, kind="stable")[:, :k]


def gate(p, tokens=37, equal=False):
    def make(rng):
        # Numbers with distances that no rounding bridges.
        logits = (rng.permuted(np.tile(np.arange(p.experts), (tokens, 1)), axis=1) - p.experts / 2) * (8 / p.experts)
        if equal:
            logits = np.round(logits)
        data = dict(LOGITS=logits.astype("f4"), BIAS=np.round(rng.standard_normal(p.experts) * 8).astype("f4"))
        data |= dict(WEIGHT=empty((tokens, p.k), "f32"), ID=empty((tokens, p.k), "i32"))
        if p.score == "sigmoid":
            shares = 1 / (1 + np.exp(-logits))
            chosen = best(shares + data["BIAS"], p.k)
        else:
            chosen, shares = best(logits, p.k), np.exp(logits - logits.max(1, keepdims=True))
            shares /= shares.sum(1, keepdims=True)
        weight = np.take_along_axis(shares, chosen, 1)
        size = weight + (16 if p.score == "sigmoid" else 0)  # a sigmoid is what is left of its sum with the bias
        if p.renormalise:
            size, weight = size / weight.sum(1, keepdims=True), weight / weight.sum(1, keepdims=True)
        error = size * 64 * reference.APPROXIMATE
        expected = {"ID": (chosen.astype(float), np.zeros(chosen.shape)), "WEIGHT": (weight, error)}
        return Problem([(p, given(p), {n: n for n in expected})], data, expected, {n: lambda d, n=n: d[n].astype(float) for n in expected})

    return make


few = lambda **fields: Gate(**dict(dict(experts=64, k=8, rows=8), **fields))
case("gate 8 of 64", gate(few()), True)
case("gate 2 of 8 equal", gate(few(experts=8, k=2), equal=True), True)
case("gate 8 of 256", gate(few(experts=256), 21))
case("gate 8 of 256 warps", gate(few(experts=256, warps=True), 21), True)
case("gate 6 of 160 shares", gate(few(experts=160, k=6, renormalise=False)))
case("gate sigmoid", gate(few(score="sigmoid")), True)


def routing(E, k, tokens, chunk, ordered=False, rows=64, tiles="table", unknown=False):
    count, offsets = Count(E, chunk), Offsets(E, rows, tiles)
    place = Place(E, k, chunk, ordered, weights=True)

    def make(rng):
        ids = np.minimum(rng.zipf(1.5, (tokens, k)) - 1, E - 1).astype("i4")
        ids[ids == 1] = 0  # an expert with no rows
        if unknown:
            ids[rng.random(ids.shape) < 0.1] = -1
        copies, blocks = ids.size, -(-ids.size // chunk)
        flat = ids.reshape(-1)
        counts = np.bincount(flat[flat >= 0], minlength=E)
        many = -(-counts // rows)
        begin = np.concatenate([[0], np.cumsum(many * rows if tiles == "padded" else counts)])
        data = dict(ID=ids, WEIGHT=rng.random(copies).astype("f4"), COUNT=empty((blocks, E), "i32"), BASE=empty((blocks, E), "i32"), OFF=empty(E + 1, "i32"))
        room = many.sum() + 3
        data |= dict(SLOT=empty(copies, "i32"), ROW=np.full(begin[-1], -1, "i4"), SORTED=np.full(begin[-1], -1, "f4"))
        table = "EXPERT" if tiles == "padded" else "TILE"
        data["TOTAL"] = empty(1, "i32")
        data[table] = empty(room if tiles == "padded" else (room, 4), "i32")
        flattened = lambda d: d["ID"].reshape(-1)
        steps = [(count, {"ID": flattened, "COUNT": "COUNT"}, {"COUNT": "COUNT"})]
        steps += [(offsets, given(offsets), {"BASE": "BASE", "OFF": "OFF", "TOTAL": "TOTAL", table: table})]
        steps += [(place, given(place) | {"ID": flattened}, {n: n for n in ("SLOT", "ROW", "SORTED")})]
        which = np.repeat(np.arange(E), many)
        firsts = [begin[e] + np.arange(many[e]) * rows for e in range(E)]
        wanted = [which, np.concatenate(firsts), begin[:-1][which] + counts[which]]
        have = {"OFF": (begin, lambda d: d["OFF"]), "TOTAL": (np.array([many.sum()]), lambda d: d["TOTAL"])}
        if tiles == "padded":
            have["EXPERT"] = np.concatenate([which, [-1] * 3]), lambda d: d["EXPERT"]
        else:
            have["TILE"] = np.stack(wanted, 1), lambda d: d["TILE"][: len(which), :3]
            have["rest"] = np.full(3, -1), lambda d: d["TILE"][len(which) :, 0]
        order = np.argsort(np.where(flat < 0, E, flat), kind="stable")[: counts.sum()]
        slots = np.concatenate([begin[e] + np.arange(counts[e]) for e in range(E)])
        if ordered:
            have["ROW"] = order // k, lambda d: d["ROW"][slots]
        inside = flat >= 0
        # Each copy has a row of its expert, and each row one copy.
        have["experts"] = flat[inside], lambda d: np.searchsorted(begin, d["SLOT"][inside], side="right") - 1 - 0
        have["tokens"] = np.arange(copies)[inside] // k, lambda d: d["ROW"][d["SLOT"][inside]]
        have["weights"] = data["WEIGHT"][inside], lambda d: d["SORTED"][d["SLOT"][inside]]
        have["nobody"] = np.full((~inside).sum(), -1), lambda d: d["SLOT"][~inside]
        have["rows"] = np.sort(slots), lambda d: np.sort(d["SLOT"][inside])
        if counts.min() == 0:
            # Of equal begins the last one has the rows.
            have["experts"] = begin[flat[inside]], lambda d: begin[np.searchsorted(begin, d["SLOT"][inside], side="right") - 1]
        expected = {n: (np.asarray(v).astype(float), np.zeros(np.shape(v))) for n, (v, _) in have.items()}
        return Problem(steps, data, expected, {n: lambda d, f=f: f(d).astype(float) for n, (_, f) in have.items()})

    return make


case("route", routing(16, 2, 150, 128), True)
case("route ordered", routing(16, 2, 150, 128, ordered=True, unknown=True), True)
case("route padded", routing(64, 8, 70, 128, tiles="padded", rows=16), True)
case("route one token", routing(8, 1, 1, 128), True)
case("route many chunks", routing(8, 2, 320, 32, ordered=True))


def combine(p, tokens=37, N=136):
    def make(rng):
        y, Y = normal(rng, (tokens * p.k, N), p.element)
        slots = rng.permutation(tokens * p.k).astype("i4")
        slots[rng.random(len(slots)) < 0.1] = -1
        weights = rng.random(tokens * p.k).astype("f4")
        data = dict(Y=y, SLOT=slots, WEIGHT=weights, OUT=empty((tokens, N), p.out or p.element))
        terms = np.where(slots[:, None] < 0, 0, Y[slots]) * (weights.astype(float)[:, None] if p.weighted else 1)
        terms = terms.reshape(tokens, p.k, N)
        error = reference.rounded(terms.sum(1), np.abs(terms).sum(1) * 20 * reference.F32, p.out or p.element)
        return Problem([(p, given(p), {"OUT": "OUT"})], data, {"OUT": (terms.sum(1), error)}, {"OUT": lambda d: numbers(d["OUT"], p.out or p.element)})

    return make


case("combine", combine(Combine(k=8, columns=64, threads=128)), True)
case("combine sums f32", combine(Combine(k=2, columns=128, threads=128, out="f32", weighted=False)), True)


def layer(E=8, k=2, tokens=75, K=64, H=72, form="table"):
    """A layer: gating, routing, gate and up, down, and the sum of the copies."""
    gating, count, offsets, place = Gate(E, k, rows=8), Count(E, 128), Offsets(E, 64, "padded" if form == "padded" else "table"), Place(E, k, 128)
    first = small(form=form, gather=True, gate=True, tb=True, loop=form == "table")
    second, last = small(form=form, tb=True), Combine(k=k, columns=64, threads=128)

    def make(rng):
        x, X = normal(rng, (tokens, K), "bf16")
        w1, W1 = normal(rng, (E, 2 * H, K), "bf16", 0.25)
        w2, W2 = normal(rng, (E, K, H), "bf16", 0.25)
        logits = rng.standard_normal((tokens, E)).astype("f4")
        logits[:, 3] = -9  # nobody's choice
        copies = tokens * k
        most = -(-copies // 64) + E
        rows = most * 64 if form == "padded" else copies
        table = "EXPERT" if form == "padded" else "TILE"
        data = dict(X=x, W1=w1, W2=w2, LOGITS=logits, WEIGHT=empty((tokens, k), "f32"), ID=empty((tokens, k), "i32"), COUNT=empty((-(-copies // 128), E), "i32"))
        data |= dict(BASE=empty(data["COUNT"].shape, "i32"), OFF=empty(E + 1, "i32"), TILE=empty((most, 4), "i32"), EXPERT=empty(most, "i32"), TOTAL=empty(1, "i32"))
        data |= dict(SLOT=empty(copies, "i32"), ROW=np.full(rows, -1, "i4"), H=np.zeros((rows, H), "u2"), Y=empty((rows, K), "bf16"), OUT=empty((tokens, K), "bf16"))
        flattened = {"ID": lambda d: d["ID"].reshape(-1), "WEIGHT": lambda d: d["WEIGHT"].reshape(-1)}
        use = lambda p: given(p) | ({"blocks": 5} if getattr(p, "loop", False) else {}) | {n: f for n, f in flattened.items() if n in given(p) and p is not gating}
        steps = [(gating, use(gating), {"WEIGHT": "WEIGHT", "ID": "ID"}), (count, use(count), {"COUNT": "COUNT"})]
        steps += [(offsets, use(offsets), {"BASE": "BASE", "OFF": "OFF", "TOTAL": "TOTAL", table: table}), (place, use(place), {"SLOT": "SLOT", "ROW": "ROW"})]
        steps += [(first, use(first) | {"W": "W1", "Y": "H"}, {"Y": "H"}), (second, use(second) | {"X": "H", "W": "W2"}, {"Y": "Y"}), (last, use(last), {"OUT": "OUT"})]
        chosen = best(logits, k)
        share = np.exp(np.take_along_axis(logits.astype(float), chosen, 1))
        share /= share.sum(1, keepdims=True)
        value, error = np.zeros((tokens, K)), np.zeros((tokens, K))
        for t in range(tokens):
            for j, e in enumerate(chosen[t]):
                h, off = reference.product(X[t : t + 1], W1[e].T)
                h, off = reference.silu_times(h[:, :H], off[:, :H], h[:, H:], off[:, H:])
                off = reference.rounded(h, off, "bf16")
                y, more = reference.product(h, W2[e].T)
                more = reference.rounded(y, more + off @ np.abs(W2[e].T), "bf16")
                value[t] += share[t, j] * y[0]
                error[t] += share[t, j] * more[0] + np.abs(y[0]) * 64 * reference.APPROXIMATE
        return Problem(steps, data, {"OUT": (value, reference.rounded(value, error, "bf16"))}, {"OUT": lambda d: numbers(d["OUT"], "bf16")})

    return make


case("layer", layer())
case("layer padded", layer(form="padded"))


# --- scales of blocks


def words(exponents):
    """[groups, n] exponents, those of four groups in a word."""
    return np.ascontiguousarray(exponents.astype("u1").reshape(-1, 4, exponents.shape[1]).transpose(0, 2, 1)).view("<u4")[..., 0].view("i4")


def scales(rng, p, groups, n):
    """As a program takes them, [groups or words, n], and in float64."""
    if p.packed:
        exponents = rng.integers(124, 131, (groups, n))
        return words(exponents), 2.0 ** (exponents - 127)
    found = rng.uniform(0.25, 2, (groups, n)).astype("f4")
    return found, found.astype(float)


def block_scaled(p, M=76, N=136, K=0, counts=()):
    def make(rng):
        k = K or (4 if p.packed else 2) * max(p.group, 32 if p.packed else 128 if p.group == 128 else 64)
        E, rows = max(len(counts), 1), sum(counts) if p.form else M
        rows = -(-rows // 4) * 4
        groups = k // p.group
        A, B = elements.random_e4m3(rng, (rows, k)), elements.random_e4m3(rng, (E, N, k))
        sa, SA = scales(rng, p, groups, rows)
        blocks = N if p.fine else -(-N // 128)
        each = [scales(rng, p, groups, blocks) for _ in range(E)]
        # [groups, N] where it is fine, [N / 128, groups] else; words lie along the groups.
        sb = np.stack([raw if p.fine else raw.T for raw, _ in each])
        offsets = np.cumsum([0, *counts])
        data = dict(A=A, SA=sa, B=B if p.form else B[0], SB=np.ascontiguousarray(sb if p.form else sb[0]), C=empty((rows, N), p.out))
        data |= dict(OFF=offsets.astype("i4"), TILE=tile_table(counts, p.rows, rng)) if p.form else {}
        value, error = np.zeros((rows, N)), np.zeros((rows, N))
        for e in range(E):
            at = slice(offsets[e], offsets[e + 1]) if p.form else slice(0, rows)
            columns = each[e][1] if p.fine else np.repeat(each[e][1], 128, 1)[:, :N]
            value[at], off = reference.block_scaled(numbers(A[at], "f8E4M3FN"), numbers(B[e], "f8E4M3FN"), SA[:, at].T, columns.T, p.group)
            error[at] = reference.rounded(value[at], off, p.out)
        have = offsets[-1] if p.form else rows
        return Problem([(p, given(p), {"C": "C"})], data, {"C": (value[:have], error[:have])}, {"C": lambda d: numbers(d["C"][:have], p.out)})

    return make


scaled = lambda **fields: BlockScaled(**dict(dict(rows=64, columns=64, threads=128, stages=2), **fields))
case("block scaled", block_scaled(scaled()), True)
case("block scaled f32 out persistent", block_scaled(scaled(out="f32", persistent=1)))
case("block scaled 256 columns", block_scaled(scaled(columns=256, threads=256), N=264))
case("block scaled e8m0", block_scaled(scaled(scales="e8m0")), True)
case("block scaled fine", block_scaled(scaled(fine=True)), True)
case("block scaled mx", block_scaled(scaled(fine=True, group=32, scales="e8m0")), True)
case("block scaled table", block_scaled(scaled(form="table"), counts=(0, 1, 66, 0, 5)), True)
case("block scaled contiguous e8m0", block_scaled(scaled(form="contiguous", scales="e8m0"), counts=(0, 1, 66, 0, 5)))
case("block scaled two parts", block_scaled(scaled(parts=2), K=384), True)
case("block scaled two parts fine table", block_scaled(scaled(parts=2, fine=True, form="table", store="staged"), K=384, counts=(0, 1, 66, 0, 5)))
case("block scaled two parts e8m0", block_scaled(scaled(parts=2, scales="e8m0", columns=256, threads=256), N=264))
case("block scaled table staged", block_scaled(scaled(form="table", store="staged"), counts=(0, 1, 66, 0, 5)), True)
case("block scaled contiguous view", block_scaled(scaled(form="contiguous", store="view"), counts=(0, 1, 66, 0, 5)))
case("block scaled contiguous fine", block_scaled(scaled(form="contiguous", fine=True, group=32), counts=(0, 1, 66, 0, 5)))


def cast(p, M=36, groups=6):
    def make(rng):
        K, groups_all = groups * p.group, groups
        x, X = normal(rng, (M, 2 * K if p.gate else K), p.element, 3.0)
        X, off = reference.silu_times(X[:, :K], np.zeros((M, K)), X[:, K:], np.zeros((M, K))) if p.gate else (X, np.zeros((M, K)))
        peak = np.abs(X).reshape(M, groups_all, p.group).max(2)
        scale = peak / 448
        if p.packed:
            scale = 2.0 ** np.ceil(np.log2(scale))
        wide = np.repeat(scale, p.group, 1)
        data = dict(X=x, A=empty((M, K), "f8E4M3FN"), SA=empty((-(-groups // 4) if p.packed else groups, M), "i32" if p.packed else "f32"))
        value = X / wide
        error = np.abs(value) * 2.0**-4 + 2.0**-10 + off / wide
        if p.packed:
            read = lambda d: 2.0 ** (d["SA"].view("u1").reshape(-1, M, 4).transpose(0, 2, 1).reshape(-1, M).astype(float) - 127)
        else:
            read = lambda d: d["SA"].astype(float)
        expected = {"SA": (scale.T, scale.T * 2.0**-18), "A": (value, error)}
        return Problem([(p, given(p), {"A": "A", "SA": "SA"})], data, expected, {"SA": read, "A": lambda d: numbers(d["A"], "f8E4M3FN")})

    return make


case("cast", cast(Cast(rows=8, groups=2, threads=128)), True)
case("cast gate", cast(Cast(rows=8, groups=2, threads=128, gate=True)), True)
case("cast e8m0", cast(Cast(rows=8, groups=4, threads=128, scales="e8m0"), groups=8), True)
case("cast mx", cast(Cast(rows=8, groups=8, threads=128, scales="e8m0", group=32), groups=8))
