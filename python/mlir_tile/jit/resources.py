# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a compiled kernel takes of a GPU, and its machine code as text."""

import pathlib
import shutil
import subprocess
import tempfile
from typing import Any

from mlir_tile.errors import Error

__all__ = ["Resources"]


class Resources:
    """Registers, spills and machine code of a `JITKernel`; no GPU is needed."""

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, _: Any) -> Any:
        """A kernel does not change: a copy of an object that holds it holds it, too."""
        return self

    def __reduce__(self) -> Any:
        raise TypeError(
            f"the kernel {getattr(self, 'name', '?')} cannot be pickled: it holds machine code that"
            " is loaded in this process; pickle the function that makes it, which finds it in the"
            " cache"
        )

    @property
    def resource_usage(self) -> dict[str, Any]:
        """By the name of each kernel: `registers`, `spill_bytes`, `threads`, and what
        `explain()` knows besides. Registers are None where there is no assembler."""
        found = getattr(self, "_resource_usage", None)
        if found is None:
            found = self._resource_usage = {one.name: one for one in self.explain().kernels}
        return found

    def _first(self) -> Any:
        return next(iter(self.resource_usage.values()))

    @property
    def n_regs(self) -> int | None:
        """Registers of a thread."""
        return self._first().registers

    @property
    def n_spills(self) -> int:
        """Bytes that a thread spills."""
        return self._first().spill_bytes

    @property
    def n_max_threads(self) -> int:
        """Threads that a block is launched with."""
        return self._first().threads

    def _get_sass(self, verbose: bool | None = None) -> str:
        tool = shutil.which("nvdisasm") or shutil.which("/usr/local/cuda/bin/nvdisasm")
        if tool is None:
            raise Error("showing machine code needs CUDA's nvdisasm on PATH")
        parts = []
        with tempfile.TemporaryDirectory() as folder:
            for module in self.prim_func.modules:
                file = pathlib.Path(folder, "kernel.cubin")
                file.write_bytes(self._translate(module, "cubin"))
                done = subprocess.run([tool, str(file)], capture_output=True, text=True)
                if done.returncode:
                    raise Error(f"{tool}: {done.stderr.strip()}")
                parts.append(done.stdout)
        return "\n".join(parts)

    def show_sass(self) -> None:
        """Prints the machine code, disassembled by CUDA's nvdisasm."""
        print(self._get_sass())

    def export_sass(self, path: str) -> None:
        """Writes what `show_sass` prints."""
        pathlib.Path(path).write_text(self._get_sass(), encoding="utf-8")
