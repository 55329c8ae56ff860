# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What benchmarks/experts.py needs of torch: data, references in float32, and the functions that it measures against."""



CHUNK = 4096  # rows that are compared at a time


def uneven(torch, p, device):
    """ID [tokens, k]: k different experts a token, by a distribution of Zipf over experts in a random order."""
    weights = torch.ones(p.experts, device=device) if p.even else 1.0 / torch.arange(1, p.experts + 1, device=device)
    if p.even:
        first = torch.arange(p.tokens, device=device)[:, None] * p.k
        return ((first + torch.arange(p.k, device=device)) % p.experts).int()
    weights = weights[torch.randperm(p.experts, device=device)]
    return torch.multinomial(weights.expand(p.tokens, -1), p.k).int()


def table_of(torch, counts, rows, device):
    """TILE of experts one after the other, some rows of the table unused as a launch with an upper bound has them."""
    offsets = [0]
    tiles = []
    for e, count in enumerate(counts):
        tiles += [(e, offsets[-1] + m, offsets[-1] + count, 0) for m in range(0, count, rows)]
        offsets.append(offsets[-1] + count)
    tiles += [(-1, 0, 0, 0)] * (sum(counts) // rows + len(counts) - len(tiles))
    return torch.tensor(tiles, dtype=torch.int32, device=device)


def tables_of(torch, counts, device):
    """TILE and TOTAL by rows of a tile."""
    total = lambda rows: torch.tensor([sum(-(-c // rows) for c in counts)], dtype=torch.int32, device=device)
    return dict(tables={r: table_of(torch, counts, r, device) for r in (64, 128)}, totals={r: total(r) for r in (64, 128)})


def fp8(torch, *shape, device):
    return torch.randn(shape, device=device).clamp(-4, 4).to(torch.float8_e4m3fn)


def tensors_of(bench, p):
    """What the programs of a problem and its peers take, by name."""
    torch, device = bench.torch, bench.device
    normal = lambda *shape: torch.randn(shape, device=device, dtype=torch.bfloat16)
    empty = lambda *shape, dtype=torch.bfloat16: torch.empty(shape, dtype=dtype, device=device)
    places = torch.cuda.get_device_properties(0).multi_processor_count if device == "cuda" else 4
    t = dict(places=places)
    if p.family == "gating":
        return t | dict(LOGITS=torch.randn(p.tokens, p.experts, device=device), WEIGHT=empty(p.tokens, p.k, dtype=torch.float32), ID=empty(p.tokens, p.k, dtype=torch.int32))
    if p.family == "cast":
        t |= dict(X=normal(p.tokens, p.depth), A=empty(p.tokens, p.depth, dtype=torch.float8_e4m3fn))
        words = p.depth // (512 if p.scales == "e8m0" else 128)
        return t | dict(SA=empty(words, p.tokens, dtype=torch.int32 if p.scales == "e8m0" else torch.float32))
    if p.family == "block":
        return t | block_tensors(bench, p, p.tokens, ())
    ids = uneven(torch, p, device)
    flat = ids.view(-1).long()
    counts = torch.bincount(flat, minlength=p.experts)
    order = torch.argsort(flat, stable=True)
    slot = torch.empty_like(order)
    slot[order] = torch.arange(p.copies, device=device)
    off = torch.cat([counts.new_zeros(1), counts.cumsum(0)]).int()
    t |= dict(ids=ids, counts=counts.tolist(), OFF=off, ROW=(order // p.k).int(), SLOT=slot.int())
    t |= dict(WEIGHTS=torch.rand(p.copies, device=device))
    t["WEIGHT"] = t["WEIGHTS"][order].contiguous()  # of rows
    if p.family == "route":
        blocks = -(-p.copies // 1024)
        rows = 64 if p.copies / p.experts < 128 else 128
        integers = lambda *shape: empty(*shape, dtype=torch.int32)
        t |= dict(COUNT=integers(blocks, p.experts), BASE=integers(blocks, p.experts), NEWOFF=integers(p.experts + 1), NEWSLOT=integers(p.copies), NEWROW=integers(p.copies))
        return t | dict(rows=rows, TILE=integers(p.copies // rows + p.experts, 4), TOTAL=integers(1))
    if p.family == "combine":
        return t | dict(Y=normal(p.copies, p.n), OUT=empty(p.tokens, p.n))
    if p.family == "block_experts":
        return t | block_tensors(bench, p, -(-p.copies // 4) * 4, (p.experts,)) | tables_of(torch, t["counts"], device)
    if p.family == "masked":
        most = -(-max(t["counts"]) // 64) * 64
        t |= dict(X=normal(p.experts, most, p.depth), W=normal(p.experts, p.n, p.depth), COUNT=counts.int(), Y=empty(p.experts, most, p.n))
        return t
    t |= tables_of(torch, t["counts"], device)
    if p.family == "fp8":
        t |= dict(X=fp8(torch, p.copies, p.depth, device=device), W=torch.stack([fp8(torch, p.n, p.depth, device=device) for _ in range(p.experts)]))
        t |= dict(SX=torch.rand(p.copies, device=device) + 0.5, SW=torch.rand(p.experts, p.n, device=device) + 0.5)
        return t | dict(Y=empty(p.copies, p.n))
    rows = p.tokens if p.family == "gate_up" else p.copies
    t["X"] = normal(rows, p.n if p.family == "input_gradient" else p.depth)
    if p.family == "weight_gradient":
        return t | dict(DY=normal(p.copies, p.n), DW=empty(p.experts, p.depth, p.n))
    t["W"] = normal(p.experts, p.n, p.depth)
    columns = {"gate_up": p.n // 2, "input_gradient": p.depth}.get(p.family, p.n)
    t["Y"] = empty(p.copies, columns)
    if p.family == "down":
        t |= dict(SUM=torch.zeros(p.tokens, p.n, device=device), OUT=empty(p.tokens, p.n))
    return t


def block_tensors(bench, p, rows, experts):
    torch, device = bench.torch, bench.device
    groups, blocks = p.depth // 128, -(-p.n // 128)
    t = dict(A=fp8(torch, rows, p.depth, device=device), C=torch.empty((rows, p.n), dtype=torch.bfloat16, device=device))
    t["B"] = torch.stack([fp8(torch, p.n, p.depth, device=device) for _ in range(experts[0])]) if experts else fp8(torch, p.n, p.depth, device=device)
    if p.scales == "e8m0":
        words = lambda *shape: torch.randint(124, 131, (*shape, 4), device=device, dtype=torch.uint8)
        a, b = words(groups // 4, rows), words(*experts, blocks, groups // 4)
        t |= dict(SA=a.view(torch.int32).squeeze(-1), SB=b.view(torch.int32).squeeze(-1))
        # [groups, rows] and [blocks, groups]
        t["sa"] = torch.exp2(a.permute(0, 2, 1).reshape(groups, rows).float() - 127)
        t["sb"] = torch.exp2(b.reshape(*experts, blocks, groups).float() - 127)
    else:
        t |= dict(SA=torch.rand(groups, rows, device=device) + 0.5, SB=torch.rand(*experts, blocks, groups, device=device) + 0.5)
        t |= dict(sa=t["SA"], sb=t["SB"])
    return t


def arguments(p, program, number, t):
    """The tensors of a program by argument name; `number` is its place in the chain."""
    names = {name: t.get(name) for name, _, shape, *_ in program.arguments() if shape is not None}
    if "TILE" in names and "tables" in t:
        names["TILE"] = t["tables"][program.rows]
        if "TOTAL" in names:
            names["TOTAL"] = t["totals"][program.rows]
    if p.family == "down":
        if number:
            names |= {"WEIGHT": t["WEIGHTS"]}  # of copies
        elif "OUT" in names:
            names |= {"OUT": t["SUM"], "TO": t["ROW"]}
    if p.family == "combine":
        names["WEIGHT"] = t["WEIGHTS"]
    if p.family == "route":
        names = {n: t["ids"].view(-1) if n == "ID" else t["NEW" + n] if n in ("OFF", "SLOT", "ROW") else v for n, v in names.items()}
        chunk = t["chunk"]
        blocks = -(-p.copies // chunk)
        names |= {n: t[n][:blocks] for n in ("COUNT", "BASE") if n in names}
    return names


def poison(bench, p, chain, t):
    t["chunk"] = getattr(chain[0], "chunk", 0)
    for name in ("Y", "OUT", "DW", "C", "A", "SA", "WEIGHT", "ID", "NEWSLOT", "NEWROW", "NEWOFF", "TILE", "TOTAL", "COUNT", "BASE"):
        given = name in ("A", "SA") and p.family != "cast" or name in ("WEIGHT", "ID") and p.family != "gating" or name == "Y" and p.family == "combine" or name == "COUNT" and p.family == "masked"
        if name not in t or given:
            continue
        if t[name].dtype == bench.torch.float8_e4m3fn:
            t[name].view(bench.torch.uint8).fill_(255)
        else:
            bench.timing.poison(t[name])
    if "SUM" in t:
        t["SUM"].zero_()


# --- references


def close(torch, what, got, want, size, unit):
    """None, or what is wrong: `size` bounds the error of the sum (a number, or one for each element), `unit` the rounding of the result."""
    if bool(got.isnan().any()):
        return f"{what}: {int(got.isnan().sum())} elements are NaN"
    error = (got.float() - want).abs()
    bad = int((error > unit * want.abs() + size).sum())
    relative = float(error.norm() / want.norm().clamp(min=1e-30))
    return f"{what}: relative error {relative:.1e}, {bad} beyond the bound, largest {float(error.max()):g}" if bad or relative > 4 * unit else None


def experts_of(t):
    at = 0
    for e, count in enumerate(t["counts"]):
        for first in range(0, count, CHUNK):
            yield e, slice(at + first, at + min(first + CHUNK, count))
        at += count


def rows_of(torch, p, t, e, rows, of=lambda x: x):
    """What the program's rows are, in float32; of fp8 with `of` of the operands (scales are positive)."""
    if p.family in ("product", "down", "input_gradient"):
        w = t["W"][e].float()
        return t["X"][rows].float() @ (w if p.family == "input_gradient" else w.T)
    if p.family == "fp8":
        return of(t["X"][rows].float()) @ of(t["W"][e].float()).T * t["SX"][rows, None] * t["SW"][e]
    if p.family == "gate_up":
        both = t["X"][t["ROW"][rows].long()].float() @ t["W"][e].float().T
        return torch.nn.functional.silu(both[:, : p.n // 2]) * both[:, p.n // 2 :]
    a = of(t["A"][rows].float()) * t["sa"][:, rows].T.repeat_interleave(128, 1)
    b, sb = (t["B"][e], t["sb"][e]) if t["B"].dim() == 3 else (t["B"], t["sb"])
    return a @ (of(b.float()) * sb.repeat_interleave(128, 0)[: p.n].repeat_interleave(128, 1)).T


def wrong(bench, p, chain, t):
    """None, or what is wrong with the results."""
    torch = bench.torch
    torch.backends.cuda.matmul.allow_tf32 = False
    unit, size = 2.0**-8, 2.0**-10 * p.depth**0.5
    if p.family == "gating":
        weight, order = torch.topk(t["LOGITS"], p.k)
        if not bool((t["ID"] == order.int()).all()):
            return f"ID: {int((t['ID'] != order).sum())} differ"
        return close(torch, "WEIGHT", t["WEIGHT"], torch.softmax(weight, 1), 0, 2.0**-18)
    if p.family == "cast":
        scale = t["X"].float().view(p.tokens, -1, 128).abs().amax(2).clamp(min=1e-30) / 448
        if p.scales == "e8m0":
            scale = torch.exp2(torch.ceil(torch.log2(scale)))
            have = torch.exp2(t["SA"].view(torch.uint8).view(-1, p.tokens, 4).permute(0, 2, 1).reshape(-1, p.tokens).float() - 127)
        else:
            have = t["SA"]
        scaled = (t["X"].float().view(p.tokens, -1, 128) / scale[:, :, None]).view(p.tokens, -1)
        return close(torch, "SA", have, scale.T, 0, 2.0**-18) or close(torch, "A", t["A"].float(), scaled, 2.0**-10, 2.0**-4)
    if p.family == "route":
        slot, ids = t["NEWSLOT"].long(), t["ids"].view(-1).long()
        if not bool((t["NEWOFF"] == t["OFF"]).all()):
            return "OFF"
        if not bool((slot.sort().values == torch.arange(p.copies, device=bench.device)).all()):
            return "SLOT is no permutation"
        inside = (slot >= t["OFF"][ids]) & (slot < t["OFF"][ids + 1])
        if not bool(inside.all()):
            return f"SLOT: {int((~inside).sum())} are another expert's"
        if not bool((t["NEWROW"][slot] == torch.arange(p.copies, device=bench.device) // p.k).all()):
            return "ROW"
        want = table_of(torch, t["counts"], t["rows"], bench.device)
        used = want[:, 0] >= 0
        if int(t["TOTAL"]) != int(used.sum()):
            return "TOTAL"
        return None if bool((t["TILE"][used] == want[used]).all()) and bool((t["TILE"][~used][:, 0] < 0).all()) else "TILE"
    if p.family == "combine":
        want = (t["Y"][t["SLOT"].long()].float() * t["WEIGHTS"][:, None]).view(p.tokens, p.k, -1).sum(1)
        return close(torch, "OUT", t["OUT"], want, 2.0**-16, unit)
    if p.family == "masked":
        found = []
        for e, count in enumerate(t["counts"]):
            if count:
                found.append(close(torch, f"Y of expert {e}", t["Y"][e, :count], t["X"][e, :count].float() @ t["W"][e].float().T, size, unit))
        return next((f for f in found if f), None)
    if p.family == "weight_gradient":
        at = 0
        for e, count in enumerate(t["counts"]):
            rows = slice(at, at + count)
            what = close(torch, f"DW of expert {e}", t["DW"][e], t["X"][rows].float().T @ t["DY"][rows].float(), 2.0**-10 * max(count, 1) ** 0.5, unit)
            if what:
                return what
            at += count
        return None
    if p.family == "down":
        want = torch.zeros(p.tokens, p.n, device=bench.device)
        for e, rows in experts_of(t):
            want.index_add_(0, t["ROW"][rows], rows_of(torch, p, t, e, rows) * t["WEIGHT"][rows, None])
        # With a kernel that combines, the rows were rounded before.
        return close(torch, "OUT", t["OUT"] if len(chain) > 1 else t["SUM"], want, size * p.k + unit * p.depth**0.5 * 4, unit)
    if p.family == "block":
        pieces = ((0, slice(m, min(m + CHUNK, p.tokens))) for m in range(0, p.tokens, CHUNK))
    else:
        pieces = experts_of(t)
    # fp8: the whole sum is the tensor cores', or 128 columns at a time are, which are then added in f32.
    lost = {"fp8": p.depth, "block": 128, "block_experts": 128}.get(p.family)
    result = t["C"] if p.family.startswith("block") else t["Y"]
    if p.family == "gate_up":
        unit, size = 2.0**-7, 2.0**-8 * p.depth
    for e, rows in pieces:
        want = rows_of(torch, p, t, e, rows)
        if lost:
            size = bench.timing.fp8_error(lost) * rows_of(torch, p, t, e, rows, torch.abs)
        name = f"rows {rows.start} to {rows.stop} of expert {e}"
        what = close(torch, name, result[rows], want, size, unit)
        if lost and not what:
            tile = bench.timing.worst_tile(result[rows].float() - want, want)
            what = f"{name}: relative error of a tile {tile:.1e}" if tile > unit + bench.timing.fp8_spread(lost) else None
        if what:
            return what
    return None


# --- peers


def peers_of(bench, p, t):
    """Functions to measure against that torch has and that run, by name."""
    torch, found = bench.torch, {}

    def one_by_one(result, product):
        pieces, at = [], 0
        for e, count in enumerate(t["counts"]):
            if count:
                pieces.append((e, slice(at, at + count)))
            at += count

        def call():
            for e, rows in pieces:
                product(e, rows, result)

        return call

    def add(name, call):
        try:
            call()
            bench.synchronize()
            found[name] = call
        except Exception as error:  # noqa: BLE001  (a peer that does not take a problem is no failure of ours)
            print(f"PEER {p.label} {name}: {(str(error).splitlines() or ['failed'])[0][:160]}", flush=True)

    ends = t["OFF"][1:].contiguous() if "OFF" in t else None
    silu = torch.nn.functional.silu
    if p.family in ("product", "input_gradient"):
        w = t["W"] if p.family == "input_gradient" else t["W"].transpose(1, 2)
        add("grouped_mm", lambda: torch._grouped_mm(t["X"], w, offs=ends))
        add("one by one", one_by_one(t["Y"], lambda e, rows, y: torch.matmul(t["X"][rows], w[e], out=y[rows])))
        add("dense", lambda: torch.matmul(t["X"], w[0], out=t["Y"]))
    if p.family == "fp8":
        w, one = t["W"].transpose(1, 2), torch.ones((), device=bench.device)
        add("scaled_grouped_mm", lambda: torch._scaled_grouped_mm(t["X"], w, t["SX"], t["SW"], offs=ends, out_dtype=torch.bfloat16))
        add("dense", lambda: torch._scaled_mm(t["X"], w[0], t["SX"][:, None], t["SW"][:1], out_dtype=torch.bfloat16))
        add("dense of one scale", lambda: torch._scaled_mm(t["X"], w[0], one, one, out_dtype=torch.bfloat16, use_fast_accum=True))
    if p.family == "gate_up":
        w, index = t["W"].transpose(1, 2), t["ROW"].long()

        def eager():
            both = torch._grouped_mm(t["X"][index], w, offs=ends)
            return silu(both[:, : p.n // 2]) * both[:, p.n // 2 :]

        add("torch", eager)
        rows = t["X"][index]
        add("grouped_mm alone", lambda: torch._grouped_mm(rows, w, offs=ends))
    if p.family == "down":
        w, weight = t["W"].transpose(1, 2), t["WEIGHT"][:, None].bfloat16()
        add("grouped_mm, index_add", lambda: torch.zeros_like(t["OUT"]).index_add_(0, t["ROW"], torch._grouped_mm(t["X"], w, offs=ends) * weight))
        add("grouped_mm alone", lambda: torch._grouped_mm(t["X"], w, offs=ends))
    if p.family == "weight_gradient":
        add("grouped_mm", lambda: torch._grouped_mm(t["X"].t(), t["DY"], offs=ends))
        result = lambda e, rows, y: torch.matmul(t["X"][rows].t(), t["DY"][rows], out=y[e])
        add("one by one", one_by_one(t["DW"], result))
    if p.family == "masked":
        add("bmm", lambda: torch.bmm(t["X"], t["W"].transpose(1, 2), out=t["Y"]))
    if p.family == "block":
        a, b = t["A"], t["B"].t()
        rows, columns = torch.rand(p.tokens, 1, device=bench.device), torch.rand(1, p.n, device=bench.device)
        add("rows", lambda: torch._scaled_mm(a, b, rows, columns, out_dtype=torch.bfloat16, use_fast_accum=True))
        if p.n % 128 == 0:
            # [M, K / 128] and [K / 128, N / 128], both with their first dimension contiguous.
            add("blocks", lambda: torch._scaled_mm(a, b, t["sa"].t(), t["sb"].t(), out_dtype=torch.bfloat16))
    if p.family == "gating":

        def gating():
            weight, order = torch.topk(torch.softmax(t["LOGITS"], 1), p.k)
            return weight / weight.sum(1, keepdim=True), order

        add("torch", gating)
        compiled = torch.compile(gating, mode="max-autotune-no-cudagraphs")
        add("compiled", compiled)
    if p.family == "route":
        flat = t["ids"].view(-1)

        def routing():
            order = torch.argsort(flat, stable=True)
            return order // p.k, torch.bincount(flat, minlength=p.experts).cumsum(0)

        add("torch", routing)
    if p.family == "combine":
        index = t["SLOT"].long()
        weights = t["WEIGHTS"].bfloat16().view(p.tokens, 1, p.k)
        add("torch", lambda: torch.bmm(weights, t["Y"][index].view(p.tokens, p.k, p.n)))
    if p.family == "cast":

        def casting():
            x = t["X"].view(p.tokens, -1, 128)
            scale = x.abs().amax(2, keepdim=True).float().clamp(min=1e-30) / 448
            return (x / scale).to(torch.float8_e4m3fn), scale.view(p.tokens, -1).t().contiguous()

        if p.scales == "f32":
            add("compiled", torch.compile(casting, mode="max-autotune-no-cudagraphs"))
    return found
