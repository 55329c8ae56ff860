# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TileLang's top-level names and where this package has them: read by `mlir_tile.__getattr__`, so
that `import mlir_tile as tilelang` works, and by `mlir_tile.compat`. Nothing is imported before a
name is used."""

# name -> "module:attribute", or "module" for a module itself.
NAMES = {
    # Compiling.
    "jit": "mlir_tile.jit:jit",
    "compile": "mlir_tile.jit:compile",
    "par_compile": "mlir_tile.autotuner:par_compile",
    "JITKernel": "mlir_tile.jit:JITKernel",
    "lower": "mlir_tile.compat.engine:lower",
    "PassConfigKey": "mlir_tile.compat.passes:PassConfigKey",
    # Measuring and tuning.
    "Profiler": "mlir_tile.profiler:Profiler",
    "TensorSupplyType": "mlir_tile.profiler.supply:TensorSupplyType",
    "autotune": "mlir_tile.autotuner:autotune",
    "AutoTuner": "mlir_tile.autotuner:AutoTuner",
    "set_autotune_inputs": "mlir_tile.autotuner:set_autotune_inputs",
    # Layouts and types.
    "Layout": "mlir_tile.language:Layout",
    "Fragment": "mlir_tile.language:Fragment",
    "DataType": "mlir_tile.compat.tvm:DataType",
    "dtypes": "mlir_tile.language.dtypes",
    # Switches.
    "torch_op": "mlir_tile.tensors:torch_op",
    "env": "mlir_tile.compat.env:env",
    "enable_cache": "mlir_tile.compat.env:enable_cache",
    "disable_cache": "mlir_tile.compat.env:disable_cache",
    "is_cache_enabled": "mlir_tile.compat.env:is_cache_enabled",
    "set_log_level": "mlir_tile.compat.env:set_log_level",
    "logger": "mlir_tile.compat.env:logger",
    # Arithmetic and small things.
    "cdiv": "mlir_tile.compat.arithmetic:cdiv",
    "next_power_of_2": "mlir_tile.compat.arithmetic:next_power_of_2",
    "deprecated": "mlir_tile.compat.env:deprecated",
    "build_date": "mlir_tile.compat.env:build_date",
    # Errors.
    "Error": "mlir_tile.errors:Error",
    "CompileError": "mlir_tile.errors:CompileError",
    "ArgumentError": "mlir_tile.errors:ArgumentError",
    "LaunchError": "mlir_tile.errors:LaunchError",
    # MLIR's own bindings, and what this package has beside TileLang's names.
    "ir": "mlir_tile.ir",
    "passmanager": "mlir_tile.passmanager",
    "rewrite": "mlir_tile.rewrite",
    "dialects": "mlir_tile.dialects",
    "execution": "mlir_tile.execution",
    "explain": "mlir_tile.explain",
    # Modules.
    "language": "mlir_tile.language",
    "testing": "mlir_tile.testing",
    "profiler": "mlir_tile.profiler",
    "autotuner": "mlir_tile.autotuner",
    "utils": "mlir_tile.compat.utils",
    "layout": "mlir_tile.layout",
    "math": "mlir_tile.compat.arithmetic",
    "transform": "mlir_tile.compat.passes",
    "engine": "mlir_tile.compat.engine",
    "cuda": "mlir_tile.compat.dialects",
    "cpu": "mlir_tile.compat.dialects",
    "tools": "mlir_tile.compat.tools",
    "cache": "mlir_tile.cache",
    "tvm": "mlir_tile.compat.tvm",
}
