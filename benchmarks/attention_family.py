#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention's variants, decode, backward and block-sparse forward as plain tile programs, against torch's own backends.

  pack   compiles every configuration and packs them with the launcher: where the compiler is
  run    measures: where the GPU is (torch; no compiler)

Every result is first compared with float32 on fresh inputs, outputs poisoned. The fastest configuration that is right then
alternates with the peers: those of torch's scaled_dot_product_attention (cuDNN, flash, efficient) that take the problem and are
right themselves. Rates are TFLOP/s of the products that are seen (forward 4, backward 10 a pair of query and key and column), of
decode TB/s of K and V, and of MLA's decode TFLOP/s.
"""

import argparse
import dataclasses
import json
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from tilebench.attention import Attention  # noqa: E402
from tilebench.attention_backward import Backward  # noqa: E402
from tilebench.attention_decode import Combine, Decode  # noqa: E402
from tilebench.attention_sparse import Sparse  # noqa: E402
from tilebench.bench import Bench  # noqa: E402

LENGTHS = (128, 8192, 1000, 4096, 333, 2048, 1, 6000)  # of packed sequences


@dataclasses.dataclass(frozen=True)
class Problem:
    family: str  # forward, varlen, decode, mla, backward, sparse
    label: str
    b: int = 1
    h: int = 16  # heads of Q
    g: int = 16  # heads of K and V
    sq: int = 4096
    sk: int = 4096
    d: int = 128
    fields: tuple = ()  # of the program: pairs of names and values
    left: int = 0  # of a window
    tokens: int = 1
    density: float = 0.25  # of blocks

    @property
    def options(self):
        return dict(self.fields)

    @property
    def causal(self):
        return bool(self.options.get("causal"))

    @property
    def dv(self):
        return self.options.get("dv") or self.d


def forward(label, b, h, g, s, d, **fields):
    left = fields.pop("left", 0)
    sk = fields.pop("sk", s)
    more = dict(fields, grouped=g != h) | ({"window": True} if left else {})
    return Problem("forward", label, b, h, g, s, sk, d, tuple(more.items()), left)


PROBLEMS = [
    *(forward(f"d{d} {'causal' if c else 'full'}", 4, 16, 16, 4096, d, causal=c) for d in (64, 96, 128, 192, 256) for c in (False, True)),
    *(forward(f"gqa 32:4 {'causal' if c else 'full'}", 2, 32, 4, 8192, 128, causal=c) for c in (False, True)),
    forward("mqa 32:1 causal", 2, 32, 1, 4096, 128, causal=True),
    forward("window 1024 causal gqa 32:4", 2, 32, 4, 8192, 128, causal=True, left=1024),
    forward("unequal causal 1024:8192", 4, 16, 16, 1024, 128, causal=True, unequal=True, sk=8192),
    forward("sinks window 128 causal gqa 64:8", 2, 64, 8, 4096, 64, causal=True, left=128, sinks=True),
    forward("alibi causal", 4, 16, 16, 4096, 128, causal=True, bias="alibi"),
    forward("bias full", 4, 16, 16, 2048, 128, bias="add", whole=True),
    forward("softcap 50 causal", 4, 16, 16, 4096, 128, causal=True, softcap=50.0),
    forward("mla prefill 192/128 causal", 2, 16, 16, 4096, 192, causal=True, dv=128),
    forward("fp8 full", 2, 16, 16, 8192, 128, element="f8E4M3FN", out="bf16", scaled=True, whole=True),
    forward("fp8 causal", 2, 16, 16, 8192, 128, element="f8E4M3FN", out="bf16", scaled=True, whole=True, causal=True),
    *(Problem("varlen", f"varlen gqa 16:4 {'causal' if c else 'full'}", len(LENGTHS), 16, 4, fields=(("causal", c), ("grouped", True))) for c in (False, True)),
    *(Problem("decode", f"decode b{b} {s} gqa 64:8", b, 64, 8, 1, s) for b, s in ((1, 131072), (8, 32768), (32, 8192), (128, 4096), (128, 1024))),
    *(Problem("decode", f"decode paged {p} b32 8192 gqa 64:8", 32, 64, 8, 1, 8192, fields=(("kv", "paged"), ("page", p))) for p in (64, 16, 1)),
    Problem("decode", "decode 4 tokens b32 8192 gqa 64:8", 32, 64, 8, 4, 8192, tokens=4),
    *(Problem("mla", f"mla b{b} h128 8192", b, 128, 1, 1, 8192, 512) for b in (64, 128)),
    *(
        Problem("backward", f"backward d{d} {'causal' if c else 'full'}{o}", 4, 16, 16, 4096, 4096, d, (("causal", c),), density=0 if o else 1)
        for d in (64, 128) for c in (False, True) for o in ("", " ordered")
    ),
    Problem("backward", "backward gqa 32:4 causal", 2, 32, 4, 4096, 4096, 128, (("causal", True), ("grouped", True)), density=1),
    *(Problem("sparse", f"sparse {form} 0.25", 2, 16, 16, 8192, 8192, 128, (("form", form),)) for form in ("list", "mask")),
]


def candidates(p):
    """Lists of the programs that together solve a problem."""
    change = lambda base, **fields: dataclasses.replace(base, **fields)
    if p.family in ("forward", "varlen"):
        base = Attention(d=p.d, lse=True, layout="packed" if p.family == "varlen" else "heads", **p.options)
        if base.d > 192:
            found = [change(base, keys=64), change(base, keys=80), change(base, rows=64, threads=128, keys=64)]
        elif base.d == 192 and not base.dv:
            found = [change(base, keys=80), change(base, keys=64), change(base, keys=96)]
        else:
            found = [base, change(base, keys=64, stages=3), change(base, keys=160 if p.d > 64 else 256), change(base, rows=64, threads=128, keys=64)]
            # Scores and weights of fp8 leave registers for longer blocks.
            found += [change(base, keys=160, lazy=True), change(base, stages=3, lazy=True)] * base.scaled
            found += [change(base, rows=192, threads=384, keys=96, lazy=z) for z in (False, True)] * base.scaled
            found += [change(base, rows=192, threads=384, keys=96 if p.d > 64 and not base.scaled else 128)]
        ends = (found[0], found[-1])
        found += [change(f, persistent=1) for f in ends if p.family == "forward"] + [change(f, lazy=True) for f in ends]
        return [[f] for f in found]
    if p.family == "decode":
        most = 16 if p.tokens * p.h // p.g <= 16 else 64
        page = p.options.get("page")
        base = Decode(d=p.d, rows=most, **p.options)
        found = [change(base, keys=k, stages=s) for k, s in ((64, 2), (64, 3), (64, 4), (64, 6), (128, 2), (128, 3)) if not page or page == 64 and k == 64]
        if page == 16:
            found = [change(base, keys=k, stages=s) for k, s in ((64, 2), (64, 3), (64, 4), (128, 2))]
        if page == 1:
            found = [change(base, keys=k, stages=s, threads=t) for k, s, t in ((32, 4, 128), (32, 6, 128), (64, 2, 128), (64, 3, 256))]
        found += [change(f, specialize=False) for f in found]
        # Where one part has all keys of a sequence, nothing is left to combine.
        return [[f, Combine(d=p.d)] if splits_of(p) > 1 else [change(f, split=False)] for f in found]
    if p.family == "mla":
        base = Decode(kv="latent", d=512, rows=64, threads=256)
        found = [change(base, stages=s, specialize=r, lazy=z) for s in (2, 1) for r in (None, False) for z in (False, True)]
        return [[f, Combine(d=512)] if splits_of(p) > 1 else [change(f, split=False)] for f in found]
    if p.family == "backward":
        base = Backward(d=p.d, **p.options)
        small = [change(base, rows=32), base] if p.d > 64 else [base, change(base, rows=128)]
        small += [change(k, persistent=1) for k in small]
        before = change(base, kind="prepare", rows=32, threads=128, atomic=bool(p.density), grouped=False, causal=False)
        if p.density:
            after = change(before, kind="convert", atomic=False)
            return [[before, change(k, atomic=True), after] for k in small]
        queries = [change(base, kind="queries", rows=128, keys=k) for k in (64, 128)]
        return [[before, k, q] for k in small for q in queries]
    base = Sparse(d=p.d, **p.options)
    return [[base], [change(base, specialize=False)]]


def programs():
    return [program for p in PROBLEMS for chain in candidates(p) for program in chain]


# --- data and references (torch)


def splits_of(p):
    """Into how many parts the keys of a sequence are split: one round of blocks (twice as many parts took 0.90 to 0.99 of the speed)."""
    return max(1, min(64, 132 // max(1, p.b * (p.g if p.family == "decode" else 2))))


def tensors_of(bench, p):
    """What the programs of a problem take, by name; `scalars` are the numbers."""
    torch, normal = bench.torch, bench.timing.normal
    element = p.options.get("element", "bf16")
    make = lambda *shape, kind=element: normal(shape, kind, bench.device)
    empty = lambda *shape, kind="bf16": torch.empty(shape, dtype=bench.timing.DTYPES[kind], device=bench.device)
    integers = lambda values: torch.tensor(values, dtype=torch.int32, device=bench.device)
    if p.family in ("forward", "backward", "sparse"):
        n = p.b * p.h
        t = dict(Q=make(n, p.sq, p.d), K=make(p.b * p.g, p.sk, p.d), V=make(p.b * p.g, p.sk, p.dv))
        if p.options.get("scaled"):
            t["V"] = t["V"].mT.contiguous()
            t |= {x: torch.rand(p.b * h, device=bench.device) + 0.5 for x, h in (("SQ", p.h), ("SK", p.g), ("SV", p.g))}
        t |= dict(O=empty(n, p.sq, p.dv), LSE=empty(n, p.sq, kind="f32"), scalars=dict(left=p.left))
        t["SINK"] = torch.randn(p.h, device=bench.device)
        t["SLOPE"] = 2.0 ** (-8.0 / p.h * torch.arange(1, p.h + 1, device=bench.device))
        if p.options.get("bias") == "add":
            t["BIAS"] = make(p.h, p.sq, p.sk)
        if p.family == "backward":
            t |= dict(DO=make(n, p.sq, p.dv), D=empty(n, p.sq, kind="f32"), L=empty(n, p.sq, kind="f32"))
            t |= dict(DK=empty(*t["K"].shape), DV=empty(*t["V"].shape), DQO=empty(*t["Q"].shape), SUM=empty(*t["Q"].shape, kind="f32"))
        if p.family == "sparse":
            on = torch.rand(p.h, p.sq // 128, p.sk // 128, device=bench.device) < p.density
            order = torch.argsort(~on, dim=2, stable=True).int()
            t |= dict(ON=on, MASK=on.to(torch.int8), COUNT=on.sum(2).int(), INDEX=order)
        return t
    if p.family == "varlen":
        cu = [sum(LENGTHS[:i]) for i in range(len(LENGTHS) + 1)]
        t = dict(Q=make(cu[-1], p.h, p.d), K=make(cu[-1], p.g, p.d), V=make(cu[-1], p.g, p.d), CUQ=integers(cu), CUK=integers(cu))
        return t | dict(O=empty(cu[-1], p.h, p.d), LSE=empty(p.h, cu[-1], kind="f32"), scalars=dict(longest=max(LENGTHS)))
    rows, full = p.b * p.tokens * p.h, p.d + 64 * (p.family == "mla")
    page = 64 if p.family == "mla" else p.options.get("page")
    lengths = integers([p.sk] * p.b)
    t = dict(Q=make(rows, full), LEN=lengths, O=empty(rows, p.d), LSEO=empty(rows, kind="f32"))
    if page:
        most = p.sk // page
        t["TABLE"] = torch.randperm(p.b * most, device=bench.device).int().view(p.b, most)
        shape = (p.b * most, page, full) if p.family == "mla" else (p.b * most, page, p.g, p.d)
    else:
        shape = (p.b, p.sk, p.g, p.d)
    t["K"] = make(*shape)
    if p.family != "mla":
        t["V"] = make(*shape)
    splits = splits_of(p)
    t |= dict(OP=empty(splits * rows, p.d, kind="f32"), PARTS=empty(splits, rows, kind="f32"))
    return t | dict(scalars=dict(tokens=p.tokens, splits=splits, blocks=p.h * p.tokens // 64))


def bind(bench, p, chain, t):
    """One function that launches the programs of a chain, one after the other."""
    launches = []
    for program in chain:
        names = {name: t[name] for name, _, shape, *_ in program.arguments() if shape is not None and name in t}
        if isinstance(program, Backward):
            names |= {"DQ": t["DQO"] if program.kind == "queries" else t["SUM"]}
        if isinstance(program, Decode):
            names["LSE"] = t["PARTS" if program.split else "LSEO"]
            if program.page == 1 and program.kv == "paged":
                names |= {x: t[x].reshape(t[x].shape[0], -1) for x in "KV"} | {"TABLE": t["TABLE"].reshape(-1)}
        if isinstance(program, Combine):
            names |= {"OP": t["OP"].view(t["PARTS"].shape[0], -1, program.d), "LSE": t["PARTS"]}
        launches.append(bench.bind(program, names, t["scalars"]))

    def call():
        for launch in launches:
            launch()

    return call


def visible(torch, p, sq, sk, device):
    distance = torch.arange(sk, device=device)[None, :] - (torch.arange(sq, device=device)[:, None] + sk - sq)
    seen = torch.ones((sq, sk), dtype=torch.bool, device=device)
    if p.causal:
        seen &= distance <= 0
    if p.left:
        seen &= distance >= -p.left
    return seen, distance


def head_reference(torch, p, q, k, v, seen, distance, t, h):
    """O, LSE and the weighted mean of |V| of a head, in float32; gradients where DO is given."""
    unit = p.d**-0.5 if p.family != "mla" else (p.d + 64) ** -0.5
    s = q.float() @ k.float().T * unit
    o = p.options
    if o.get("scaled"):
        s = s * t["SQ"][h] * t["SK"][h * p.g // p.h]
    if o.get("softcap"):
        s = o["softcap"] * torch.tanh(s / o["softcap"])
    if o.get("bias") == "add":
        s = s + t["BIAS"][h % p.h].float()
    if o.get("bias") == "alibi":
        s = s - t["SLOPE"][h % p.h] * distance.abs()
    s = s.masked_fill(~seen, float("-inf"))
    if o.get("sinks"):
        s = torch.cat([s, t["SINK"][h % p.h].expand(len(s), 1)], 1)
    lse = torch.logsumexp(s, 1)
    w = torch.exp(s - lse.clamp(min=-1e30)[:, None])[:, : k.shape[0]]
    v = v.float()
    return w @ v, lse, w @ v.abs(), w


def close(torch, what, got, want, size, unit):
    """None, or what is wrong. Each weight is rounded before it multiplies its value, and the result once more."""
    if bool(got.isnan().any()):
        return f"{what}: {int(got.isnan().sum())} elements are NaN"
    error = (got.float() - want).abs()
    bad = int((error > unit * (2 * size + want.abs()) + 2.0**-13).sum())
    relative = float(error.norm() / want.norm().clamp(min=1e-30))
    return f"{what}: relative error {relative:.1e}, {bad} beyond the bound, largest {float(error.max()):g}" if bad or relative > 8 * unit else None


def wrong(bench, p, t):
    """None, or what is wrong with the results: of the first and the last head or sequence."""
    torch = bench.torch
    torch.backends.cuda.matmul.allow_tf32 = False
    unit = 2.0**-4 if p.options.get("scaled") else 2.0**-8
    found = []
    if p.family in ("forward", "sparse", "backward"):
        seen, distance = visible(torch, p, p.sq, p.sk, bench.device)
        for h in (0, p.b * p.h - 1):
            g = h * p.g // p.h
            q, k, v = t["Q"][h], t["K"][g], t["V"][g].mT if p.options.get("scaled") else t["V"][g]
            mine = seen
            if p.family == "sparse":
                mine = seen & t["ON"][h % p.h].repeat_interleave(128, 0).repeat_interleave(128, 1)
            want, lse, size, w = head_reference(torch, p, q, k, v, mine, distance, t, h)
            if p.options.get("scaled"):
                want, size = want * t["SV"][g], size * t["SV"][g]
            if p.family != "backward":
                found.append(close(torch, f"O of head {h}", t["O"][h], want, size, unit))
                some = lse > -1e30
                if bool((t["LSE"][h][some] - lse[some]).abs().max() > 2.0**-6) or bool(t["LSE"][h].isnan().any()):
                    found.append(f"LSE of head {h}")
        found += backward_wrong(bench, p, t, seen) if p.family == "backward" else []
        if p.family != "backward" and bool(t["O"].isnan().any()):
            found.append("O has NaN")
    elif p.family == "varlen":
        at = 0
        for number, n in enumerate(LENGTHS):
            if number in (0, 2, 6):
                seen, distance = visible(torch, p, n, n, bench.device)
                rows, h = slice(at, at + n), p.h - 1
                want, _, size, _ = head_reference(torch, p, t["Q"][rows, h], t["K"][rows, -1], t["V"][rows, -1], seen, distance, t, h)
                found.append(close(torch, f"O of sequence {number}", t["O"][rows, h], want, size, unit))
            at += n
        found += ["O has NaN"] if bool(t["O"].isnan().any()) else []
    else:
        for b in (0, p.b - 1):
            h = p.h - 1
            k = t["K"] if "TABLE" not in t else t["K"][t["TABLE"][b].long()].flatten(0, 1)[None].expand(p.b, *[-1] * (t["K"].dim() - 1))
            k = k[b] if p.family == "mla" else k[b][:, -1]
            if p.family == "mla":
                v = k[:, : p.d]
            else:
                v = t["V"] if "TABLE" not in t else t["V"][t["TABLE"][b].long()].flatten(0, 1)[None].expand(p.b, -1, -1, -1)
                v = v[b][:, -1]
            rows = [(b * p.tokens + i) * p.h + h for i in range(p.tokens)]
            distance = torch.arange(p.sk, device=bench.device)[None] - (torch.arange(p.tokens, device=bench.device)[:, None] + p.sk - p.tokens)
            want, _, size, _ = head_reference(torch, p, t["Q"][rows], k, v, distance <= 0, distance, t, h)
            found.append(close(torch, f"O of batch {b}", t["O"][rows], want, size, unit))
        found += ["O has NaN"] if bool(t["O"].isnan().any()) else []
    return next((f for f in found if f), None)


def backward_wrong(bench, p, t, seen):
    """Of the last head of keys; its queries are those of a group. DQ of the last head."""
    torch, group, g = bench.torch, p.h // p.g, p.b * p.g - 1
    unit = p.d**-0.5
    k, v = t["K"][g].float(), t["V"][g].float()
    dk, dv, found, sizes = 0, 0, [], [0, 0]
    for h in range(g * group, (g + 1) * group):
        q, do = t["Q"][h].float(), t["DO"][h].float()
        s = (q @ k.T * unit).masked_fill(~seen, float("-inf"))
        w = torch.softmax(s, 1)
        o = w @ v
        ds = w * (do @ v.T - (do * o).sum(1, keepdim=True))
        dk, dv = dk + ds.T @ q * unit, dv + w.T @ do
        # O is rounded before the sum over it is taken, and that sum goes into each weight's gradient.
        terms = ds.abs() + w * (do * o).abs().sum(1, keepdim=True)
        sizes = [sizes[0] + terms.T @ q.abs() * unit, sizes[1] + w.T @ do.abs()]
        dq, dq_size = ds @ k * unit, terms @ k.abs() * unit
    found.append(close(torch, "DQ", t["DQO"][-1], dq, 2 * dq_size, 2.0**-8))
    found.append(close(torch, "DK", t["DK"][g], dk, 2 * sizes[0], 2.0**-8))
    found.append(close(torch, "DV", t["DV"][g], dv, 2 * sizes[1], 2.0**-8))
    return found + ["a gradient has NaN"] * any(bool(t[x].isnan().any()) for x in ("DQO", "DK", "DV"))


def forward_for_backward(bench, p, t):
    """O and LSE that the backward takes, by torch, in float32, a head at a time."""
    seen, _ = visible(bench.torch, p, p.sq, p.sk, bench.device)
    for h in range(p.b * p.h):
        o, lse, *_ = head_reference(bench.torch, p, t["Q"][h], t["K"][h * p.g // p.h], t["V"][h * p.g // p.h], seen, None, t, h)
        t["O"][h], t["LSE"][h] = o, lse


# --- peers


def peers_of(bench, p, t):
    """torch's backends that take a problem and are right, by name."""
    torch = bench.torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.nn.functional import scaled_dot_product_attention

    o = p.options
    if p.family not in ("forward", "decode", "backward") or o.get("scaled") or o.get("sinks") or o.get("softcap") or o.get("kv") or o.get("bias") == "alibi":
        return {}
    if p.tokens > 1 or p.left or (p.causal and p.sq != p.sk):
        mask, _ = visible(torch, p, p.sq, p.sk, bench.device)
        if p.tokens > 1:
            mask = torch.arange(p.sk, device=bench.device)[None] <= torch.arange(p.tokens, device=bench.device)[:, None] + p.sk - p.tokens
    else:
        mask = t["BIAS"][None] if o.get("bias") == "add" else None
    if p.family == "decode":
        q, k, v = t["Q"].view(p.b, p.tokens, p.h, p.d).transpose(1, 2), *(t[x].transpose(1, 2) for x in "KV")
    else:
        q, k, v = (t[x].view(p.b, -1, *t[x].shape[1:]) for x in "QKV")
    found = {}
    for name, backend in (("cudnn", SDPBackend.CUDNN_ATTENTION), ("flash", SDPBackend.FLASH_ATTENTION), ("efficient", SDPBackend.EFFICIENT_ATTENTION)):

        def call(backend=backend, q=q, k=k, v=v):
            with sdpa_kernel(backend):
                return scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=p.causal and mask is None, enable_gqa=p.g != p.h)

        try:
            if p.family == "backward":
                leaves = [x.detach().clone().requires_grad_() for x in (q, k, v)]
                out = call(q=leaves[0], k=leaves[1], v=leaves[2])
                do = t["DO"].view_as(out)
                call = lambda out=out, leaves=leaves, do=do: torch.autograd.grad(out, leaves, do, retain_graph=True)
            result = call()
            if p.family == "forward":
                saved = t["O"]
                t["O"] = result.reshape(saved.shape)
                what = wrong(bench, p, dict(t, LSE=t["LSE"]))
                t["O"] = saved
                if what and what.startswith("O"):
                    raise RuntimeError(what)
            bench.synchronize()
            found[name] = call
        except Exception as error:  # noqa: BLE001  (a peer that does not take a problem is no failure of ours)
            print(f"PEER {p.label} {name}: {(str(error).splitlines() or ['failed'])[0][:160]}", flush=True)
    return found


def work(bench, p, t):
    """Operations of a problem; of decode the bytes of K and V, so that a rate of T a second is TB/s."""
    if p.family == "decode":
        return 2 * p.b * p.sk * p.g * p.d * 2
    if p.family == "mla":
        return 2 * p.b * p.h * p.tokens * p.sk * (2 * p.d + 64)
    if p.family == "varlen":
        pairs = sum(n * n / (2 if p.causal else 1) for n in LENGTHS) * p.h
        return 4 * pairs * p.d
    if p.family == "sparse":
        return 4 * float(t["ON"].float().mean()) * p.b * p.h * p.sq * p.sk * p.d
    pairs = p.sq * p.sk - (p.sq * p.sq / 2 if p.causal else 0)
    if p.left:
        pairs = min(pairs, p.sq * p.left)
    return p.b * p.h * pairs * ((10 if p.family == "backward" else 2) * p.d + (0 if p.family == "backward" else 2) * p.dv)


OUTPUTS = {"forward": ("O", "LSE"), "varlen": ("O", "LSE"), "sparse": ("O", "LSE"), "decode": ("OP", "PARTS", "O", "LSEO"), "mla": ("OP", "PARTS", "O", "LSEO"), "backward": ("DQO", "DK", "DV", "SUM", "D", "L")}


def measure(bench, p):
    bench.alive()
    t = tensors_of(bench, p)
    if p.family == "backward":
        forward_for_backward(bench, p, t)
    good = {}
    for chain in candidates(p):
        if len(bench.packed(chain)) < len(chain):
            continue
        name = "+".join(program.ident() for program in chain)
        bench.alive()
        for out in OUTPUTS[p.family]:
            bench.timing.poison(t[out])
        try:
            launch = bind(bench, p, chain, t)
            launch()
            bench.synchronize()
            what = wrong(bench, p, t)
        except RuntimeError as error:
            what = str(error).splitlines()[0]
            if "CUDA" in what:
                raise
        if what:
            bench.wrong.append(dict(name=name, problem=p.label, what=what))
            print(f"WRONG {p.label} {name}: {what}", flush=True)
        else:
            good[name] = launch
    if not good:
        return
    bench.alive()
    best, _ = bench.fastest(good)
    bench.report(p.family, p.label, best, good[best], work(bench, p, t), {} if bench.options.quick else peers_of(bench, p, t))


def run(options):
    start = time.time()
    bench = Bench(options)
    print(f"{bench.torch.cuda.get_device_name()}, torch {bench.torch.__version__}; medians of {options.pairs} pairs, TFLOP/s (decode: TB/s)", flush=True)
    left = []
    for p in PROBLEMS:
        if options.problems and options.problems not in f"{p.family} {p.label}":
            continue
        if options.budget and time.time() - start > options.budget:
            left.append(p.label)
            continue
        measure(bench, p)
        bench.torch.cuda.empty_cache()
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(dict(rows=bench.rows, wrong=bench.wrong)))
    for family in dict.fromkeys(r["mode"] for r in bench.rows):
        best = [(min(q["ratio"] for q in r["peers"].values()), r["problem"]) for r in bench.rows if r["mode"] == family and r["peers"]]
        if best:
            print(f"== {family} against the best peer: geomean {bench.timing.geomean(v for v, _ in best):.3f} of {len(best)}, worst {min(best)[0]:.3f} ({min(best)[1]})")
    if left:
        print(f"not measured, the time was over: {', '.join(left)}")
    print(f"{len(bench.rows)} measured, {len(bench.wrong)} wrong, {time.time() - start:.0f} s")
    return 1 if bench.wrong or not bench.rows else 0


def pack(options):
    from tilebench import pack as packing

    return packing.pack(programs(), __file__, options)


def main():
    from tilebench import pack as packing

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    p = commands.add_parser("pack", help="compile and pack, where the compiler is")
    packing.add_options(p, "attention_family.tar.xz")
    p = commands.add_parser("run", help="measure, where the GPU is")
    p.add_argument("folder", type=pathlib.Path, help="the unpacked folder")
    p.add_argument("--problems", help="only problems whose family and label contain this")
    p.add_argument("--quick", action="store_true", help="no peers")
    p.add_argument("--budget", type=float, help="seconds after which no other problem is begun")
    packing.add_run_options(p)
    options = parser.parse_args()
    sys.exit({"pack": pack, "run": run}[options.command](options))


if __name__ == "__main__":
    main()
