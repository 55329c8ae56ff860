#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the rules of remarks over the examples and the gallery, for three architectures, and over the sources.

    remarks_rules.py TILE_TRANSLATE

- Nothing is said at an unknown place.
- Of one operation there is one remark; later ones are its notes, and nothing is said twice.
- A count agrees with its noun: `1 copy`, `2 copies`.
- A remark of what is not done (missedAt in Transforms/Remarks.h) ends with what an author can write.
- What stands in backticks in the text of a remark is in the language, or an option of the tools.

Prints each violation; the last line counts. The exit status is zero where there is none.
"""

import collections
import concurrent.futures
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
ARCHS = ("sm_80", "sm_90a", "sm_100a")
SAID = re.compile(r"^(\S+:\d+:\d+|<unknown>:\d+): (remark|note): (.*)$")
# A number, and a word that may be the noun it counts: not in `m = 64, n`, `2x1` or `0 to 1 iterations`.
COUNT = re.compile(r"(?<![\w.=-])(?<!= )(?<!\d, )(?<! to )(\d+) ([a-z]+)\b")
VERBS = {"is", "has", "stays", "runs", "holds", "spills", "needs"}
# Parts of a text in C++: literals next to each other are one.
JOINED = re.compile(r'"\s*\n\s*"')
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
MISSED = re.compile(r'missedAt\(\s*remarks,[^";]*?"([^"]+)"(?: *: *"([^"]+)")?')


def sources():
    for folder in ("lib/Dialect/Tile/Transforms", "lib/Conversion", "lib/Analysis", "lib/Pipelines"):
        for file in sorted((ROOT / folder).rglob("*.cpp")):
            yield file, JOINED.sub("", file.read_text())
    for file in (ROOT / "include/tile/Analysis").glob("*.h"):
        yield file, JOINED.sub("", file.read_text())


def remarks_of(text):
    """Each remark: its place, and what is said, the remark itself first: pairs of a place and a text."""
    remarks = []
    for line in text.splitlines():
        found = SAID.match(line)
        if found and found[2] == "remark":
            remarks.append((found[1], [(found[1], found[3])]))
        elif found and remarks:
            remarks[-1][1].append((found[1], found[3]))
    return remarks


def compile_case(case):
    tool, file, arch = case
    command = [tool, str(file), "--tile-to-ptx", f"--arch={arch}", "--remarks", "-o", "/dev/null"]
    return subprocess.run(command, capture_output=True, text=True).stderr


def check_counts(texts):
    """Counts that do not agree with their nouns. Which words are nouns in the singular follows from the others."""
    counts = collections.defaultdict(set)
    for text in texts:
        for number, word in COUNT.findall(re.sub(r"#tile\.\w+<.*?>:|`[^`]*`|'[^']*'", "", text)):
            counts[word].add(number)
    for word, numbers in sorted(counts.items()):
        if "1" in numbers and word.endswith("s") and word not in VERBS:
            yield f"expected a singular: '1 {word}'"
        plurals = {word + "s", re.sub("y$", "ie", word) + "s"} & set(counts)
        for number in sorted(numbers - {"1"}):
            if plurals:
                yield f"expected a plural: '{number} {word}'"


def check_words(files):
    """What is named in backticks, and is neither in the reference of the dialect nor an option."""
    places = ("docs/Dialects/Tile.md", "docs/Passes.md", "docs/GettingStarted.md", "tools/tile-translate/tile-translate.cpp")
    known = "".join((ROOT / place).read_text() for place in places)
    for file, text in files:
        if "Reason" not in text and "Remark" not in text and "missedAt" not in text:
            continue
        for literal in LITERAL.findall(text):
            for quoted in re.findall(r"`([^`]+)`", literal):
                for word in re.findall(r"[a-z][a-z_-]+[a-z]", quoted):
                    if not re.search(rf"\b{re.escape(word)}\b", known):
                        yield f"{file.relative_to(ROOT)}: `{quoted}`: '{word}' is neither in the reference nor an option"


def main():
    tool = sys.argv[1]
    files = list(sources())
    missed = {head for _, text in files for heads in MISSED.findall(text) for head in heads if head}
    missed |= {"warps not specialized", "not multiplied in pairs of blocks", "not proved"}
    faults = list(check_words(files))
    if len(missed) < 12:
        faults.append(f"expected the decisions of a dozen passes, found {sorted(missed)}")
    for file, text in files:
        for literal in re.findall(r'remarkAt\([^;"]*<<\s*"([^"]*)', text):
            if re.match(r"not |no ", literal):
                faults.append(f"{file.relative_to(ROOT)}: expected missedAt for '{literal}', which asks what to write")
    folders = [ROOT / "examples", ROOT / "examples" / "gallery"]
    cases = [(tool, file, arch) for folder in folders for file in sorted(folder.glob("*.mlir")) for arch in ARCHS]
    texts = []
    seen = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for (_, file, arch), output in zip(cases, pool.map(compile_case, cases)):
            name = f"{file.name} for {arch}"
            remarks = remarks_of(output)
            if not remarks:
                faults.append(f"{name}: expected remarks, found none")
            if "<unknown>" in output:
                faults.append(f"{name}: something is said at an unknown place")
            for place, times in collections.Counter(place for place, _ in remarks).items():
                if times > 1:
                    faults.append(f"{name}: {times} remarks at {place}")
            for place, said in remarks:
                texts += [text for _, text in said]
                # A note of a note may say the same of two operations at one place.
                for text in {text for where, text in said if where == place and ": " in text}:
                    if sum(other == (place, text) for other in said) > 1:
                        faults.append(f"{name}: {place} says twice: {text}")
                for _, text in said:
                    plain = re.sub(r"^in '\w+': ", "", text)
                    for head in missed:
                        # The program's numbers stand before and behind what the source says.
                        if re.match(rf"(\d+ ?)?{re.escape(head)}[^:;]*: ", plain):
                            seen[head] += 1
                            if not re.search(r"; \S.*\w", plain):
                                faults.append(f"{name}: {place} says nothing to write: {text}")
    faults += check_counts(texts)
    if len(seen) < 8:
        faults.append(f"expected examples of eight decisions against something, found {sorted(seen)}")
    for fault in faults:
        print(fault)
    print(f"{len(cases)} compilations, {len(texts)} texts, {sum(seen.values())} with advice, {len(faults)} violations")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
