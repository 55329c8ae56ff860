# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators of recurrent.py in PyTorch: inputs, a float32 reference, and the peers' calls.

The reference takes one token after the other, in float32, on the inputs as they are (bf16). Bounds:

- linear, gla, mamba2 are sums of products, of which each factor may be rounded to bf16 on the way. The same walk over
  absolute values says how large such a sum is; an output may be off by 3 * 2^-8 of that, a state by 2 * 2^-8.
- The delta rules subtract what the state predicts, so that such a sum says nothing. An element may be off by 0.06 of the
  root mean square of its head's results, which is experience: two to three times of what is seen.

Peers, unmodified: flash-linear-attention's Triton kernels (fla-core), and for mamba2 those of state-spaces/mamba, whose
folder mamba_ssm/ops/triton needs no more than Triton. Where that is missing, mamba2 has fla's chunk_simple_gla as its
peer: on x * dt, and on B and C repeated for each head, both made outside of what is timed; D, z and softplus are not in it.
"""

import torch
import torch.nn.functional as F

from . import recurrent

TYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}
UNIT = 2.0**-8
SHARE = 0.06


def scale(problem):
    return problem.k**-0.5


def scalars(problem):
    return dict(scale=scale(problem))


def _dims(kernel, problem, shape):
    sizes = recurrent.extents(kernel, problem.batch, problem.tokens, problem.heads, problem.key_heads)
    return [sizes.get(s, s) for s in shape]


def passed_on(operator):
    """Names of what one kernel of an operator writes for another."""
    parts = operator.parts()
    read = {name for kernel in parts for name, *_, access, _ in kernel.arguments() if access == "r"}
    return {name for kernel in parts for name, *_, access, _ in kernel.arguments() if access == "w"} & read


def results(operator):
    """Names of what an operator computes."""
    written = {name for kernel in operator.parts() for name, *_, access, _ in kernel.arguments() if access == "w"}
    return sorted(written - passed_on(operator))


def inputs(problem, operator, device="cuda"):
    """What the operators of a problem read, and their results, by name."""
    found, inner = {}, passed_on(operator)
    for kernel in operator.parts():
        for name, element, shape, access, _ in kernel.arguments():
            if shape is None or name in found or name in inner:
                continue
            dims = _dims(kernel, problem, shape)
            if access == "w":
                found[name] = torch.empty(dims, device=device, dtype=TYPES[element])
            else:
                found[name] = _data(problem, name, dims, device).to(TYPES[element])
    return found


def between(problem, operator, found):
    """`found` with the buffers that the operator's kernels pass on."""
    device = next(iter(found.values())).device
    inner, all_of = passed_on(operator), dict(found)
    for kernel in operator.parts():
        for name, element, shape, _, _ in kernel.arguments():
            if name in inner:
                all_of[name] = torch.empty(_dims(kernel, problem, shape), device=device, dtype=TYPES[element])
    return all_of


def _data(problem, name, dims, device):
    x = torch.randn(dims, device=device)
    if name == "G":
        return F.logsigmoid(x + 2.0)
    if name == "beta":
        return torch.sigmoid(x)
    if name == "A":
        return -torch.exp(torch.rand(dims, device=device) * 2.0)
    if name == "DT":
        return x - 2.0 if "softplus" in problem.flags else F.softplus(x - 2.0)
    if name in ("Q", "K") and "normalize" in problem.flags or name == "Z0":
        return x.abs()  # as a feature map gives them: sums of weights do not vanish
    if name in ("Q", "K") and problem.kind.endswith("delta") and "l2norm" not in problem.flags:
        return F.normalize(x, dim=-1)
    return x


# --- reference


def reference(problem, found):
    """The results by name in float32, each with the largest error of its elements."""
    torch.backends.cuda.matmul.allow_tf32 = False
    x = {name: tensor.float() for name, tensor in found.items()}
    if problem.kind == "mamba2":
        return _mamba2(problem, x)
    share = problem.heads // problem.key_heads
    q, k, v = x["Q"].repeat_interleave(share, 2), x["K"].repeat_interleave(share, 2), x["V"]
    if "l2norm" in problem.flags:
        q, k = (a * torch.rsqrt((a * a).sum(-1, keepdim=True) + 1e-6) for a in (q, k))
    decay = torch.exp(x["G"]) if "G" in x else torch.ones(v.shape[:3], device=v.device)
    state = x["S0"] if "S0" in x else v.new_zeros(v.shape[0], problem.heads, problem.k, problem.v)
    factor = scale(problem)
    if problem.kind.endswith("delta"):
        o, last = _walk(q, k, v, decay, state, x["beta"])
        return {name: (r, SHARE * _spread(r, dims) + UNIT * r.abs()) for name, r, dims in (("O", factor * o, (1, 3)), ("ST", last, (2, 3)))}
    o, last = _walk(q, k, v, decay, state)
    size, last_size = _walk(q.abs(), k.abs(), v.abs(), decay, state.abs())
    error = 3 * UNIT * size
    if "normalize" not in problem.flags:
        return dict(O=(factor * o, factor * error + UNIT * factor * o.abs() + 1e-6), ST=(last, 2 * UNIT * last_size + 1e-5))
    z = k.double().cumsum(1)
    if "Z0" in x:
        z = z + x["Z0"][:, None].double()
    below = factor * (q * z).sum(-1, keepdim=True).float() + 1e-10
    value = factor * o / below
    found = dict(O=(value, factor * error / below + 4 * UNIT * value.abs()), ST=(last, 2 * UNIT * last_size + 1e-5))
    return found | dict(ZT=(z[:, -1].float(), 2.0**-18 * z[:, -1].float()))


def _spread(result, dims):
    return result.square().mean(dims, keepdim=True).sqrt()


def _walk(q, k, v, decay, state, beta=None):
    """Outputs of all tokens, and the last state; with beta, the delta rule."""
    o = torch.empty_like(v)
    for t in range(v.shape[1]):
        state = state * decay[:, t, :, None, None]
        new, key = v[:, t], k[:, t]
        if beta is not None:
            new = beta[:, t, :, None] * (new - (key[:, :, None, :] @ state)[:, :, 0])
        state = state + key[..., None] * new[..., None, :]
        o[:, t] = (q[:, t, :, None, :] @ state)[:, :, 0]
    return o, state


def _mamba2(problem, x):
    share = problem.heads // problem.key_heads
    b, c = x["B"].repeat_interleave(share, 2), x["C"].repeat_interleave(share, 2)
    dt = F.softplus(x["DT"] + x["bias"]) if "softplus" in problem.flags else x["DT"]
    decay, values = torch.exp(dt * x["A"]), x["X"] * dt[..., None]
    state = x["S0"].mT if "S0" in x else b.new_zeros(problem.batch, problem.heads, problem.k, problem.v)
    y, last = _walk(c, b, values, decay, state)
    size, last_size = _walk(c.abs(), b.abs(), values.abs(), decay, state.abs())
    error = 3 * UNIT * size
    if "skip" in problem.flags:
        y = y + x["D"][:, None] * x["X"]
    if "gate" in problem.flags:
        gate = F.silu(x["Z"])
        y, error = y * gate, error * gate.abs()
    return dict(Y=(y, error + UNIT * y.abs() + 1e-6), ST=(last.mT, (2 * UNIT * last_size + 1e-5).mT))


def poison(found, names):
    for name in names:
        found[name].fill_(float("nan"))


def check(expected, got):
    """None, or what is wrong with results by name."""
    for name, result in got.items():
        value, error = expected[name]
        if result.shape != value.shape:
            result = result.reshape(value.shape)
        distance = (result.float() - value).abs()
        bad = ~(distance <= error)
        count = int(bad.sum())
        if count:
            at = [int(i) for i in bad.nonzero()[0]]
            return f"{name}: {count} of {bad.numel()} wrong, first at {at}: expected {float(value[tuple(at)]):g}, got {float(result[tuple(at)]):g}"
    return None


def used(expected, got):
    """The largest error over its bound, of all results."""
    shares = [((result.reshape(expected[name][0].shape).float() - expected[name][0]).abs() / expected[name][1]).max() for name, result in got.items()]
    return float(max(shares))


# --- peers


def peers(problem, found):
    """Makers of the peers by name; each returns a function that returns results by name."""
    made = {"fla": lambda: _fla(problem, found)}
    if problem.kind == "mamba2":
        made = {"mamba": lambda: _mamba(problem, found), "gla": lambda: _gla_of_mamba(problem, found)}
    return made


def _named(problem, function, o="O"):
    """Results by name of a function that returns the outputs and the last state."""

    def run():
        out, last = function()
        found = {o: out}
        if "final" in problem.flags:
            found["ST"] = last[0] if isinstance(last, tuple) else last
        return found

    return run


def _fla(problem, found):
    q, k, v = found["Q"], found["K"], found["V"]
    more = dict(scale=scale(problem), output_final_state="final" in problem.flags)
    if problem.kind == "linear":
        from fla.ops.linear_attn import chunk_linear_attn

        normalize = "normalize" in problem.flags
        if "S0" in found:
            more["initial_state"] = (found["S0"], found["Z0"][:, None]) if normalize else found["S0"]
        return _named(problem, lambda: chunk_linear_attn(q, k, v, normalize=normalize, **more))
    if "S0" in found:
        more["initial_state"] = found["S0"]
    if problem.kind == "gla":
        from fla.ops.simple_gla import chunk_simple_gla

        return _named(problem, lambda: chunk_simple_gla(q, k, v, g=found["G"], **more))
    more["use_qk_l2norm_in_kernel"] = "l2norm" in problem.flags
    if problem.kind == "delta":
        from fla.ops.delta_rule import chunk_delta_rule

        return _named(problem, lambda: chunk_delta_rule(q, k, v, found["beta"], **more))
    from fla.ops.gated_delta_rule import chunk_gated_delta_rule

    return _named(problem, lambda: chunk_gated_delta_rule(q, k, v, found["G"], found["beta"], **more))


def _mamba(problem, found):
    from mamba_ssm.ops.triton.ssd_combined import mamba_chunk_scan_combined

    more = dict(chunk_size=256, initial_states=found.get("S0"), D=found.get("D"), z=found.get("Z"), dt_bias=found.get("bias"))
    more["dt_softplus"], final = "softplus" in problem.flags, "final" in problem.flags

    def function():
        result = mamba_chunk_scan_combined(found["X"], found["DT"], found["A"], found["B"], found["C"], return_final_states=final, **more)
        return result if final else (result, None)

    return _named(problem, function, "Y")


def _gla_of_mamba(problem, found):
    """chunk_simple_gla does not know D, z and softplus: what it computes is compared where these are off only."""
    from fla.ops.simple_gla import chunk_simple_gla

    share = problem.heads // problem.key_heads
    q, k = (found[name].repeat_interleave(share, 2) for name in ("C", "B"))
    dt = F.softplus(found["DT"] + found["bias"]) if "softplus" in problem.flags else found["DT"]
    v, g = (found["X"] * dt[..., None]).to(found["X"].dtype), dt * found["A"]
    run = lambda: chunk_simple_gla(q, k, v, g=g, scale=1.0, output_final_state="final" in problem.flags)
    plain = not {"skip", "gate"} & set(problem.flags)

    def named():
        out, last = run()
        return dict(Y=out) | (dict(ST=last.mT) if "final" in problem.flags else {}) if plain else {}

    return named
