#!/usr/bin/env python3
"""Makes the stored cases of the ONNX importer's tests: small models with what they should compute, or how they should fail.

Run by hand, never by the suite; needs `pip install onnx onnxruntime numpy` (1.23.2, 1.32.0 and 2.4.6 were used). The result
is stored in the repository:

    python3 tests/tools/make_onnx_cases.py tests/data/onnx_ops

Every case that computes is evaluated by ONNX's own reference evaluator and by ONNX Runtime. Where both can, they must
agree, or nothing is written; where only one can, its answer is taken and the script says so. Models that hold random
weights hold the same ones at every run.

One file a family, FAMILY.cases, all numbers little-endian:

    "AUGC", u32 version (1), u32 number of cases, then each case:
    text    name                        text: u32 bytes, then UTF-8
    u32     kind                        0: computes; 1: is refused
    text    code                        refused: the result's name, as AUGUR_ERROR_INVALID_MODEL
    text    said                        refused: what the message must contain
    f32     tolerance                   computes: of the largest error, in parts of the largest output (at least 1)
    u32     rows
    bytes   model                       bytes: u32 count, then as many
    u32     inputs,  each: u32 floats, then as many: [rows][...]
    u32     outputs, each: likewise
"""

import argparse
import collections
import pathlib
import sys

import onnx

from onnx_cases import constants, elementwise, files, linear, models, moves, normal, shapes, windows
from onnx_cases.common import NEWEST, cases, notes, packed, trouble


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--family", help="only this one")
    parser.add_argument("--corpus", type=pathlib.Path, help="write every model as a file of its own here, for a fuzzer")
    arguments = parser.parse_args()
    if onnx.defs.onnx_opset_version() != NEWEST:
        print(f"note: onnx {onnx.__version__} knows opset {onnx.defs.onnx_opset_version()}, the cases stop at {NEWEST}")
    for family in (elementwise, linear, windows, normal, shapes, moves, constants, files, models):
        family.make()
    if trouble:
        raise SystemExit("\n".join(trouble))
    names = [(c.family, c.name) for c in cases]
    if len(set(names)) != len(names):
        raise SystemExit("names are there twice: " + str([n for n, k in collections.Counter(names).items() if k > 1][:5]))
    total = 0
    for family in sorted({c.family for c in cases}):
        chosen = [c for c in cases if c.family == family]
        if arguments.family in (None, family):
            data = packed(chosen)
            total += len(data)
            (arguments.folder / f"{family}.cases").write_bytes(data)
            print(f"{family}: {sum(c.kind == 0 for c in chosen)} that compute, {sum(c.kind == 1 for c in chosen)} refused, {len(data)} bytes")
    if arguments.corpus:
        arguments.corpus.mkdir(parents=True, exist_ok=True)
        for case in cases:
            (arguments.corpus / (case.family + "_" + case.name.replace("/", "_"))).write_bytes(case.model)
    print(f"{total} bytes")
    for note in notes:
        print("note:", note, file=sys.stderr)


if __name__ == "__main__":
    main()
