#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes documents with one sentence a line, so that a changed word is a changed sentence in a diff.

usage: reflow_docs.py [--check] FILE...

Paragraphs and items of lists are joined and split where a sentence ends, outside of parentheses and `code`. Headings,
tables, blocks of code, comments and indented text stay as they are. No word changes. --check lists the files that are
not written so.
"""

import argparse
import pathlib
import re
import sys

ITEM = re.compile(r"(\s*)([-*+]|\d+\.) +")
# What ends in a period and no sentence.
SHORT = re.compile(r"(?:\b(?:e\.g|i\.e|cf|vs|etc|No|Fig|resp|approx)|\b[A-Z])\.$")
CLOSING = "\"')*_”"


def sentences(text):
    """The sentences of a paragraph without line ends."""
    found, start, depth, code = [], 0, 0, ""
    i = 0
    while i < len(text):
        ticks = re.match(r"`+", text[i:])
        if ticks:
            code = "" if code == ticks[0] else code or ticks[0]
            i += len(ticks[0])
            continue
        c = text[i]
        if not code:
            depth += (c in "([") - (c in ")]" and depth > 0)
            if c in ".!?" and depth == 0:
                end = i + 1
                while end < len(text) and text[end] in CLOSING:
                    end += 1
                follows = text[end + 1 :]
                if text[end : end + 1] == " " and re.match(r"[A-Z`\[*_(\"“0-9~−§]", follows) and not SHORT.search(text[start : i + 1]):
                    found.append(text[start:end])
                    start = end + 1
                    i = end
        i += 1
    return [*found, text[start:]] if text[start:] else found


def flush(paragraph, out):
    """Writes the collected lines of a paragraph or item."""
    if not paragraph:
        return
    marker = ITEM.match(paragraph[0])
    first = marker[0] if marker else re.match(r"\s*", paragraph[0])[0]
    rest = " " * len(first)
    text = " ".join(line.strip() for line in [paragraph[0][len(first) :], *paragraph[1:]])
    for number, sentence in enumerate(sentences(text)):
        out.append((rest if number else first) + sentence)
    paragraph.clear()


def reflow(text):
    out, paragraph, fence = [], [], None
    indent = 0  # of the text of the present item
    for line in text.splitlines():
        mark = re.match(r"\s*(```+|~~~+)", line)
        if fence:
            out.append(line)
            if mark and mark[1].startswith(fence):
                fence = None
            continue
        if mark:
            flush(paragraph, out)
            fence = mark[1]
            out.append(line)
            continue
        if not line.strip():
            flush(paragraph, out)
            out.append(line)
            continue
        item, depth = ITEM.match(line), len(line) - len(line.lstrip())
        if not paragraph and not item and depth >= 4 and depth >= indent + 4 - indent % 2:
            out.append(line)  # indented code
            continue
        if re.match(r"\s*(#+ |\||<|\[[^\]]+\]: |---)", line) or line.endswith("  "):
            flush(paragraph, out)
            out.append(line)
            indent = 0 if not depth else indent
            continue
        if item:
            flush(paragraph, out)
            indent = len(item[0])
        elif not paragraph and depth == 0:
            indent = 0
        paragraph.append(line)
    flush(paragraph, out)
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    wrong = 0
    for path in options.files:
        old = path.read_text(encoding="utf-8")
        new = reflow(old)
        assert old.split() == new.split(), f"{path}: a word would change"
        if new == old:
            continue
        wrong += 1
        print(f"{path}: {'not one sentence a line' if options.check else 'written'}")
        if not options.check:
            path.write_text(new, encoding="utf-8")
    return bool(wrong and options.check)


if __name__ == "__main__":
    sys.exit(main())
