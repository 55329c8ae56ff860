# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of attention_test.py: a program, small data, and what numpy says of the results."""

import dataclasses
from collections.abc import Callable

import numpy as np

import attention_references as reference
import elements
from tilebench.attention import Attention
from tilebench.attention_backward import Backward
from tilebench.attention_decode import Combine, Decode
from tilebench.attention_sparse import Sparse

CASES = []


@dataclasses.dataclass
class Case:
    name: str
    make: Callable  # of a random generator: a Problem
    lowered: bool = False  # also as lowered code


@dataclasses.dataclass
class Problem:
    steps: list  # (program, {argument: array, number or key of data}, {output: key of data}), one after the other
    data: dict  # arrays by key
    expected: dict  # key: (value, error)
    types: dict  # of outputs that are not f32: f16 or bf16

    def decode(self, key):
        raw, kind = self.data[key], self.types.get(key)
        return elements.from_bf16(raw) if kind == "bf16" else raw.astype(np.float64)


def case(name, lowered=False):
    def declare(make):
        CASES.append(Case(name, make, lowered))
        return make

    return declare


# --- arrays as files hold them, and their values


def bf16_bits(values):
    bits = np.asarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def normal(rng, shape, kind, scale=1.0):
    """Random numbers: as a file holds them, and in float64."""
    values = rng.standard_normal(shape) * scale
    if kind == "f8E4M3FN":
        raw = elements.random_e4m3(rng, shape)
        return raw, elements.from_e4m3(raw)
    if kind == "bf16":
        raw = bf16_bits(values)
        return raw, elements.from_bf16(raw)
    raw = values.astype({"f16": np.float16, "f32": np.float32}[kind])
    return raw, raw.astype(np.float64)


def poison(shape, kind):
    found = np.empty(shape, {"f16": "f2", "bf16": "u2", "f32": "f4"}[kind])
    found.view(np.uint8)[...] = 255
    return found


# --- forward


def rows_of(p, X, z, h, H, lengths, cu):
    """A sequence's part of what has one number a row."""
    return {"heads": lambda: X[z * H + h, : lengths[z]], "batch": lambda: X[z, h, : lengths[z]], "packed": lambda: X[h, cu[z] : cu[z + 1]]}[p.layout]()


def forward(p, heads=2, kv=0, batch=1, queries=(75,), keys=None, left=None, right=None):
    """The problem of a forward program. Lengths are those of the sequences; all alike but for `packed` and `padded`."""

    def make(rng):
        lq = list(queries) * (batch if len(queries) == 1 else 1)
        lk = list(keys or queries) * (batch if len(keys or queries) == 1 else 1)
        H, G, out = heads, kv or heads, p.out or p.element
        n = len(lq)
        Sq, Sk = max(lq), max(lk)
        cuq, cuk = np.cumsum([0, *lq]), np.cumsum([0, *lk])
        shape = lambda length, total, h, d: {"heads": (n * h, length, d), "batch": (n, length, h, d), "packed": (total, h, d)}[p.layout]
        Sk_full = Sk + 3 if p.padded else Sk
        q, Q = normal(rng, shape(Sq, cuq[-1], H, p.d), p.element)
        k, K = normal(rng, shape(Sk_full, cuk[-1], G, p.d), p.element)
        v, V = normal(rng, shape(Sk_full, cuk[-1], G, p.columns), p.element)
        data = dict(Q=q, K=k, V=np.ascontiguousarray(v.swapaxes(1, 2)) if p.scaled else v)
        scalars = {}
        if p.layout == "packed":
            data |= dict(CUQ=cuq.astype("i4"), CUK=cuk.astype("i4"))
            scalars["longest"] = Sq
        if p.padded:
            data["LEN"] = np.array(lk, "i4")
        if p.sinks:
            data["SINK"] = rng.standard_normal(H).astype("f4")
        if p.bias == "add":
            data["BIAS"], bias = normal(rng, (H, Sq, Sk_full), p.element)
        if p.bias == "alibi":
            data["SLOPE"] = (2.0 ** -np.arange(1, H + 1)).astype("f4")
        if p.scaled:
            data |= {name: rng.uniform(0.5, 1.5, n * h).astype("f4") for name, h in (("SQ", H), ("SK", G), ("SV", G))}
        if p.window:
            scalars["left"] = left
            if not p.causal:
                scalars["right"] = right
        data["O"] = poison(shape(Sq, cuq[-1], H, p.columns), out)
        data["LSE"] = poison({"heads": (n * H, Sq), "batch": (n, H, Sq), "packed": (H, cuq[-1])}[p.layout], "f32")
        O, LSE, off, lse_off = (np.zeros(s) for s in (data["O"].shape, data["LSE"].shape) * 2)
        for z in range(n):
            for h in range(H):
                g = h // (H // G)
                pick = lambda X, lengths, cu, h, H: {
                    "heads": lambda: X[z * H + h, : lengths[z]],
                    "batch": lambda: X[z, : lengths[z], h],
                    "packed": lambda: X[cu[z] : cu[z + 1], h],
                }[p.layout]()
                o = reference.Options(p.element, out, p.causal, left, right, softcap=p.softcap)
                o.sink = data["SINK"][h] if p.sinks else None
                if p.bias == "add":
                    o.bias = bias[h, : lq[z], : lk[z]]
                if p.bias == "alibi":
                    o.bias = -float(data["SLOPE"][h]) * np.abs(np.arange(lk[z]) - (np.arange(lq[z])[:, None] + lk[z] - lq[z]))
                factor = 1.0
                if p.scaled:
                    o.unit = float(data["SQ"][z * H + h]) * float(data["SK"][z * G + g]) / np.sqrt(p.d)
                    factor = float(data["SV"][z * G + g])
                    o.least = 2.0**-10 if p.lazy else 0
                found = reference.forward(pick(Q, lq, cuq, h, H), pick(K, lk, cuk, g, G), pick(V, lk, cuk, g, G) * factor, o)
                for target, value in zip((O, off), found[::2]):
                    pick(target, lq, cuq, h, H)[...] = value
                for target, value in zip((LSE, lse_off), found[1::2]):
                    rows_of(p, target, z, h, H, lq, cuq)[...] = value
        given = {name: name for name, *_ in p.arguments() if name in data} | scalars
        expected = {"O": (O, off)} | ({"LSE": (LSE, lse_off)} if p.lse else {})
        return Problem([(p, given, {name: name for name in expected})], data, expected, {"O": out})

    return make


def small(**fields):
    return Attention(**dict(dict(rows=64, keys=64, threads=128, d=64, lse=True), **fields))


case("forward plain", True)(forward(small(lse=False)))
case("forward causal", True)(forward(small(causal=True)))
case("forward one", True)(forward(small(), queries=(1,)))
case("forward gqa causal varlen", True)(forward(small(grouped=True, causal=True, layout="packed"), 4, 2, queries=(70, 0, 1, 33), keys=(70, 5, 40, 0)))
case("forward gqa varlen full", True)(forward(small(grouped=True, layout="packed"), 4, 2, queries=(70, 0, 1, 33), keys=(30, 5, 140, 0)))
case("forward mqa batch f16")(forward(small(element="f16", layout="batch", grouped=True), 4, 1, 2))
case("forward gqa batch causal lazy", True)(forward(small(layout="batch", grouped=True, causal=True, lazy=True), 4, 2, 2))
case("forward unequal causal few queries")(forward(small(causal=True, unequal=True), queries=(5,), keys=(130,)))
case("forward unequal causal few keys", True)(forward(small(causal=True, unequal=True), queries=(130,), keys=(61,)))
case("forward window", True)(forward(small(window=True), queries=(200,), left=20, right=9))
case("forward window causal")(forward(small(window=True, causal=True, layout="batch"), queries=(200,), left=64))
case("forward window unequal")(forward(small(window=True), queries=(100,), keys=(40,), left=10, right=0))
case("forward window varlen")(forward(small(window=True, causal=True, layout="packed", grouped=True), 4, 2, queries=(150, 0, 1, 33), keys=(150, 5, 40, 10), left=17))
case("forward window one")(forward(small(window=True, causal=True), queries=(77,), left=0))
# Three warpgroups, which skip steps of keys that their own queries do not see.
case("forward causal three warpgroups", True)(forward(small(causal=True, rows=192, threads=384, lazy=True), queries=(300,)))
case("forward window three warpgroups", True)(forward(small(window=True, causal=True, rows=192, threads=384), queries=(300,), left=40))
case("forward window ahead two warpgroups", True)(forward(small(window=True, rows=128, threads=256, lazy=True, specialize=True), queries=(200,), left=20, right=30))
case("forward causal varlen three warpgroups", True)(forward(small(grouped=True, causal=True, layout="packed", rows=192, threads=384), 4, 2, queries=(70, 0, 250), keys=(170, 5, 240)))
case("forward sinks", True)(forward(small(sinks=True, causal=True)))
case("forward sinks window batch gqa")(forward(small(sinks=True, causal=True, window=True, layout="batch", grouped=True), 4, 2, 2, left=30))
case("forward sinks varlen")(forward(small(sinks=True, layout="packed"), queries=(70, 3), keys=(20, 0)))
case("forward bias", True)(forward(small(bias="add"), batch=2))
case("forward bias batch causal unequal")(forward(small(bias="add", causal=True, unequal=True, layout="batch"), batch=2, queries=(70,), keys=(133,)))
case("forward alibi")(forward(small(bias="alibi"), 4))
case("forward alibi causal varlen", True)(forward(small(bias="alibi", causal=True, layout="packed"), queries=(70, 3), keys=(99, 20)))
case("forward softcap", True)(forward(small(softcap=2.0)))
case("forward softcap causal alibi sinks")(forward(small(softcap=2.0, causal=True, bias="alibi", sinks=True)))
case("forward padded", True)(forward(small(padded=True), batch=3, queries=(75, 75, 75), keys=(70, 0, 33)))
case("forward padded causal batch lazy")(forward(small(padded=True, causal=True, unequal=True, layout="batch", lazy=True), queries=(75, 75, 75), keys=(80, 0, 33)))
for d, dv, element in ((32, 0, "bf16"), (80, 0, "f16"), (96, 0, "bf16"), (128, 0, "bf16"), (192, 128, "bf16"), (256, 0, "f16")):
    case(f"forward d{d}v{dv or d} {element}", d in (32, 80, 192))(forward(small(d=d, dv=dv, element=element, unequal=True), 1, queries=(70,), keys=(67,)))
case("forward fp8", True)(forward(small(element="f8E4M3FN", out="bf16", scaled=True), queries=(70,), keys=(80,)))
case("forward fp8 causal gqa lazy")(forward(small(element="f8E4M3FN", out="bf16", scaled=True, causal=True, grouped=True, lazy=True), 4, 2, queries=(80,)))
case("forward staged", True)(forward(small(staged=True, layout="packed", d=96), queries=(70, 3), keys=(99, 20)))
case("forward no keys")(forward(small(unequal=True), queries=(5,), keys=(0,)))
case("forward no queries")(forward(small(unequal=True), queries=(0,), keys=(5,)))


# --- decode


def decode(p, heads=8, kv=2, lengths=(77, 0, 1, 130), tokens=1, splits=3):
    """The problem of a decode program: with parts, those and what combines them."""
    full, t = p.d + 64 if p.latent else p.d, p.element

    def make(rng):
        B, most = len(lengths), max(lengths) // p.page + 2
        rows = B * tokens * heads
        q, Q = normal(rng, (rows, full), t)
        G = 1 if p.latent else kv
        if p.kv == "dense":
            k, K = normal(rng, (B, max(lengths) + 1, G, p.d), t)
            v, V = normal(rng, (B, max(lengths) + 1, G, p.d), t)
            own = lambda X, b, g: X[b, : lengths[b], g]
            table = None
        else:
            table = rng.permutation(B * most).reshape(B, most).astype("i4")
            k, K = normal(rng, (B * most, p.page, G, full), t)
            v, V = normal(rng, (B * most, p.page, G, p.d), t)
            own = lambda X, b, g: X[table[b]][:, :, g].reshape(-1, X.shape[-1])[: lengths[b]]
        data = dict(Q=q, K=k, V=v, LEN=np.array(lengths, "i4"))
        if p.latent:
            data["K"], V = k[:, :, 0], K[..., : p.d]
            del data["V"]
        if table is not None:
            data["TABLE"] = table if p.page > 1 else table.reshape(-1)
        if p.kv == "paged" and p.page == 1:
            data["K"], data["V"] = (x.reshape(B * most, -1) for x in (k, v))
        O, LSE, off, lse_off = np.zeros((rows, p.d)), np.zeros(rows), np.zeros((rows, p.d)), np.zeros(rows)
        at = np.arange(rows).reshape(B, tokens, heads)
        for b in range(B):
            for h in range(heads):
                g = h // (heads // G)
                # A token of a sequence that is shorter sees nothing; the others see the keys up to their own.
                found = reference.forward(Q[at[b, :, h]], own(K, b, g), own(V, b, g), reference.Options(t, "f32" if p.split else t, causal=True))
                for target, value in zip((O, LSE, off, lse_off), found):
                    target[at[b, :, h]] = value
        scalars = {"tokens": tokens} | {"splits": splits} * p.split if False else {"tokens": tokens}
        if p.split:
            scalars["splits"] = splits
        if p.latent:
            scalars["blocks"] = -(-heads * tokens // p.rows)
        if p.split:
            data |= dict(OP=poison((splits * rows, p.d), "f32"), PARTS=poison((splits, rows), "f32"))
        data |= dict(O=poison((rows, p.d), t), LSE=poison(rows, "f32"))
        given = {n: n for n, *_ in p.arguments() if n in data} | scalars
        if not p.split:
            return Problem([(p, given, {"O": "O", "LSE": "LSE"})], data, {"O": (O, off), "LSE": (LSE, lse_off)}, {"O": t})
        given["LSE"] = "PARTS"
        first = (p, given, {"OP": "PARTIAL", "LSE": "PARTS"})
        data["PARTIAL"] = None
        c = Combine(t, p.d)
        off = off + reference.rounding_of(O, t) + np.abs(O) * 2.0**-18 + off
        second = (c, {"OP": "PARTIAL3", "LSE": "PARTS", "O": "O", "LSEO": "LSE"}, {"O": "O", "LSEO": "LSE"})
        data["PARTIAL3"] = lambda d: d["PARTIAL"].reshape(splits, rows, p.d)
        return Problem([first, second], data, {"O": (O, off), "LSE": (LSE, lse_off * 2)}, {"O": t})

    return make


few = lambda **fields: Decode(**dict(dict(stages=2), **fields))
case("decode dense", True)(decode(few()))
case("decode dense whole", True)(decode(few(split=False)))
case("decode dense tokens")(decode(few(), tokens=4, lengths=(77, 0, 1, 3, 130)))
case("decode dense wide rows", True)(decode(few(rows=64), 16, 2, tokens=8, lengths=(77, 130)))
case("decode dense d64 f16 one split")(decode(few(d=64, element="f16"), splits=1))
case("decode paged 64", True)(decode(few(kv="paged"), splits=4))
case("decode paged 16", True)(decode(few(kv="paged", page=16), tokens=2))
case("decode paged 128")(decode(few(kv="paged", page=128)))
case("decode paged 1", True)(decode(few(kv="paged", page=1), lengths=(77, 0, 1)))
case("decode mla", True)(decode(few(kv="latent", d=512, rows=64, threads=256), 128, lengths=(70, 0), splits=2))
case("decode mla lazy", True)(decode(few(kv="latent", d=512, rows=64, threads=256, lazy=True), 128, lengths=(70, 0, 200), splits=2))
case("decode dense lazy", True)(decode(few(lazy=True)))
case("decode mla tokens whole")(decode(few(kv="latent", d=512, rows=64, threads=256, split=False), 16, lengths=(70, 0, 1), tokens=5))


# --- backward


def backward(form, heads=2, kv=0, queries=(75,), keys=None, left=None, right=None, block=64, **fields):
    """The problem of a whole backward: `atomic` is prepare, keys and convert; `ordered` is prepare, keys and queries.

    block: keys of a block, or of a step of the kernel over queries.
    """
    fields = dict(dict(d=64, rows=64, keys=block, threads=128, element="bf16"), **fields)
    make_program = lambda kind, **more: Backward(kind=kind, **{**fields, **more}, atomic=form == "atomic" and kind in ("prepare", "keys"))
    p, H, G = make_program("keys"), heads, kv or heads
    t, dv = p.element, p.columns

    def make(rng):
        lq, lk = list(queries), list(keys or queries)
        n, Sq, Sk = len(lq), max(lq), max(lk)
        cuq, cuk = np.cumsum([0, *lq]), np.cumsum([0, *lk])
        shape = lambda length, total, h, d: {"heads": (n * h, length, d), "batch": (n, length, h, d), "packed": (total, h, d)}[p.layout]
        raw, exact = {}, {}
        for name, length, total, h, d in (("Q", Sq, cuq[-1], H, p.d), ("K", Sk, cuk[-1], G, p.d), ("V", Sk, cuk[-1], G, dv), ("DO", Sq, cuq[-1], H, dv)):
            raw[name], exact[name] = normal(rng, shape(length, total, h, d), t)
        pick = lambda X, z, lengths, cu, h, H: {
            "heads": lambda: X[z * H + h, : lengths[z]],
            "batch": lambda: X[z, : lengths[z], h],
            "packed": lambda: X[cu[z] : cu[z + 1], h],
        }[p.layout]()
        row_shape = {"heads": (n * H, Sq), "batch": (n, H, Sq), "packed": (H, cuq[-1])}[p.layout]
        O, LSE = np.zeros(raw["DO"].shape), np.full(row_shape, np.nan)
        value = {name: np.zeros(raw[name[1]].shape) for name in ("DQ", "DK", "DV")}
        off = {name: np.zeros(v.shape) for name, v in value.items()}
        o = reference.Options(t, t, p.causal, left, right)
        for z in range(n):
            for h in range(H):
                g = h // (H // G)
                q, do = (pick(exact[x], z, lq, cuq, h, H) for x in ("Q", "DO"))
                k, v = (pick(exact[x], z, lk, cuk, g, G) for x in ("K", "V"))
                o_value, lse, *_ = reference.forward(q, k, v, o)
                pick(O, z, lq, cuq, h, H)[...] = o_value
                rows_of(p, LSE, z, h, H, lq, cuq)[...] = lse
                for name, (found, error) in reference.backward(q, k, v, do, o).items():
                    where = (z, lq, cuq, h, H) if name == "DQ" else (z, lk, cuk, g, G)
                    pick(value[name], *where)[...] += found
                    pick(off[name], *where)[...] += error
        data = dict(raw, O=bf16_bits(O) if t == "bf16" else O.astype("f2"), LSE=LSE.astype("f4"))
        padded = (*row_shape[:-1], -(-row_shape[-1] // 4) * 4)
        data |= dict(D=poison(padded, "f32"), L=poison(padded, "f32"))
        data |= {f"D{x}": poison(raw[x].shape, t) for x in "QKV"}
        data["SUM"] = poison(raw["Q"].shape, "f32")
        scalars = {}
        if p.layout == "packed":
            data |= dict(CUQ=cuq.astype("i4"), CUK=cuk.astype("i4"))
        if p.window:
            scalars = {"left": left} | ({} if p.causal else {"right": right})
        steps = []

        def step(program, renamed, outputs, longest=0):
            given = {name: renamed.get(name, name) for name, _, shape, *_ in program.arguments() if shape is not None}
            extra = {"longest": longest} if p.layout == "packed" and longest else {}
            steps.append((program, given | (scalars if longest else {}) | extra, outputs))

        sums = {"DQ": "SUM"}
        step(make_program("prepare", rows=16), sums, {"D": "D", "L": "L"} | (sums if form == "atomic" else {}))
        step(p, sums, {"DK": "DK", "DV": "DV"} | (sums if form == "atomic" else {}), Sk)
        if form == "atomic":
            step(make_program("convert", rows=16), {"DQ": "SUM", "DQO": "DQ"}, {"DQO": "DQ"})
        else:
            step(make_program("queries"), {}, {"DQ": "DQ"}, Sq)
        expected = {name: (value[name], off[name] + reference.rounding_of(value[name], t)) for name in value}
        return Problem(steps, data, expected, {name: t for name in value})

    return make


case("backward atomic", True)(backward("atomic"))
case("backward ordered", True)(backward("ordered"))
case("backward atomic causal gqa", True)(backward("atomic", 4, 2, causal=True, grouped=True, rows=32))
case("backward atomic persistent gqa", True)(backward("atomic", 4, 2, (150,), (300,), block=128, threads=256, grouped=True, persistent=1))
case("backward ordered causal gqa batch f16")(backward("ordered", 4, 2, (75, 75), causal=True, grouped=True, layout="batch", element="f16"))
case("backward ordered window unequal")(backward("ordered", queries=(90,), keys=(140,), window=True, left=20, right=5))
case("backward atomic window causal few keys")(backward("atomic", queries=(140,), keys=(90,), window=True, causal=True, left=30))
case("backward ordered varlen causal gqa", True)(backward("ordered", 4, 2, (70, 0, 1, 33), (70, 5, 40, 0), causal=True, grouped=True, layout="packed"))
case("backward atomic varlen")(backward("atomic", 2, 0, (70, 0, 1, 33), (30, 5, 140, 0), layout="packed"))
case("backward ordered one key")(backward("ordered", queries=(3,), keys=(1,)))
case("backward atomic d128v64")(backward("atomic", 1, d=128, dv=64, queries=(67,)))


# --- block sparse


def sparse(p, heads=2, kv=0, tables=2, queries=200, keys=200):
    def make(rng):
        H, G = heads, kv or heads
        q, Q = normal(rng, (H, queries, p.d), p.element)
        (k, K), (v, V) = (normal(rng, (G, keys, p.d), p.element) for _ in range(2))
        tiles, blocks = -(-queries // p.rows), -(-keys // p.keys)
        on = rng.random((tables, tiles, blocks)) < 0.5
        on[0, 0] = False  # a tile without blocks
        data = dict(Q=q, K=k, V=v, O=poison(Q.shape, p.element), LSE=poison(Q.shape[:2], "f32"))
        if p.form == "mask":
            data["MASK"] = on.astype("i1")
        else:
            data["COUNT"] = on.sum(2).astype("i4")
            data["INDEX"] = np.full((tables, tiles, blocks + 1), 1 << 20, "i4")
            for t in range(tables):
                for i in range(tiles):
                    data["INDEX"][t, i, : data["COUNT"][t, i]] = rng.permutation(np.flatnonzero(on[t, i]))
        O, LSE, off, lse_off = np.zeros(Q.shape), np.zeros(Q.shape[:2]), np.zeros(Q.shape), np.zeros(Q.shape[:2])
        o = reference.Options(p.element, causal=p.causal)
        for h in range(H):
            seen = np.repeat(np.repeat(on[h % tables], p.rows, 0), p.keys, 1)[:queries, :keys] & reference.visible(queries, keys, o)
            found = reference.forward(Q[h], K[h // (H // G)], V[h // (H // G)], o, seen)
            for target, value in zip((O, LSE, off, lse_off), found):
                target[h] = value
        given = {name: name for name, *_ in p.arguments()}
        return Problem([(p, given, {"O": "O", "LSE": "LSE"})], data, {"O": (O, off), "LSE": (LSE, lse_off)}, {"O": p.element})

    return make


blocks = lambda **fields: Sparse(**dict(dict(d=64, rows=64, keys=64, threads=128), **fields))
case("sparse list", True)(sparse(blocks()))
case("sparse list causal gqa")(sparse(blocks(causal=True, grouped=True), 4, 2, 1, 130, 200))
case("sparse mask", True)(sparse(blocks(form="mask")))
case("sparse mask causal f16")(sparse(blocks(form="mask", causal=True, element="f16"), 2, 0, 1, 200, 130))
