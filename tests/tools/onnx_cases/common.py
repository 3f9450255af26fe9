"""What the families of stored ONNX cases share: writing models down, evaluating them twice, keeping the answer."""


import collections
import struct

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
