"""Models as ONNX files: what ONNX's checker and onnxruntime-web say about them."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

import flarelang as fl
from flarelang.catalogue import catalogue

ROOT = pathlib.Path(__file__).resolve().parents[2]

ARCHITECTURES = list(catalogue()["architectures"])


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_onnx(architecture, train, parity, tmp_path):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    onnx = pytest.importorskip("onnx", reason="python3-onnx is not installed")
    run = train(architecture)
    path = tmp_path / "model.onnx"
    fl.torch.export_onnx(run, path)
    model = onnx.load(os.fspath(path))
    onnx.checker.check_model(model)
    # For any number and length: not a trace of one string.
    dimensions = [dimension.dim_param for dimension in model.graph.input[0].type.tensor_type.shape.dim]
    assert dimensions == ["strings", "length"]
    modules = ROOT / "build/npm/node_modules"
    if not (modules / "onnxruntime-web").exists() or not shutil.which("node"):
        pytest.skip("onnxruntime-web is not installed: make test-torch")
    batches, expected = [], []
    for strings in (parity["test"].strings, parity["train"].strings[:1]):
        tokens, lengths = fl.torch.pad(strings)
        batches.append({"tokens": tokens.tolist(), "lengths": lengths.tolist()})
        expected.append(fl.Run(run).logits(strings))
    out = subprocess.run(
        ["node", ROOT / "python/tests/run_onnx.mjs", modules, path],
        input=json.dumps(batches),
        check=True,
        capture_output=True,
        text=True,
    )
    for answers, logits in zip(json.loads(out.stdout), expected):
        assert torch.allclose(torch.tensor(answers), torch.tensor(logits), atol=1e-5)
