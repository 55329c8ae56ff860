#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Feeds mutated artifacts to tile-run: none may crash, hang or fail silently.

Each mutant is a compiled kernel with numbers and words of its manifest, bytes of its code
or bytes of the file changed, drawn from a fixed seed. The container is mostly made whole
again, so that a change reaches what lies behind sizes and checksum. tile-run loads mutants
into a CUDA driver without a device (the one of its own tests), binds arguments, and
launches kernels that do nothing. Prints a summary, and the mutants that broke something
with the commands that show it.
"""

import concurrent.futures
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import mutate

# Kernels whose manifests say different things: versions for aligned arguments, scalars,
# tensor maps, clusters, what was chosen.
KERNELS = [
    ("test/tools/tile-run/Inputs/twice.mlir", "sm_80", "A=100,C=3x100"),
    ("examples/scale.mlir", "sm_80", "X=64x64,Y=64x64,s=2"),
    ("examples/softmax.mlir", "sm_90", ""),
    ("examples/gather_gemm.mlir", "sm_90", ""),
    ("examples/gemm_hopper.mlir", "sm_90a", ""),
    ("examples/gemm_tunable.mlir", "sm_90a", ""),
]
WORD = re.compile(rb'"[^"]*"|-?\d+|[\[\]{}:,]|true|false|null')
HEADER = 64


def checksum(data: bytes) -> int:
    """FNV-1a over all bytes but its own eight."""
    value = 0xCBF29CE484222325
    for byte in data[:24] + data[32:]:
        value = (value ^ byte) * 0x100000001B3 & (1 << 64) - 1
    return value


def sign(data: bytes) -> bytes:
    """The file with its size and checksum stated as they are."""
    data = data[:16] + len(data).to_bytes(8, "little") + data[24:]
    return data[:24] + checksum(data).to_bytes(8, "little") + data[32:]


def unpack(data: bytes) -> tuple[bytes, list[bytes]]:
    """The manifest and the blobs of an artifact (docs/Artifact.md, "Container")."""

    def number(at):
        return int.from_bytes(data[at : at + 8], "little")

    def part(at):
        return data[number(at) : number(at) + number(at + 8)]

    count = int.from_bytes(data[48:52], "little")
    return part(32), [part(HEADER + 16 * i) for i in range(count)]


def pack(original: bytes, manifest: bytes, blobs: list[bytes]) -> bytes:
    start = HEADER + 16 * len(blobs)
    header = original[:32] + start.to_bytes(8, "little") + len(manifest).to_bytes(8, "little")
    table, body = b"", manifest
    for blob in blobs:
        body += bytes(-(start + len(body)) % 64)
        table += (start + len(body)).to_bytes(8, "little") + len(blob).to_bytes(8, "little")
        body += blob
    return sign(header + original[48:HEADER] + table + body)


def mutate_manifest(manifest: bytes, rng: random.Random) -> bytes:
    """Numbers become extreme ones, words other words of the manifest."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        words = list(WORD.finditer(manifest))
        word = rng.choice(words)
        if word[0].lstrip(b"-").isdigit() and rng.randrange(4):
            other = rng.choice(mutate.NUMBERS).encode()
        else:
            other = rng.choice((rng.choice(words)[0], rng.choice(words)[0], b""))
        manifest = manifest[: word.start()] + other + manifest[word.end() :]
    return manifest


def mutate_bytes(data: bytes, rng: random.Random) -> bytes:
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 3))):
        # What has to be believed lies in front: headers and tables.
        at = rng.randrange(min(len(data), rng.choice((HEADER, 1024, len(data)))))
        kind = rng.randrange(5)
        if kind == 0:
            data[at] = rng.choice((0, 1, 0x7F, 0xFF, rng.randrange(256)))
        elif kind == 1:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 2:
            data[at : at + 8] = b"\xff" * len(data[at : at + 8])
        elif kind == 3:
            del data[at : at + rng.randint(1, 8)]
        else:
            data[at:at] = data[at : at + rng.randint(1, 32)]
        if not data:
            return b"\0"
    return bytes(data)


def mutant(original: bytes, rng: random.Random) -> bytes:
    manifest, blobs = unpack(original)
    kind = rng.randrange(6)
    if kind < 3:
        return pack(original, mutate_manifest(manifest, rng), blobs)
    if kind == 3:
        at = rng.randrange(len(blobs))
        blobs[at] = mutate_bytes(blobs[at], rng)
        return pack(original, manifest, blobs)
    if kind == 4:
        return sign(mutate_bytes(original, rng))
    return mutate_bytes(original, rng)


def compile_driver(root: pathlib.Path, arch: str, folder: pathlib.Path) -> pathlib.Path:
    """The folder of a driver for the device that an architecture is of."""
    capability = int(re.match(r"sm_(\d+)", arch)[1])
    found = folder / str(capability)
    if not found.exists():
        found.mkdir()
        source = root / "test/tools/tile-run/Inputs/fake-cuda.c"
        subprocess.run(
            ["cc", "-shared", "-fPIC", "-w", "-DIDLE", f"-DCAPABILITY={capability}", source,
             "-o", found / "libcuda.so.1"], check=True,
        )  # fmt: skip
    return found


def originals(arguments, folder: pathlib.Path) -> list[tuple[bytes, list[str]]]:
    """Bytes of each artifact, and the command that runs it."""
    made = []
    for name, arch, values in KERNELS:
        path = folder / f"{pathlib.Path(name).stem}.tile"
        subprocess.run(
            [arguments.bin / "tile-translate", arguments.root / name, "--tile-to-artifact",
             f"--arch={arch}", "-o", path], check=True,
        )  # fmt: skip
        data = path.read_bytes()
        manifest, _ = unpack(data)
        json.loads(manifest)  # what is mutated is what was meant
        assert pack(data, manifest, unpack(data)[1]) == data
        command = ["env", f"LD_LIBRARY_PATH={compile_driver(arguments.root, arch, folder)}",
                   str(arguments.bin / "tile-run"), "--target=cuda"]  # fmt: skip
        sizes = [f"--args={values}"] if values else shapes(arguments.root / name)
        made.append((data, command + sizes))
    return made


def shapes(path: pathlib.Path) -> list[str]:
    """--args of the sizes that a kernel's arguments hint at, at most 256 a dimension."""
    hints = re.findall(r"%(\w+): [^{}%]*\{[^{}]*tile\.shape_hint = array<i64: ([\d, ]+)>",
                       path.read_text())  # fmt: skip
    sizes = [(name, [min(256, int(n)) for n in dims.split(",")]) for name, dims in hints]
    return ["--args=" + ",".join(f"{name}={'x'.join(map(str, dims))}" for name, dims in sizes)]


def main() -> int:
    arguments = mutate.options(__doc__.splitlines()[0])
    rng = random.Random(arguments.seed)
    runner = mutate.Runner(arguments.timeout, arguments.keep, arguments.memory, ".tile")
    with tempfile.TemporaryDirectory() as temporary:
        made = originals(arguments, pathlib.Path(temporary))
        for data, command in made:
            runner.single(command, data)
        if runner.broken or runner.refused:
            sys.exit("an artifact that is whole does not run: " + " ".join(runner.broken))
        runner.accepted = 0
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            work = []
            for _ in range(arguments.count):
                data, command = rng.choice(made)
                work.append(pool.submit(runner.single, command, mutant(data, rng)))
            for item in work:
                item.result()
    print(f"{arguments.count} mutants of {len(made)} artifacts through tile-run "
          f"({runner.accepted} ran, {runner.refused} refused): "
          f"{len(runner.broken)} crashes, hangs or silent failures")  # fmt: skip
    for line in runner.broken:
        print(line)
    return 1 if runner.broken else 0


if __name__ == "__main__":
    sys.exit(main())
