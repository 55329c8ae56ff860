# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled kernel as text and files: PTX, tile IR, manifest, artifact."""

from mlir_tile.language.errors import LanguageError

from .targets import architecture_of


class Sources:
    """What a `JITKernel` became, to read and to export."""

    @property
    def ptx(self):
        return self.get_kernel_source()

    def get_kernel_source(self, kernel_only=True):
        """The PTX of the kernel; of a kernel for the CPU that of sm_90a."""
        parts = []
        for module, executable in zip(self.prim_func.modules, self.executables):
            text = (
                None
                if self.target.startswith(("cpu", "lowered"))
                else getattr(executable, "ptx", None)
            )
            parts.append(text if text is not None else self._translate(module, "ptx"))
        return "\n".join(x if isinstance(x, str) else bytes(x).decode() for x in parts)

    def _translate(self, module, output):
        from mlir_tile._mlir_libs import _tile

        made, diagnostics = _tile.compile(module, arch=architecture_of(self.target), output=output)
        if made is None:
            raise LanguageError(str(diagnostics))
        return made

    def show_source(self, which="kernel"):
        print(self.get_kernel_source() if which != "host" else self.get_host_source())

    def print_source_code(self, which="kernel", file=None):
        """Prints the kernel's PTX, or (`which` is "host") its manifest, to `file`."""
        print(self.get_kernel_source() if which != "host" else self.get_host_source(), file=file)

    def show_ptx(self):
        """Prints the PTX."""
        print(self.get_kernel_source())

    def export_ptx(self, path):
        with open(path, "w") as file:
            file.write(self.get_kernel_source())

    def get_ir(self):
        """The tile IR that the kernel was compiled from."""
        return self.prim_func.script()

    def get_host_source(self):
        """How the kernel is launched: there is no host code, but a manifest in the artifact."""
        import json

        parts = []
        for x in self.executables:
            manifest = getattr(x, "manifest", None)
            parts.append(
                manifest
                if isinstance(manifest, str)
                else json.dumps(manifest, indent=2, default=str)
            )
        return "\n".join(parts)

    def export_library(self, path):
        """Writes the artifact (code and manifest), which tile_runtime and tile-run load; of several
        kernels one each."""
        for i, x in enumerate(self.executables):
            data = getattr(x, "artifact", None)
            if data is None:
                data = self._translate(self.prim_func.modules[i], "artifact")
            place = str(path) if i == 0 else f"{path}.{i}"
            with open(place, "wb") as file:
                file.write(bytes(data))

    export_sources = export_library

    def get_exportable_executable(self):
        """The kernel as a module that can be written to a file: `.export_library(path)`,
        `.jit()`."""
        return Exportable(self)

    @property
    def kernel_source(self):
        return self.get_kernel_source()

    @property
    def host_source(self):
        return self.get_host_source()


class Exportable:
    """A compiled kernel as TVM's users export one: its functions by name, its artifact in a
    file."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.export_library = kernel.export_library

    def jit(self, **_):
        """The module itself: it is compiled already."""
        return self

    def get_function(self, name, query_imports=False):
        """The kernel, by its name."""
        if name != self.kernel.name:
            raise AttributeError(f"the module has no function {name}, only {self.kernel.name}")
        return self.kernel

    __getitem__ = get_function
