# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads artifacts (docs/Artifact.md) without a GPU: the container, the manifest, its expressions.

`describe_call` says what a launch with given shapes would do, or why it would be refused, so that a packed set can be
tried before it travels to a GPU.
"""

import json
import struct

MAGIC = b"\x8fTILE\r\n\x1a"
MAX_SHARED = 227 << 10  # of a block on sm_90


def read_manifest(data):
    """The manifest of an artifact's bytes; the container's header and checksum are checked."""
    if data[:8] != MAGIC:
        raise ValueError("expected an artifact, got other bytes")
    version, flags, size, checksum, offset, length, blobs = struct.unpack_from("<IIQQQQI", data, 8)
    if size != len(data):
        raise ValueError(f"expected {size} bytes, got {len(data)}")
    if fnv1a(data[:24] + data[32:]) != checksum:
        raise ValueError("expected the checksum of the header, got damaged bytes")
    return json.loads(data[offset : offset + length])


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def evaluate(e, shapes, strides, scalars):
    """A manifest expression [M13]; shapes, strides and scalars are indexed by argument."""
    if isinstance(e, int):
        return e
    kind = e[0]
    if kind == "dim":
        return shapes[e[1]][e[2]]
    if kind == "stride":
        return strides[e[1]][e[2]]
    if kind == "scalar":
        return scalars[e[1]]
    if kind not in BINARY:
        return OTHER[kind](e, shapes, strides, scalars)
    a = evaluate(e[1], shapes, strides, scalars)
    if kind == "and" and not a:
        return 0
    if kind == "or" and a:
        return 1
    return BINARY[kind](a, evaluate(e[2], shapes, strides, scalars))


BINARY = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "floordiv": lambda a, b: a // b,
    "ceildiv": lambda a, b: -(-a // b),
    "mod": lambda a, b: a % b,
    "min": min,
    "max": max,
    "eq": lambda a, b: int(a == b),
    "ne": lambda a, b: int(a != b),
    "lt": lambda a, b: int(a < b),
    "le": lambda a, b: int(a <= b),
    "gt": lambda a, b: int(a > b),
    "ge": lambda a, b: int(a >= b),
    "and": lambda a, b: int(bool(b)),
    "or": lambda a, b: int(bool(b)),
}
# Facts of the device, which later manifests may ask for: an H200's.
OTHER = {}


def dense_strides(shape):
    strides, step = [], 1
    for extent in reversed(shape):
        strides.insert(0, step)
        step *= extent
    return strides


def describe_call(kernel, args):
    """What a launch of a manifest's kernel would do. args: (name, type, shape or None, strides, scalar value).

    Returns a dict of grid, threads, shared bytes, tensor maps and the version taken; raises ValueError with what is
    wrong. Alignments are taken to hold.
    """
    check_arguments(kernel, args)
    for number, version in enumerate(kernel.get("versions", [])):
        try:
            return dict(describe_version(version, args), version=number + 1)
        except ValueError:
            continue
    return dict(describe_version(kernel, args), version=0)


def check_arguments(kernel, args):
    if len(kernel["args"]) != len(args):
        raise ValueError(f"expected {len(kernel['args'])} arguments, got {len(args)}")
    for expected, (name, element, shape, strides, _) in zip(kernel["args"], args):
        if expected["name"] != name or expected["kind"] != ("scalar" if shape is None else "memref"):
            raise ValueError(f"expected argument {expected['name']} ({expected['kind']}), got {name}")
        if expected["type"] != element and not (expected["type"] == "tf32" and element == "f32"):
            raise ValueError(f"{name}: expected {expected['type']}, got {element}")
        if shape is None:
            continue
        # Strides of extents of 0 and 1 mean nothing.
        for kind, wanted, given in (("extents", expected["shape"], shape), ("strides", expected["strides"], strides)):
            wrong = len(wanted) != len(given) or any(
                w is not None and w != g and not (kind == "strides" and e <= 1) for w, g, e in zip(wanted, given, shape)
            )
            if wrong:
                raise ValueError(f"{name}: expected {kind} {wanted}, got {list(given)}")


def describe_version(kernel, args):
    """The launch of one version of a kernel, or ValueError."""
    env = [a[2] for a in args], [a[3] for a in args], [a[4] for a in args]
    for assumption in kernel["assumptions"]:
        if not evaluate(assumption["expr"], *env):
            raise ValueError(assumption["message"])
    grid = [evaluate(e, *env) for e in kernel["grid"]]
    if kernel["shared_bytes"] > MAX_SHARED:
        raise ValueError(f"expected at most {MAX_SHARED} bytes of shared memory, got {kernel['shared_bytes']}")
    persistent = kernel.get("persistent", 0)
    if not persistent and any(extent % c for extent, c in zip(grid, kernel["cluster"])):
        raise ValueError(f"expected a grid of whole clusters {kernel['cluster']}, got {grid}")
    maps = []
    for m in kernel["tensor_maps"]:
        extents = [evaluate(e, *env) for e in m["dims"]]
        steps = [evaluate(e, *env) for e in m["strides"]]
        for extent, step in zip(extents[1:], steps):
            if extent > 1 and all(extents) and (step % 16 or not 0 <= step < 1 << 40):
                name = args[m["arg"]][0]
                raise ValueError(f"tensor map of {name}: expected strides of multiples of 16 bytes, got {steps}")
        maps.append(dict(extents=extents, strides=steps, box=m["box"], swizzle=m["swizzle"]))
    return dict(
        grid=grid, threads=kernel["threads"], shared=kernel["shared_bytes"], maps=maps, persistent=persistent
    )
