"""A mixer that is not ours in our residual skeleton."""

import math

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from torch import nn

import flarelang as fl
from flarelang import modules


class LinearAttention(nn.Module):
    """Causal attention without a softmax; returns a tuple, as flash-linear-attention's layers do."""

    def __init__(self, d, dropout=0.0):
        super().__init__()
        self.qkv = nn.Linear(d, 3 * d)
        self.out = nn.Linear(d, d)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=2)
        scores = torch.tril(q @ k.transpose(1, 2)) / math.sqrt(x.shape[2])
        return self.out(self.dropout(scores @ v)) / x.shape[2], None, None


class LooksAhead(LinearAttention):
    def forward(self, x):
        return super().forward(x.flip(1))[0].flip(1)


class LosesAPosition(nn.Module):
    def forward(self, x):
        return x[:, 1:]


def skeleton(mixer, **more):
    sizes = {"vocabulary": 2, "layers": 2, "hidden": 16, **more}
    return modules.Residual(mixer=mixer, **sizes)


def strings():
    return torch.tensor([[0, 1, 1, 0], [1, 0, 0, 0]]), torch.tensor([4, 2])


# The same mixer by our own name and as somebody's module: the skeletons must agree.
@pytest.mark.parametrize("feed_forward", ["0", "4"])
def test_the_skeleton_is_that_of_our_architectures(feed_forward):
    options = {**modules.DEFAULTS["mamba"], "feed_forward": feed_forward}
    ours = modules.Residual("mamba", options, vocabulary=2, layers=2, hidden=16)
    theirs = skeleton(
        lambda d: modules.Mamba(options, d, 0.0), options={"feed_forward": feed_forward}
    )
    weights = {
        name.replace(".mixer.", ".mixer.layer."): value for name, value in ours.state_dict().items()
    }
    theirs.load_state_dict(weights)
    assert torch.equal(ours(*strings()), theirs(*strings()))


def test_all_but_the_mixer_starts_as_in_our_engine():
    torch.manual_seed(0)
    module = skeleton(lambda d: LinearAttention(d), terms=("lm", "ns"))
    state = module.state_dict()
    for name in ("embedding.weight", "encoder.layers.1.linear1.weight", "encoder.layers.0.linear2.bias"):
        assert 0.05 < state[name].abs().max() <= 0.1, name
    assert torch.equal(state["encoder.layers.0.norm1.weight"], torch.ones(16))
    head = state["recognition_head.weight"]
    assert 0.1 < head.abs().max() <= math.sqrt(6 / 17)
    assert state["recognition_head.bias"] == 0
    torch.manual_seed(1)
    alone = LinearAttention(16).qkv.weight.abs().max()
    assert alone > 0.2  # PyTorch's own rule, which the mixer keeps
    assert state["encoder.layers.0.mixer.layer.qkv.weight"].abs().max() > 0.2


def test_it_trains_under_our_protocol(parity, tmp_path):
    torch.manual_seed(0)
    module = skeleton(lambda d: LinearAttention(d), terms=("lm", "ns"), dropout=0.1)
    run = fl.fit(module, parity, tmp_path / "run", loss="rec+lm+ns", seed=3, max_epochs=1)
    assert run.result["splits"]["test"]["accuracy"] > 0.4
    assert run.config["architecture"] == "Residual"


@pytest.mark.parametrize(
    "mixer, fault",
    [
        (lambda d: LooksAhead(d), "LooksAhead looks at later positions"),
        (lambda d: LosesAPosition(), r"LosesAPosition returned \(1, 11, 16\) for vectors of \(1, 12, 16\)"),
    ],
)
def test_a_mixer_that_does_not_fit_is_refused(mixer, fault):
    with pytest.raises(ValueError, match=fault):
        skeleton(mixer)(*strings())


def test_the_check_leaves_modes_and_random_numbers_alone():
    module = skeleton(lambda d: LinearAttention(d, dropout=0.5))
    module.train()
    torch.manual_seed(5)
    first = module(*strings())
    assert all(part.training for part in module.modules())
    torch.manual_seed(5)
    assert torch.equal(first, module(*strings()))


def test_what_residual_takes():
    with pytest.raises(ValueError, match="the name of an architecture or a mixer"):
        modules.Residual(vocabulary=2, layers=1, hidden=8)
    with pytest.raises(ValueError, match="the name of an architecture or a mixer"):
        modules.Residual("mamba", modules.DEFAULTS["mamba"], 2, 1, 8, mixer=LinearAttention)
    with pytest.raises(ValueError, match="'heads' is not an option of the skeleton"):
        skeleton(LinearAttention, options={"heads": "2"})
    with pytest.raises(ValueError, match="needs vocabulary, layers and hidden"):
        modules.Residual(mixer=LinearAttention, vocabulary=2, layers=1)
