# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plain GEMM program and its variants, as text of tile IR.

One program: fill, copies and a gemm in a pipelined loop, an epilogue on the accumulator, a copy out. Everything else
is a parameter of `Gemm`: types, tile, stages, threads, grid order, and so on. Nothing in it names an instruction of
an architecture: rings, roles and copies are the compiler's. The arguments of the kernel, in order:

  A [batch, M, K] (K, M with ta)   B [batch, K, N] (N, K with tb)   what the epilogue reads   C [batch, M, N]
  with split_k: `splits` (i32), and C is f32 partial sums [splits, M, N] for `reduce_program`
"""

import dataclasses

HEAD = "#shared = #gpu.address_space<workgroup>\n"
BITS = {"f16": 16, "bf16": 16, "f32": 32, "i8": 8, "i32": 32, "f8E4M3FN": 8, "f8E5M2": 8, "f64": 64}
SHORT = {"f8E4M3FN": "e4m3", "f8E5M2": "e5m2"}


# What `tunable` leaves open: names and the values they may have. Tiles of rows are dealt out to `groups` warpgroups of
# 128 threads; clusters are `cx` blocks along N and `cy` along M.
TUNABLES = {
    "bm": (64, 128, 192, 256),
    "bn": (128, 160, 192, 224, 256),
    "bk": (64,),
    "stages": (3, 4, 5),
    "groups": (1, 2, 3),
    "cx": (1, 2),
    "cy": (1, 2),
    "panel": (8, 16),
}


def is_integer(element):
    return element.startswith("i")


def memref(shape, element, space="", strides=None):
    """`strides`: None for the identity layout, else one integer or "?" a dimension."""
    dims = "".join(f"{extent}x" for extent in shape)
    layout = ", strided<[" + ", ".join(map(str, strides)) + "]>" if strides else ""
    return f"memref<{dims}{element}{layout}{', ' + space if space else ''}>"


@dataclasses.dataclass(frozen=True)
class Gemm:
    """C = epilogue(op(A) op(B))."""

    a: str = "f16"
    b: str = ""  # as a
    acc: str = ""  # f32, or i32 of integers
    out: str = ""  # the type of C: as a where that is f16 or bf16, else acc
    ta: bool = False  # A is K x M
    tb: bool = False  # B is N x K
    tile: tuple = (128, 256, 64)  # M, N, K
    stages: int = 4
    threads: int = 256
    cluster: tuple = (1, 1)  # blocks along N, along M
    panel: int = 8  # 0: none
    persistent: int = 1  # 0: one block a tile
    specialize: bool | None = None  # the kernel's attribute; None: absent
    # relu, bias, bias_gelu, residual, residual_early (loaded before the loop), residual_init, scale,
    # quantize (scale, and the largest magnitude of each row so far in P), add (to C, atomically)
    epilogue: str = "none"
    split_k: bool = False  # in the program: a dimension of the grid, and a second kernel that adds the parts
    swap: bool = False  # of few rows: C^T = op(B)^T A^T, so that columns of B fill the rows of the instruction
    split: int = 0  # by the compiler: blocks of a cluster that share the K loop
    stream_k: int = 0  # by the compiler: parts of the K loop of tiles that persistent blocks share
    stream_least: int | None = None  # iterations that sharing has to save; None: the compiler's figure
    batched: bool = False
    layout: str = "dense"  # dense, padded (rows to 16 bytes), strided (dynamic strides); with `static`: extents
    static: tuple = ()  # M, N, K
    promise: bool = True  # tile.assume: rows of whole 16-byte pieces
    aligned: bool = True  # tile.alignment = 16
    promote_every: int = 0  # of fp8
    store_tma: bool = True  # False: `disable_tma` on the copy to C
    load_tma: bool = True  # False: `disable_tma` on the copies of A and B
    evict: tuple = ()  # of copies, how long the L2 cache keeps their lines: pairs of A, B, R or C and first or last
    load_a: str = ""  # an instruction that the copy of A prefers
    stored_a: str = ""  # the type of A in memory: its copy converts
    policy: str = ""
    guard: bool = False  # copies and gemm under an scf.if that leaves out every second K step
    loops: int = 1  # pipelined loops over the same K, one after the other
    nested: int = 0  # > 0: the K loop inside an scf.for of so many trips over all of K
    tunable: bool = False  # tile, stages, threads, cluster and panel are left open; see TUNABLES
    values: tuple = ()  # of tunables in place of TUNABLES: (name, values), `split` among them
    versions: tuple | int = 0  # of a tunable program: how many combinations the launcher chooses from, or which
    problems: tuple = ()  # (M, N, K) that they are chosen for
    name: str = ""

    def types(self):
        b = self.b or self.a
        acc = self.acc or ("i32" if is_integer(self.a) else "f64" if self.a == "f64" else "f32")
        out = self.out or (self.a if self.a in ("f16", "bf16") else acc)
        return self.a, b, acc, ("f32" if self.split_k else out)

    def ident(self):
        """The kernel's name: says what differs from the plain program."""
        if self.name:
            return self.name
        a, b, acc, out = self.types()
        short = lambda t: SHORT.get(t, t)
        parts = ["gemm", short(a)] + ([short(b)] if b != a else []) + [short(out)] * (out != a)
        parts += [("t" if self.ta else "n") + ("t" if self.tb else "n")]
        if self.tunable:
            parts += ["tunable"]
        else:
            parts += ["x".join(map(str, self.tile)), f"s{self.stages}", f"t{self.threads}"]
            parts += [f"c{self.cluster[0]}x{self.cluster[1]}"] * (tuple(self.cluster) != (1, 1))
            parts += [f"p{self.panel}"] * bool(self.panel)
        parts += [f"P{self.persistent}"] * bool(self.persistent)
        parts += [] if self.specialize is None else ["spec" if self.specialize else "nospec"]
        parts += [self.epilogue] * (self.epilogue != "none") + ["splitk"] * self.split_k
        parts += ["swap"] * self.swap + [f"k{self.split}"] * bool(self.split) + [f"S{self.stream_k}"] * bool(self.stream_k) + ["always"] * (self.stream_least == 0) + ["batched"] * self.batched
        parts += [self.layout] * (self.layout != "dense") + ["x".join(map(str, self.static))] * bool(self.static)
        parts += ["any"] * (not self.promise) + ["unaligned"] * (not self.aligned)
        parts += [f"promote{self.promote_every}"] * bool(self.promote_every)
        parts += [self.load_a] * bool(self.load_a) + [f"from_{self.stored_a}"] * bool(self.stored_a)
        parts += ["vstore"] * (not self.store_tma) + ["notma"] * (not self.load_tma) + [self.policy] * bool(self.policy)
        parts += [f"{tensor}{policy}" for tensor, policy in self.evict]
        parts += ["guard"] * self.guard + [f"loops{self.loops}"] * (self.loops > 1)
        parts += [f"nested{self.nested}"] * bool(self.nested)
        return "_".join(parts)

    def row_multiple(self):
        """Elements of the 16-byte pieces that rows are promised to be made of, of A, B and C together."""
        a, b, _, out = self.types()
        a = self.stored_a or a
        return max(128 // BITS[t] for t in (a, b, out)) if self.promise and self.layout == "dense" else 1

    def shared_bytes(self):
        """Shared memory of the operands' stages, before alignment: an estimate to choose stages by."""
        a, b, _, _ = self.types()
        m, n, k = self.tile
        return self.stages * (m * k * BITS[a] + n * k * BITS[b]) // 8

    def arguments(self):
        """name, element type, shape (in M, N, K, batch, splits), access, padded rows; scalars have no shape."""
        a, b, acc, out = self.types()
        head = ["batch"] if self.batched else []
        padded = self.layout in ("padded", "strided")
        args = [
            ("A", self.stored_a or a, head + (["K", "M"] if self.ta else ["M", "K"]), "r", padded),
            ("B", b, head + (["N", "K"] if self.tb else ["K", "N"]), "r", padded),
        ]
        if self.epilogue in ("bias", "bias_gelu"):
            args.append(("bias", out, ["N"], "r", False))
        if self.epilogue.startswith("residual"):
            args.append(("R", out, head + ["M", "N"], "r", padded))
        if self.epilogue in ("scale", "quantize"):
            args.append(("scale", "f32", None, "r", False))
        if self.epilogue == "quantize":
            args.append(("P", "f32", ["M"], "rw", False))
        if self.split_k:
            args.append(("splits", "i32", None, "r", False))
        # Products of all batches are added to one C.
        outer = ["splits"] if self.split_k else [] if self.epilogue == "add" else head
        c_shape = outer + (["N", "M"] if self.swap else ["M", "N"])
        args.append(("C", out, c_shape, "rw" if self.epilogue == "add" else "w", padded))
        return args

    def argument_type(self, arg):
        name, element, shape, _, padded = arg
        if shape is None:
            return element
        extents = dict(zip("MNK", self.static)) if self.static else {}
        dims = [extents.get(d, "?") for d in shape]
        if self.swap and name == "C":
            return memref(dims, element, strides=[1, "?"])
        if not padded:
            return memref(dims, element)
        if not self.static:
            return memref(dims, element, strides=["?"] * (len(dims) - 1) + [1])
        strides, step = [1], padded_row(dims[-1], element)
        for extent in reversed(dims[:-1]):
            strides.insert(0, step)
            step *= extent
        return memref(dims, element, strides=strides)

    def text(self):
        return gemm_text(self)


def padded_row(extent, element):
    """Elements of a row padded to 16 bytes."""
    step = 128 // BITS[element]
    return -(-extent // step) * step


def tunables_of(p):
    """TUNABLES as far as `tile` of `p` does not decide: K steps are whole 128-byte rows of the narrowest operand."""
    if p.values:
        return dict(p.values)
    values = dict(TUNABLES)
    values["bk"] = (1024 // max(BITS[t] for t in p.types()[:2]),)
    return values


def hints(p, tensor, tma=True):
    """Attributes of the copy of a tensor."""
    found = [f"eviction_policy = #tile.eviction_policy<{policy}>" for name, policy in p.evict if name == tensor]
    if tensor == "A" and p.load_a:
        found.append(f"prefer = #tile.copy_instruction<{p.load_a}>")
    elif not tma:
        found.append("disable_tma")
    return f" {{{', '.join(found)}}}" if found else ""


def gemm_text(p):
    a, b, acc, out = p.types()
    bm, bn, bk = ("?", "?", "?") if p.tunable else p.tile
    args = p.arguments()
    types = {arg[0]: p.argument_type(arg) for arg in args}
    fragment, shared = "#tile.fragment", "#shared"
    acc_type = memref([bn, bm] if p.swap else [bm, bn], acc, fragment)
    as_type = memref([bk, bm] if p.ta else [bm, bk], a, shared)
    bs_type = memref([bn, bk] if p.tb else [bk, bn], b, shared)
    zero = "0" if is_integer(acc) else "0.0"
    lines = []

    def out_line(text, depth=1):
        lines.extend("  " * depth + line for line in text.splitlines())

    # Constants, extents, promises.
    sizes = () if p.tunable else (("bk", bk), ("bm", bm), ("bn", bn))
    for name, value in (("c0", 0), ("c1", 1), ("c2", 2), *sizes):
        out_line(f"%{name} = arith.constant {value} : index")
    out_line(f"%zero = arith.constant {zero} : {acc}")
    rank = 3 if p.batched else 2
    k_dim = (rank - 2) if p.ta else rank - 1
    out_line(f"%K = memref.dim %A, %c{k_dim} : {types['A']}")
    if p.promise and p.layout == "dense" and not p.static:
        # Rows of whole 16-byte pieces; the launcher checks it.
        for name, element, shape, _, _ in args:
            if shape is None or len(shape) < 2 or (p.swap and name == "C"):
                continue
            value = "%K" if name == "A" and not p.ta else f"%row{name}"
            if value != "%K":
                out_line(f"{value} = memref.dim %{name}, %c{len(shape) - 1} : {types[name]}")
            out_line(f"tile.assume {value} {{divisible_by = {128 // BITS[element]} : i64}} : index")
    out_line("%m = arith.muli %by, %bm : index\n%n = arith.muli %bx, %bn : index")
    first, last = "%c0", "%K"
    if p.split_k:
        # K is divided into `splits` runs of whole steps; the last ones may be empty.
        out_line("""%parts = arith.index_cast %splits : i32 to index
%bk1 = arith.subi %bk, %c1 : index
%parts1 = arith.subi %parts, %c1 : index
%Kup = arith.addi %K, %bk1 : index
%steps = arith.divui %Kup, %bk : index
%stepsup = arith.addi %steps, %parts1 : index
%run = arith.divui %stepsup, %parts : index
%length = arith.muli %run, %bk : index
%kfirst = arith.muli %bz, %length : index
%kend = arith.addi %kfirst, %length : index
%klast = arith.minui %kend, %K : index""")
        first, last = "%kfirst", "%klast"

    def alloc(*extents):
        """The extents as operands, where they are open."""
        return f"tile.alloc({', '.join(extents)})" if p.tunable else "tile.alloc"

    a_extents, b_extents = ("%bm", "%bk"), ("%bk", "%bn")
    out_line(f"%As = {alloc(*(reversed(a_extents) if p.ta else a_extents))} : {as_type}")
    out_line(f"%Bs = {alloc(*(reversed(b_extents) if p.tb else b_extents))} : {bs_type}")
    out_line(f"%acc = {alloc('%bm', '%bn')} : {acc_type}")
    batch = "%bz, " if p.batched else ""

    added = p.epilogue == "add"

    def region(matrix, rows, columns, shape):
        if matrix == "C" and added:
            return f"%C[{rows}, {columns}]"
        sizes = f" sizes [1, {shape[0]}, {shape[1]}]" if p.batched and not p.tunable else ""
        return f"%{matrix}[{batch}{rows}, {columns}]{sizes}"

    # The accumulator's start, the loop over K.
    if p.epilogue == "residual_init":
        out_line(f"tile.copy {region('R', '%m', '%n', (bm, bn))} to %acc : {types['R']} to {acc_type}")
    else:
        out_line(f"tile.fill %acc with %zero : {acc_type}, {acc}")
    if p.epilogue == "residual_early":
        tile = memref([bm, bn], p.types()[3], "#tile.fragment")
        source = region("R", "%m", "%n", (bm, bn))
        out_line(f"%Rf = tile.alloc : {tile}\ntile.copy {source} to %Rf{hints(p, 'R')} : {types['R']} to {tile}")
    a_region = region("A", "%k", "%m", (bk, bm)) if p.ta else region("A", "%m", "%k", (bm, bk))
    b_region = region("B", "%n", "%k", (bn, bk)) if p.tb else region("B", "%k", "%n", (bk, bn))
    hint = lambda tensor: hints(p, tensor, p.load_tma)
    attributes = [x for x, on in (("transpose_a", p.ta), ("transpose_b", p.tb)) if on]
    attributes += [f"policy = #tile.warp_policy<{p.policy}>"] if p.policy else []
    attributes += [f"promote_every = {p.promote_every} : i64"] if p.promote_every else []
    extra = f" {{{', '.join(attributes)}}}" if attributes else ""
    operands = f"%As, %Bs, %acc{extra} : {as_type}, {bs_type}, {acc_type}"
    if p.swap:
        turned = ["transpose_b"] + ["transpose_a"] * (not p.tb)
        operands = f"%Bs, %As, %acc {{{', '.join(turned)}}} : {bs_type}, {as_type}, {acc_type}"
    body = f"""tile.copy {a_region} to %As{hint("A")} : {types["A"]} to {as_type}
tile.copy {b_region} to %Bs{hint("B")} : {types["B"]} to {bs_type}
tile.gemm {operands}"""
    if p.guard:
        indented = "\n".join("  " + line for line in body.splitlines())
        body = f"""%step = arith.divui %k, %bk : index
%odd = arith.remui %step, %c2 : index
%even = arith.cmpi eq, %odd, %c0 : index
scf.if %even {{
{indented}
}}"""
    depth = 1
    if p.nested:
        out_line(f"%trips = arith.constant {p.nested} : index\nscf.for %outer = %c0 to %trips step %c1 {{")
        depth = 2
    for _ in range(p.loops):
        stages = "%stages" if p.tunable else p.stages
        out_line(f"tile.pipelined %k = {first} to {last} step %bk stages({stages}) {{", depth)
        out_line(body, depth + 1)
        out_line("}", depth)
    if p.nested:
        out_line("}")

    out_line(epilogue_text(p, types, acc_type, region, alloc))
    store = hints(p, "C", p.store_tma)
    c_region = region("C", "%m", "%n", (bm, bn))
    if p.split_k:
        c_region = "%C[%bz, %m, %n]" + ("" if p.tunable else f" sizes [1, {bm}, {bn}]")
    if p.swap:
        c_region = "%C[%n, %m]"
    move = "tile.atomic add" if added else "tile.copy"
    out_line(f"{move} %acc to {c_region}{store} : {acc_type} to {types['C']}")

    c_rank = 2 if added else rank + p.split_k
    of_m, of_n = f"dim(%C, {c_rank - 2})", f"dim(%C, {c_rank - 1})"
    if p.swap:
        of_m, of_n = "dim(%C, 1)", "dim(%C, 0)"
    cx, cy = p.cluster
    if p.tunable:
        cx, cy = "%cx", "%cy"
    rows, columns = f"{of_m} ceildiv {bm}", f"{of_n} ceildiv {bn}"
    # Clusters divide the grid: tiles that lie wholly outside load zeros and store nothing.
    if p.tunable:
        rows, columns = f"({of_m} ceildiv (%bm * {cy})) * {cy}", f"({of_n} ceildiv (%bn * {cx})) * {cx}"
    else:
        if cx > 1:
            columns = f"({of_n} ceildiv {bn * cx}) * {cx}"
        if cy > 1:
            rows = f"({of_m} ceildiv {bm * cy}) * {cy}"
    indices, grid = "%bx, %by", f"{columns}, {rows}"
    if p.split_k:
        indices, grid = indices + ", %bz", grid + ", %splits"
    elif p.batched:
        indices, grid = indices + ", %bz", grid + (", dim(%A, 0)" if added else ", dim(%C, 0)")
    cluster = ""
    if (cx, cy) != (1, 1):
        cluster = f" cluster({cx}, {cy}{', 1' if p.split_k or p.batched else ''})"
    panel = bool(p.panel) and not p.tunable
    persistent = bool(p.persistent) and "split" not in dict(p.values)
    kernel = [f"panel = {p.panel} : i64"] * panel + [f"persistent = {p.persistent} : i64"] * persistent
    kernel += [f"split = {p.split} : i64"] * bool(p.split) + [f"stream_k = {p.stream_k} : i64"] * bool(p.stream_k)
    kernel += [] if p.stream_least is None else [f"tile.stream_least = {p.stream_least} : i64"]
    kernel += [] if p.specialize is None else [f"specialize = {str(p.specialize).lower()}"]
    if p.versions:
        listed = p.versions if isinstance(p.versions, tuple) else ()
        arrays = ", ".join(f"array<i64: {', '.join(map(str, each))}>" for each in listed)
        kernel.append(f"tile.versions = [{arrays}]" if listed else f"tile.versions = {p.versions} : i64")
    params = ", ".join(f"%{arg[0]}: {types[arg[0]]}{argument_notes(p, arg)}" for arg in args)
    body = "\n".join(lines)
    tunable, threads = "", p.threads
    if p.tunable:
        values = (f"%{name} in [{', '.join(map(str, v))}]" for name, v in tunables_of(p).items())
        tunable, threads = f"\n    tunable({', '.join(values)})", "%groups * 128"
        tuned = [f"{name} = %{name}" for name in ("panel", "split", "stream_k") if name in tunables_of(p)]
        if "persistent" in tunables_of(p):
            tuned.append("persistent = %persistent")
        elif "split" in tunables_of(p):
            # A persistent block has no room for what a split tile's blocks add up.
            tuned.append("persistent = 1 - (%split + 15) floordiv 16")
        cluster += f" tuned({', '.join(tuned)})"
    tail = f" attributes {{{', '.join(kernel)}}}" if kernel else ""
    return f"""{HEAD}tile.kernel @{p.ident()}({params}){tunable}
    grid({indices}) = ({grid}) threads({threads}){cluster}{tail} {{
{body}
}}
"""


def argument_notes(p, arg):
    """Attributes of an argument: its alignment, and its sizes in the problems that a choice is made for."""
    _, _, shape, _, _ = arg
    notes = ["tile.alignment = 16"] * bool(p.aligned and shape and len(shape) > 1)
    if p.problems and shape:
        sizes = (dict(zip("MNK", problem)) for problem in p.problems)
        lists = (f"array<i64: {', '.join(str(each[d]) for d in shape)}>" for each in sizes)
        notes.append(f"tile.shape_hint = [{', '.join(lists)}]")
    return f" {{{', '.join(notes)}}}" if notes else ""


def epilogue_text(p, types, acc_type, region, alloc):
    """What happens to the accumulator before it is stored, while it is in registers."""
    _, _, acc, out = p.types()
    bm, bn, _ = ("?", "?", "?") if p.tunable else p.tile
    fragment = "#tile.fragment"
    load = f"%x = memref.load %acc[%i, %j] : {acc_type}"
    store = f"memref.store %y, %acc[%i, %j] : {acc_type}"
    before, body = "", ""
    if p.epilogue == "relu":
        body = f"%y = arith.maximumf %x, %zero : {acc}"
    elif p.epilogue in ("bias", "bias_gelu"):
        row = memref([bn], acc, fragment)
        before = f"%row = {alloc('%bn')} : {row}\ntile.copy %bias[%n] to %row : {types['bias']} to {row}\n"
        body = f"%b = memref.load %row[%j] : {row}\n"
        if p.epilogue == "bias":
            body += f"%y = arith.addf %x, %b : {acc}"
        else:
            # v/2 (1 + tanh(v (root + cubic v^2))); products and sums may be contracted, as compilers of CUDA do.
            before += f"""%half = arith.constant 0.5 : {acc}
%root = arith.constant 0.7978845608 : {acc}
%cubic = arith.constant 0.0356774081 : {acc}
"""
            body += f"""%v = arith.addf %x, %b : {acc}
%v2 = arith.mulf %v, %v : {acc}
%v3 = arith.mulf %v2, %cubic fastmath<contract> : {acc}
%w = arith.addf %v3, %root fastmath<contract> : {acc}
%t = arith.mulf %v, %w : {acc}
%u = math.tanh %t fastmath<afn> : {acc}
%h = arith.mulf %v, %half : {acc}
%hu = arith.mulf %h, %u fastmath<contract> : {acc}
%y = arith.addf %hu, %h fastmath<contract> : {acc}"""
    elif p.epilogue in ("residual", "residual_early"):
        tile = memref([bm, bn], out, fragment)
        before = f"""%Rf = {alloc("%bm", "%bn")} : {tile}
tile.copy {region("R", "%m", "%n", (bm, bn))} to %Rf{hints(p, "R")} : {types["R"]} to {tile}
""" if p.epilogue == "residual" else ""
        body = f"%r = memref.load %Rf[%i, %j] : {tile}\n"
        body += f"%wide = arith.extf %r : {out} to {acc}\n" if out != acc else ""
        body += f"%y = arith.addf %x, {'%wide' if out != acc else '%r'} : {acc}"
    elif p.epilogue in ("scale", "quantize"):
        if p.epilogue == "quantize":
            row = memref([bm], acc, fragment)
            before = f"""%peak = {alloc("%bm")} : {row}
tile.reduce absmax %acc to %peak dim(1) : {acc_type} to {row}
tile.atomic max %peak to %P[%m] : {row} to {types["P"]}
"""
        body = f"%y = arith.mulf %x, %scale : {acc}"
    elif p.epilogue not in ("none", "residual_init", "add"):
        raise ValueError(f"unknown epilogue {p.epilogue}")
    if not body:
        return ""
    inner = "\n".join("  " + line for line in (load + "\n" + body + "\n" + store).splitlines())
    extents = "%bm, %bn" if p.tunable else f"{bm}, {bn}"
    return f"{before}tile.parallel (%i, %j) in ({extents}) {{\n{inner}\n}}"


def reduce_program(out="f16", columns=512, name=None):
    """C = sum over s of W[s]: the second kernel of a split GEMM, in a fixed order."""
    name = name or f"splitk_reduce_{SHORT.get(out, out)}"
    w, c = memref("???", "f32"), memref("??", out)
    tile = memref([1, columns], "f32", "#tile.fragment")
    return f"""tile.kernel @{name}(%W: {w} {{tile.alignment = 16}}, %C: {c} {{tile.alignment = 16}})
    grid(%bx, %by) = (dim(%C, 1) ceildiv {columns}, dim(%C, 0)) threads(128) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %width = arith.constant {columns} : index
  %zero = arith.constant 0.0 : f32
  %S = memref.dim %W, %c0 : {w}
  %NW = memref.dim %W, %c2 : {w}
  %NC = memref.dim %C, %c1 : {c}
  tile.assume %NW {{divisible_by = 8 : i64}} : index
  tile.assume %NC {{divisible_by = 8 : i64}} : index
  %n = arith.muli %bx, %width : index
  %sum = tile.alloc : {tile}
  %part = tile.alloc : {tile}
  tile.fill %sum with %zero : {tile}, f32
  scf.for %s = %c0 to %S step %c1 {{
    tile.copy %W[%s, %by, %n] sizes [1, 1, {columns}] to %part : {w} to {tile}
    tile.parallel (%i, %j) in (1, {columns}) {{
      %x = memref.load %part[%i, %j] : {tile}
      %y = memref.load %sum[%i, %j] : {tile}
      %z = arith.addf %x, %y : f32
      memref.store %z, %sum[%i, %j] : {tile}
    }}
  }}
  tile.copy %sum to %C[%by, %n] : {tile} to {c}
}}
"""


@dataclasses.dataclass(frozen=True)
class Reduce:
    """`reduce_program` as something to pack."""

    out: str = "f16"

    def ident(self):
        return f"splitk_reduce_{SHORT.get(self.out, self.out)}"

    def text(self):
        return reduce_program(self.out)
