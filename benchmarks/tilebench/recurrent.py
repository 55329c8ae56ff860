# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forward kernels of linear attention's family as plain tile programs, over chunks of the sequence.

All of them keep a state S of K x V for each head, and read it with a query (`scale` is an argument):

  linear        S[t] = S[t-1] + k[t]^T v[t]                       o[t] = scale q[t] S[t]
  gla           S[t] = exp(g[t]) S[t-1] + k[t]^T v[t]             a decay for each head and token
  mamba2        S[t] = exp(dt[t] A) S[t-1] + dt[t] x[t]^T B[t]    y[t] = S[t] C[t] + D x[t], times silu(z[t]); S is V x K
  gated_delta   S[t] = exp(g[t]) S[t-1] + beta[t] k[t]^T (v[t] - exp(g[t]) k[t] S[t-1])
  delta         the same without g

An operator is a sequence of kernels (`Recurrent.parts`), each a `Kernel`:

  fused     one block walks along the sequence of a head, for some columns of V: states and outputs in one pass
  states    the same without the outputs: writes the state at each chunk's start (bf16); K's rows are split, too
  local     what one chunk adds to the state (f32), all chunks in parallel ...
  passing   ... and the walk over these: states at each chunk's start
  outputs   outputs of one block of rows, from the state at its chunk's start, all in parallel
  prepare   of the delta rules: inverts the triangular matrix of each chunk, in parallel

With A[i, j] = beta[i] exp(c[i] - c[j]) k[i] k[j]^T below the diagonal (c: sums of g within the chunk), the delta rule
puts U = (I + A)^-1 beta (V - exp(c) K S) in the place of V. `prepare` writes R = (I + A)^-1 diag(beta).

Arguments, row-major; B, T, H are known at run time, and T may be anything. HK divides H: heads share queries and keys.

  Q, K [B, T, HK, K]   V, O [B, T, H, V]   G f32, beta [B, T, H]   S0, ST f32 [B, H, K, V]   Z0, ZT f32 [B, H, K]
  mamba2: C, B, X, Y, DT f32 in place of Q, K, V, O, G; A, D, bias f32 [H]; Z [B, T, H, V]; S0, ST f32 [B, H, V, K]
  between kernels: HS [B, H, chunks, K, V]   L f32, the same flat   F f32 [B, H, chunks]   U [B, T, H, V]
  E, RQ, RK f32 [B, H, chunks * 64]   R [B, H, T, 64]

Numerics: products of bf16 are summed in f32, and the state is f32 from chunk to chunk. Rounded to bf16: the weighted
scores, the state where it is an operand of a product, V weighted for the state, U, R, and O. Decays, sums of exponents,
weights and the normalization are f32; the inverse is taken in f32 within blocks of 16, by products in tf32 across.
Rows behind the end are zero, and so are their exponents: they change neither states nor outputs.
"""

import dataclasses

from .recurrent_text import Writer

LOG2E = 1.4426950408889634
KINDS = ("linear", "gla", "mamba2", "delta", "gated_delta")
BLOCK = 16  # of the inverse: solved in registers


@dataclasses.dataclass(frozen=True)
class Kernel:
    kind: str = "gla"
    part: str = "fused"
    k: int = 128
    v: int = 128
    chunk: int = 64
    columns: int = 64  # of V, of a block
    rows: int = 0  # of K in `states` and `local`, of the chunk in `outputs`; 0: all
    threads: int = 128
    stages: int = 2
    element: str = "bf16"
    specialize: bool | None = None  # warps of their own that only copy; None: the compiler's choice
    initial: bool = False  # S0 (Z0) is the state before the first token, else zero
    final: bool = False  # ST (ZT) is the state behind the last token
    normalize: bool = False  # linear: O over scale q[t] sum of k + 1e-10
    l2norm: bool = False  # delta: q and k over sqrt(their square + 1e-6)
    skip: bool = False  # mamba2: D x[t] is added
    gate: bool = False  # mamba2: times silu(z[t])
    softplus: bool = False  # mamba2: dt is log(1 + exp(DT + bias))
    name: str = ""

    @property
    def delta(self):
        return self.kind.endswith("delta")

    @property
    def decay(self):
        return self.kind in ("gla", "mamba2", "gated_delta")

    @property
    def flags(self):
        return [f for f in ("initial", "final", "normalize", "l2norm", "skip", "gate", "softplus") if getattr(self, f)]

    def ident(self):
        if self.name:
            return self.name
        parts = [self.kind, self.part, f"k{self.k}", f"v{self.v}", f"c{self.chunk}", f"n{self.columns}"]
        parts += [f"r{self.rows}"] * bool(self.rows) + [f"t{self.threads}", f"s{self.stages}"]
        parts += [self.element] * (self.element != "bf16")
        parts += [] if self.specialize is None else ["spec" if self.specialize else "nospec"]
        return "_".join(parts + self.flags)

    def arguments(self):
        """name, element type, shape (None: a scalar), access, padded rows."""
        known, found = self._shapes(), []
        for name in self._names():
            element, shape = known[name]
            found.append((name, element, shape, "w" if name in self._outputs() else "r", False))
        return found

    def _shapes(self):
        t, k, v = self.element, self.k, self.v
        chunks, state = ("B", "H", "chunks"), (v, k) if self.kind == "mamba2" else (k, v)
        query, value, token = (t, ("B", "T", "HK", k)), (t, ("B", "T", "H", v)), ("f32", ("B", "T", "H"))
        vector, head, row = ("f32", ("B", "H", "padded")), ("f32", ("H",)), ("f32", ("B", "H", k))
        known = dict(Q=query, K=query, C=query, B=query, V=value, O=value, X=value, Y=value, Z=value, U=value)
        known |= dict(G=token, DT=token, beta=(t, token[1]), A=head, D=head, bias=head, E=vector, RQ=vector, RK=vector)
        known |= dict(S0=("f32", ("B", "H", *state)), ST=("f32", ("B", "H", *state)), Z0=row, ZT=row, scale=("f32", None))
        known |= dict(HS=(t, (*chunks, *state)), L=("f32", (*chunks, k * v)), F=("f32", chunks), R=(t, ("B", "H", "T", 64)))
        return known

    def _names(self):
        q, k, v, o = self.letters
        part, mamba, norms = self.part, self.kind == "mamba2", ["RQ", "RK"] * self.l2norm
        if part == "prepare":
            return ["Q"] * self.l2norm + [k] + ["G"] * self.decay + ["beta", "R"] + ["E"] * self.decay + norms
        if part == "passing":
            return ["L"] + ["F"] * self.decay + ["S0"] * self.initial + ["HS"] + ["ST"] * self.final
        reads = part in ("fused", "outputs")
        names = [q] * reads + [k, v] if not (self.delta and part == "outputs") else [q, k, "U"]
        if self.delta:
            names += ["R"] * (part != "outputs") + ["E"] * self.decay + ["RQ"] * (self.l2norm and reads) + ["RK"] * self.l2norm
        elif mamba:
            names += ["DT", "A"] + ["bias"] * self.softplus + (["D"] * self.skip + ["Z"] * self.gate) * reads
        elif self.decay:
            names.append("G")
        names += ["scale"] * (reads and not mamba)
        if part == "outputs":
            return names + ["HS", o]
        names += (["S0"] + ["Z0"] * self.normalize) * (self.initial and part != "local")
        names += {"fused": [o], "states": ["HS"] + ["U"] * self.delta, "local": ["L"] + ["F"] * self.decay}[part]
        return names + (["ST"] + ["ZT"] * self.normalize) * (self.final and part != "local")

    def _outputs(self):
        written = {"prepare": "R E RQ RK", "states": "HS U ST", "passing": "HS ST", "local": "L F"}
        return written.get(self.part, "O Y ST ZT").split()

    @property
    def letters(self):
        return "CBXY" if self.kind == "mamba2" else "QKVO"

    def text(self):
        return Program(self).text()


@dataclasses.dataclass(frozen=True)
class Recurrent:
    """An operator: the kernels that run one after the other, with what all of them share."""

    kind: str = "gla"
    form: str = "fused"
    k: int = 128
    v: int = 128
    chunk: int = 64
    columns: int = 64
    threads: int = 128
    stages: int = 2
    rows: int = 64  # of K that a block of `states` and `local` has
    specialize: bool | None = None
    flags: tuple = ()  # names of the options of Kernel

    def ident(self):
        parts = [self.kind, self.form, f"k{self.k}", f"v{self.v}", f"c{self.chunk}", f"n{self.columns}", f"t{self.threads}", f"s{self.stages}"]
        parts += [f"r{self.rows}"] * (self.form != "fused")
        parts += [] if self.specialize is None else ["spec" if self.specialize else "nospec"]
        return "_".join(parts + list(self.flags))

    def parts(self):
        delta = self.kind.endswith("delta")
        names = {"fused": ["fused"], "split": ["states", "outputs"], "parallel": ["local", "passing", "outputs"]}[self.form]
        return [self._kernel(part) for part in ["prepare"] * delta + names]

    def _kernel(self, part):
        allowed = {"prepare": ("l2norm",), "passing": ("initial", "final"), "local": ("softplus",), "outputs": ("l2norm", "skip", "gate", "softplus")}
        allowed["states"] = ("initial", "final", "l2norm", "softplus")
        options = {flag: True for flag in self.flags if flag in allowed.get(part, self.flags)}
        shape = dict(kind=self.kind, part=part, k=self.k, v=self.v, chunk=self.chunk)
        if part == "fused":
            return Kernel(**shape, columns=self.columns, threads=self.threads, stages=self.stages, specialize=self.specialize, **options)
        if part == "prepare":
            return Kernel(**shape, columns=self.v, threads=128, stages=1, **options)
        if part == "passing":
            return Kernel(**shape, columns=1024, threads=128, stages=4, **options)
        if part == "outputs":
            tall = min(self.chunk, self.threads // 2)  # rows of a block: 64 for each warpgroup
            return Kernel(**shape, columns=self.columns, rows=tall, threads=self.threads, stages=2 if tall < self.chunk else 1, **options)
        rows = self.k if self.kind.endswith("delta") else self.rows
        return Kernel(**shape, columns=min(64, self.columns), rows=rows, threads=128, stages=self.stages, specialize=self.specialize, **options)


def extents(kernel, batch, tokens, heads, key_heads=None):
    """The sizes that names in shapes of arguments stand for."""
    chunks = -(-tokens // kernel.chunk)
    return dict(B=batch, T=tokens, H=heads, HK=key_heads or heads, chunks=chunks, padded=chunks * kernel.chunk)


class Decay:
    """Sums of exponents of a chunk, in shared memory; times `rate` they are exponents of two."""

    def __init__(self, buffer, rate):
        self.buffer, self.rate = buffer, rate

    def scaled(self, e, x):
        return e.exp2(e.mul(x, self.rate) if self.rate else x)

    def upto(self, e, i):
        return self.scaled(e, e.load(self.buffer, i, "ci"))

    def between(self, e, i, j):
        return self.scaled(e, e.sub(e.load(self.buffer, i, "ci"), e.load(self.buffer, j, "cj")))


class Program:
    def __init__(self, kernel):
        self.p = kernel
        attributes = "" if kernel.specialize is None else f"specialize = {str(kernel.specialize).lower()}"
        self.w = Writer(kernel.ident(), [a[:3] for a in kernel.arguments()], kernel.threads, attributes)
        self.decay = None

    def text(self):
        getattr(self, self.p.part)()
        return self.w.text()

    # --- what kernels share

    def argument(self, name):
        return getattr(self.w, dict(zip("QKVO", self.p.letters)).get(name, name))

    def promise_rows(self):
        """Rows of E, RQ and RK are whole chunks, so each piece begins at a multiple of 16 bytes."""
        w = self.w
        for name in ("E", "RQ", "RK"):
            if hasattr(w, name):
                length = w.dim(getattr(w, name), 2, f"{name}_length")
                w.line(f"tile.assume {length} {{divisible_by = {self.p.chunk} : i64}} : index")

    def head_of_keys(self):
        """The head of Q and K that head %h reads."""
        w = self.w
        if not hasattr(w, self.p.letters[1]):
            return None
        values = next(self.argument(n) for n in ("V", "U", "beta") if hasattr(w, n) or n == "V" and hasattr(w, self.p.letters[2]))
        count = w.dim(values, 2, "heads")
        shared = w.of_index("divui", count, w.dim(self.argument("K"), 2, "key_heads"), "sharing")
        return w.of_index("divui", "%h", shared, "hk")

    def load_tokens(self, at, head, sums):
        """Weights of the chunk's tokens that begins at `at`: sets self.decay (and self.dt)."""
        w, p = self.w, self.p
        count = p.chunk
        if p.delta:
            if p.decay:
                w.copy(w.E, self.raw, ("%b", head, at), (1, 1, count))
            return
        if not p.decay:
            return
        source = w.DT if p.kind == "mamba2" else w.G
        w.copy(source, self.raw, ("%b", at, head), (1, count, 1))
        summed = self.raw
        if p.softplus:
            with w.parallel(count) as e:
                x = e.add(e.load(self.raw, "i"), self.bias)
                # log(1 + exp(x)) is x where that is large; rows behind the end have no weight.
                soft = e.math("log1p", e.exp2(e.mul(x, LOG2E)))
                large = w.value(f"arith.cmpf ogt, {x}, {w.f32(20.0)} : f32", "large")
                soft = e.select(large, x, soft)
                row = w.of_index("addi", at, "%i", "row")
                e.store(e.select(e.compare("ult", row, self.T, "inside"), soft, 0.0), self.dt, "i")
            summed = self.dt
        w.scan(summed, sums)

    def token_tiles(self):
        """Tiles for load_tokens; those of the delta rules come summed."""
        w, p = self.w, self.p
        if not p.decay:
            return None
        self.raw = w.shared("Es" if p.delta else "Gs", p.chunk, element="f32")
        self.dt = self.raw
        if p.delta:
            self.decay = Decay(self.raw, None)
            return None
        sums = w.shared("sums", p.chunk, element="f32")
        rate = LOG2E
        if p.kind == "mamba2":
            a = w.value(f"memref.load {w.A.name}[%h] : {w.A.type}", "a")
            rate = w.value(f"arith.mulf {a}, {w.f32(LOG2E)} : f32", "rate")
        if p.softplus:
            self.bias = w.value(f"memref.load {w.bias.name}[%h] : {w.bias.type}", "bias_h")
            self.dt = w.shared("dts", p.chunk, element="f32")
        self.decay = Decay(sums, rate)
        return sums

    def state_tiles(self, rows, columns):
        """The state in f32, and its form as an operand; of mamba2 with V in front."""
        w = self.w
        shape = (columns, rows) if self.p.kind == "mamba2" else (rows, columns)
        return w.fragment("S", *shape), shape

    def region(self, row, column, shape):
        return ((column, row) if self.p.kind == "mamba2" else (row, column)), shape

    def update(self, S, Ks, Vs, Vw, shape, row_scale=None):
        """S = S decayed to the chunk's end + K^T V, V weighted by its decay until then."""
        w, p = self.w, self.p
        if self.decay or row_scale:
            self.weigh(Vs, Vw, row_scale)
            Vs = Vw
        if self.decay:
            last = w.index(p.chunk - 1)
            with w.parallel(*shape) as e:
                e.store(e.mul(e.load(S, "ij"), self.decay.upto(e, [last])), S, "ij")
        if p.kind == "mamba2":
            w.gemm(Vs, Ks, S, "transpose_a")
        else:
            w.gemm(Ks, Vs, S, "transpose_a")

    def weigh(self, source, target, row_scale=None):
        w, p = self.w, self.p
        last = w.index(p.chunk - 1)
        with w.parallel(*target.shape) as e:
            factor = self.decay.between(e, [last], "i") if self.decay else None
            if p.kind == "mamba2":
                factor = e.mul(factor, e.load(self.dt, "i", "dt"))
            if row_scale:
                r = e.load(row_scale, "i", "r")
                factor = e.mul(factor, r) if factor else r
            e.store(e.mul(e.load(source, "ij"), factor), target, "ij")

    def scores(self, P, Ph, norms=None):
        """Ph = P weighted, where the key is not behind the query."""
        with self.w.parallel(*P.shape) as e:
            x = self.weighted_score(e, e.load(P, "ij"), "i", "j", norms)
            e.store(e.select(e.compare("ule", "%j", "%i"), x, 0.0), Ph, "ij")

    def weighted_score(self, e, x, i, j, norms):
        p = self.p
        if self.decay:
            x = e.mul(x, self.decay.between(e, i, j))
        if p.kind == "mamba2":
            return e.mul(x, e.load(self.dt, j, "dt"))
        if norms:
            x = e.mul(e.mul(x, e.load(norms[0], "i", "rq")), e.load(norms[1], "j", "rk"))
        return x if p.normalize else e.mul(x, "%scale")

    def from_state(self, o, at="i", norms=None):
        """o = what came of the state, weighted by its decay until the row."""
        p = self.p
        if p.normalize:
            return  # `divide` has the scale
        with self.w.parallel(*o.shape) as e:
            x = e.load(o, "ij")
            if self.decay:
                x = e.mul(x, self.decay.upto(e, at(e) if callable(at) else at))
            if norms:
                x = e.mul(x, e.load(norms[0], "i", "rq"))
            e.store(x if p.kind == "mamba2" else e.mul(x, "%scale"), o, "ij")

    def finish_mamba(self, o, Xs, Zs):
        w, p = self.w, self.p
        if not (p.skip or p.gate):
            return
        with w.parallel(*o.shape) as e:
            y = e.load(o, "ij", "y")
            if p.skip:
                y = e.fma(e.load(Xs, "ij"), self.d, y, "y")
            if p.gate:
                z = e.load(Zs, "ij", "z")
                y = e.mul(y, e.div(z, e.add(e.exp2(e.mul(z, -LOG2E)), 1.0)), "y")
            e.store(y, o, "ij")

    def of_head(self, name):
        buffer = getattr(self.w, name)
        return self.w.value(f"memref.load {buffer.name}[%h] : {buffer.type}", name.lower() + "_h")

    # --- kernels

    def fused(self):
        w, p = self.w, self.p
        c, n, k, t = p.chunk, p.columns, p.k, p.element
        V, O = self.argument("V"), self.argument("O")
        w.grid = f"(%bv, %h, %b) = ({p.v // n}, dim({V.name}, 2), dim({V.name}, 0))"
        zero = w.index(0)
        self.T = T = w.dim(V, 1, "T")
        hk = self.head_of_keys()
        self.promise_rows()
        column = w.of_index("muli", "%bv", n, "v")
        if p.skip:
            self.d = self.of_head("D")
        Qs, Ks, Vs = w.shared("Qs", c, k, element=t), w.shared("Ks", c, k, element=t), w.shared("Vs", c, n, element=t)
        Zs = w.shared("Zs", c, n, element=t) if p.gate else None
        sums = self.token_tiles()
        S, shape = self.state_tiles(k, n)
        Ss = w.shared("Ss", *shape, element=t)
        P, Ph = w.fragment("P", c, c), w.fragment("Ph", c, c, element=t)
        o = w.fragment("o", c, n)
        Vw = w.shared("Vw", c, n, element=t) if p.decay or p.l2norm else None
        norms = None
        if p.delta:
            self.delta_tiles(c, n)
            norms = self.norm_tiles(c)
        if p.normalize:
            self.sum_tiles(c, k)
        at, sizes = self.region(zero, column, shape)
        if p.initial:
            w.copy(w.S0, S, ("%b", "%h", *at), (1, 1, *sizes))
        else:
            w.fill(S)
        with w.block(f"tile.pipelined %t = {zero} to {T} step {w.index(c)} stages({p.stages})"):
            w.copy(self.argument("Q"), Qs, ("%b", "%t", hk, zero), (1, c, 1, k))
            w.copy(self.argument("K"), Ks, ("%b", "%t", hk, zero), (1, c, 1, k))
            w.copy(V, Vs, ("%b", "%t", "%h", column), (1, c, 1, n))
            if p.gate:
                w.copy(w.Z, Zs, ("%b", "%t", "%h", column), (1, c, 1, n))
            if p.delta:
                self.load_delta(norms)
            self.load_tokens("%t", "%h", sums)
            w.copy(S, Ss)
            turned = "clear, transpose_b" if p.kind == "mamba2" else "clear"
            if p.delta:
                self.replace_values(Ks, Vs, Ss, norms)
                Vs = self.U
            w.gemm(Qs, Ks, P, "clear, transpose_b")
            w.gemm(Qs, Ss, o, turned)
            self.scores(P, Ph, norms=norms)
            self.from_state(o, norms=norms)
            w.gemm(Ph, Vs, o)
            if p.normalize:
                self.divide(o, Ph, Qs)
                w.gemm(Ks, self.ones, self.z, "transpose_a")
            self.update(S, Ks, Vs, Vw, shape, norms and norms[1])
            self.finish_mamba(o, Vs, Zs)
            w.copy(o, O, ("%b", "%t", "%h", column), (1, c, 1, n))
        if p.final:
            w.copy(S, w.ST, ("%b", "%h", *at), (1, 1, *sizes))
        if p.final and p.normalize:
            # Each of the blocks along V has all of z; the first one writes it.
            first = w.value(f"arith.cmpi eq, %bv, {zero} : index", "first")
            with w.block(f"scf.if {first}"):
                z = w.fragment("z_out", k)
                w.reduce("max", self.z, z, 1)
                w.copy(z, w.ZT, ("%b", "%h", zero), (1, 1, k))

    def sum_tiles(self, c, k):
        """The sum of keys so far is a state, too: of a V that is 1 in each of the 8 columns that a product has at least."""
        w, t = self.w, self.p.element
        self.ones, self.zs = w.shared("ones", c, 8, element=t), w.shared("zs", k, 8, element=t)
        self.z, self.sums, self.total = w.fragment("z", k, 8), w.fragment("weights", c, 8), w.fragment("total", c)
        with w.parallel(c, 8) as e:
            e.store(w.f32(1.0), self.ones, "ij")
        if self.p.initial:
            with w.parallel(k, 8) as e:
                e.store(e.load(w.Z0, ["%b", "%h", "%i"]), self.z, "ij")
        else:
            w.fill(self.z)

    def divide(self, o, Ph, Qs):
        """o = o over the sum of the row's weights: those of the chunk, and q z of the keys before it."""
        w = self.w
        w.copy(self.z, self.zs)
        w.gemm(Qs, self.zs, self.sums, "clear")
        w.gemm(Ph, self.ones, self.sums)
        w.reduce("max", self.sums, self.total, 1)
        with w.parallel(*o.shape) as e:
            below = e.fma(e.load(self.total, "i"), "%scale", 1e-10)
            e.store(e.div(e.mul(e.load(o, "ij"), "%scale"), below), o, "ij")

    def delta_tiles(self, c, n):
        w, t = self.w, self.p.element
        self.Rs, self.W = w.shared("Rs", c, c, element=t), w.shared("W", c, n, element=t)
        self.y, self.u = w.fragment("y", c, n), w.fragment("u", c, n)
        self.U = w.shared("Us", c, n, element=t)

    def norm_tiles(self, c, queries=True):
        w = self.w
        if not self.p.l2norm:
            return None
        return (w.shared("rq", c, element="f32") if queries else None), w.shared("rk", c, element="f32")

    def load_delta(self, norms):
        w, c = self.w, self.p.chunk
        w.copy(w.R, self.Rs, ("%b", "%h", "%t", w.index(0)), (1, 1, c, c))
        for name, tile in zip(("RQ", "RK"), norms or ()):
            if tile:
                w.copy(getattr(w, name), tile, ("%b", "%h", "%t"), (1, 1, c))

    def replace_values(self, Ks, Vs, Ss, norms):
        """U = R (V - exp(c) K S): what the state does not know yet of each value."""
        w = self.w
        w.gemm(Ks, Ss, self.y, "clear")
        with w.parallel(*self.y.shape) as e:
            x = e.load(self.y, "ij")
            if self.decay:
                x = e.mul(x, self.decay.upto(e, "i"))
            if norms:
                x = e.mul(x, e.load(norms[1], "i", "rk"))
            e.store(e.sub(e.load(Vs, "ij", "v"), x), self.W, "ij")
        w.gemm(self.Rs, self.W, self.u, "clear")
        w.copy(self.u, self.U)

    def states(self):
        w, p = self.w, self.p
        c, n, k, t = p.chunk, p.columns, p.rows or p.k, p.element
        V, across = self.argument("V"), p.v // n
        w.grid = f"(%block, %h, %b) = ({across * (p.k // k)}, dim({V.name}, 2), dim({V.name}, 0))"
        zero = w.index(0)
        self.T = T = w.dim(V, 1, "T")
        hk = self.head_of_keys()
        self.promise_rows()
        column = w.of_index("muli", w.of_index("remui", "%block", across, "bv"), n, "v")
        row = w.of_index("muli", w.of_index("divui", "%block", across, "bk"), k, "k")
        Ks, Vs = w.shared("Ks", c, k, element=t), w.shared("Vs", c, n, element=t)
        sums = self.token_tiles()
        S, shape = self.state_tiles(k, n)
        Vw = w.shared("Vw", c, n, element=t) if p.decay or p.l2norm else None
        norms = None
        if p.delta:
            Ss = w.shared("Ss", *shape, element=t)
            self.delta_tiles(c, n)
            norms = self.norm_tiles(c, queries=False)
        at, sizes = self.region(row, column, shape)
        if p.initial:
            w.copy(w.S0, S, ("%b", "%h", *at), (1, 1, *sizes))
        else:
            w.fill(S)
        with w.block(f"tile.pipelined %t = {zero} to {T} step {w.index(c)} stages({p.stages})"):
            w.copy(self.argument("K"), Ks, ("%b", "%t", hk, row), (1, c, 1, k))
            w.copy(V, Vs, ("%b", "%t", "%h", column), (1, c, 1, n))
            if p.delta:
                self.load_delta(norms)
            self.load_tokens("%t", "%h", sums)
            number = w.of_index("divui", "%t", c, "number")
            w.copy(S, w.HS, ("%b", "%h", number, *at), (1, 1, 1, *sizes))
            if p.delta:
                w.copy(S, Ss)
                self.replace_values(Ks, Vs, Ss, norms)
                w.copy(self.u, w.U, ("%b", "%t", "%h", column), (1, c, 1, n))
                Vs = self.U
            self.update(S, Ks, Vs, Vw, shape, norms and norms[1])
        if p.final:
            w.copy(S, w.ST, ("%b", "%h", *at), (1, 1, *sizes))

    def local(self):
        """The sum of a chunk's K^T V, each decayed to the chunk's end, in steps of 64 tokens."""
        w, p = self.w, self.p
        c, n, t, step = p.chunk, p.columns, p.element, 64
        V, K = self.argument("V"), self.argument("K")
        k, across = p.rows or p.k, p.v // n
        pieces = across * (p.k // k)
        w.grid = f"(%block, %h, %b) = ((dim({V.name}, 1) ceildiv {c}) * {pieces}, dim({V.name}, 2), dim({V.name}, 0))"
        zero = w.index(0)
        self.T = T = w.dim(V, 1, "T")
        hk = self.head_of_keys()
        self.promise_rows()
        number = w.of_index("divui", "%block", pieces, "number")
        piece = w.of_index("remui", "%block", pieces, "piece")
        column = w.of_index("muli", w.of_index("remui", piece, across, "bv"), n, "v")
        row = w.of_index("muli", w.of_index("divui", piece, across, "bk"), k, "k")
        start = w.of_index("muli", number, c, "start")
        end = w.of_index("minui", w.of_index("addi", start, c, "end"), T, "end")
        Ks, Vs, Vw = w.shared("Ks", step, k, element=t), w.shared("Vs", step, n, element=t), w.shared("Vw", step, n, element=t)
        sums = self.token_tiles()
        S, shape = self.state_tiles(k, n)
        self.load_tokens(start, "%h", sums)
        w.fill(S)
        with w.block(f"tile.pipelined %t = {start} to {end} step {w.index(step)} stages({p.stages})"):
            w.copy(K, Ks, ("%b", "%t", hk, row), (1, step, 1, k))
            w.copy(V, Vs, ("%b", "%t", "%h", column), (1, step, 1, n))
            if p.decay:
                inside = w.of_index("subi", "%t", start, "inside")
                with w.parallel(step, n) as e:
                    i = w.of_index("addi", inside, "%i", "token")
                    f = self.decay.between(e, [w.index(c - 1)], [i])
                    if p.kind == "mamba2":
                        f = e.mul(f, e.load(self.dt, [i], "dt"))
                    e.store(e.mul(e.load(Vs, "ij"), f), Vw, "ij")
            used = Vw if p.decay else Vs
            w.gemm(*((used, Ks) if p.kind == "mamba2" else (Ks, used)), S, "transpose_a")
        self.store_local(S, shape, number, row, column)
        if p.decay:
            first = w.value(f"arith.cmpi eq, {piece}, {zero} : index", "first")
            with w.block(f"scf.if {first}"):
                last = w.value(f"memref.load {self.decay.buffer.name}[{w.index(c - 1)}] : {self.decay.buffer.type}", "last")
                rate = self.decay.rate if isinstance(self.decay.rate, str) else w.f32(self.decay.rate)
                exponent = w.value(f"arith.mulf {last}, {rate} : f32", "exponent")
                factor = w.value(f"math.exp2 {exponent} fastmath<afn> : f32", "factor")
                w.line(f"memref.store {factor}, {w.F.name}[%b, %h, {number}] : {w.F.type}")

    def store_local(self, S, shape, number, row, column):
        """L is flat for `passing`, which does not care; here its rows are pieces of it."""
        w, p = self.w, self.p
        wide = p.k if p.kind == "mamba2" else p.v
        with w.parallel(*shape) as e:
            first, second = (column, row) if p.kind == "mamba2" else (row, column)
            i = w.of_index("addi", first, "%i", "r")
            j = w.of_index("addi", second, "%j", "c")
            flat = w.of_index("addi", w.of_index("muli", i, wide, "flat"), j, "flat")
            e.store(e.load(S, "ij"), w.L, ["%b", "%h", number, flat])

    def passing(self):
        w, p = self.w, self.p
        n, size = p.columns, p.k * p.v
        w.grid = f"(%block, %h, %b) = ({size // n}, dim(%L, 1), dim(%L, 0))"
        zero = w.index(0)
        chunks = w.dim(w.L, 2, "chunks")
        at = w.of_index("muli", "%block", n, "at")
        # States are rows of `wide` elements; a block has whole rows, so views of a flat piece are not needed.
        wide = p.k if p.kind == "mamba2" else p.v
        rows = n // wide
        first = w.of_index("divui", at, wide, "row")
        part, S = w.shared("part", n, element="f32"), w.fragment("S", rows, wide)
        if p.initial:
            w.copy(w.S0, S, ("%b", "%h", first, zero), (1, 1, rows, wide))
        else:
            w.fill(S)
        with w.block(f"tile.pipelined %number = {zero} to {chunks} step {w.index(1)} stages({p.stages})"):
            w.copy(w.L, part, ("%b", "%h", "%number", at), (1, 1, 1, n))
            w.copy(S, w.HS, ("%b", "%h", "%number", first, zero), (1, 1, 1, rows, wide))
            factor = w.value(f"memref.load {w.F.name}[%b, %h, %number] : {w.F.type}", "factor") if p.decay else None
            with w.parallel(rows, wide) as e:
                flat = w.of_index("addi", w.of_index("muli", "%i", wide, "flat"), "%j", "flat")
                x, s = e.load(part, [flat]), e.load(S, "ij", "s")
                e.store(e.fma(s, factor, x) if factor else e.add(s, x), S, "ij")
        if p.final:
            w.copy(S, w.ST, ("%b", "%h", first, zero), (1, 1, rows, wide))

    def outputs(self):
        w, p = self.w, self.p
        c, n, k, t = p.chunk, p.columns, p.k, p.element
        rows, across = p.rows or c, p.v // n
        V = w.U if p.delta else self.argument("V")
        w.grid = f"(%block, %h, %b) = ((dim({V.name}, 1) ceildiv {rows}) * {across}, dim({V.name}, 2), dim({V.name}, 0))"
        zero = w.index(0)
        self.T = w.dim(V, 1, "T")
        hk = self.head_of_keys()
        self.promise_rows()
        column = w.of_index("muli", w.of_index("remui", "%block", across, "bv"), n, "v")
        m = w.of_index("muli", w.of_index("divui", "%block", across, "bt"), rows, "m")
        number = w.of_index("divui", m, c, "number")
        start = w.of_index("muli", number, c, "start")
        if p.skip:
            self.d = self.of_head("D")
        Qs, Ks, Vs = w.shared("Qs", rows, k, element=t), w.shared("Ks", rows, k, element=t), w.shared("Vs", rows, n, element=t)
        shape = (n, k) if p.kind == "mamba2" else (k, n)
        Ss = w.shared("Ss", *shape, element=t)
        Xs, Zs = w.shared("Xs", rows, n, element=t) if p.skip and rows < c else Vs, w.shared("Zs", rows, n, element=t) if p.gate else None
        sums = self.token_tiles()
        norms = self.norm_tiles(c)
        P, Ph, o = w.fragment("P", rows, rows), w.fragment("Ph", rows, rows, element=t), w.fragment("o", rows, n)
        at, sizes = self.region(zero, column, shape)
        w.copy(self.argument("Q"), Qs, ("%b", m, hk, zero), (1, rows, 1, k))
        w.copy(w.HS, Ss, ("%b", "%h", number, *at), (1, 1, 1, *sizes))
        if rows == c:
            w.copy(self.argument("K"), Ks, ("%b", m, hk, zero), (1, rows, 1, k))
            w.copy(V, Vs, ("%b", m, "%h", column), (1, rows, 1, n))
        if p.gate:
            w.copy(w.Z, Zs, ("%b", m, "%h", column), (1, rows, 1, n))
        for name, tile in zip(("RQ", "RK"), norms or ()):
            w.copy(getattr(w, name), tile, ("%b", "%h", m), (1, 1, c))
        self.load_tokens(start, "%h", sums)
        w.gemm(Qs, Ss, o, "clear, transpose_b" if p.kind == "mamba2" else "clear")
        if rows == c:
            w.gemm(Qs, Ks, P, "clear, transpose_b")
            self.scores(P, Ph, norms=norms)
            self.from_state(o, norms=norms)
            w.gemm(Ph, Vs, o)
        else:
            self.walk_keys(start, m, rows, Qs, Ks, Vs, V, hk, column, P, Ph, o)
        if p.skip and rows < c:
            w.copy(V, Xs, ("%b", m, "%h", column), (1, rows, 1, n))
        self.finish_mamba(o, Xs, Zs)
        w.copy(o, self.argument("O"), ("%b", m, "%h", column), (1, rows, 1, n))

    def walk_keys(self, start, m, rows, Qs, Ks, Vs, V, hk, column, P, Ph, o):
        """The chunk's keys up to the block's rows."""
        w, p = self.w, self.p
        above = w.of_index("subi", m, start, "above")
        self.from_state(o, at=lambda e: [w.of_index("addi", above, "%i", "row")])
        end = w.of_index("addi", m, rows, "end")
        with w.block(f"tile.pipelined %s = {start} to {end} step {w.index(rows)} stages({p.stages})"):
            w.copy(self.argument("K"), Ks, ("%b", "%s", hk, w.index(0)), (1, rows, 1, p.k))
            w.copy(V, Vs, ("%b", "%s", "%h", column), (1, rows, 1, p.columns))
            before = w.of_index("subi", "%s", start, "before")
            w.gemm(Qs, Ks, P, "clear, transpose_b")
            with w.parallel(rows, rows) as e:
                row, key = w.of_index("addi", above, "%i", "row"), w.of_index("addi", before, "%j", "key")
                x = self.weighted_score(e, e.load(P, "ij"), [row], [key], None)
                e.store(e.select(e.compare("ule", key, row), x, 0.0), Ph, "ij")
            w.gemm(Ph, Vs, o)

    def prepare(self):
        """R = (I + A)^-1 diag(beta) of each chunk, the exponents' sums, and the norms of queries and keys."""
        w, p = self.w, self.p
        c, k, t = p.chunk, p.k, p.element
        w.grid = f"(%n, %h, %b) = (dim(%beta, 1) ceildiv {c}, dim(%beta, 2), dim(%beta, 0))"
        zero = w.index(0)
        hk = self.head_of_keys()
        self.promise_rows()
        m = w.of_index("muli", "%n", c, "m")
        Ks, betas = w.shared("Ks", c, k, element=t), w.shared("betas", c, element="f32")
        P = w.fragment("P", c, c)
        diagonal, below = w.shared("diagonal", c * BLOCK, element="f32"), w.shared("below", c, c, element="f32")
        inverse, turned = w.shared("inverse", c, c, element="f32"), w.shared("turned", c, c, element="f32")
        w.copy(self.argument("K"), Ks, ("%b", m, hk, zero), (1, c, 1, k))
        w.copy(w.beta, betas, ("%b", m, "%h"), (1, c, 1))
        w.gemm(Ks, Ks, P, "clear, transpose_b")
        norms = self.measure(Ks, m, hk) if p.l2norm else None
        if p.decay:
            raw, sums = w.shared("Gs", c, element="f32"), w.shared("sums", c, element="f32")
            w.copy(w.G, raw, ("%b", m, "%h"), (1, c, 1))
            w.scan(raw, sums)
            self.decay = Decay(sums, LOG2E)
            out = w.fragment("E_out", c)
            with w.parallel(c) as e:
                e.store(e.mul(e.load(sums, "i"), LOG2E), out, "i")
            w.copy(out, w.E, ("%b", "%h", m), (1, 1, c))
        w.note("A, as blocks on the diagonal and what is below them.")
        with w.parallel(c, c) as e:
            x = e.mul(e.load(P, "ij"), e.load(betas, "i", "beta"))
            if p.decay:
                x = e.mul(x, self.decay.between(e, "i", "j"))
            if norms:
                x = e.mul(e.mul(x, e.load(norms, "i", "ri")), e.load(norms, "j", "rj"))
            x = e.select(e.compare("ult", "%j", "%i"), x, 0.0)
            e.store(x, turned, "ij")
            bi, bj = w.of_index("divui", "%i", BLOCK, "bi"), w.of_index("divui", "%j", BLOCK, "bj")
            e.store(e.select(e.compare("ult", bj, bi, "apart"), x, 0.0), below, "ij")
        with w.parallel(c, BLOCK) as e:
            first = w.of_index("muli", w.of_index("divui", "%i", BLOCK, "block"), BLOCK, "first")
            x = e.load(turned, ["%i", w.of_index("addi", first, "%j", "column")])
            e.store(x, diagonal, [w.of_index("addi", w.of_index("muli", "%i", BLOCK, "flat"), "%j", "flat")])
        w.fill(inverse)
        w.fill(turned)
        self.solve_blocks(c, diagonal, inverse, turned)
        self.merge_blocks(c, below, inverse, turned, betas, m)

    def measure(self, Ks, m, hk):
        """1 / sqrt(x^2 + 1e-6) of each query and key."""
        w, p = self.w, self.p
        c, k = p.chunk, p.k
        Qs = w.shared("Qs", c, k, element=p.element)
        w.copy(w.Q, Qs, ("%b", m, hk, w.index(0)), (1, c, 1, k))
        kept = w.shared("rk", c, element="f32")
        for name, tile in (("RQ", Qs), ("RK", Ks)):
            square, total = w.fragment("square", c, k), w.fragment("total", c)
            with w.parallel(c, k) as e:
                x = e.load(tile, "ij")
                e.store(e.mul(x, x), square, "ij")
            w.reduce("sum", square, total, 1)
            with w.parallel(c) as e:
                e.store(e.math("rsqrt", e.add(e.load(total, "i"), 1e-6)), total, "i")
            w.copy(total, getattr(w, name), ("%b", "%h", m), (1, 1, c))
        w.copy(total, kept)
        return kept

    def solve_blocks(self, c, diagonal, inverse, turned):
        """Column %j of the inverse of each diagonal block I + A, from top to bottom; `turned` is the transposed inverse."""
        w = self.w
        w.note("Columns of the inverse of each block: x[i] = [i = j] - sum over l < i of A[i, l] x[l].")
        with w.parallel(c // BLOCK, BLOCK) as e:
            base = w.of_index("muli", "%i", BLOCK, "base")
            column = w.of_index("addi", base, "%j", "column")
            start = w.of_index("muli", base, BLOCK, "start")
            solved = []
            for i in range(BLOCK):
                row = w.of_index("addi", base, i, "row")
                is_j = w.value(f"arith.cmpi eq, %j, {w.index(i)} : index", "on")
                x = e.select(is_j, 1.0, 0.0)
                total = None
                for l, known in enumerate(solved):
                    a = e.load(diagonal, [w.of_index("addi", start, i * BLOCK + l, "flat")], "a")
                    total = e.fma(a, known, total) if total else e.mul(a, known)
                x = e.sub(x, total) if total else x
                solved.append(x)
                e.store(x, inverse, [row, column])
                e.store(x, turned, [column, row])

    def merge_blocks(self, c, below, inverse, turned, betas, m):
        """With D the inverted blocks and M = (what is below them) D: D (I + M)^-1 = D - (D - (D - D M) M) M, of four blocks.

        Products in tf32 read their second operand by rows of its columns, so M is made as its transpose.
        """
        w, p = self.w, self.p
        minus, acc, out = w.fragment("minus", c, c), w.fragment("acc", c, c), w.fragment("R_out", c, c, element=p.element)
        w.gemm(turned, below, minus, "clear, transpose_b")
        with w.parallel(c, c) as e:
            e.store(e.sub(0.0, e.load(minus, "ij")), turned, "ij")
        w.copy(inverse, below)
        with w.block(f"scf.for %step = {w.index(1)} to {w.index(c // BLOCK)} step {w.index(1)}"):
            w.copy(inverse, acc)
            w.gemm(below, turned, acc, "transpose_b")
            w.copy(acc, below)
        with w.parallel(c, c) as e:
            e.store(e.mul(e.load(acc, "ij"), e.load(betas, "j", "beta")), out, "ij")
        w.copy(out, w.R, ("%b", "%h", m, w.index(0)), (1, 1, c, c))


# --- problems


@dataclasses.dataclass(frozen=True)
class Problem:
    kind: str
    batch: int
    tokens: int
    heads: int
    key_heads: int
    k: int
    v: int
    flags: tuple = ()

    def label(self):
        sharing = f"/{self.key_heads}" * (self.key_heads != self.heads)
        words = [self.kind, f"B{self.batch} T{self.tokens} H{self.heads}{sharing} {self.k}x{self.v}", *self.flags]
        return " ".join(words)


def _problems():
    shapes = ((8, 2048, 16, 128), (1, 16384, 16, 128), (1, 4096, 8, 128), (4, 4096, 32, 64), (2, 4099, 16, 128))
    found = [Problem("linear", b, t, h, h, d, d, flags) for flags in ((), ("normalize",)) for b, t, h, d in shapes]
    found += [Problem("gla", b, t, h, h, d, d, ("final",)) for b, t, h, d in shapes]
    mamba = ((8, 2048, 80, 1), (1, 16384, 80, 1), (4, 4096, 24, 1), (1, 4096, 128, 8), (2, 4099, 64, 8))
    found += [Problem("mamba2", b, t, h, g, 128, 64, ("skip", "softplus")) for b, t, h, g in mamba]
    found += [Problem("mamba2", 8, 2048, 80, 1, 128, 64, ("final", "skip", "gate", "softplus"))]
    found += [Problem("delta", b, t, h, h, d, d, ("final", "l2norm")) for b, t, h, d in shapes]
    found += [Problem("gated_delta", b, t, h, h, d, d, ("final", "l2norm")) for b, t, h, d in shapes]
    # Heads of Qwen3-Next: 16 of keys, 32 of values.
    return found + [Problem("gated_delta", b, t, 32, 16, 128, 128, ("final", "l2norm")) for b, t in ((1, 8192), (4, 4096), (1, 1024))]


PROBLEMS = _problems()


def candidates(problem):
    """The configurations of a problem that are packed, the default first."""
    shape = dict(kind=problem.kind, k=problem.k, v=problem.v, flags=problem.flags)
    op = lambda form, columns=64, **more: Recurrent(form=form, columns=columns, **shape, **more)
    halves = [32] if problem.kind != "mamba2" else []
    found = [op("fused"), op("fused", specialize=False), op("fused", stages=3), op("fused", stages=1, specialize=False)]
    found += [op("fused", n) for n in halves] + [op("fused", n, specialize=False) for n in halves]
    if problem.kind.endswith("delta"):
        found += [op("split"), op("split", 32), op("split", specialize=False), op("split", 32, specialize=False)]
        return found
    found.append(op("fused", chunk=128, threads=256, specialize=False if problem.k > 64 else None))
    if "normalize" in problem.flags:
        return found
    wide = [problem.v] if problem.v > 64 else []
    found += [op("split", n, rows=r) for n in (64, *wide) for r in sorted({64, problem.k})]
    found += [op("split", specialize=False), op("split", chunk=128, threads=256)]
    found += [op("parallel", n, chunk=c) for n in (64, *wide) for c in (64, 128, 256)]
    found += [op("parallel", chunk=c, threads=256) for c in (128, 256)]
    return found
