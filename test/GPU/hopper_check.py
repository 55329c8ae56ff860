# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One kernel for one run of run_hopper.py: its buffers, what they start as, and what must come out, computed in float64.

`make_case` finds the class for a kind of program. Small integers must come out exactly, random inputs within the bounds of
test/GPU/README.md.
"""

import buffers
from tilebench.attention import Attention
from tilebench.conv import Conv
from tilebench.gemm import BITS
from tilebench.rows import Rows
from tilebench.weights import Weights

UNIT_OUT = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-24, "f64": 2.0**-53}
# Unit of the error of one accumulation on tensor cores, which truncate; tf32 rounds its operands (without a factor K).
UNIT = {"f16": 2.0**-22, "bf16": 2.0**-22, "f64": 2.0**-52, "f8E4M3FN": 2.0**-12, "f8E5M2": 2.0**-12}

# Products of fp8 that tensor cores add in one step; later steps round what they have added up.
SHORT_STEP = 32


def roundings(k, element):
    """How often the error of a random sum of k terms is that of one rounding of its magnitude: its partial sums and its
    roundings have both signs, so it grows with sqrt(k) (six standard deviations); of few terms, each may count."""
    steps = k / SHORT_STEP if element.startswith("f8") else k
    return min(steps, 6 * steps**0.5) + 4


def resolve(program, run):
    """Shapes of the arguments of a run: name, type, shape or None, access, pad, scalar value."""
    values = dict(run, D=program.d) if isinstance(program, Attention) else run
    found = []
    for name, element, shape, access, padded in program.arguments():
        if shape is None:
            found.append((name, element, None, access, 0, run["splits"] if name == "splits" else 0.5))
            continue
        extents = [d if isinstance(d, int) else values[d] for d in shape]
        pad = 0
        if padded:
            step = 128 // BITS[element]
            pad = run["pad"] if program.layout == "strided" else -extents[-1] % step
        found.append((name, element, extents, access, pad, None))
    return found


class Case:
    """The buffers of one kernel for one run, bound to a launch."""

    def __init__(self, torch, device, kernel, program, run, stream=0):
        self.torch, self.program, self.run = torch, program, run
        self.buffers, args = {}, []
        for name, element, shape, _, pad, value in resolve(program, run):
            if shape is None:
                args.append(("scalar", element, value))
                continue
            self.buffers[name] = buffers.make(torch, device, element, shape, pad)
            args.append(self.buffers[name].argument())
        self.out_name = program.arguments()[-1][0]
        self.out = self.buffers[self.out_name]
        self.args, self.kernel, self.stream = args, kernel, stream
        self.launch = kernel.bind(args, stream)

    def fill(self, rand, generator):
        torch = self.torch
        adds = getattr(self.program, "epilogue", "") == "add"
        for name, buffer in self.buffers.items():
            if name == self.out_name and not adds:
                buffer.poison()
            elif buffer.element in ("i4", "i8") and rand:
                half = 1 << int(buffer.element[1:]) - 1
                buffer.set(torch.randint(-half, half, buffer.shape, generator=generator, device=buffer.raw.device))
            elif rand:
                buffer.set(
                    torch.randn(buffer.shape, generator=generator, device=buffer.raw.device, dtype=torch.float64)
                )
            else:
                buffer.set(torch.randint(-3, 4, buffer.shape, generator=generator, device=buffer.raw.device))
        # What is added to, which the launch changes.
        self.start = self.out.double() if adds else None

    def reference(self):
        """The result and the magnitude that scales its error, in float64."""
        raise NotImplementedError

    def wrong_elements(self, got, ref, mag, rand):
        """Which elements are not what they should be."""
        if not rand:
            return ~(got == self.out.rounded(ref))
        return ~((got - ref).abs() <= self.rounding(ref) + UNIT[self.program.element] * mag)

    def rounding(self, ref):
        """What rounding the result to the output's type may change."""
        element = self.out.element
        return UNIT_OUT[element] * 1.01 * ref.abs() + (2.0**-24 if element == "f16" else 1e-30)

    def compare(self, rand):
        """None, or what is wrong."""
        for name, buffer in self.buffers.items():
            if not buffer.poison_kept():
                return f"{name}: a store outside the buffer"
        ref, mag = self.reference()
        got = self.out.double()
        if not got.numel():
            return None
        bad = self.wrong_elements(got, ref, mag, rand)
        count = int(bad.sum())
        if not count:
            return None
        where = bad.nonzero()
        at, last = tuple(int(i) for i in where[0]), tuple(int(i) for i in where[-1])
        low, high = where.amin(0).tolist(), where.amax(0).tolist()
        return (
            f"{count} of {got.numel()} wrong ({int(got.isnan().sum())} NaN) in {low}..{high}, first at {list(at)}: "
            f"expected {float(ref[at]):g}, got {float(got[at]):g}; last at {list(last)}: expected {float(ref[last]):g}, "
            f"got {float(got[last]):g}"
        )


class GemmCase(Case):
    def reference(self):
        torch, p = self.torch, self.program
        a, b = self.buffers["A"].double(), self.buffers["B"].double()
        if p.stored_a:  # rounded on the way
            a = a.to(dict(f16=torch.float16, bf16=torch.bfloat16)[p.a]).double()
        a, b = a.mT if p.ta else a, b.mT if p.tb else b
        k = a.shape[-1]
        if p.guard:
            steps = torch.arange(k, device=a.device) // p.tile[2]
            a = a * (steps % 2 == 0)
        times = p.loops * max(p.nested, 1)
        if p.split_k:
            run = -(-(-(-k // p.tile[2])) // self.run["splits"]) * p.tile[2]
            cuts = [(min(s * run, k), min((s + 1) * run, k)) for s in range(self.run["splits"])]
            ref = torch.stack([a[:, x:y] @ b[x:y] for x, y in cuts])
            mag = torch.stack([a[:, x:y].abs() @ b[x:y].abs() for x, y in cuts])
        else:
            ref, mag = a @ b * times, a.abs() @ b.abs() * times
        mag = mag * (1 if p.a == "f32" else roundings(times * k, p.a))
        if p.epilogue == "relu":
            ref = ref.clamp_min(0)
        elif p.epilogue in ("bias", "bias_gelu"):
            ref, mag = ref + self.buffers["bias"].double(), mag + self.buffers["bias"].double().abs()
            if p.epilogue == "bias_gelu":
                ref = 0.5 * ref * (1 + torch.tanh(0.7978845608 * (ref + 0.044715 * ref**3)))
        elif p.epilogue.startswith("residual"):
            ref, mag = ref + self.buffers["R"].double(), mag + self.buffers["R"].double().abs()
        elif p.epilogue == "scale":
            ref, mag = ref * 0.5, mag * 0.5
        elif p.epilogue == "add":
            if p.batched:
                ref, mag = ref.sum(0), mag.sum(0)
            ref, mag = ref + self.start, mag + self.start.abs()
        return ref, mag

    def wrong_elements(self, got, ref, mag, rand):
        p, out = self.program, self.out
        exact = not rand and p.epilogue != "bias_gelu"
        if out.element == "i32":
            half = 2.0**31
            return got != (ref + half) % (2 * half) - half
        if exact:
            return ~(got == out.rounded(ref))
        unit = 2.0**-11 if p.types()[2] == "f16" else 2.0**-9 if p.a == "f32" else UNIT[p.a]
        bound = self.rounding(ref) + unit * mag
        if p.epilogue == "bias_gelu":
            bound = bound * 1.2 + 2.0**-10 * ref.abs() + 2.0**-11
        return ~((got - ref).abs() <= bound)


class AttentionCase(Case):
    """The magnitude of an error is that of the weighted absolute values: weights are rounded to the element type."""

    def reference(self):
        torch, p = self.torch, self.program
        q, k, v = (self.buffers[name].double() for name in "QKV")
        scores = q @ k.mT / p.d**0.5
        if p.causal:
            behind = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).triu(1)
            scores = scores.masked_fill(behind, float("-inf"))
        weights = torch.softmax(scores, -1)
        return weights @ v, weights @ v.abs()

    def wrong_elements(self, got, ref, mag, rand):
        unit = UNIT_OUT[self.program.element]
        return ~((got - ref).abs() <= unit * 1.01 * ref.abs() + 2 * unit * mag + 1e-5)


class ConvCase(Case):
    """Against torch's convolution in float64, channels moved to where it has them."""

    def reference(self):
        torch, p = self.torch, self.program
        x, w = (self.buffers[name].double().movedim(-1, 1) for name in "XW")
        strides, dilations, lower, upper = p.geometry()
        shape = self.out.shape
        if not shape[0] or not shape[1] or not x.numel():
            zeros = torch.zeros(shape, dtype=torch.float64, device=x.device)
            return zeros, zeros
        pads = [edge for pair in zip(reversed(lower), reversed(upper)) for edge in pair]
        x = torch.nn.functional.pad(x, pads)
        convolve = getattr(torch.nn.functional, f"conv{p.rank()}d")

        def apply(x, w):
            y = convolve(x, w, stride=strides, dilation=dilations)
            return y.movedim(1, -1).reshape(shape)

        ref, mag = apply(x, w), apply(x.abs(), w.abs())
        return (ref.clamp_min(0) if p.relu else ref), mag * roundings(w[0].numel(), p.element)


class RowsCase(Case):
    """Rows that no index names keep what they were: poison."""

    def fill(self, rand, generator):
        super().fill(rand, generator)
        torch, device = self.torch, self.out.raw.device
        read, written = self.buffers["I"], self.buffers["J"]
        rows, targets = self.buffers["X"].shape[0], self.out.shape[0]
        read.set(torch.randint(-2, rows + 2, read.shape, generator=generator, device=device))
        # Each row is written once at most.
        order = torch.randperm(targets, generator=generator, device=device)[: written.shape[0]]
        order[::7] = -1
        order[3::11] = targets
        written.set(order)

    def reference(self):
        torch = self.torch
        x, w, y = self.buffers["X"].double(), self.buffers["W"].double(), self.out
        read, written = (self.buffers[name].view().reshape(-1).long() for name in "IJ")
        exists = (read >= 0) & (read < x.shape[0])
        taken = x[read.clamp(0, x.shape[0] - 1)] * exists[:, None]
        stored = (written >= 0) & (written < y.shape[0])
        ref = torch.full(y.shape, float("nan"), dtype=torch.float64, device=x.device)
        mag = torch.zeros_like(ref)
        ref[written[stored]] = (taken @ w)[stored]
        mag[written[stored]] = (taken.abs() @ w.abs())[stored]
        return ref, mag * roundings(w.shape[0], self.program.element)

    def wrong_elements(self, got, ref, mag, rand):
        return super().wrong_elements(got, ref, mag, rand) & ~(got.isnan() & ref.isnan())


class WeightsCase(Case):
    """Products with the scale are rounded to the operands' type once."""

    def reference(self):
        p = self.program
        a, w, scale = (self.buffers[name].double() for name in "AWS")
        w = w * scale[:, None]
        ref, mag = a @ w.mT, a.abs() @ w.abs().mT
        mag = mag * (roundings(a.shape[-1], p.element) + UNIT_OUT[p.element] / UNIT[p.element])
        return (ref.mT, mag.mT) if p.first else (ref, mag)


CASES = {Attention: AttentionCase, Conv: ConvCase, Rows: RowsCase, Weights: WeightsCase}


def make_case(torch, device, kernel, program, run):
    return CASES.get(type(program), GemmCase)(torch, device, kernel, program, run)
