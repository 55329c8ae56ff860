#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what documents say about the repository. usage: check_docs.py ROOT

  order   docs/Architecture.md lists the passes in the order of lib/Pipelines/Pipelines.cpp, Passes.td declares them in it, and
          what a description says that a pass needs comes before
  links   relative links of documents lead to files, and links to headings to headings
  inside  no tracked file refers to something outside of the repository, or to who worked on it when
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1]).resolve()
OUTSIDE = re.compile(r"\bshared/(?:reference|peers|kernels|python|review|audit|style|toolchain|design|bugs)\b|\bdesign\.md\b|\bissue \d|/work/(?:main|shared|wt)\b")
GENERATED_NAMES = {"createCanonicalizerPass": "canonicalize", "createCSEPass": "cse"}
TRANSFORMS = "include/tile/Dialect/Tile/Transforms/Passes.td"


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def tracked():
    listing = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True, check=False)
    if listing.returncode == 0 and listing.stdout:
        return listing.stdout.split("\0")[:-1]
    return [str(p.relative_to(ROOT)) for p in ROOT.rglob("*") if p.is_file() and "build" not in p.parts]


def passes(name):
    """A Passes.td with the files of its folder that it includes."""
    folder = name.rpartition("/")[0].removeprefix("include/")
    return re.sub(rf'^include "({re.escape(folder)}/\w+\.td)"$', lambda found: read("include/" + found[1]), read(name), flags=re.M)


def declared(name):
    """Pairs of the name of a pass and its flag, in the order of a Passes.td."""
    return re.findall(r'^def (\w+)Pass\s*:\s*Pass<"([\w-]+)"', passes(name), re.M)


def order():
    flags = dict(declared(TRANSFORMS) + declared("include/tile/Conversion/Passes.td") + declared("include/tile/Pipelines/Passes.td") + declared("include/tile/Target/Passes.td"))
    calls = re.findall(r"\b(create\w+Pass)\(", read("lib/Pipelines/Pipelines.cpp"))
    run = [GENERATED_NAMES.get(call) or flags[call.removeprefix("create").removesuffix("Pass")] for call in calls]
    page = read("docs/Architecture.md")
    listed = re.findall(r"^\| `--([\w-]+)` \|", page, re.M)
    wrong = [] if listed == run else [f"docs/Architecture.md lists {listed}, lib/Pipelines/Pipelines.cpp runs {run}"]
    here = [flag for _, flag in declared(TRANSFORMS)]
    wanted = [flag for flag in run if flag in here]
    if [flag for flag in here if flag in run] != wanted:
        wrong.append(f"{TRANSFORMS} declares {here}, lib/Pipelines/Pipelines.cpp runs {wanted}")
    for part in re.split(r"^def ", passes(TRANSFORMS), flags=re.M)[1:]:
        flag = re.search(r'Pass<"([\w-]+)"', part)
        needs = re.search(r"Needs: (.*?)\.\n", part, re.S)
        if not flag or not needs:
            wrong.append(f"{TRANSFORMS}: {part.split(':')[0].strip()}: expected 'Needs:' in the description, got none")
            continue
        for need in re.findall(r"`--([\w-]+)`", needs[1].split("to stand before")[0]):
            if need not in run or (flag[1] in run and run.index(need) >= run.index(flag[1])):
                wrong.append(f"{TRANSFORMS}: --{flag[1]} needs --{need}, which does not run before it")
    return len(run), wrong


def heading(text):
    """The anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def links():
    count, wrong = 0, []
    for name in tracked():
        if not name.endswith(".md"):
            continue
        text = re.sub(r"^```.*?^```", "", read(name), flags=re.S | re.M)
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text)):
            if re.match(r"\w+:", target):
                continue
            count += 1
            path, _, anchor = target.partition("#")
            file = (ROOT / name).parent / path if path else ROOT / name
            if not file.exists():
                wrong.append(f"{name}: no file {target}")
            elif anchor and file.suffix == ".md":
                headings = {heading(h) for h in re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.M)}
                if anchor not in headings:
                    wrong.append(f"{name}: no heading {target}")
    return count, wrong


def inside():
    count, wrong = 0, []
    for name in tracked():
        path = ROOT / name
        if name == "scripts/check_docs.py" or path.suffix in (".bin", ".png", ".npz") or not path.is_file():
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        count += 1
        for number, line in enumerate(text.splitlines(), 1):
            if found := OUTSIDE.search(line):
                wrong.append(f"{name}:{number}: refers to {found[0]!r}, which is not in the repository")
    return count, wrong


def main():
    failed = 0
    for what, check in (("passes in order", order), ("links", links), ("files that refer to nothing outside", inside)):
        count, wrong = check()
        failed += len(wrong)
        print("\n".join(wrong) if wrong else f"{count} {what}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
