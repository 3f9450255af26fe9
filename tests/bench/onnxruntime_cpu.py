#!/usr/bin/env python3
"""Rows per second of ONNX Runtime on the CPU, one thread, for networks of the same shape as network_cpu.cpp has.

    python3 tests/bench/onnxruntime_cpu.py [seconds for each figure, default 1]

Needs onnxruntime, onnx and numpy from PyPI. Time is the thread's own CPU time, as there."""

import sys
import time

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

random = np.random.default_rng(0)


class Graph:
    def __init__(self):
        self.nodes, self.weights = [], []

    def weight(self, *shape, fan_in=None):
        bound = np.sqrt(6.0 / fan_in) if fan_in else 0.1
        name = f"w{len(self.weights)}"
        values = random.uniform(-bound, bound, shape).astype(np.float32)
        self.weights.append(numpy_helper.from_array(values, name))
        return name

    def add(self, op, inputs, **attributes):
        name = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], **attributes))
        return name

    def session(self, shape, output):
        self.nodes[-1].output[0] = "out"
        graph = helper.make_graph(
            self.nodes,
            "network",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", *shape])],
            [helper.make_tensor_value_info("out", TensorProto.FLOAT, ["batch", output])],
            self.weights,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.checker.check_model(model)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        return onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])


def small_mlp():
    graph, x = Graph(), "x"
    for k, n in ((42, 128), (128, 128), (128, 8)):
        x = graph.add("Gemm", [x, graph.weight(k, n, fan_in=k), graph.weight(n)])
        if n != 8:
            x = graph.add("Relu", [x])
    return graph.session((42,), 8)


def resnet18():
    graph = Graph()

    def conv(x, channels, out, kernel, stride, relu, residual=None):
        weights = graph.weight(out, channels, kernel, kernel, fan_in=channels * kernel * kernel)
        x = graph.add("Conv", [x, weights, graph.weight(out)], kernel_shape=[kernel, kernel], strides=[stride, stride],
                      pads=[kernel // 2] * 4)
        if residual:
            x = graph.add("Add", [x, residual])
        return graph.add("Relu", [x]) if relu else x

    x = conv("x", 3, 64, 7, 2, True)
    x = graph.add("MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    channels = 64
    for out in (64, 128, 256, 512):
        for block in range(2):
            stride = 2 if block == 0 and out != channels else 1
            residual = conv(x, channels, out, 1, 2, False) if stride == 2 else x
            x = conv(conv(x, channels, out, 3, stride, True), out, out, 3, 1, True, residual)
            channels = out
    x = graph.add("Flatten", [graph.add("GlobalAveragePool", [x])])
    graph.add("Gemm", [x, graph.weight(512, 1000, fan_in=512), graph.weight(1000)])
    return graph.session((3, 224, 224), 1000)


def measure(name, session, shape, rows, seconds):
    x = random.standard_normal((rows, *shape)).astype(np.float32)
    session.run(None, {"x": x})
    times, total, repeats = [], 0.0, 1
    while total < seconds or len(times) < 5:
        start = time.thread_time()
        for _ in range(repeats):
            session.run(None, {"x": x})
        took = time.thread_time() - start
        total += took
        times.append(took / repeats)
        repeats = int(min(max(1e-4 / max(times[-1], 1e-9), 1), 1000))
    times.sort()
    median = times[len(times) // 2]
    print(f"{name:9} onnxruntime {onnxruntime.__version__} batch {rows:5}: median {median * 1e6:10.1f} us, "
          f"shortest {times[0] * 1e6:10.1f} us, {rows / median:10.0f} rows/s", flush=True)


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    session = small_mlp()
    for rows in (1, 16, 64, 1024):
        measure("mlp", session, (42,), rows, seconds)
    session = resnet18()
    for rows in (1, 4):
        measure("resnet18", session, (3, 224, 224), rows, seconds)


if __name__ == "__main__":
    main()
