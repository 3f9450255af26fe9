#!/usr/bin/env python3
"""Makes tests/data/onnx_ops/pytorch.cases: networks exported by PyTorch itself, with what PyTorch says they compute.

Run by hand, never by the suite; needs `pip install torch onnxscript onnx onnxruntime numpy` (2.15.0, 0.7.2, 1.23.2, 1.32.0
and 2.4.6 were used). The result is stored in the repository:

    python3 tests/tools/make_pytorch_cases.py tests/data/onnx_ops

Each network is exported with a dynamic batch, by the exporter built on torch.export at its default opset and by the one
built on TorchScript at the opsets given. What PyTorch computes and what ONNX Runtime makes of the file must agree. Notes
that the exporter leaves for people (stack traces, with the paths of the machine) are taken out; nothing else is changed.
The format is that of make_onnx_cases.py. Weights are random and differ from run to run of different versions of PyTorch.
"""

import argparse
import pathlib
import tempfile
import warnings

import numpy as np
import onnx
import onnxruntime
import torch
from torch import nn

from onnx_cases.common import Case, packed


class TwoHeads(nn.Module):
    """What libraries of reinforcement learning export: a trunk, logits of a policy, a squashed value."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(12, 32), nn.LayerNorm(32), nn.GELU(), nn.Linear(32, 32), nn.SiLU(), nn.Dropout(0.1))
        self.policy, self.value = nn.Linear(32, 7), nn.Linear(32, 1)

    def forward(self, observation):
        hidden = self.body(observation.view(observation.size(0), -1))
        return self.policy(hidden), torch.tanh(self.value(hidden)).squeeze(-1)


class Board(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(2, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8)
        self.conv2, self.norm2 = nn.Conv2d(8, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.pool, self.mean = nn.MaxPool2d(2), nn.AdaptiveAvgPool2d(1)
        self.policy, self.value = nn.Linear(8 * 3 * 3, 5), nn.Linear(8, 1)

    def forward(self, board):
        hidden = torch.relu(self.norm1(self.conv1(board)))
        hidden = torch.relu(self.norm2(self.conv2(hidden)) + hidden)
        policy = torch.log_softmax(self.policy(torch.flatten(self.pool(hidden), 1)), 1)
        return policy, self.value(self.mean(hidden).flatten(1))


class NatureCnn(nn.Module):
    """The network for pictures of Mnih et al. 2015, as Stable-Baselines3 builds it, with fewer channels."""

    def __init__(self):
        super().__init__()
        self.cnn = nn.Sequential(nn.Conv2d(2, 4, 8, stride=4), nn.ReLU(), nn.Conv2d(4, 6, 4, stride=2), nn.ReLU(),
                                 nn.Conv2d(6, 6, 3), nn.ReLU(), nn.Flatten())
        self.linear = nn.Sequential(nn.Linear(6 * 3 * 3, 16), nn.ReLU())
        self.action, self.value = nn.Linear(16, 6), nn.Linear(16, 1)

    def forward(self, picture):
        hidden = self.linear(self.cnn(picture / 255.0))
        return self.action(hidden), self.value(hidden)


class Dueling(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Sequential(nn.Linear(10, 16), nn.ELU(), nn.Linear(16, 16), nn.LeakyReLU(0.2))
        self.advantage, self.value = nn.Linear(16, 5), nn.Linear(16, 1)

    def forward(self, state):
        hidden = self.hidden(state)
        advantage = self.advantage(hidden)
        q = self.value(hidden) + advantage - advantage.mean(dim=1, keepdim=True)
        return q, torch.cat([torch.sigmoid(advantage), state[:, 2:5]], dim=1), torch.clamp(advantage[:, 1:4], -0.5, 0.5)


class GroupNormed(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.linear = nn.Conv2d(3, 4, 3, padding=1), nn.GroupNorm(2, 4), nn.Linear(4 * 4 * 4, 3)

    def forward(self, image):
        return self.linear(nn.functional.hardswish(self.norm(self.conv(image))).reshape(image.shape[0], -1))


class Recurrent(nn.Module):
    """One step of a GRU: the state is an input and an output."""

    def __init__(self):
        super().__init__()
        self.cell, self.policy = nn.GRUCell(5, 6), nn.Linear(6, 2)

    def forward(self, observation, state):
        state = self.cell(observation, state)
        return self.policy(state), state


class Block(nn.Module):
    def __init__(self, channels, out, stride):
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(channels, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out)
        self.conv2, self.norm2 = nn.Conv2d(out, out, 3, 1, 1, bias=False), nn.BatchNorm2d(out)
        self.down = None
        if stride != 1 or channels != out:
            self.down = nn.Sequential(nn.Conv2d(channels, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        beside = x if self.down is None else self.down(x)
        return torch.relu(self.norm2(self.conv2(torch.relu(self.norm1(self.conv1(x))))) + beside)


class ResNet18(nn.Module):
    """torchvision's resnet18, layer for layer, with few channels."""

    def __init__(self, channels=2, classes=5):
        super().__init__()
        self.conv, self.norm, self.pool = nn.Conv2d(3, channels, 7, 2, 3, bias=False), nn.BatchNorm2d(channels), nn.MaxPool2d(3, 2, 1)
        blocks, last = [], channels
        for stage in range(4):
            out = channels << stage
            blocks += [Block(last, out, 1 if stage == 0 else 2), Block(out, out, 1)]
            last = out
        self.blocks, self.mean, self.linear = nn.Sequential(*blocks), nn.AdaptiveAvgPool2d((1, 1)), nn.Linear(last, classes)

    def forward(self, image):
        hidden = self.pool(torch.relu(self.norm(self.conv(image))))
        return self.linear(torch.flatten(self.mean(self.blocks(hidden)), 1))


NETWORKS = {  # network, shapes of its inputs, opsets of the older exporter
    "two_heads": (TwoHeads, [(3, 12)], [11, 17]),
    "board": (Board, [(3, 2, 6, 7)], [11, 17]),
    "nature_cnn": (NatureCnn, [(2, 2, 52, 52)], [17]),
    "dueling": (Dueling, [(3, 10)], [11, 17]),
    "group_norm": (GroupNormed, [(2, 3, 4, 4)], [11, 17]),
    "recurrent": (Recurrent, [(3, 5), (3, 6)], [11, 17]),
    "resnet18": (ResNet18, [(2, 3, 32, 32)], []),
}


def shaken(network):
    """Statistics of batch normalization that are worth folding."""
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.2)
            module.running_var.uniform_(0.5, 1.5)
            module.weight.data.uniform_(0.5, 1.5)
            module.bias.data.normal_(0, 0.2)
    return network.eval()


def exported(network, inputs, opset, path):
    names = [f"input{i}" for i in range(len(inputs))]
    if opset is None:
        batch = torch.export.Dim("batch")
        torch.onnx.export(network, inputs, path, input_names=names, dynamo=True, external_data=False,
                          dynamic_shapes=tuple({0: batch} for _ in inputs))
    else:
        torch.onnx.export(network, inputs, path, input_names=names, dynamo=False, opset_version=opset,
                          dynamic_axes={name: {0: "batch"} for name in names})
    model = onnx.load(path)
    del model.metadata_props[:], model.graph.metadata_props[:], model.graph.value_info[:]
    for each in [*model.graph.node, *model.graph.initializer, *model.graph.input, *model.graph.output]:
        each.doc_string = ""
        if hasattr(each, "metadata_props"):
            del each.metadata_props[:]
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.manual_seed(1)
    cases = []
    for name, (make, shapes, opsets) in NETWORKS.items():
        network = shaken(make())
        inputs = tuple(torch.randn(*shape) for shape in shapes)
        with torch.no_grad():
            outputs = network(*inputs)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        for opset in [None, *opsets]:
            with tempfile.TemporaryDirectory() as folder:
                model = exported(network, inputs, opset, str(pathlib.Path(folder) / "model.onnx"))
            data = model.SerializeToString()
            session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
            answers = session.run(None, {port.name: x.numpy() for port, x in zip(session.get_inputs(), inputs)})
            for ours, theirs in zip(outputs, answers):
                if not np.allclose(ours.numpy(), theirs, rtol=1e-5, atol=1e-5):
                    raise SystemExit(f"{name}: PyTorch and ONNX Runtime disagree")
            version = next(s.version for s in model.opset_import if s.domain == "")
            label = f"{name}/{version}" + ("" if opset else "_torch_export")
            cases.append(Case("pytorch", label, 0, "", "", 1e-5, shapes[0][0], data,
                              [x.numpy() for x in inputs], [y.numpy() for y in outputs]))
            print(label, len(data))
    data = packed(cases)
    (arguments.folder / "pytorch.cases").write_bytes(data)
    print(f"{len(cases)} cases, {len(data)} bytes")


if __name__ == "__main__":
    main()
