"""Whole models, written down the way PyTorch exports them."""

import numpy as np

from onnx_cases.common import NEWEST, computes, constant, floats, ints, model_of, node, rng


def make():
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
