"""Computes what PyTorch's optimizers make of given gradients.

Writes a safetensors file per case: a matrix and a bias to start from, 200 gradients of both, and
both after each 20th step. The engine's tests make the same steps with our optimizers.

Usage: torch_optimizers.py DIRECTORY
"""

import os
import sys

import numpy as np
import torch

from torch_golden import to_array, write_safetensors

STEPS = 200
EVERY = 20
RATE = 0.01

# By name: our settings, and PyTorch's optimizer for the weights and for what does not decay.
CASES = {
    "adam": ({"optimizer": "adam"}, torch.optim.Adam, {}),
    "adam-betas": (
        {"optimizer": "adam", "beta1": 0.8, "beta2": 0.95, "epsilon": 1e-3},
        torch.optim.Adam,
        {"betas": (0.8, 0.95), "eps": 1e-3},
    ),
    "adam-decay": ({"optimizer": "adam", "weight_decay": 0.3}, torch.optim.Adam, {}),
    "adamw": ({"optimizer": "adamw", "weight_decay": 0.3}, torch.optim.AdamW, {}),
    "adamw-all": (
        {"optimizer": "adamw", "weight_decay": 0.3, "decays_all": 1},
        torch.optim.AdamW,
        {},
    ),
    "sgd": ({"optimizer": "sgd"}, torch.optim.SGD, {}),
    "sgd-momentum": (
        {"optimizer": "sgd", "momentum": 0.9, "weight_decay": 0.1},
        torch.optim.SGD,
        {"momentum": 0.9},
    ),
    "rmsprop": ({"optimizer": "rmsprop"}, torch.optim.RMSprop, {}),
    "rmsprop-momentum": (
        {"optimizer": "rmsprop", "momentum": 0.5, "rmsprop_decay": 0.9, "weight_decay": 0.1},
        torch.optim.RMSprop,
        {"momentum": 0.5, "alpha": 0.9},
    ),
    "sgd-clipped": ({"optimizer": "sgd", "clip_norm": 0.5}, torch.optim.SGD, {}),
}


def golden(settings, optimizer_of, options):
    generator = torch.Generator().manual_seed(7)
    weight = torch.nn.Parameter(torch.randn(5, 3, generator=generator))
    bias = torch.nn.Parameter(torch.randn(5, generator=generator))
    # Of several sizes, as gradients are; those of the last row are tiny.
    sizes = torch.tensor([1.0, 0.3, 0.1, 0.01, 1e-4])
    gradients = torch.randn(STEPS, 5, 4, generator=generator) * sizes.view(1, 5, 1)
    tensors = {"weight": to_array(weight), "bias": to_array(bias), "gradients": to_array(gradients)}
    decay = settings.get("weight_decay", 0.0)
    of_bias = decay if settings.get("decays_all") else 0.0
    groups = [
        {"params": [weight], "weight_decay": decay},
        {"params": [bias], "weight_decay": of_bias},
    ]
    optimizer = optimizer_of(groups, lr=RATE, **options)
    weights, biases = [], []
    for step in range(STEPS):
        weight.grad = gradients[step, :, :3].clone()
        bias.grad = gradients[step, :, 3].clone()
        if "clip_norm" in settings:
            torch.nn.utils.clip_grad_norm_([weight, bias], settings["clip_norm"])
        for group in optimizer.param_groups:
            group["lr"] = RATE * (1 - step / (2 * STEPS))
        optimizer.step()
        if (step + 1) % EVERY == 0:
            weights.append(to_array(weight))
            biases.append(to_array(bias))
    tensors["after.weight"] = np.stack(weights)
    tensors["after.bias"] = np.stack(biases)
    return tensors


def main():
    torch.set_num_threads(1)
    os.makedirs(sys.argv[1], exist_ok=True)
    for name, (settings, optimizer_of, options) in CASES.items():
        metadata = {key: str(value) for key, value in settings.items()}
        metadata |= {"learning_rate": str(RATE), "every": str(EVERY)}
        path = os.path.join(sys.argv[1], f"{name}.safetensors")
        write_safetensors(path, golden(settings, optimizer_of, options), metadata)


if __name__ == "__main__":
    main()
