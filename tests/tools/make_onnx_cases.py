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
import struct
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

try:
    import onnxruntime
except ImportError:
    onnxruntime = None

NEWEST = 28
OLDEST = 9
FLOAT = TensorProto.FLOAT

Case = collections.namedtuple("Case", "family name kind code said tolerance rows model inputs outputs")
cases = []
notes = []
trouble = []


def versions(op):
    """The opsets to test an operator at: the oldest, every one that changed it, and the newest."""
    since = sorted(s.since_version for s in onnx.defs.get_all_schemas_with_history() if s.name == op and s.domain == "")
    first = max(OLDEST, since[0])
    return sorted({first, NEWEST} | {v for v in since if first < v <= NEWEST})


def rng(name):
    return np.random.default_rng(abs(hash_of(name)) % 2**32)


def hash_of(text):
    h = 0x811C9DC5
    for byte in text.encode():
        h = (h ^ byte) * 0x01000193 % 2**32
    return h


def constant(name, array):
    return numpy_helper.from_array(np.asarray(array), name)


def ints(name, *values):
    return constant(name, np.array(values, dtype=np.int64))


def floats(name, shape, seed, scale=1.0):
    return constant(name, (rng(seed + name).standard_normal(shape) * scale).astype(np.float32))


def model_of(nodes, opset, inputs, outputs, initializers=(), ir=None, **more):
    """inputs: {name: shape}, outputs: names. A list is the shape of a row, the batch before it is the symbol N; a tuple is
    the whole shape. (shape, {"type": t}) has elements of another type."""
    def info(name, shape):
        kind = FLOAT
        if isinstance(shape, tuple) and isinstance(shape[-1], dict):
            shape, kind = shape[0], shape[1]["type"]
        return helper.make_tensor_value_info(name, kind, shape if isinstance(shape, tuple) else ["N", *shape])

    seen = collections.Counter()
    for each in nodes:  # ONNX Runtime wants every node to have a name of its own
        seen[each.name] += 1
        if seen[each.name] > 1:
            each.name += f"_{seen[each.name]}"
    graph = helper.make_graph(
        nodes, "g",
        [info(k, v) for k, v in inputs.items()],
        [helper.make_tensor_value_info(o, more.get("output_type", FLOAT), None) for o in outputs],
        list(initializers))
    imports = [helper.make_opsetid("", opset)]
    model = helper.make_model(graph, opset_imports=imports, producer_name="augur-cases",
                              functions=more.get("functions", []))
    model.ir_version = ir or max(4, helper.find_min_ir_version_for(imports, ignore_unknown=True))
    return model


def evaluate(model, feeds, name, text):
    answers = {}
    try:
        with np.errstate(all="ignore"):
            answers["reference"] = text(feeds) if text else [np.asarray(o) for o in ReferenceEvaluator(model).run(None, feeds)]
    except Exception as error:  # what it cannot do differs by version
        notes.append(f"{name}: the reference evaluator cannot: {str(error).splitlines()[0][:90]}")
    if onnxruntime is not None:
        try:
            options = onnxruntime.SessionOptions()
            options.log_severity_level = 4
            session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
            answers["runtime"] = session.run(None, feeds)
        except Exception as error:
            notes.append(f"{name}: ONNX Runtime cannot: {str(error).splitlines()[0][:90]}")
    if not answers:
        trouble.append(f"{name}: neither evaluator can run it: " + "; ".join(notes[-2:]))
    if len(answers) == 2:
        for a, b in zip(answers["reference"], answers["runtime"]):
            scale = max(1.0, float(np.max(np.abs(b), initial=0.0)))
            if a.shape != b.shape or float(np.max(np.abs(a.astype(np.float64) - b), initial=0.0)) > 2e-5 * scale:
                return answers, False
    return answers, True


def computes(family, name, model, rows=2, tolerance=1e-5, inputs=None, low=None, text=None, trust=None, fixed=False):
    """Adds a case. text: stands in for the reference evaluator where that one does not do what the operator's text says.
    trust: whom to believe where the evaluators are known to disagree, with the reason in the caller."""
    generator = rng(name)
    feeds = {}
    initial = {i.name for i in model.graph.initializer}
    for port in model.graph.input:
        if port.name in initial:
            continue
        shape = [rows] + [d.dim_value for d in port.type.tensor_type.shape.dim][1:]
        values = generator.standard_normal(shape)
        if low is not None:
            values = low + np.abs(values)
        kind = helper.tensor_dtype_to_np_dtype(port.type.tensor_type.elem_type)
        feeds[port.name] = (inputs[port.name] if inputs else values).astype(kind)
    if name in {c.name for c in cases if c.family == family}:
        trouble.append(f"{name} is there twice")
    if fixed:  # row by row, as Augur does with a batch that is fixed to 1
        parts = []
        agree = True
        for r in range(rows):
            answers, same = evaluate(model, {k: v[r:r + 1] for k, v in feeds.items()}, name, text)
            agree = agree and same
            parts.append(answers)
        answers = {who: [np.concatenate([p[who][o] for p in parts]) for o in range(len(parts[0][who]))]
                   for who in parts[0]}
    else:
        answers, agree = evaluate(model, feeds, name, text)
    if not agree and trust is None:
        trouble.append(f"{name}: the evaluators disagree: {[[np.shape(o) for o in a] for a in answers.values()]}")
        return
    if not answers:
        return
    if trust and trust not in answers:
        trouble.append(f"{name}: {trust} cannot: " + "; ".join(notes[-2:]))
        return
    outputs = answers[trust] if trust else answers.get("reference", answers.get("runtime"))
    for o in outputs:
        if not np.all(np.isfinite(o)):
            trouble.append(f"{name}: an output is not finite")
        if o.shape[0] != rows:
            trouble.append(f"{name}: an output of shape {o.shape} has not {rows} rows")
    cases.append(Case(family, name, 0, "", "", tolerance, rows, model.SerializeToString(),
                      [feeds[k].astype(np.float32) for k in feeds], [o.astype(np.float32) for o in outputs]))


# The texts of operators that the reference evaluator of onnx 1.23 does not follow, written out.

def text_of_softmax(axis, logarithm):
    """Softmax and LogSoftmax 1 .. 12: flattened at the axis to a matrix."""
    def run(feeds):
        x = feeds["x"].astype(np.float64)
        flat = x.reshape(int(np.prod(x.shape[:axis % x.ndim])), -1)
        flat = flat - flat.max(axis=1, keepdims=True)
        log = flat - np.log(np.exp(flat).sum(axis=1, keepdims=True))
        return [(log if logarithm else np.exp(log)).reshape(x.shape)]
    return run


def text_of_batch_normalization(parts, epsilon=1e-5):
    """BatchNormalization 9: the evaluator takes the statistics of the batch."""
    s, b, m, v = (numpy_helper.to_array(p).astype(np.float64) for p in parts)

    def run(feeds):
        x = feeds["x"].astype(np.float64)
        shape = [1, -1] + [1] * (x.ndim - 2)
        return [(x - m.reshape(shape)) / np.sqrt(v.reshape(shape) + epsilon) * s.reshape(shape) + b.reshape(shape)]
    return run


def text_of_max_pool(kernel, pads, strides):
    """MaxPool with pads that differ: the evaluator exchanges some of them."""
    def run(feeds):
        x = np.pad(feeds["x"], [(0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])], constant_values=-np.inf)
        h, w = ((x.shape[2 + i] - kernel[i]) // strides[i] + 1 for i in range(2))
        y = [[x[:, :, i * strides[0]:i * strides[0] + kernel[0], j * strides[1]:j * strides[1] + kernel[1]].max(axis=(2, 3))
              for j in range(w)] for i in range(h)]
        return [np.array(y).transpose(2, 3, 0, 1)]
    return run


def refused(family, name, model, code, said):
    data = model if isinstance(model, bytes) else model.SerializeToString()
    cases.append(Case(family, name, 1, "AUGUR_ERROR_" + code, said, 0.0, 0, data, [], []))


def node(op, inputs, outputs=("y",), **attributes):
    return helper.make_node(op, list(inputs), list(outputs), name=attributes.pop("named", op.lower()), **attributes)


# --- element by element ---------------------------------------------------------------------------------------------

def elementwise():
    family = "elementwise"

    def unary(op, low=None, label="", opsets=None, **attributes):
        for opset in opsets or versions(op):
            computes(family, f"{op}{label}/{opset}", model_of([node(op, ["x"], **attributes)], opset, {"x": [3, 5]}, ["y"]),
                     low=low)

    for op in ("Abs", "Erf", "Exp", "Neg", "Relu", "Sigmoid", "Softplus", "Softsign", "Tanh", "Mish", "HardSwish"):
        unary(op)
    unary("Sqrt", low=0.0)
    unary("Reciprocal", low=0.5)
    unary("LeakyRelu")
    unary("LeakyRelu", label="_alpha", alpha=0.3)
    unary("Elu")
    unary("Elu", label="_alpha", alpha=0.4)
    unary("Selu")
    unary("Selu", label="_alpha_gamma", alpha=1.1, gamma=0.7)
    unary("Celu")
    unary("Celu", label="_alpha", alpha=2.5)
    unary("HardSigmoid")
    unary("HardSigmoid", label="_alpha_beta", alpha=0.4, beta=0.6)
    unary("Gelu")
    unary("Gelu", label="_tanh", approximate="tanh")
    unary("Swish")
    unary("Swish", label="_alpha", alpha=1.7)

    for op in ("Add", "Sub", "Mul", "Div", "Min", "Max", "Sum", "Mean"):
        low = 0.5 if op == "Div" else None
        for opset in versions(op):
            name = f"{op}/{opset}"
            computes(family, name + "/two_inputs", model_of([node(op, ["a", "b"])], opset, {"a": [2, 3], "b": [2, 3]}, ["y"]), low=low)
            computes(family, name + "/broadcast_rows", model_of([node(op, ["a", "b"])], opset, {"a": [2, 1], "b": [1, 3]}, ["y"]), low=low)
            computes(family, name + "/constant_right", model_of(
                [node(op, ["a", "c"])], opset, {"a": [2, 3]}, ["y"], [constant("c", np.array([0.5, -2, 3], np.float32))]), low=low)
            computes(family, name + "/constant_left", model_of(
                [node(op, ["c", "a"])], opset, {"a": [2, 3]}, ["y"], [constant("c", np.array([[[0.5], [2]]], np.float32))]), low=low)
    for opset in versions("Add"):
        computes(family, f"Add/{opset}/scalar", model_of(
            [node("Add", ["a", "c"])], opset, {"a": [2, 3]}, ["y"], [constant("c", np.float32(1.5))]))
        computes(family, f"Add/{opset}/itself", model_of([node("Add", ["a", "a"])], opset, {"a": [4]}, ["y"]))
        computes(family, f"Add/{opset}/six_dimensions", model_of(
            [node("Add", ["a", "b"])], opset, {"a": [2, 1, 2, 1, 2, 3], "b": [1, 2, 1, 3, 1, 1]}, ["y"]))
    for op in ("Min", "Max", "Sum", "Mean"):
        for opset in versions(op):
            computes(family, f"{op}/{opset}/three", model_of(
                [node(op, ["a", "b", "c"])], opset, {"a": [3], "b": [3]}, ["y"], [floats("c", [3], op)]))
            computes(family, f"{op}/{opset}/one", model_of([node(op, ["a"])], opset, {"a": [3]}, ["y"]))

    for opset in versions("Pow"):
        computes(family, f"Pow/{opset}/square", model_of(
            [node("Pow", ["a", "c"])], opset, {"a": [6]}, ["y"], [constant("c", np.float32(2))]))
        computes(family, f"Pow/{opset}/cube", model_of(
            [node("Pow", ["a", "c"])], opset, {"a": [6]}, ["y"], [constant("c", np.float32(3))]))
        computes(family, f"Pow/{opset}/fraction", model_of(
            [node("Pow", ["a", "c"])], opset, {"a": [6]}, ["y"], [constant("c", np.float32(0.7))]), low=0.1)
        computes(family, f"Pow/{opset}/computed", model_of(
            [node("Pow", ["a", "b"])], opset, {"a": [6], "b": [6]}, ["y"]), low=0.1)
        computes(family, f"Pow/{opset}/of_constant", model_of(
            [node("Pow", ["c", "a"])], opset, {"a": [6]}, ["y"], [constant("c", np.float32(2))]))
        if opset >= 12:
            computes(family, f"Pow/{opset}/whole", model_of(
                [node("Pow", ["a", "c"])], opset, {"a": [6]}, ["y"], [constant("c", np.int64(2))]))

    for opset in versions("Clip"):
        if opset < 11:
            computes(family, f"Clip/{opset}", model_of([node("Clip", ["x"], min=-0.5, max=0.25)], opset, {"x": [8]}, ["y"]))
            computes(family, f"Clip/{opset}/low", model_of([node("Clip", ["x"], min=-0.5)], opset, {"x": [8]}, ["y"]))
            computes(family, f"Clip/{opset}/none", model_of([node("Clip", ["x"])], opset, {"x": [8]}, ["y"]))
            continue
        low, high = constant("low", np.float32(-0.5)), constant("high", np.float32(0.25))
        computes(family, f"Clip/{opset}", model_of([node("Clip", ["x", "low", "high"])], opset, {"x": [8]}, ["y"], [low, high]))
        computes(family, f"Clip/{opset}/low", model_of([node("Clip", ["x", "low"])], opset, {"x": [8]}, ["y"], [low]))
        computes(family, f"Clip/{opset}/high", model_of([node("Clip", ["x", "", "high"])], opset, {"x": [8]}, ["y"], [high]))
        computes(family, f"Clip/{opset}/none", model_of([node("Clip", ["x"])], opset, {"x": [8]}, ["y"]))
        # The text of 13 says which bound wins; ONNX Runtime follows it.
        if opset >= 13:
            computes(family, f"Clip/{opset}/crossed", model_of(
                [node("Clip", ["x", "high", "low"])], opset, {"x": [8]}, ["y"], [low, high]))
        computes(family, f"Clip/{opset}/infinite", model_of(
            [node("Clip", ["x", "zero", "inf"])], opset, {"x": [8]}, ["y"],
            [constant("zero", np.float32(0)), constant("inf", np.float32(np.inf))]))

    for opset in versions("PRelu"):
        for label, shape in (("scalar", [1]), ("channels", [3, 1, 1]), ("full", [3, 2, 2])):
            computes(family, f"PRelu/{opset}/{label}", model_of(
                [node("PRelu", ["x", "s"])], opset, {"x": [3, 2, 2]}, ["y"], [floats("s", shape, label)]))


# --- Gemm and MatMul ------------------------------------------------------------------------------------------------

def linear():
    family = "linear"
    for opset in versions("Gemm"):
        b, bt = floats("b", [4, 3], "gemm"), floats("b", [3, 4], "gemm")
        for label, shape in (("vector", [3]), ("row", [1, 3]), ("scalar", []), ("one", [1]), ("one_one", [1, 1])):
            computes(family, f"Gemm/{opset}/{label}", model_of(
                [node("Gemm", ["a", "b", "c"])], opset, {"a": [4]}, ["y"], [b, floats("c", shape, label)]))
        computes(family, f"Gemm/{opset}/trans_b", model_of(
            [node("Gemm", ["a", "b", "c"], transB=1)], opset, {"a": [4]}, ["y"], [bt, floats("c", [3], "t")]))
        computes(family, f"Gemm/{opset}/alpha_beta", model_of(
            [node("Gemm", ["a", "b", "c"], alpha=0.5, beta=-2.0, transB=1)], opset, {"a": [4]}, ["y"], [bt, floats("c", [3], "t")]))
        computes(family, f"Gemm/{opset}/beta_zero", model_of(
            [node("Gemm", ["a", "b", "c"], beta=0.0)], opset, {"a": [4]}, ["y"], [b, floats("c", [3], "t")]))
        computes(family, f"Gemm/{opset}/computed_c", model_of(
            [node("Gemm", ["a", "b", "c"], beta=0.5)], opset, {"a": [4], "c": [3]}, ["y"], [b]))
        if opset >= 11:
            computes(family, f"Gemm/{opset}/no_c", model_of([node("Gemm", ["a", "b"])], opset, {"a": [4]}, ["y"], [b]))
        computes(family, f"Gemm/{opset}/constants", model_of(
            [node("Gemm", ["p", "q", "c"], ["w"], transA=1, alpha=2.0), node("MatMul", ["a", "w"])],
            opset, {"a": [4]}, ["y"], [floats("p", [2, 4], "p"), floats("q", [2, 3], "q"), floats("c", [4, 1], "c")]))
        refused(family, f"Gemm/{opset}/trans_a", model_of(
            [node("Gemm", ["a", "b", "c"], transA=1)], opset, {"a": [4]}, ["y"], [b, floats("c", [3], "t")]),
            "UNSUPPORTED_OPERATOR", "mix rows")
        refused(family, f"Gemm/{opset}/two_batches", model_of(
            [node("Gemm", ["a", "x", "c"], transB=1)], opset, {"a": [4], "x": [4]}, ["y"], [floats("c", [1], "t")]),
            "UNSUPPORTED_OPERATOR", "mix rows")
    for opset in versions("MatMul"):
        def matmul(label, a, b, **kw):
            ports = {k: v for k, v in (("a", a), ("b", b)) if isinstance(v, list)}
            initial = [constant(k, v) for k, v in (("a", a), ("b", b)) if not isinstance(v, list)]
            return family, f"MatMul/{opset}/{label}", model_of([node("MatMul", ["a", "b"])], opset, ports, ["y"], initial), *kw.values()

        def w(*shape):
            return rng(str(shape)).standard_normal(shape).astype(np.float32)

        computes(*matmul("rows", [4], w(4, 3)))
        computes(*matmul("matrices", [5, 4], w(4, 3)))
        computes(*matmul("four_dimensions", [2, 5, 4], w(4, 3)))
        computes(*matmul("ones_in_front", [5, 4], w(1, 4, 3)))
        computes(*matmul("constant_groups", [2, 5, 4], w(2, 4, 3)))
        computes(*matmul("constant_groups_ones", [2, 5, 4], w(1, 2, 4, 3)))
        computes(*matmul("to_vector", [4], w(4)))
        computes(*matmul("matrices_to_vector", [5, 4], w(4)))
        computes(*matmul("constant_left", w(3, 4), [4, 2]))
        computes(*matmul("vector_left", w(4), [4, 2]))
        computes(*matmul("constant_left_groups", w(3, 4), [2, 4, 2]))
        computes(*matmul("computed", [3, 4], [4, 2]))
        computes(*matmul("computed_groups", [2, 3, 4], [2, 4, 2]))
        computes(*matmul("computed_shared", [2, 3, 4], [1, 4, 2]))
        computes(*matmul("computed_crossed", [2, 1, 3, 4], [1, 3, 4, 2]))
        refused(*matmul("over_batch", [4], [4]), "UNSUPPORTED_OPERATOR", "mix rows")
        refused(*matmul("batch_meets_groups", [3, 4], [2, 4, 2]), "UNSUPPORTED_OPERATOR", "mix rows")
        refused(*matmul("left_of_batch", w(3, 4), [2]), "UNSUPPORTED_OPERATOR", "mix rows")
        refused(*matmul("wrong_size", [5], w(4, 3)), "INVALID_MODEL", "multiplies")


# --- Conv and the pools ---------------------------------------------------------------------------------------------

def windows():
    family = "windows"
    for opset in versions("Conv"):
        def conv(label, image, weight, bias=True, **attributes):
            initial = [floats("w", weight, label, 0.4)] + ([floats("b", [weight[0]], label)] if bias else [])
            computes(family, f"Conv/{opset}/{label}", model_of(
                [node("Conv", ["x", "w"] + (["b"] if bias else []), **attributes)], opset, {"x": image}, ["y"], initial))

        conv("plain", [2, 5, 4], [3, 2, 3, 3])
        conv("no_bias", [2, 5, 4], [3, 2, 3, 3], bias=False)
        conv("pads", [2, 5, 4], [3, 2, 3, 3], pads=[1, 0, 2, 1])
        conv("strides", [2, 7, 6], [3, 2, 3, 2], strides=[2, 3])
        conv("dilations", [2, 7, 6], [3, 2, 3, 2], dilations=[2, 3], pads=[1, 1, 1, 1])
        conv("groups", [4, 4, 4], [6, 2, 3, 3], group=2, pads=[1, 1, 1, 1])
        conv("depthwise", [3, 4, 4], [3, 1, 3, 3], group=3, pads=[1, 1, 1, 1])
        conv("pointwise", [4, 3, 3], [2, 4, 1, 1])
        conv("kernel_shape", [2, 4, 4], [3, 2, 2, 2], kernel_shape=[2, 2])
        for mode in ("SAME_UPPER", "SAME_LOWER", "VALID"):
            conv(mode.lower(), [2, 5, 6], [3, 2, 2, 4], auto_pad=mode)
            conv(mode.lower() + "_strides", [2, 5, 6], [3, 2, 2, 3], auto_pad=mode, strides=[2, 2])
        conv("same_upper_dilations", [2, 7, 6], [3, 2, 2, 3], auto_pad="SAME_UPPER", dilations=[2, 2])
        conv("one_dimension", [2, 7], [3, 2, 3], pads=[1, 2], strides=[2])
        conv("one_dimension_same", [2, 7], [3, 2, 4], auto_pad="SAME_LOWER")
        w = floats("w", [3, 2, 3, 3], "w")
        refused(family, f"Conv/{opset}/computed_kernel", model_of(
            [node("Conv", ["x", "w"])], opset, {"x": [2, 5, 5], "w": [2, 3, 3]}, ["y"]), "UNSUPPORTED_OPERATOR", "kernel is computed")
        refused(family, f"Conv/{opset}/three_dimensions", model_of(
            [node("Conv", ["x", "w"])], opset, {"x": [2, 4, 4, 4]}, ["y"], [floats("w", [3, 2, 3, 3, 3], "w")]),
            "UNSUPPORTED_OPERATOR", "more than two dimensions")
        refused(family, f"Conv/{opset}/groups_do_not_divide", model_of(
            [node("Conv", ["x", "w"], group=2)], opset, {"x": [3, 5, 5]}, ["y"], [w]), "INVALID_MODEL", "groups")
        refused(family, f"Conv/{opset}/too_large", model_of(
            [node("Conv", ["x", "w"])], opset, {"x": [2, 2, 2]}, ["y"], [w]), "INVALID_MODEL", "does not fit")
        for label, attribute in (("strides_zero", {"strides": [0, 1]}), ("negative_pads", {"pads": [-1, 0, 0, 0]}),
                                 ("few_pads", {"pads": [1, 1]}), ("dilations_zero", {"dilations": [1, 0]}),
                                 ("group_zero", {"group": 0}), ("wrong_kernel_shape", {"kernel_shape": [2, 3]}),
                                 ("both_pads", {"pads": [1, 1, 1, 1], "auto_pad": "SAME_UPPER"}),
                                 ("auto_pad_unknown", {"auto_pad": "SOME"})):
            refused(family, f"Conv/{opset}/{label}", model_of(
                [node("Conv", ["x", "w"], **attribute)], opset, {"x": [2, 5, 5]}, ["y"], [w]), "INVALID_MODEL", "'conv'")

    for op in ("MaxPool", "AveragePool"):
        for opset in versions(op):
            def pool(label, image, text=None, **attributes):
                computes(family, f"{op}/{opset}/{label}", model_of([node(op, ["x"], **attributes)], opset, {"x": image}, ["y"]),
                         text=text if op == "MaxPool" else None)

            pool("plain", [2, 5, 4], kernel_shape=[2, 2])
            pool("strides", [2, 6, 7], kernel_shape=[3, 2], strides=[2, 3])
            pool("pads", [2, 5, 4], text_of_max_pool([3, 3], [1, 0, 2, 1], [1, 1]), kernel_shape=[3, 3], pads=[1, 0, 2, 1])
            pool("pads_strides", [2, 6, 5], kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2])
            pool("one_dimension", [2, 7], kernel_shape=[3], strides=[2], pads=[1, 1])
            for mode in ("SAME_UPPER", "SAME_LOWER", "VALID"):
                text = text_of_max_pool([2, 4], [1, 1, 0, 1], [2, 2]) if mode == "SAME_LOWER" else None
                pool(mode.lower(), [2, 5, 6], text, kernel_shape=[2, 4], auto_pad=mode, strides=[2, 2])
            if op == "AveragePool":
                pool("count_pads", [2, 5, 4], kernel_shape=[3, 3], pads=[1, 0, 2, 1], count_include_pad=1)
                pool("count_pads_strides", [2, 6, 5], kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2], count_include_pad=1)
            if opset >= 10:
                pool("ceil", [2, 6, 6], kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)
                pool("ceil_pads", [2, 6, 6], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], ceil_mode=1)
                if op == "AveragePool":
                    pool("ceil_count", [2, 6, 6], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], ceil_mode=1, count_include_pad=1)
            if opset >= (10 if op == "MaxPool" else 19):
                pool("dilations", [2, 7, 7], kernel_shape=[2, 3], dilations=[3, 2])
                pool("dilations_pads", [2, 7, 7], kernel_shape=[3, 3], dilations=[2, 2], pads=[1, 1, 1, 1], strides=[2, 1])
            if opset >= 22 or op == "MaxPool" and opset >= 12:
                # The last window would begin in the padding.
                pool("ceil_starts_on_pad", [1, 2, 2], kernel_shape=[2, 2], strides=[3, 3], pads=[1, 1, 1, 1], ceil_mode=1)
            refused(family, f"{op}/{opset}/no_kernel", model_of([node(op, ["x"])], opset, {"x": [2, 5, 5]}, ["y"]), "INVALID_MODEL", "kernel_shape")
            refused(family, f"{op}/{opset}/wholly_in_padding", model_of(
                [node(op, ["x"], kernel_shape=[2, 2], pads=[2, 0, 0, 0])], opset, {"x": [2, 5, 5]}, ["y"]), "UNSUPPORTED_OPERATOR", "padding")
            if op == "MaxPool":
                refused(family, f"{op}/{opset}/indices", model_of(
                    [node(op, ["x"], ["p", "i"], kernel_shape=[2, 2]), node("Cast", ["i"], ["y"], to=FLOAT)],
                    opset, {"x": [2, 5, 5]}, ["y"]), "UNSUPPORTED_OPERATOR", "indices")
                computes(family, f"{op}/{opset}/indices_unused", model_of(
                    [node(op, ["x"], ["y", "i"], kernel_shape=[2, 2])], opset, {"x": [2, 4, 4]}, ["y"]))
    for op in ("GlobalAveragePool", "GlobalMaxPool"):
        for opset in versions(op):
            computes(family, f"{op}/{opset}", model_of([node(op, ["x"])], opset, {"x": [3, 4, 2]}, ["y"]))
            computes(family, f"{op}/{opset}/one_dimension", model_of([node(op, ["x"])], opset, {"x": [3, 4]}, ["y"]),
                     text=(lambda feeds: [feeds["x"].max(axis=2, keepdims=True)]) if op == "GlobalMaxPool" else None)


# --- Softmax, normalizations, reductions ----------------------------------------------------------------------------

def normal():
    family = "normal"
    for op in ("Softmax", "LogSoftmax"):
        for opset in versions(op):
            def text(axis, flat=opset < 13):
                return text_of_softmax(axis, op == "LogSoftmax") if flat else None

            computes(family, f"{op}/{opset}/default", model_of([node(op, ["x"])], opset, {"x": [3, 4]}, ["y"]), text=text(1))
            for axis in (1, 2, -1, -2) if opset >= 11 else (1, 2):
                computes(family, f"{op}/{opset}/axis_{axis}", model_of([node(op, ["x"], axis=axis)], opset, {"x": [3, 4]}, ["y"]), text=text(axis))
            # The evaluator's logarithm of what became 0 is infinite.
            computes(family, f"{op}/{opset}/large", model_of([node(op, ["x"], axis=1)], opset, {"x": [4]}, ["y"]), text=text(1, True),
                     inputs={"x": np.array([[1000, 999, 0, -1000], [-500, -500, -500, -501]], np.float32)})
            for axis in (0, -3) if opset >= 11 else (0,):
                refused(family, f"{op}/{opset}/axis_{axis}", model_of([node(op, ["x"], axis=axis)], opset, {"x": [3, 4]}, ["y"]),
                        "UNSUPPORTED_OPERATOR", "mix rows")
            refused(family, f"{op}/{opset}/axis_3", model_of([node(op, ["x"], axis=3)], opset, {"x": [3, 4]}, ["y"]),
                    "INVALID_MODEL", "axis 3")
    for opset in versions("BatchNormalization"):
        def parts(c):
            return [floats("s", [c], "s"), floats("b", [c], "b"), floats("m", [c], "m"),
                    constant("v", np.abs(rng("v").standard_normal(c)).astype(np.float32))]

        names = ["x", "s", "b", "m", "v"]
        # Of 9 the evaluator takes the statistics of the batch, even where there are no further outputs.
        trust = "runtime" if opset == 9 else None
        for label, image in (("image", [3, 2, 2]), ("vector", [3]), ("line", [3, 4])):
            computes(family, f"BatchNormalization/{opset}/{label}", model_of(
                [node("BatchNormalization", names)], opset, {"x": image}, ["y"], parts(3)), text=text_of_batch_normalization(parts(3)))
        computes(family, f"BatchNormalization/{opset}/epsilon", model_of(
            [node("BatchNormalization", names, epsilon=0.1, momentum=0.5)], opset, {"x": [3, 2, 2]}, ["y"], parts(3)),
            text=text_of_batch_normalization(parts(3), 0.1))
        computes(family, f"BatchNormalization/{opset}/after_conv", model_of(
            [node("Conv", ["i", "w"], ["x"]), node("BatchNormalization", names, ["n"]), node("Relu", ["n"])],
            opset, {"i": [2, 4, 4]}, ["y"], parts(3) + [floats("w", [3, 2, 3, 3], "w")]), trust=trust)
        computes(family, f"BatchNormalization/{opset}/after_gemm", model_of(
            [node("Gemm", ["i", "w", "c"], ["x"], transB=1), node("BatchNormalization", names)],
            opset, {"i": [5]}, ["y"], parts(3) + [floats("w", [3, 5], "w"), floats("c", [3], "c")]), trust=trust)
        bad = parts(3)
        bad[3] = constant("v", np.array([1, -0.5, 1], np.float32))
        refused(family, f"BatchNormalization/{opset}/negative_variance", model_of(
            [node("BatchNormalization", names)], opset, {"x": [3, 2, 2]}, ["y"], bad), "INVALID_MODEL", "variance is below 0")
        for epsilon in (0.0, -1e-5):
            refused(family, f"BatchNormalization/{opset}/epsilon_{epsilon}", model_of(
                [node("BatchNormalization", names, epsilon=epsilon)], opset, {"x": [3, 2, 2]}, ["y"], parts(3)), "INVALID_MODEL", "epsilon")
        refused(family, f"BatchNormalization/{opset}/channels", model_of(
            [node("BatchNormalization", names)], opset, {"x": [4, 2, 2]}, ["y"], parts(3)), "INVALID_MODEL", "4 channels")
        extra = ["y", "rm", "rv"] if opset >= 14 else ["y", "rm", "rv", "sm", "sv"]
        mode = {"training_mode": 1} if opset >= 14 else {}
        refused(family, f"BatchNormalization/{opset}/training", model_of(
            [node("BatchNormalization", names, extra, **mode)], opset, {"x": [3, 2, 2]}, ["y"], parts(3)), "UNSUPPORTED_OPERATOR", "training")
    for opset in versions("LayerNormalization"):
        for axis, shape in ((-1, [4]), (2, [4]), (1, [3, 4]), (-2, [3, 4])):
            computes(family, f"LayerNormalization/{opset}/axis_{axis}", model_of(
                [node("LayerNormalization", ["x", "s", "b"], axis=axis)], opset, {"x": [3, 4]}, ["y"],
                [floats("s", shape, "s"), floats("b", shape, "b")]))
        computes(family, f"LayerNormalization/{opset}/no_bias", model_of(
            [node("LayerNormalization", ["x", "s"], epsilon=0.01)], opset, {"x": [3, 4]}, ["y"], [floats("s", [4], "s")]))
        computes(family, f"LayerNormalization/{opset}/scale_of_one", model_of(
            [node("LayerNormalization", ["x", "s"], axis=1)], opset, {"x": [3, 4]}, ["y"], [floats("s", [1, 4], "s")]), trust=None)
        refused(family, f"LayerNormalization/{opset}/axis_0", model_of(
            [node("LayerNormalization", ["x", "s"], axis=0)], opset, {"x": [3, 4]}, ["y"], [floats("s", [4], "s")]),
            "UNSUPPORTED_OPERATOR", "mix rows")
        refused(family, f"LayerNormalization/{opset}/mean_used", model_of(
            [node("LayerNormalization", ["x", "s"], ["n", "y"])], opset, {"x": [3, 4]}, ["y"], [floats("s", [4], "s")]),
            "UNSUPPORTED_OPERATOR", "mean is used")
        refused(family, f"LayerNormalization/{opset}/epsilon", model_of(
            [node("LayerNormalization", ["x", "s"], epsilon=0.0)], opset, {"x": [3, 4]}, ["y"], [floats("s", [4], "s")]),
            "INVALID_MODEL", "epsilon")
    for opset in versions("RMSNormalization"):
        for axis, shape in ((-1, [4]), (1, [3, 4])):
            computes(family, f"RMSNormalization/{opset}/axis_{axis}", model_of(
                [node("RMSNormalization", ["x", "s"], axis=axis, epsilon=0.001)], opset, {"x": [3, 4]}, ["y"], [floats("s", shape, "s")]))
    for opset in versions("InstanceNormalization"):
        for label, image in (("image", [3, 2, 4]), ("line", [3, 5])):
            computes(family, f"InstanceNormalization/{opset}/{label}", model_of(
                [node("InstanceNormalization", ["x", "s", "b"], epsilon=0.01)], opset, {"x": image}, ["y"], [floats("s", [3], "s"), floats("b", [3], "b")]))
        refused(family, f"InstanceNormalization/{opset}/channels", model_of(
            [node("InstanceNormalization", ["x", "s", "b"])], opset, {"x": [4, 2, 2]}, ["y"], [floats("s", [3], "s"), floats("b", [3], "b")]),
            "INVALID_MODEL", "4 channels")
    for opset in versions("GroupNormalization"):
        weights = 2 if opset < 21 else 6
        for label, image in (("image", [6, 2, 4]), ("line", [6, 5])):
            computes(family, f"GroupNormalization/{opset}/{label}", model_of(
                [node("GroupNormalization", ["x", "s", "b"], num_groups=2, epsilon=0.01)], opset, {"x": image}, ["y"],
                [floats("s", [weights], "s"), floats("b", [weights], "b")]))
        refused(family, f"GroupNormalization/{opset}/groups", model_of(
            [node("GroupNormalization", ["x", "s", "b"], num_groups=4)], opset, {"x": [6, 2]}, ["y"], [floats("s", [4], "s"), floats("b", [4], "b")]),
            "INVALID_MODEL", "4 groups")
        refused(family, f"GroupNormalization/{opset}/weights", model_of(
            [node("GroupNormalization", ["x", "s", "b"], num_groups=2)], opset, {"x": [6, 2]}, ["y"], [floats("s", [8 - weights], "s"), floats("b", [8 - weights], "b")]),
            "INVALID_MODEL", "a weight of shape")
    for op, since in (("ReduceMean", 18), ("ReduceSum", 13)):
        for opset in versions(op):
            def reduce(label, axes, image=(3, 4, 2), **attributes):
                initial = []
                inputs = ["x"]
                if opset >= since:
                    initial.append(ints("axes", *axes))
                    inputs.append("axes")
                else:
                    attributes["axes"] = axes
                return family, f"{op}/{opset}/{label}", model_of([node(op, inputs, **attributes)], opset, {"x": list(image)}, ["y"], initial)

            computes(*reduce("last", [3]))
            computes(*reduce("first", [1]))
            computes(*reduce("middle_gone", [2], keepdims=0))
            computes(*reduce("two", [2, 3], keepdims=0))
            computes(*reduce("apart", [1, 3]))
            computes(*reduce("apart_gone", [3, 1], keepdims=0))
            computes(*reduce("all_of_row", [1, 2, 3], keepdims=0))
            computes(*reduce("over_ones", [1, 3], image=(3, 1, 2)))
            if opset >= 11:
                computes(*reduce("negative", [-1, -2]))
            refused(*reduce("batch", [0, 1]), "UNSUPPORTED_OPERATOR", "mix rows")
            refused(*reduce("axis_too_large", [4]), "INVALID_MODEL", "axis 4")
            plain = model_of([node(op, ["x"])], opset, {"x": [3]}, ["y"])
            refused(family, f"{op}/{opset}/everything", plain, "UNSUPPORTED_OPERATOR", "mix rows")
            if opset >= since:
                computes(family, f"{op}/{opset}/noop", model_of(
                    [node(op, ["x"], noop_with_empty_axes=1)], opset, {"x": [3]}, ["y"]))


# --- shapes ---------------------------------------------------------------------------------------------------------

def shapes():
    family = "shapes"
    for opset in versions("Reshape"):
        def reshape(label, image, shape, fixed=False, **attributes):
            image = (1, *image) if fixed else list(image)
            return (family, f"Reshape/{opset}/{label}", model_of(
                [node("Reshape", ["x", "s"], **attributes)], opset, {"x": image}, ["y"], [ints("s", *shape)]))

        computes(*reshape("zero_and_rest", [3, 4], [0, -1]))
        computes(*reshape("zero_kept", [3, 4], [0, 0, 2, 2]))
        computes(*reshape("batch_open", [3, 4], [-1, 12]))
        computes(*reshape("batch_open_split", [12], [-1, 3, 4]))
        computes(*reshape("rest_in_middle", [3, 4], [0, 2, -1, 2]))
        computes(*reshape("fixed_batch", [3, 4], [1, 12], fixed=True), fixed=True)
        refused(*reshape("folds_batch", [3, 4], [-1, 4]), "UNSUPPORTED_OPERATOR", "mix rows")
        refused(*reshape("no_batch", [3, 4], [-1]), "UNSUPPORTED_OPERATOR", "mix rows")
        refused(*reshape("constant_batch", [3, 4], [2, 12]), "UNSUPPORTED_OPERATOR", "mix rows")
        refused(*reshape("does_not_divide", [3, 4], [0, 5, -1]), "INVALID_MODEL", "divide")
        refused(*reshape("twice", [3, 4], [0, -1, -1]), "INVALID_MODEL", "-1 twice")
        refused(*reshape("batch_and_rest_open", [3, 4], [-1, -1]), "INVALID_MODEL", "-1 twice")
        refused(*reshape("negative", [3, 4], [0, -2]), "INVALID_MODEL", "-2")
        refused(*reshape("zero_beyond", [3, 4], [0, 3, 4, 0]), "INVALID_MODEL", "is 0")
        refused(*reshape("overflow", [3, 4], [0, 2**40, 2**40]), "INVALID_MODEL", "larger")
        if opset >= 14:
            computes(*reshape("allow_zero", [3, 4], [-1, 4, 3], allowzero=1))
            refused(*reshape("allow_zero_inside", [3, 4], [-1, 3, 0], allowzero=1), "INVALID_MODEL", "no elements")
            refused(*reshape("allow_zero_zero", [3, 4], [0, 12], allowzero=1), "UNSUPPORTED_OPERATOR", "mix rows")
    for opset in versions("Flatten"):
        def flatten(label, **attributes):
            return family, f"Flatten/{opset}/{label}", model_of([node("Flatten", ["x"], **attributes)], opset, {"x": [1, 3, 4]}, ["y"])

        computes(*flatten("default"))
        computes(*flatten("axis_2", axis=2))
        if opset >= 11:
            computes(*flatten("axis_-3", axis=-3))
        refused(*flatten("axis_0", axis=0), "UNSUPPORTED_OPERATOR", "mix rows")
        refused(*flatten("axis_3", axis=3), "UNSUPPORTED_OPERATOR", "mix rows")
        refused(*flatten("axis_5", axis=5), "INVALID_MODEL", "axis 5")
        computes(family, f"Flatten/{opset}/axis_rank", model_of([node("Flatten", ["x"], axis=2)], opset, {"x": [1]}, ["y"]))
    for op in ("Squeeze", "Unsqueeze"):
        for opset in versions(op):
            def squeeze(label, image, axes, fixed=False):
                image = (1, *image) if fixed else image
                if opset >= 13:
                    return family, f"{op}/{opset}/{label}", model_of([node(op, ["x", "a"])], opset, {"x": image}, ["y"], [ints("a", *axes)])
                return family, f"{op}/{opset}/{label}", model_of([node(op, ["x"], axes=axes)], opset, {"x": image}, ["y"])

            if op == "Squeeze":
                computes(*squeeze("one", [3, 1], [2]))
                computes(*squeeze("two", [1, 3, 1], [3, 1]))
                if opset >= 11:
                    computes(*squeeze("negative", [3, 1], [-1]))
                computes(family, f"{op}/{opset}/all", model_of([node(op, ["x"])], opset, {"x": [1, 3, 1]}, ["y"]))
                refused(*squeeze("batch", [3], [0]), "UNSUPPORTED_OPERATOR", "mix rows")
                refused(*squeeze("fixed_batch", [3], [0], fixed=True), "UNSUPPORTED_OPERATOR", "mix rows")
                refused(*squeeze("not_one", [3, 2], [2]), "INVALID_MODEL", "squeezes")
            else:
                computes(*squeeze("one", [3], [1]))
                computes(*squeeze("two", [3], [3, 1]))
                if opset >= 11:
                    computes(*squeeze("negative", [3], [-1]))
                refused(*squeeze("batch", [3], [0]), "UNSUPPORTED_OPERATOR", "mix rows")
            refused(*squeeze("twice", [1, 3], [1, 1]), "INVALID_MODEL", "twice")
            refused(*squeeze("beyond", [1, 3], [9]), "INVALID_MODEL", "axis 9")
    for opset in versions("Identity"):
        computes(family, f"Identity/{opset}", model_of([node("Identity", ["x"])], opset, {"x": [3]}, ["y"]))
        computes(family, f"Identity/{opset}/outputs_alike", model_of(
            [node("Relu", ["x"], ["r"]), node("Identity", ["r"], ["y"]), node("Identity", ["r"], ["z"])], opset, {"x": [3]}, ["y", "z", "r"]))
    for opset in versions("Dropout"):
        if opset < 12:
            computes(family, f"Dropout/{opset}", model_of([node("Dropout", ["x"], ratio=0.4)], opset, {"x": [3]}, ["y"]))
        else:
            ratio = constant("r", np.float32(0.4))
            computes(family, f"Dropout/{opset}", model_of([node("Dropout", ["x"])], opset, {"x": [3]}, ["y"]))
            computes(family, f"Dropout/{opset}/inference", model_of(
                [node("Dropout", ["x", "r", "t"], seed=3)], opset, {"x": [3]}, ["y"], [ratio, constant("t", np.bool_(False))]))
            refused(family, f"Dropout/{opset}/training", model_of(
                [node("Dropout", ["x", "r", "t"])], opset, {"x": [3]}, ["y"], [ratio, constant("t", np.bool_(True))]),
                "UNSUPPORTED_OPERATOR", "training")
        computes(family, f"Dropout/{opset}/mask_unused", model_of([node("Dropout", ["x"], ["y", "m"])], opset, {"x": [3]}, ["y"]))
        refused(family, f"Dropout/{opset}/mask_used", model_of(
            [node("Dropout", ["x"], ["d", "m"]), node("Cast", ["m"], ["y"], to=FLOAT)], opset, {"x": [3]}, ["y"]),
            "UNSUPPORTED_OPERATOR", "mask is used")
    for opset in versions("Cast"):
        for to, label in ((TensorProto.FLOAT16, "half"), (TensorProto.DOUBLE, "double")):
            computes(family, f"Cast/{opset}/{label}_and_back", model_of(
                [node("Cast", ["x"], ["h"], to=to), node("Cast", ["h"], to=FLOAT)], opset, {"x": [3]}, ["y"]), tolerance=1e-3)
        computes(family, f"Cast/{opset}/constants", model_of(
            [node("Cast", ["i"], ["f"], to=FLOAT), node("Cast", ["g"], ["h"], to=TensorProto.INT64), node("Cast", ["h"], ["k"], to=FLOAT),
             node("Add", ["x", "f"], ["s"]), node("Add", ["s", "k"])], opset, {"x": [3]}, ["y"],
            [ints("i", 1, -2, 3), constant("g", np.array([1.7, -1.7, 0.2], np.float32))]))
        refused(family, f"Cast/{opset}/to_integers", model_of(
            [node("Cast", ["x"], ["i"], to=TensorProto.INT64), node("Cast", ["i"], ["y"], to=FLOAT)], opset, {"x": [3]}, ["y"]),
            "UNSUPPORTED_OPERATOR", "int64")
        refused(family, f"Cast/{opset}/to_nothing", model_of([node("Cast", ["x"])], opset, {"x": [3]}, ["y"]), "INVALID_MODEL", "'to'")
    for opset in versions("CastLike"):
        computes(family, f"CastLike/{opset}", model_of(
            [node("CastLike", ["i", "x"], ["f"]), node("Add", ["x", "f"])], opset, {"x": [3]}, ["y"], [ints("i", 1, -2, 3)]))


# --- moving numbers -------------------------------------------------------------------------------------------------

def moves():
    family = "moves"
    for opset in versions("Transpose"):
        for label, perm in (("swap", [0, 2, 1, 3]), ("last_first", [0, 3, 1, 2]), ("same", [0, 1, 2, 3]), ("all", [0, 3, 2, 1])):
            computes(family, f"Transpose/{opset}/{label}", model_of([node("Transpose", ["x"], perm=perm)], opset, {"x": [2, 3, 4]}, ["y"]))
        computes(family, f"Transpose/{opset}/constant", model_of(
            [node("Transpose", ["c"], ["t"]), node("MatMul", ["x", "t"])], opset, {"x": [4]}, ["y"], [floats("c", [3, 4], "c")]))
        refused(family, f"Transpose/{opset}/batch", model_of([node("Transpose", ["x"], perm=[1, 0])], opset, {"x": [3]}, ["y"]), "UNSUPPORTED_OPERATOR", "mix rows")
        refused(family, f"Transpose/{opset}/default", model_of([node("Transpose", ["x"])], opset, {"x": [3]}, ["y"]), "UNSUPPORTED_OPERATOR", "mix rows")
        for label, perm in (("twice", [0, 1, 1]), ("short", [0, 1]), ("beyond", [0, 1, 3]), ("negative", [0, 1, -1])):
            refused(family, f"Transpose/{opset}/{label}", model_of([node("Transpose", ["x"], perm=perm)], opset, {"x": [3, 2]}, ["y"]), "INVALID_MODEL", "perm")
    for opset in versions("Concat"):
        def concat(label, axis, *shapes, initial=()):
            names = [f"i{k}" for k in range(len(shapes))]
            return family, f"Concat/{opset}/{label}", model_of(
                [node("Concat", names, axis=axis)], opset, {n: s for n, s in zip(names, shapes) if isinstance(s, list)}, ["y"],
                [constant(n, s) for n, s in zip(names, shapes) if not isinstance(s, list)])

        computes(*concat("first", 1, [2, 3], [1, 3], [4, 3]))
        computes(*concat("last", 2, [3, 2], [3, 1], [3, 3]))
        computes(*concat("middle", 2, [2, 1, 3], [2, 2, 3]))
        computes(*concat("one", 1, [3]))
        if opset >= 11:
            computes(*concat("negative", -1, [3, 2], [3, 1]))
        computes(family, f"Concat/{opset}/itself", model_of([node("Concat", ["x", "x"], axis=1)], opset, {"x": [3]}, ["y"]))
        computes(family, f"Concat/{opset}/fixed_batch_constant", model_of(
            [node("Concat", ["x", "c"], axis=1)], opset, {"x": (1, 3)}, ["y"], [floats("c", [1, 2], "c")]), fixed=True)
        refused(*concat("batch", 0, [3], [3]), "UNSUPPORTED_OPERATOR", "mix rows")
        refused(*concat("constant", 1, [3], np.ones((1, 2), np.float32)), "UNSUPPORTED_OPERATOR", "mix rows")
        refused(*concat("different", 1, [2, 3], [2, 4]), "INVALID_MODEL", "joins")
        refused(*concat("ranks", 1, [2, 3], [2]), "INVALID_MODEL", "same number of dimensions")
        refused(*concat("beyond", 3, [2, 3], [2, 3]), "INVALID_MODEL", "axis 3")
    for opset in versions("Slice"):
        def slice_(label, image, starts, ends, axes=None, steps=None):
            if opset < 10:
                more = {"axes": axes} if axes else {}
                return family, f"Slice/{opset}/{label}", model_of(
                    [node("Slice", ["x"], starts=starts, ends=ends, **more)], opset, {"x": image}, ["y"])
            initial = [ints("s", *starts), ints("e", *ends)]
            names = ["x", "s", "e"]
            if axes or steps:
                names.append("a" if axes else "")
                if axes:
                    initial.append(ints("a", *axes))
            if steps:
                names.append("t")
                initial.append(ints("t", *steps))
            return family, f"Slice/{opset}/{label}", model_of([node("Slice", names)], opset, {"x": image}, ["y"], initial)

        computes(*slice_("one", [5, 4], [1], [3], [1]))
        computes(*slice_("two", [5, 4], [1, 2], [4, 3], [1, 2]))
        computes(*slice_("negative_ends", [5, 4], [-3, 0], [-1, -2], [1, 2]))
        computes(*slice_("beyond", [5, 4], [2], [1000], [1]))
        computes(*slice_("to_int64_max", [5, 4], [2], [2**63 - 1], [2]))
        computes(*slice_("whole_batch", [5, 4], [0, 1], [2**31 - 1, 4], [0, 1]))
        computes(*slice_("axes_default", [5, 4], [0, 1, 2], [2**31 - 1, 4, 3]))
        if opset >= 10:
            computes(*slice_("steps", [7, 4], [0, 3], [7, -5], [1, 2], [2, -1]))
            computes(*slice_("reversed", [5], [-1], [-(2**63)], [1], [-1]))
            computes(*slice_("long_step", [5], [1], [5], [1], [2**62]))
            refused(*slice_("step_zero", [5], [0], [5], [1], [0]), "INVALID_MODEL", "step is 0")
        if opset >= 11:
            computes(*slice_("negative_axis", [5, 4], [1], [3], [-1]))
        refused(*slice_("rows", [5], [0], [1], [0]), "UNSUPPORTED_OPERATOR", "some of the rows")
        refused(*slice_("axis_beyond", [5], [0], [1], [2]), "INVALID_MODEL", "axis 2")
        refused(*slice_("empty", [5], [3], [3], [1]), "UNSUPPORTED_OPERATOR", "no elements")
    for opset in versions("Split"):
        def split(label, image, axis, sizes, outputs, **attributes):
            names = [f"y{k}" for k in range(outputs)]
            initial = []
            inputs = ["x"]
            if sizes and opset >= 13:
                initial = [ints("s", *sizes)]
                inputs.append("s")
            elif sizes:
                attributes["split"] = sizes
            elif opset >= 18:
                attributes["num_outputs"] = outputs
            return family, f"Split/{opset}/{label}", model_of([node("Split", inputs, names, axis=axis, **attributes)], opset, {"x": image}, names, initial)

        computes(*split("equal", [6, 2], 1, None, 3))
        computes(*split("sizes", [6, 2], 1, [1, 3, 2], 3))
        computes(*split("last", [2, 4], 2, [3, 1], 2))
        if opset >= 18:
            computes(*split("uneven", [7], 1, None, 3))
        else:
            refused(*split("uneven", [7], 1, None, 3), "INVALID_MODEL", "not equal")
        refused(*split("batch", [6], 0, None, 2), "UNSUPPORTED_OPERATOR", "mix rows")
        refused(*split("sum", [6], 1, [2, 3], 2), "INVALID_MODEL", "add up")
    for opset in versions("Gather"):
        def gather(label, image, axis, indices):
            return family, f"Gather/{opset}/{label}", model_of(
                [node("Gather", ["x", "i"], axis=axis)], opset, {"x": image}, ["y"], [constant("i", np.array(indices, np.int64))])

        computes(*gather("scalar", [5, 3], 1, 2))
        computes(*gather("list", [5, 3], 1, [4, 0, 4]))
        computes(*gather("matrix", [5, 3], 2, [[0, 2], [1, 1]]))
        if opset >= 11:
            computes(*gather("negative_index", [5, 3], 1, [-1, -5]))
            computes(*gather("negative_axis", [5, 3], -1, [2]))
        refused(*gather("rows", [5], 0, [0]), "UNSUPPORTED_OPERATOR", "mix rows")
        refused(*gather("beyond", [5], 1, [5]), "INVALID_MODEL", "index 5")
        refused(family, f"Gather/{opset}/computed", model_of(
            [node("Cast", ["x"], ["i"], to=TensorProto.INT64), node("Gather", ["c", "i"])], opset, {"x": [5]}, ["y"], [floats("c", [3, 2], "c")]),
            "UNSUPPORTED_OPERATOR", "int64")
    for opset in versions("Pad"):
        def pad(label, image, pads, value=None, axes=None, **attributes):
            if opset < 11:
                more = {"value": value} if value is not None else {}
                return family, f"Pad/{opset}/{label}", model_of([node("Pad", ["x"], pads=pads, **more, **attributes)], opset, {"x": image}, ["y"])
            initial = [ints("p", *pads)]
            names = ["x", "p"]
            if value is not None or axes:
                names.append("v" if value is not None else "")
                if value is not None:
                    initial.append(constant("v", np.float32(value)))
            if axes:
                names.append("a")
                initial.append(ints("a", *axes))
            return family, f"Pad/{opset}/{label}", model_of([node("Pad", names, **attributes)], opset, {"x": image}, ["y"], initial)

        computes(*pad("zeros", [3, 2], [0, 1, 0, 0, 0, 2]))
        computes(*pad("value", [3, 2], [0, 1, 0, 0, 0, 2], value=1.5))
        computes(*pad("cuts", [4, 3], [0, -1, 1, 0, 0, -1]))
        computes(*pad("reflect", [4, 3], [0, 2, 1, 0, 1, 2], mode="reflect"))
        computes(*pad("edge", [4, 3], [0, 2, 1, 0, 1, 3], mode="edge"))
        if opset >= 18:
            computes(*pad("axes", [4, 3], [1, 2, 0, 1], axes=[2, 1]))
            computes(*pad("negative_axes", [4, 3], [1, 2], axes=[-1]))
        if opset >= 19:
            computes(*pad("wrap", [4, 3], [0, 2, 1, 0, 1, 3], mode="wrap"))
        refused(*pad("batch", [3], [1, 0, 0, 0]), "UNSUPPORTED_OPERATOR", "pads the batch")
        refused(*pad("too_few", [3], [0, 0]), "INVALID_MODEL", "pads")
        refused(*pad("nothing_left", [3], [0, -2, 0, -1]), "INVALID_MODEL", "pads")
        refused(*pad("mode_unknown", [3], [0, 1, 0, 1], mode="other"), "UNSUPPORTED_OPERATOR", "mode")
    for opset in versions("Expand"):
        def expand(label, image, shape):
            return family, f"Expand/{opset}/{label}", model_of([node("Expand", ["x", "s"])], opset, {"x": image}, ["y"], [ints("s", *shape)])

        computes(*expand("rows", [1, 3], [1, 2, 3]))
        computes(*expand("short", [2, 1], [4]))
        computes(*expand("smaller", [2, 3], [1, 1]))
        refused(*expand("batch", [3], [2, 3]), "UNSUPPORTED_OPERATOR", "mix rows")
        refused(*expand("longer", [3], [1, 1, 3]), "UNSUPPORTED_OPERATOR", "mix rows")
        refused(*expand("wrong", [3], [2]), "INVALID_MODEL", "broadcast")
    for opset in versions("Tile"):
        computes(family, f"Tile/{opset}", model_of([node("Tile", ["x", "r"])], opset, {"x": [2, 3]}, ["y"], [ints("r", 1, 2, 3)]))
        refused(family, f"Tile/{opset}/batch", model_of([node("Tile", ["x", "r"])], opset, {"x": [2]}, ["y"], [ints("r", 2, 1)]), "UNSUPPORTED_OPERATOR", "mix rows")


# --- constants and what is computed from shapes ---------------------------------------------------------------------

def constants():
    family = "constants"
    for opset in versions("Constant"):
        forms = [("tensor", {"value": constant("v", np.array([1, 2, 3], np.float32))})]
        if opset >= 12:
            forms += [("float", {"value_float": 1.5}), ("floats", {"value_floats": [1.0, 2.0, 3.0]})]
        for label, attribute in forms:
            computes(family, f"Constant/{opset}/{label}", model_of(
                [node("Constant", [], ["c"], **attribute), node("Add", ["x", "c"])], opset, {"x": [3]}, ["y"]))
        if opset >= 12:
            computes(family, f"Constant/{opset}/ints", model_of(
                [node("Constant", [], ["c"], value_ints=[0, 2, 3]), node("Reshape", ["x", "c"])], opset, {"x": [6]}, ["y"]))
            computes(family, f"Constant/{opset}/int", model_of(
                [node("Constant", [], ["c"], value_int=1), node("Gather", ["x", "c"], axis=1)], opset, {"x": [6]}, ["y"]))
            refused(family, f"Constant/{opset}/string", model_of(
                [node("Constant", [], ["c"], value_string="a"), node("Relu", ["x"])], opset, {"x": [6]}, ["y"]),
                "UNSUPPORTED_OPERATOR", "value_string")
    for opset in versions("Shape"):
        # x.view(x.size(0), -1), as PyTorch exports it.
        computes(family, f"Shape/{opset}/view", model_of(
            [node("Shape", ["x"], ["s"]), node("Gather", ["s", "zero"], ["n"], axis=0),
             node("Unsqueeze", ["n", "axes"] if opset >= 13 else ["n"], ["u"], **({} if opset >= 13 else {"axes": [0]})),
             node("Concat", ["u", "rest"], ["t"], axis=0), node("Reshape", ["x", "t"])],
            opset, {"x": [2, 3]}, ["y"], [constant("zero", np.int64(0)), ints("rest", -1)] + ([ints("axes", 0)] if opset >= 13 else [])))
        computes(family, f"Shape/{opset}/of_row", model_of(
            [node("Shape", ["x"], ["s"]), node("Gather", ["s", "one"], ["c"], axis=0), node("Cast", ["c"], ["f"], to=FLOAT),
             node("Div", ["x", "f"])], opset, {"x": [5]}, ["y"], [constant("one", np.int64(1))]))
        if opset >= 15:
            for label, attribute in (("start", {"start": 1}), ("end", {"start": -2, "end": -1}), ("clamped", {"start": -9, "end": 9})):
                computes(family, f"Shape/{opset}/{label}", model_of(
                    [node("Shape", ["c"], ["s"], **attribute), node("Cast", ["s"], ["f"], to=FLOAT), node("ReduceSum", ["x"], ["r"]) if 0 else
                     node("Concat", ["f", "f"], ["g"], axis=0), node("Gather", ["g", "zero"], ["h"]), node("Mul", ["x", "h"])],
                    opset, {"x": [5]}, ["y"], [floats("c", [2, 3, 4], "c"), constant("zero", np.int64(0))]))
        refused(family, f"Shape/{opset}/batch_as_number", model_of(
            [node("Shape", ["x"], ["s"]), node("Gather", ["s", "zero"], ["n"], axis=0), node("Cast", ["n"], ["f"], to=FLOAT), node("Div", ["x", "f"])],
            opset, {"x": [5]}, ["y"], [constant("zero", np.int64(0))]), "UNSUPPORTED_OPERATOR", "size of the batch")
        computes(family, f"Shape/{opset}/fixed_batch_as_number", model_of(
            [node("Shape", ["x"], ["s"]), node("Gather", ["s", "zero"], ["n"], axis=0), node("Cast", ["n"], ["f"], to=FLOAT), node("Div", ["x", "f"])],
            opset, {"x": (1, 5)}, ["y"], [constant("zero", np.int64(0))]), fixed=True)
    for opset in versions("ConstantOfShape"):
        value = helper.make_tensor("v", FLOAT, [1], [0.5])
        computes(family, f"ConstantOfShape/{opset}/constant", model_of(
            [node("ConstantOfShape", ["s"], ["c"], value=value), node("Add", ["x", "c"])], opset, {"x": [2, 3]}, ["y"], [ints("s", 2, 3)]))
        # torch.zeros(x.size(0), 2) joined to x.
        computes(family, f"ConstantOfShape/{opset}/batch", model_of(
            [node("Shape", ["x"], ["s"]), node("Slice", ["s", "i0", "i1"], ["n"]) if opset >= 10 else node("Slice", ["s"], ["n"], starts=[0], ends=[1]),
             node("Concat", ["n", "two"], ["t"], axis=0), node("ConstantOfShape", ["t"], ["c"], value=value), node("Concat", ["x", "c"], axis=1)],
            opset, {"x": [3]}, ["y"], [ints("i0", 0), ints("i1", 1), ints("two", 2)]))
        # Where(Equal(ConstantOfShape * -1, shape), ones, shape): how PyTorch exports expand().
        minus = helper.make_tensor("v", TensorProto.INT64, [1], [1])
        computes(family, f"ConstantOfShape/{opset}/expand", model_of(
            [node("ConstantOfShape", ["three"], ["ones"], value=minus), node("Mul", ["ones", "m1"], ["neg"]), node("Equal", ["want", "neg"], ["e"]),
             node("Where", ["e", "ones", "want"], ["s"]), node("Expand", ["x", "s"])],
            opset, {"x": [1, 3]}, ["y"], [ints("three", 3), ints("m1", -1), ints("want", -1, 4, 3)]))
        # A learned token for every row: Expand(constant, [batch, 1, 3]).
        if opset >= 13:
            computes(family, f"ConstantOfShape/{opset}/token", model_of(
                [node("Shape", ["x"], ["s"]), node("Gather", ["s", "zero"], ["n"], axis=0), node("Unsqueeze", ["n", "axes"], ["u"]),
                 node("Concat", ["u", "rest"], ["t"], axis=0), node("Expand", ["c", "t"], ["k"]), node("Concat", ["k", "x"], axis=1)],
                opset, {"x": [2, 3]}, ["y"], [constant("zero", np.int64(0)), ints("axes", 0), ints("rest", 1, 3), floats("c", [1, 1, 3], "c")]))
    for opset in versions("Range"):
        computes(family, f"Range/{opset}/integers", model_of(
            [node("Range", ["a", "b", "d"], ["r"]), node("Gather", ["x", "r"], axis=1)], opset, {"x": [7]}, ["y"],
            [constant("a", np.int64(5)), constant("b", np.int64(-1)), constant("d", np.int64(-2))]))
        computes(family, f"Range/{opset}/floats", model_of(
            [node("Range", ["a", "b", "d"], ["r"]), node("Add", ["x", "r"])], opset, {"x": [4]}, ["y"],
            [constant("a", np.float32(1)), constant("b", np.float32(2.9)), constant("d", np.float32(0.5))]))
        refused(family, f"Range/{opset}/endless", model_of(
            [node("Range", ["a", "b", "d"], ["r"]), node("Add", ["x", "r"])], opset, {"x": [4]}, ["y"],
            [constant("a", np.float32(1)), constant("b", np.float32(2)), constant("d", np.float32(0))]), "INVALID_MODEL", "does not end")
        refused(family, f"Range/{opset}/huge", model_of(
            [node("Range", ["a", "b", "d"], ["r"]), node("Gather", ["x", "r"], axis=1)], opset, {"x": [4]}, ["y"],
            [constant("a", np.int64(0)), constant("b", np.int64(2**38)), constant("d", np.int64(1))]), "LIMIT", "numbers")
    for op in ("Equal", "Less", "Greater"):
        for opset in versions(op):
            for label, kind in (("integers", np.int64), ("floats", np.float32)):
                # The oldest Equal knows no floats.
                if op == "Equal" and kind == np.float32 and opset < 11:
                    continue
                computes(family, f"{op}/{opset}/{label}", model_of(
                    [node(op, ["a", "b"], ["e"]), node("Where", ["e", "p", "q"], ["w"]), node("Add", ["x", "w"])], opset, {"x": [3]}, ["y"],
                    [constant("a", np.array([1, 2, 3], kind)), constant("b", np.array([2], kind)), floats("p", [3], "p"), floats("q", [1], "q")]))
            refused(family, f"{op}/{opset}/computed", model_of(
                [node(op, ["x", "c"], ["e"]), node("Cast", ["e"], ["y"], to=FLOAT)], opset, {"x": [3]}, ["y"], [floats("c", [3], "c")]),
                "UNSUPPORTED_OPERATOR", "computed from the network's input")
    for op in ("And", "Or", "Not"):
        for opset in versions(op):
            operands = ["a", "b"] if op != "Not" else ["a"]
            computes(family, f"{op}/{opset}", model_of(
                [node(op, operands, ["e"]), node("Where", ["e", "p", "q"], ["w"]), node("Add", ["x", "w"])], opset, {"x": [4]}, ["y"],
                [constant("a", np.array([0, 0, 1, 1], np.bool_)), constant("b", np.array([0, 1, 0, 1], np.bool_)),
                 constant("p", np.float32(1)), constant("q", np.float32(2))]))
    for opset in versions("Where"):
        mask = constant("m", np.array([[True, False, True], [False, False, True]]))
        computes(family, f"Where/{opset}/mask", model_of(
            [node("Where", ["m", "x", "q"])], opset, {"x": [2, 3]}, ["y"], [mask, constant("q", np.float32(-1e9))]))
        computes(family, f"Where/{opset}/mask_other", model_of(
            [node("Where", ["m", "q", "x"])], opset, {"x": [2, 3]}, ["y"], [mask, constant("q", np.float32(7))]))
        computes(family, f"Where/{opset}/broadcast", model_of(
            [node("Where", ["m", "x", "q"])], opset, {"x": [1, 3]}, ["y"], [constant("m", np.array([[[True, False, True], [False, True, True]]])), constant("q", np.float32(7))]))
        refused(family, f"Where/{opset}/infinite", model_of(
            [node("Where", ["m", "x", "q"])], opset, {"x": [2, 3]}, ["y"], [mask, constant("q", np.float32(-np.inf))]), "UNSUPPORTED_OPERATOR", "not finite")
        refused(family, f"Where/{opset}/rows", model_of(
            [node("Where", ["m", "x", "q"])], opset, {"x": [3]}, ["y"], [mask, constant("q", np.float32(7))]), "UNSUPPORTED_OPERATOR", "mix rows")

    # Element types of weights, and every field they can lie in.
    weight = np.array([[1.5, -2.0], [0.25, 3.0], [-1.0, 0.5]], np.float32)
    for label, kind in (("float16", np.float16), ("double", np.float64), ("float", np.float32)):
        computes(family, f"weights/{label}_raw", model_of(
            [node("Cast", ["w"], ["v"], to=FLOAT), node("MatMul", ["x", "v"])], 13, {"x": [3]}, ["y"], [constant("w", weight.astype(kind))]))
        listed = helper.make_tensor("w", helper.np_dtype_to_tensor_dtype(np.dtype(kind)), weight.shape, weight.astype(kind).flatten())
        computes(family, f"weights/{label}_listed", model_of(
            [node("Cast", ["w"], ["v"], to=FLOAT), node("MatMul", ["x", "v"])], 13, {"x": [3]}, ["y"], [listed]))
    bfloat = helper.make_tensor("w", TensorProto.BFLOAT16, weight.shape, weight.flatten())
    computes(family, "weights/bfloat16", model_of(
        [node("Cast", ["w"], ["v"], to=FLOAT), node("MatMul", ["x", "v"])], 13, {"x": [3]}, ["y"], [bfloat]))
    small = np.array([6e-8, -5.96e-8, 6.1e-5, 65504.0], np.float16)
    computes(family, "weights/float16_denormals", model_of(
        [node("Cast", ["w"], ["v"], to=FLOAT), node("Mul", ["x", "v"])], 13, {"x": [4]}, ["y"], [constant("w", small)]), tolerance=1e-6)
    for label, kind in (("int8", np.int8), ("uint8", np.uint8), ("int16", np.int16), ("uint16", np.uint16), ("int32", np.int32),
                        ("uint32", np.uint32), ("int64", np.int64), ("uint64", np.uint64), ("bool", np.bool_)):
        values = np.array([0, 1, 1] if kind == np.bool_ else [0, 100, 7]).astype(kind)
        for where in ("raw", "listed"):
            tensor = constant("w", values) if where == "raw" else helper.make_tensor(
                "w", helper.np_dtype_to_tensor_dtype(np.dtype(kind)), values.shape, values)
            computes(family, f"weights/{label}_{where}", model_of(
                [node("Cast", ["w"], ["v"], to=FLOAT), node("Add", ["x", "v"])], 13, {"x": [3]}, ["y"], [tensor]))
    half = model_of([node("Gemm", ["x", "w", "b"], transB=1), ], 13, {"x": ([4], {"type": TensorProto.FLOAT16})}, ["y"],
                    [constant("w", rng("h").standard_normal((3, 4)).astype(np.float16)), constant("b", np.zeros(3, np.float16))],
                    output_type=TensorProto.FLOAT16)
    computes(family, "weights/whole_model_in_float16", half, tolerance=2e-3)
    refused(family, "weights/double_beyond_float", model_of(
        [node("Cast", ["w"], ["v"], to=FLOAT), node("Mul", ["x", "v"])], 13, {"x": [1]}, ["y"], [constant("w", np.array([1e300]))]),
        "INVALID_MODEL", "beyond the range of float")
    for label, value in (("nan", np.nan), ("infinity", np.inf), ("minus_infinity", -np.inf)):
        bad = weight.copy()
        bad[1, 1] = value
        refused(family, f"weights/{label}", model_of([node("MatMul", ["x", "w"])], 13, {"x": [3]}, ["y"], [constant("w", bad)]),
                "INVALID_MODEL", "'w'")
        refused(family, f"weights/{label}_added", model_of(
            [node("Add", ["x", "w"])], 13, {"x": [2]}, ["y"], [constant("w", np.array([1, value], np.float32))]), "INVALID_MODEL", "'w'")
    refused(family, "weights/text", model_of([node("Relu", ["x"])], 13, {"x": [3]}, ["y"],
                                             [helper.make_tensor("w", TensorProto.STRING, [1], [b"a"])]), "UNSUPPORTED_OPERATOR", "'w'")


# --- whole files ----------------------------------------------------------------------------------------------------

def files():
    family = "files"
    relu = [node("Relu", ["x"])]
    # The batch: a symbol, no name at all, 1, another number.
    unnamed = model_of(relu, 13, {"x": [3]}, ["y"])
    unnamed.graph.input[0].type.tensor_type.shape.dim[0].Clear()
    computes(family, "batch/unnamed", unnamed)
    computes(family, "batch/one", model_of(relu, 13, {"x": (1, 3)}, ["y"]), fixed=True)
    refused(family, "batch/four", model_of(relu, 13, {"x": (4, 3)}, ["y"]), "UNSUPPORTED_OPERATOR", "[4, 3]")
    refused(family, "batch/zero", model_of(relu, 13, {"x": (0, 3)}, ["y"]), "UNSUPPORTED_OPERATOR", "[0, 3]")
    refused(family, "batch/mixed", model_of([node("Concat", ["x", "z"], axis=1)], 13, {"x": (1, 3), "z": ("N", 3)}, ["y"]),
            "UNSUPPORTED_OPERATOR", "fixed to 1 in some")
    refused(family, "input/open_dimension", model_of(relu, 13, {"x": ("N", "M")}, ["y"]), "UNSUPPORTED_OPERATOR", "'M'")
    refused(family, "input/integers", model_of([node("Cast", ["x"], to=FLOAT)], 13, {"x": ([3], {"type": TensorProto.INT64})}, ["y"]),
            "UNSUPPORTED_OPERATOR", "int64")
    shapeless = model_of(relu, 13, {"x": [3]}, ["y"])
    shapeless.graph.input[0].type.tensor_type.ClearField("shape")
    refused(family, "input/no_shape", shapeless, "UNSUPPORTED_OPERATOR", "no shape")
    negative = model_of(relu, 13, {"x": ("N", -3)}, ["y"])
    refused(family, "input/negative", negative, "INVALID_MODEL", "-3")
    rank = model_of(relu, 13, {"x": ("N", *[1] * 999)}, ["y"])
    refused(family, "input/rank_1000", rank, "INVALID_MODEL", "dimensions")
    huge = model_of(relu, 13, {"x": ("N", 2**31 - 1, 2**31 - 1)}, ["y"])
    refused(family, "input/huge", huge, "LIMIT", "elements")
    five = {f"x{i}": [2] for i in range(5)}
    refused(family, "input/five", model_of([node("Sum", list(five))], 13, five, ["y"]), "LIMIT", "4 inputs")
    computes(family, "input/four", model_of([node("Sum", list(five)[:4])], 13, dict(list(five.items())[:4]), ["y"]))
    computes(family, "input/unused", model_of(relu, 13, {"x": [3], "unused": [2]}, ["y"]))
    sequence = model_of(relu, 13, {"x": [3]}, ["y"])
    sequence.graph.input[0].type.CopyFrom(helper.make_sequence_type_proto(helper.make_tensor_type_proto(FLOAT, [3])))
    refused(family, "input/sequence", sequence, "UNSUPPORTED_OPERATOR", "no tensor")
    nested = helper.make_tensor_type_proto(FLOAT, [3])
    for _ in range(60):  # deeper than 100 and the Python package itself gives up
        nested = helper.make_sequence_type_proto(nested)
    deep = model_of(relu, 13, {"x": [3]}, ["y"])
    deep.graph.input[0].type.CopyFrom(nested)
    refused(family, "input/nested_types", deep, "UNSUPPORTED_OPERATOR", "no tensor")

    # Older files list weights among the inputs.
    listed = model_of([node("MatMul", ["x", "w"])], 9, {"x": [3], "w": [2]}, ["y"], [floats("w", [3, 2], "w")], ir=3)
    listed.graph.input[1].type.CopyFrom(helper.make_tensor_type_proto(FLOAT, [3, 2]))
    computes(family, "input/weights_listed", listed)

    # Outputs.
    computes(family, "output/of_input", model_of(relu, 13, {"x": [3]}, ["y", "x"]))
    computes(family, "output/in_between", model_of(
        [node("Relu", ["x"], ["r"]), node("Neg", ["r"], ["y"]), node("Abs", ["y"], ["z"])], 13, {"x": [3]}, ["r", "z", "y"]))
    refused(family, "output/constant", model_of(
        [node("Relu", ["x"], ["z"]), node("Neg", ["c"])], 13, {"x": [3]}, ["y"], [floats("c", [1, 3], "c")]), "UNSUPPORTED_OPERATOR", "does not depend")
    refused(family, "output/nowhere", model_of(relu, 13, {"x": [3]}, ["nowhere"]), "INVALID_MODEL", "'nowhere'")
    twice = model_of(relu, 13, {"x": [3]}, ["y", "y"])
    refused(family, "output/twice", twice, "INVALID_MODEL", "'y'")
    nine = [f"y{i}" for i in range(9)]
    refused(family, "output/nine", model_of([node("Relu", ["x"], [n]) for n in nine], 13, {"x": [3]}, nine), "LIMIT", "8 outputs")
    none = model_of(relu, 13, {"x": [3]}, [])
    refused(family, "output/none", none, "INVALID_MODEL", "no output")

    # Dead nodes, and steps that share weights.
    computes(family, "graph/dead_node", model_of(
        [node("Neg", ["x"], ["dead"]), node("Relu", ["x"])], 13, {"x": [3]}, ["y"]))
    computes(family, "graph/shared_weights", model_of(
        [node("MatMul", ["x", "w"], ["a"]), node("Relu", ["a"], ["b"]), node("MatMul", ["b", "w"], ["c"]), node("Add", ["c", "d"])],
        13, {"x": [3]}, ["y"], [floats("w", [3, 3], "w"), floats("d", [3], "d")]))
    computes(family, "graph/residual_made_later", model_of(
        [node("MatMul", ["x", "w"], ["a"]), node("Neg", ["x"], ["n"]), node("Exp", ["n"], ["e"]), node("Add", ["a", "e"], ["s"]), node("Relu", ["s"])],
        13, {"x": [3]}, ["y"], [floats("w", [3, 3], "w")]))
    computes(family, "graph/residual_used_twice", model_of(
        [node("MatMul", ["x", "w"], ["a"]), node("Add", ["a", "x"], ["s"]), node("Mul", ["s", "a"])],
        13, {"x": [3]}, ["y"], [floats("w", [3, 3], "w")]))
    computes(family, "graph/scale_and_shift", model_of(
        [node("MatMul", ["x", "w"], ["a"]), node("Mul", ["a", "s"], ["b"]), node("Sub", ["t", "b"], ["c"]), node("Div", ["c", "u"], ["d"]), node("Tanh", ["d"])],
        13, {"x": [3]}, ["y"], [floats("w", [3, 4], "w"), floats("s", [4], "s"), floats("t", [1, 4], "t"), constant("u", np.float32(3))]))
    computes(family, "graph/scale_of_matrix_rows_stays", model_of(
        [node("MatMul", ["x", "w"], ["a"]), node("Mul", ["a", "s"])],
        13, {"x": [2, 3]}, ["y"], [floats("w", [3, 4], "w"), floats("s", [2, 1], "s")]))
    computes(family, "graph/scale_of_pixels_stays", model_of(
        [node("Conv", ["x", "w"], ["a"]), node("Mul", ["a", "s"], ["b"]), node("Add", ["b", "t"])],
        13, {"x": [2, 3, 3]}, ["y"], [floats("w", [2, 2, 2, 2], "w"), floats("s", [2], "s"), floats("t", [2, 1, 1], "t")]))
    computes(family, "graph/same_parts_many_times", model_of(
        [node("Concat", ["x", "x"], ["a"], axis=1), node("Concat", ["a", "a", "x"], ["b"], axis=1), node("Relu", ["b"])], 13, {"x": [2]}, ["y"]))
    # gelu, as exporters write it before opset 20.
    root = constant("root", np.float32(np.sqrt(2)))
    half, one = constant("half", np.float32(0.5)), constant("one", np.float32(1))
    w = floats("w", [3, 3], "w")
    gate = [node("MatMul", ["i", "w"], ["x"]), node("Div", ["x", "root"], ["d"]), node("Erf", ["d"], ["e"]), node("Add", ["e", "one"], ["g"])]
    computes(family, "graph/gelu_product_halved", model_of(
        gate + [node("Mul", ["x", "g"], ["p"]), node("Mul", ["p", "half"])], 13, {"i": [3]}, ["y"], [root, half, one, w]))
    computes(family, "graph/gelu_input_halved", model_of(
        gate + [node("Mul", ["x", "half"], ["p"]), node("Mul", ["p", "g"])], 13, {"i": [3]}, ["y"], [root, half, one, w]))
    computes(family, "graph/gelu_gate_halved", model_of(
        gate + [node("Mul", ["half", "g"], ["p"]), node("Mul", ["p", "x"])], 13, {"i": [3]}, ["y"], [root, half, one, w]))
    computes(family, "graph/nearly_gelu", model_of(
        gate + [node("Mul", ["i", "g"], ["p"]), node("Mul", ["p", "half"])], 13, {"i": [3]}, ["y"], [root, half, one, w]))

    # What no importer should guess at.
    for op in ("RandomNormalLike", "LSTM", "ConvTranspose", "ArgMax", "Log", "Resize", "NonMaxSuppression", "QuantizeLinear"):
        refused(family, f"operator/{op}", model_of([node(op, ["x"], named="culprit")], 13, {"x": [3]}, ["y"]), "UNSUPPORTED_OPERATOR",
                f"node 'culprit' ('{op}', ai.onnx opset 13)")
    refused(family, "operator/unknown", model_of([node("Frobnicate", ["x"])], 13, {"x": [3]}, ["y"]), "UNSUPPORTED_OPERATOR", "'Frobnicate'")
    refused(family, "operator/too_new_for_opset", model_of([node("Gelu", ["x"])], 19, {"x": [3]}, ["y"]), "UNSUPPORTED_OPERATOR", "from opset 20")
    other = model_of([helper.make_node("Gelu", ["x"], ["y"], name="gelu", domain="com.microsoft")], 13, {"x": [3]}, ["y"])
    refused(family, "operator/domain", other, "UNSUPPORTED_OPERATOR", "'com.microsoft' opset")
    refused(family, "operator/attribute", model_of([node("Relu", ["x"], slope=0.5)], 13, {"x": [3]}, ["y"]), "UNSUPPORTED_OPERATOR", "'slope'")
    refused(family, "operator/attribute_type", model_of([node("LeakyRelu", ["x"], alpha=1)], 13, {"x": [3]}, ["y"]), "INVALID_MODEL", "'alpha'")
    for opset in (1, 8, NEWEST + 1, 1000):
        late = model_of(relu, 13, {"x": [3]}, ["y"])
        late.opset_import[0].version = opset
        refused(family, f"opset/{opset}", late, "UNSUPPORTED_OPERATOR", f"opset {opset} ")
    no_opset = model_of(relu, 13, {"x": [3]}, ["y"])
    del no_opset.opset_import[:]
    refused(family, "opset/none", no_opset, "INVALID_MODEL", "which opset")
    two = model_of(relu, 13, {"x": [3]}, ["y"])
    two.opset_import.append(helper.make_opsetid("ai.onnx", 14))
    refused(family, "opset/two", two, "INVALID_MODEL", "13 and 14")
    for ir, code in ((0, "INVALID_MODEL"), (2, "INVALID_MODEL"), (99, "UNSUPPORTED_OPERATOR")):
        odd = model_of(relu, 13, {"x": [3]}, ["y"])
        odd.ir_version = ir
        refused(family, f"ir/{ir}", odd, code, "IR version")

    # Graphs that contradict themselves.
    refused(family, "graph/cycle", model_of([node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"])], 13, {"x": [3]}, ["b"]), "INVALID_MODEL", "'b'")
    refused(family, "graph/self", model_of([node("Add", ["x", "y"], ["y"])], 13, {"x": [3]}, ["y"]), "INVALID_MODEL", "'y'")
    refused(family, "graph/out_of_order", model_of([node("Relu", ["a"], ["y"]), node("Relu", ["x"], ["a"])], 13, {"x": [3]}, ["y"]), "INVALID_MODEL", "'a'")
    refused(family, "graph/missing_input", model_of([node("Add", ["x", "nothing"])], 13, {"x": [3]}, ["y"]), "INVALID_MODEL", "'nothing'")
    refused(family, "graph/same_name_twice", model_of([node("Relu", ["x"]), node("Neg", ["x"])], 13, {"x": [3]}, ["y"]), "INVALID_MODEL", "name of something else")
    refused(family, "graph/result_named_as_weight", model_of([node("Relu", ["x"], ["w"])], 13, {"x": [3]}, ["w"], [floats("w", [3], "w")]), "INVALID_MODEL", "name of something else")
    double = model_of(relu, 13, {"x": [3]}, ["y"], [floats("w", [3], "w"), floats("w", [3], "v")])
    refused(family, "graph/weight_twice", double, "INVALID_MODEL", "twice")
    nameless = model_of(relu, 13, {"x": [3]}, ["y"], [constant("", np.zeros(3, np.float32))])
    refused(family, "graph/weight_without_name", nameless, "INVALID_MODEL", "no name")
    twins = model_of(relu, 13, {"x": [3]}, ["y"])
    twins.graph.input.append(twins.graph.input[0])
    refused(family, "graph/input_twice", twins, "INVALID_MODEL", "'x'")
    refused(family, "graph/no_inputs_of_node", model_of([node("Relu", [])], 13, {"x": [3]}, ["y"]), "INVALID_MODEL", "inputs")
    refused(family, "graph/too_many_inputs_of_node", model_of([node("Relu", ["x", "x"])], 13, {"x": [3]}, ["y"]), "INVALID_MODEL", "2 inputs")
    refused(family, "graph/too_many_outputs_of_node", model_of([node("Relu", ["x"], ["y", "z"])], 13, {"x": [3]}, ["y"]), "INVALID_MODEL", "2 outputs")
    empty = model_of(relu, 13, {"x": [3]}, ["y"])
    empty.ClearField("graph")
    refused(family, "graph/none", empty, "INVALID_MODEL", "no graph")
    no_input = model_of([node("Constant", [], ["c"], value_float=1.0), node("Relu", ["c"])], 13, {}, ["y"])
    refused(family, "graph/no_input", no_input, "UNSUPPORTED_OPERATOR", "no input")

    # Broadcasts and shapes that do not go together.
    refused(family, "shape/do_not_broadcast", model_of([node("Add", ["a", "b"])], 13, {"a": [3], "b": [4]}, ["y"]), "INVALID_MODEL", "broadcast")
    refused(family, "shape/batch_meets_row", model_of([node("Add", ["a", "b"])], 13, {"a": [3], "b": [3, 3]}, ["y"]), "UNSUPPORTED_OPERATOR", "mix rows")
    refused(family, "shape/constant_with_rows", model_of([node("Add", ["a", "c"])], 13, {"a": [3]}, ["y"], [floats("c", [2, 3], "c")]), "UNSUPPORTED_OPERATOR", "mix rows")
    refused(family, "shape/constant_with_more_dimensions", model_of([node("Add", ["a", "c"])], 13, {"a": [3]}, ["y"], [floats("c", [1, 1, 3], "c")]), "UNSUPPORTED_OPERATOR", "mix rows")

    # Payloads that do not go with their dimensions.
    def payload(label, change, code="INVALID_MODEL", said="'w'"):
        bad = model_of([node("MatMul", ["x", "w"])], 13, {"x": [3]}, ["y"], [floats("w", [3, 2], "w")])
        change(bad.graph.initializer[0])
        refused(family, f"payload/{label}", bad, code, said)

    def dims(*values):
        def change(tensor):
            tensor.ClearField("dims")
            tensor.dims.extend(values)
        return change

    payload("short", lambda t: setattr(t, "raw_data", t.raw_data[:-4]))
    payload("long", lambda t: setattr(t, "raw_data", t.raw_data + b"\0\0\0\0"))
    payload("half_a_number", lambda t: setattr(t, "raw_data", t.raw_data[:-1]))
    payload("none", lambda t: t.ClearField("raw_data"))
    payload("dims_negative", dims(-3, 2))
    payload("dims_overflow", dims(2**32, 2**32))
    payload("dims_wrap_to_six", dims(2**63 - 1, 2**63 - 1, 6))
    payload("dims_product_beyond_memory", dims(2**20, 2**19))
    payload("dims_huge", dims(2**31 - 1), said="'w'")
    payload("dims_too_many", dims(*[1] * 1000), said="1000 dimensions")
    payload("type_none", lambda t: setattr(t, "data_type", 0))
    payload("type_unknown", lambda t: setattr(t, "data_type", 77), code="UNSUPPORTED_OPERATOR")
    payload("type_complex", lambda t: setattr(t, "data_type", TensorProto.COMPLEX64), code="UNSUPPORTED_OPERATOR")

    def outside(location, offset=None, length=None):
        def change(tensor):
            tensor.ClearField("raw_data")
            tensor.data_location = TensorProto.EXTERNAL
            for key, value in (("location", location), ("offset", offset), ("length", length)):
                if value is not None:
                    entry = tensor.external_data.add()
                    entry.key, entry.value = key, value
        return change

    payload("external_from_memory", outside("w.bin"), said="no folder was given")

    # Subgraphs, sparse tensors and functions are named, not entered.
    body = helper.make_graph([node("Relu", ["x"], ["r"])], "then", [], [helper.make_tensor_value_info("r", FLOAT, None)])
    choice = helper.make_node("If", ["c"], ["y"], name="choice", then_branch=body, else_branch=body)
    refused(family, "subgraph/if", model_of([choice], 13, {"x": [3]}, ["y"], [constant("c", np.bool_(True))]), "UNSUPPORTED_OPERATOR", "'choice'")
    for _ in range(20):  # 62 messages deep; Python's protobuf stops at 100. Deeper ones are made by the C++ test
        body = helper.make_graph([helper.make_node("If", ["c"], ["r"], name="choice", then_branch=body, else_branch=body)] if 0 else
                                 [helper.make_node("Loop", ["c"], ["r"], name="choice", body=body)], "then", [],
                                 [helper.make_tensor_value_info("r", FLOAT, None)])
    refused(family, "subgraph/nested", model_of([helper.make_node("Loop", ["c"], ["y"], name="choice", body=body)], 13, {"x": [3]}, ["y"], [constant("c", np.bool_(True))]),
            "UNSUPPORTED_OPERATOR", "'choice'")
    sparse = model_of(relu, 13, {"x": [3]}, ["y"])
    sparse.graph.sparse_initializer.add().dims.extend([3])
    refused(family, "sparse/initializer", sparse, "UNSUPPORTED_OPERATOR", "sparse")
    function = helper.make_function("own", "twice", ["a"], ["b"], [node("Add", ["a", "a"], ["b"])], [helper.make_opsetid("", 13)])
    local = model_of(relu, 13, {"x": [3]}, ["y"], functions=[function])
    refused(family, "function/local", local, "UNSUPPORTED_OPERATOR", "'twice'")
    recursive = helper.make_function("own", "again", ["a"], ["b"], [helper.make_node("again", ["a"], ["b"], domain="own")], [helper.make_opsetid("own", 1)])
    refused(family, "function/recursive", model_of(relu, 13, {"x": [3]}, ["y"], functions=[recursive]), "UNSUPPORTED_OPERATOR", "'again'")


# --- whole models, as PyTorch exports them --------------------------------------------------------------------------

def whole():
    family = "models"

    def he(name, shape):
        fan = int(np.prod(shape[1:])) if len(shape) > 1 else shape[0]
        return constant(name, (rng(name).standard_normal(shape) * np.sqrt(2.0 / fan)).astype(np.float32))

    # nn.Sequential(Linear, ReLU, Linear, Tanh, Linear), opset 17, float weights.
    def mlp(sizes, opset):
        nodes, initial = [], []
        value = "state"
        for i in range(len(sizes) - 1):
            initial += [he(f"{2 * i}.weight", [sizes[i + 1], sizes[i]]), floats(f"{2 * i}.bias", [sizes[i + 1]], "mlp", 0.1)]
            last = i == len(sizes) - 2
            out = "policy" if last else f"/{2 * i}/Gemm_output_0"
            nodes.append(node("Gemm", [value, f"{2 * i}.weight", f"{2 * i}.bias"], [out], named=f"/{2 * i}/Gemm", alpha=1.0, beta=1.0, transB=1))
            value = out
            if not last:
                op = "Relu" if i % 2 == 0 else "Tanh"
                value = f"/{2 * i + 1}/{op}_output_0"
                nodes.append(node(op, [out], [value], named=f"/{2 * i + 1}/{op}"))
        return model_of(nodes, opset, {"state": [sizes[0]]}, ["policy"], initial)

    for opset in (9, 13, 17, NEWEST):
        computes(family, f"mlp/{opset}", mlp([42, 64, 32, 7], opset), rows=3, tolerance=2e-5)

    # A two-headed net of reinforcement learning: observation normalised by constants, shared trunk, gelu written out,
    # layer normalization by hand, policy logits and a squashed value, x.view(x.size(0), -1).
    def two_heads(opset):
        one_axis = [ints("axes0", 0)] if opset >= 13 else []
        nodes = [
            node("Sub", ["obs", "obs_mean"], ["o1"]), node("Div", ["o1", "obs_std"], ["o2"]),
            node("Clip", ["o2", "clip_low", "clip_high"], ["o3"]) if opset >= 11 else node("Clip", ["o2"], ["o3"], min=-5.0, max=5.0),
            node("Shape", ["o3"], ["s0"]), node("Gather", ["s0", "zero"], ["s1"], axis=0),
            node("Unsqueeze", ["s1", "axes0"] if opset >= 13 else ["s1"], ["s2"], **({} if opset >= 13 else {"axes": [0]})),
            node("Concat", ["s2", "minus"], ["s3"], axis=0), node("Reshape", ["o3", "s3"], ["flat"]),
            node("MatMul", ["flat", "w0"], ["m0"]), node("Add", ["b0", "m0"], ["a0"]),
            node("ReduceMean", ["a0"], ["mu"], axes=[-1]) if opset < 18 else node("ReduceMean", ["a0", "last"], ["mu"]),
            node("Sub", ["a0", "mu"], ["c0"]), node("Pow", ["c0", "two"], ["p0"]),
            node("ReduceMean", ["p0"], ["va"], axes=[-1]) if opset < 18 else node("ReduceMean", ["p0", "last"], ["va"]),
            node("Add", ["va", "eps"], ["v1"]), node("Sqrt", ["v1"], ["sd"]), node("Div", ["c0", "sd"], ["n0"]),
            node("Mul", ["n0", "ln_w"], ["n1"]), node("Add", ["n1", "ln_b"], ["n2"]),
            node("Div", ["n2", "root"], ["g0"]), node("Erf", ["g0"], ["g1"]), node("Add", ["g1", "one"], ["g2"]),
            node("Mul", ["n2", "g2"], ["g3"]), node("Mul", ["g3", "half"], ["trunk"]),
            node("Gemm", ["trunk", "wp", "bp"], ["policy_logits"], transB=1),
            node("Gemm", ["trunk", "wv", "bv"], ["v"], transB=1), node("Tanh", ["v"], ["value"]),
        ]
        initial = one_axis + [
            floats("obs_mean", [3, 4], "m"), constant("obs_std", (0.5 + np.abs(rng("std").standard_normal((3, 4)))).astype(np.float32)),
            constant("zero", np.int64(0)), ints("minus", -1), he("w0", [12, 16]), floats("b0", [16], "b0", 0.1), ints("last", -1),
            constant("two", np.float32(2)), constant("eps", np.float32(1e-5)), floats("ln_w", [16], "ln"), floats("ln_b", [16], "ln"),
            constant("root", np.float32(1.4142135381698608)), constant("one", np.float32(1)), constant("half", np.float32(0.5)),
            he("wp", [7, 16]), floats("bp", [7], "bp", 0.1), he("wv", [1, 16]), floats("bv", [1], "bv", 0.1)]
        if opset >= 11:
            initial += [constant("clip_low", np.float32(-5)), constant("clip_high", np.float32(5))]
        return model_of(nodes, opset, {"obs": [3, 4]}, ["value", "policy_logits"], initial)

    for opset in (9, 13, 18, NEWEST):
        computes(family, f"two_heads/{opset}", two_heads(opset), rows=3, tolerance=2e-5)

    def block_parts(initial, name, channels_out, channels_in, kernel, norm):
        initial.append(he(name + ".weight", [channels_out, channels_in, kernel, kernel]))
        if norm:
            initial.extend([floats(name + ".bn_w", [channels_out], "bn"), floats(name + ".bn_b", [channels_out], "bn", 0.2),
                            floats(name + ".bn_m", [channels_out], "bn", 0.2),
                            constant(name + ".bn_v", (0.5 + np.abs(rng(name).standard_normal(channels_out))).astype(np.float32))])

    def conv_bn(nodes, initial, value, name, channels_out, channels_in, kernel, stride, relu=True):
        block_parts(initial, name, channels_out, channels_in, kernel, True)
        pad = kernel // 2
        nodes.append(node("Conv", [value, name + ".weight"], [name + "_c"], named=name, dilations=[1, 1], group=1,
                          kernel_shape=[kernel, kernel], pads=[pad] * 4, strides=[stride, stride]))
        nodes.append(node("BatchNormalization", [name + "_c"] + [name + s for s in (".bn_w", ".bn_b", ".bn_m", ".bn_v")], [name + "_n"],
                          named=name + "/bn", epsilon=1e-5, momentum=0.9))
        if not relu:
            return name + "_n"
        nodes.append(node("Relu", [name + "_n"], [name + "_r"], named=name + "/relu"))
        return name + "_r"

    # A small board-game network: convolution, two residual blocks, policy and value heads (and a reward of the same trunk).
    def board(opset):
        nodes, initial = [], []
        value = conv_bn(nodes, initial, "board", "stem", 6, 2, 3, 1)
        for b in range(2):
            inner = conv_bn(nodes, initial, value, f"block{b}.0", 6, 6, 3, 1)
            inner = conv_bn(nodes, initial, inner, f"block{b}.1", 6, 6, 3, 1, relu=False)
            nodes.append(node("Add", [inner, value], [f"block{b}_s"], named=f"block{b}/Add"))
            nodes.append(node("Relu", [f"block{b}_s"], [f"block{b}_o"], named=f"block{b}/Relu"))
            value = f"block{b}_o"
        p = conv_bn(nodes, initial, value, "p", 2, 6, 1, 1)
        nodes += [node("Flatten", [p], ["pf"], axis=1), node("Gemm", ["pf", "pw", "pb"], ["policy"], transB=1)]
        v = conv_bn(nodes, initial, value, "v", 1, 6, 1, 1)
        nodes += [node("Flatten", [v], ["vf"], axis=1), node("Gemm", ["vf", "vw", "vb"], ["v0"], transB=1), node("Tanh", ["v0"], ["value"])]
        nodes += [node("GlobalAveragePool", [value], ["ra"]), node("Flatten", ["ra"], ["rf"], axis=1), node("Gemm", ["rf", "rw", "rb"], ["reward"], transB=1)]
        initial += [he("pw", [7, 84]), floats("pb", [7], "pb"), he("vw", [1, 42]), floats("vb", [1], "vb"), he("rw", [1, 6]), floats("rb", [1], "rb")]
        return model_of(nodes, opset, {"board": [2, 6, 7]}, ["policy", "value", "reward"], initial)

    for opset in (9, 14, 22, NEWEST):
        computes(family, f"board/{opset}", board(opset), rows=2, tolerance=2e-5, trust="runtime" if opset < 14 else None)

    # torchvision's resnet18 with few channels and a small picture.
    def resnet18(opset, c, size, classes):
        nodes, initial = [], []
        value = conv_bn(nodes, initial, "image", "conv1", c, 3, 7, 2)
        nodes.append(node("MaxPool", [value], ["pooled"], named="maxpool", kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2],
                          **({"dilations": [1, 1], "ceil_mode": 0} if opset >= 10 else {})))
        value, channels = "pooled", c
        for stage in range(4):
            out = c << stage
            for b in range(2):
                stride = 2 if stage > 0 and b == 0 else 1
                name = f"layer{stage + 1}.{b}"
                inner = conv_bn(nodes, initial, value, name + ".conv1", out, channels, 3, stride)
                inner = conv_bn(nodes, initial, inner, name + ".conv2", out, out, 3, 1, relu=False)
                if stride != 1 or channels != out:
                    value = conv_bn(nodes, initial, value, name + ".down", out, channels, 1, stride, relu=False)
                nodes.append(node("Add", [inner, value], [name + "_s"], named=name + "/Add"))
                nodes.append(node("Relu", [name + "_s"], [name + "_o"], named=name + "/Relu"))
                value, channels = name + "_o", out
        nodes += [node("GlobalAveragePool", [value], ["avg"], named="avgpool"), node("Flatten", ["avg"], ["flat"], axis=1),
                  node("Gemm", ["flat", "fc.weight", "fc.bias"], ["output"], named="fc", transB=1)]
        initial += [he("fc.weight", [classes, channels]), floats("fc.bias", [classes], "fc")]
        return model_of(nodes, opset, {"image": [3, size, size]}, ["output"], initial)

    for opset in (11, 17, NEWEST):
        computes(family, f"resnet18/{opset}", resnet18(opset, 2, 32, 5), rows=2, tolerance=3e-5, trust="runtime" if opset < 14 else None)

    # One attention block over four tokens with a learned class token: batched MatMul, Transpose, Softmax, Split, layer norms.
    def attention(opset):
        d, t, h = 8, 5, 2
        nodes = [
            node("Shape", ["tokens"], ["s0"]), node("Gather", ["s0", "zero"], ["s1"], axis=0), node("Unsqueeze", ["s1", "axes0"], ["s2"]),
            node("Concat", ["s2", "one_d"], ["s3"], axis=0), node("Expand", ["cls", "s3"], ["c0"]), node("Concat", ["c0", "tokens"], ["x0"], axis=1),
            node("Add", ["x0", "position"], ["x"]), node("LayerNormalization", ["x", "g", "b"], ["n"], axis=-1, epsilon=1e-5),
            node("MatMul", ["n", "qkv"], ["m"]), node("Add", ["m", "qkv_b"], ["q0"]), node("Split", ["q0", "split"], ["q", "k", "v"], axis=2),
        ]
        for name in "qkv":
            nodes += [node("Reshape", [name, "heads"], [name + "1"]), node("Transpose", [name + "1"], [name + "2"], perm=[0, 2, 1, 3])]
        nodes += [
            node("Transpose", ["k2"], ["k3"], perm=[0, 1, 3, 2]), node("MatMul", ["q2", "k3"], ["a0"]), node("Mul", ["a0", "scale"], ["a1"]),
            node("Where", ["mask", "a1", "low"], ["a2"]), node("Softmax", ["a2"], ["a3"], axis=-1), node("MatMul", ["a3", "v2"], ["o0"]),
            node("Transpose", ["o0"], ["o1"], perm=[0, 2, 1, 3]), node("Reshape", ["o1", "joined"], ["o2"]), node("MatMul", ["o2", "wo"], ["o3"]),
            node("Add", ["o3", "x"], ["r"]), node("Gather", ["r", "zero"], ["first"], axis=1), node("Gemm", ["first", "wp", "bp"], ["policy"], transB=1),
            node("LogSoftmax", ["policy"], ["log_policy"], axis=-1)]
        initial = [constant("zero", np.int64(0)), ints("axes0", 0), ints("one_d", 1, d), floats("cls", [1, 1, d], "cls"), floats("position", [1, t, d], "pos"),
                   floats("g", [d], "g"), floats("b", [d], "b"), floats("qkv", [d, 3 * d], "qkv", 0.4), floats("qkv_b", [3 * d], "qkv_b"), ints("split", d, d, d),
                   ints("heads", 0, t, h, d // h), ints("joined", 0, t, d), constant("scale", np.float32(1 / np.sqrt(d / h))),
                   constant("mask", np.tril(np.ones((t, t), np.bool_))), constant("low", np.float32(-1e9)), floats("wo", [d, d], "wo", 0.4),
                   floats("wp", [6, d], "wp"), floats("bp", [6], "bp")]
        return model_of(nodes, opset, {"tokens": [t - 1, d]}, ["policy", "log_policy"], initial)

    for opset in (17, NEWEST):
        computes(family, f"attention/{opset}", attention(opset), rows=3, tolerance=3e-5)

    # A policy exported with its batch fixed to 1.
    fixed = mlp([6, 5, 3], 13)
    fixed.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 1
    computes(family, "mlp_fixed_batch/13", fixed, fixed=True)


def packed(family):
    out = [b"AUGC", struct.pack("<II", 1, len(family))]

    def block(data):
        out.append(struct.pack("<I", len(data)))
        out.append(data)

    for case in family:
        block(case.name.encode())
        out.append(struct.pack("<I", case.kind))
        block(case.code.encode())
        block(case.said.encode())
        out.append(struct.pack("<fI", case.tolerance, case.rows))
        block(case.model)
        for arrays in (case.inputs, case.outputs):
            out.append(struct.pack("<I", len(arrays)))
            for array in arrays:
                out.append(struct.pack("<I", array.size))
                out.append(np.ascontiguousarray(array, dtype="<f4").tobytes())
    return b"".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--family", help="only this one")
    parser.add_argument("--corpus", type=pathlib.Path, help="write every model as a file of its own here, for a fuzzer")
    arguments = parser.parse_args()
    if onnx.defs.onnx_opset_version() != NEWEST:
        print(f"note: onnx {onnx.__version__} knows opset {onnx.defs.onnx_opset_version()}, the cases stop at {NEWEST}")
    for make in (elementwise, linear, windows, normal, shapes, moves, constants, files, whole):
        make()
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
