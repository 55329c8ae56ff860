# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nested.py N KIND: tile IR with N regions (`if`, `pipelined`, `module`) or N brackets of an
attribute (`attribute`) or a type (`type`) one in another, N aliases that name each other
(`aliases`, `type-aliases`), or N signs in front of an expression (`signs`)."""

import sys

KERNEL = """tile.kernel @k(%c: i1, %n: index) grid(%b) = (1) threads(32) {"""

count, kind = int(sys.argv[1]), sys.argv[2]
if kind == "attribute":
    print("module attributes {my.list = " + "[" * count + "]" * count + "} {}")
elif kind == "type":
    print("func.func private @f(" + "tuple<" * count + "i1" + ">" * count + ")")
elif kind == "aliases":
    print("#a0 = [1]")
    print("\n".join(f"#a{i} = [#a{i - 1}]" for i in range(1, count)))
    print(f"module attributes {{my.list = #a{count - 1}}} {{}}")
elif kind == "type-aliases":
    print("!t0 = tuple<i1>")
    print("\n".join(f"!t{i} = tuple<!t{i - 1}>" for i in range(1, count)))
    print(f"func.func private @f(!t{count - 1})")
elif kind == "signs":
    print("module attributes {my.map = affine_map<(d0) -> (" + "-" * count + "d0)>} {}")
elif kind == "module":
    print("module {\n" * count + "}\n" * count)
else:
    head = {
        "if": "scf.if %c {",
        "pipelined": "tile.pipelined %i{} = %n to %n step %n stages(2) {{",
    }[kind]
    print(KERNEL)
    print("\n".join(head.format(i) if kind == "pipelined" else head for i in range(count)))
    print("}\n" * (count + 1))
