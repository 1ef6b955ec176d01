"""Our architectures as PyTorch modules.

Parameters have the names and shapes of model.safetensors. What PyTorch has a module for (RNN, LSTM,
GRU, the transformer with its usual options) is that module; the rest is plain operations and loops
over time, from the equations at the head of the engine's files in src/flare/nn. Strings are padded
on the right, which no architecture sees: none looks ahead.

Needs nothing but PyTorch; the engine's golden files are made with this text.
"""

from __future__ import annotations

import math
from typing import Any, Callable, List, Mapping, cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

RECURRENT = {"rnn": nn.RNN, "lstm": nn.LSTM, "gru": nn.GRU}


def _read_catalogue() -> dict[str, Any]:
    try:
        from .catalogue import catalogue
    except ImportError:  # this file alone, without the package: tools/torch_golden.py has the text
        import json

        read: dict[str, Any] = json.loads(globals().get("CATALOGUE", "{}"))
        return read
    return catalogue()


_CATALOGUE = _read_catalogue()
# The values of options that a model's file does not have: it was written before there were any, or
# by an architecture without them.
DEFAULTS: dict[str, dict[str, str]] = _CATALOGUE["architectures"]
TERMS: dict[str, dict[str, Any]] = _CATALOGUE["terms"]

Options = Mapping[str, str]
# Loops over time are compiled, which also keeps them loops in ONNX; `script` has no types of its own.
_script = cast(Callable[[Any], Any], torch.jit.script)


def _empty(*shape: int) -> nn.Parameter:
    return nn.Parameter(torch.zeros(*shape))


def _linear(outputs: int, inputs: int) -> nn.Linear:
    return nn.Linear(inputs, outputs, bias=False)


def _apart(x: Tensor, *shape: int) -> Tensor:
    """The last extent as several; Tensor.unflatten, which ONNX does not have."""
    return x.reshape(x.shape[0], x.shape[1], *shape)


class Recognizer(nn.Module):
    """What our architectures share: the embedding and the heads.

    Called with tokens, (N, T), and lengths it returns the recognition logits, (N,); with other
    terms, a dictionary of `rec`, (N,), if the loss has it, of `lm` and `ns`, both
    (N, T + 1, |alphabet| + 1), and of `st` and `st_last`, (N, T + 1, states).
    """

    extra_symbols = 0  # that are read before a string: BOS

    def __init__(
        self,
        vocabulary: int,
        hidden: int,
        terms: tuple[str, ...] = (),
        dropout: float = 0.0,
        states: int = 0,
        recognizes: bool = True,
        reads_eos: bool = False,
        tie_embeddings: bool = True,
        padding: int = 0,
    ) -> None:
        super().__init__()
        self.vocabulary = vocabulary
        self.terms = terms
        self.dropout = dropout
        self.recognizes = recognizes
        self.reads_eos = reads_eos
        self.padding = padding if recognizes else 0
        # A row for EOS only where it is predicted or read; then those of BOS and padding.
        self.heads_of = {
            term: TERMS[term]["head"]
            for term in terms
            if not (tie_embeddings and TERMS[term]["ties_embeddings"])
        }
        tied = len(self.heads_of) < len(terms)
        rows = vocabulary + (tied or reads_eos) + self.extra_symbols + (self.padding > 0)
        self.embedding = nn.Embedding(rows, hidden)
        if recognizes:
            self.recognition_head = nn.Linear(hidden, 1)
        for term in terms:
            outputs = states if TERMS[term]["needs_states"] else vocabulary + 1
            if term in self.heads_of:
                setattr(self, self.heads_of[term], nn.Linear(hidden, outputs))

    def _drop(self, vectors: Tensor) -> Tensor:
        return F.dropout(vectors, self.dropout, self.training)

    def hidden_vectors(self, tokens: Tensor) -> Tensor:
        """(N, T + 1, d): of every prefix, from the empty one."""
        raise NotImplementedError

    def language_model_logits(self, hidden: Tensor) -> Tensor:
        if "lm" in self.heads_of:
            return cast(Tensor, getattr(self, self.heads_of["lm"])(hidden))
        return hidden @ self.embedding.weight[: self.vocabulary + 1].T

    def ends(self) -> list[int]:
        """What recognition reads after a string."""
        padding = [self.embedding.weight.shape[0] - 1] * self.padding
        return padding + [self.vocabulary] * self.reads_eos

    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor | dict[str, Tensor]:
        ends = self.ends()
        for i, end in enumerate(ends):
            # After each string; what follows the last of them is nothing that anything looks at.
            place = (lengths + i).unsqueeze(1)
            tokens = F.pad(tokens, (0, 1)).scatter(1, place, torch.full_like(place, end))
        hidden = self.hidden_vectors(tokens)
        outputs = {}
        if self.recognizes:
            index = (lengths + len(ends)).reshape(-1, 1, 1).expand(-1, 1, hidden.shape[2])
            last = hidden.gather(1, index).squeeze(1)
            outputs["rec"] = self.recognition_head(last).squeeze(1)
        if not self.terms:
            return outputs["rec"]
        if ends:
            hidden = hidden[:, : -len(ends)]
        for term in self.terms:
            own = term in self.heads_of
            outputs[term] = (
                getattr(self, self.heads_of[term])(hidden)
                if own
                else self.language_model_logits(hidden)
            )
        return outputs


class Recurrent(Recognizer):
    """rnn, lstm or gru: layers of PyTorch's module, from initial states that are learned.

    The first hidden vector of layer l is tanh(initial_hidden_l{l}), an LSTM's first cell is 0.
    There is one bias per layer: bias_ih; bias_hh is 0 and is not trained.
    """

    def __init__(
        self, architecture: str, vocabulary: int, layers: int, hidden: int, **common: Any
    ) -> None:
        super().__init__(vocabulary, hidden, **common)
        between = self.dropout if layers > 1 else 0.0
        self.rnn = RECURRENT[architecture](
            hidden, hidden, layers, dropout=between, batch_first=True
        )
        for layer in range(layers):
            self.register_parameter(f"initial_hidden_l{layer}", _empty(hidden))
            bias = getattr(self.rnn, f"bias_hh_l{layer}")
            nn.init.zeros_(bias)
            bias.requires_grad_(False)

    def hidden_vectors(self, tokens: Tensor) -> Tensor:
        layers = range(self.rnn.num_layers)
        initial = torch.stack([getattr(self, f"initial_hidden_l{layer}") for layer in layers])
        h_0 = torch.tanh(initial).unsqueeze(1).repeat(1, tokens.shape[0], 1)
        first = h_0[-1:].transpose(0, 1)
        if tokens.shape[1] == 0:  # PyTorch's modules refuse sequences of length 0.
            return self._drop(first)
        state = (h_0, torch.zeros_like(h_0)) if isinstance(self.rnn, nn.LSTM) else h_0
        outputs, _ = self.rnn(self._drop(self.embedding(tokens)), state)
        return self._drop(torch.cat([first, outputs], dim=1))


class Recurrence(nn.Module):
    """The matrices of a recurrent model's layers; `recurrent` inputs to the state's product."""

    def __init__(self, layers: int, hidden: int, gates: int, recurrent: int) -> None:
        super().__init__()
        for layer in range(layers):
            self.register_parameter(f"weight_ih_l{layer}", _empty(gates * hidden, hidden))
            self.register_parameter(f"weight_hh_l{layer}", _empty(gates * hidden, recurrent))
            self.register_parameter(f"bias_l{layer}", _empty(gates * hidden))

    def of(self, name: str, layer: int) -> Tensor:
        return cast(Tensor, getattr(self, f"{name}_l{layer}"))


class LoopRecurrent(Recognizer):
    """The skeleton of Recurrent around a loop of our own over (N, T, gates · d)."""

    def __init__(
        self,
        vocabulary: int,
        layers: int,
        hidden: int,
        gates: int,
        recurrent: int,
        **common: Any,
    ) -> None:
        super().__init__(vocabulary, hidden, **common)
        self.layers, self.hidden = layers, hidden
        self.rnn = Recurrence(layers, hidden, gates, recurrent)
        for layer in range(layers):
            self.register_parameter(f"initial_hidden_l{layer}", _empty(hidden))

    def run(self, layer: int, gates: Tensor, h: Tensor) -> Tensor:
        """(N, T, d), from the products of the inputs and the first hidden vectors, (N, d)."""
        raise NotImplementedError

    def hidden_vectors(self, tokens: Tensor) -> Tensor:
        inputs = self._drop(self.embedding(tokens))
        outputs = inputs
        for layer in range(self.layers):
            initial = torch.tanh(getattr(self, f"initial_hidden_l{layer}"))
            h = initial.unsqueeze(0).repeat(tokens.shape[0], 1)
            gates = F.linear(
                inputs, self.rnn.of("weight_ih", layer), self.rnn.of("bias", layer)
            )
            inputs = self._drop(self.run(layer, gates, h))
            outputs = torch.cat([self._drop(h).unsqueeze(1), inputs], dim=1)
        return outputs


@_script
def _run_slstm(gates: Tensor, blocks: Tensor, h: Tensor) -> Tensor:
    count, hidden = h.shape
    heads, dims = blocks.shape[1], blocks.shape[2]
    c, n = torch.zeros_like(h), torch.zeros_like(h)
    m = torch.full_like(h, -float("inf"))
    outputs = torch.jit.annotate(List[Tensor], [])
    for t in range(gates.shape[1]):
        recurrent = torch.einsum("ghij,nhj->nghi", blocks, h.reshape(count, heads, dims))
        pre = gates[:, t].reshape(count, 4, hidden) + recurrent.reshape(count, 4, hidden)
        log_f = F.logsigmoid(pre[:, 1]) + m
        m = torch.maximum(log_f, pre[:, 0])
        i, f = torch.exp(pre[:, 0] - m), torch.exp(log_f - m)
        c, n = f * c + i * torch.tanh(pre[:, 2]), f * n + i
        h = torch.sigmoid(pre[:, 3]) * c / n
        outputs.append(h)
    return torch.stack(outputs, dim=1) if len(outputs) > 0 else gates[:, :, :hidden]


class SLstm(LoopRecurrent):
    def __init__(self, options: Options, hidden: int, **sizes: Any) -> None:
        self.heads = int(options["heads"])
        super().__init__(hidden=hidden, gates=4, recurrent=hidden // self.heads, **sizes)

    def run(self, layer: int, gates: Tensor, h: Tensor) -> Tensor:
        dims = self.hidden // self.heads
        blocks = self.rnn.of("weight_hh", layer).reshape(4, self.heads, dims, dims)
        return cast(Tensor, _run_slstm(gates, blocks, h))


@_script
def _run_stack(
    gates: Tensor, weight_hh: Tensor, weight_sh: Tensor, weight_hs: Tensor, h: Tensor
) -> Tensor:
    count, hidden = h.shape
    width = weight_sh.shape[1]
    is_lstm = weight_hh.shape[0] > hidden
    c = torch.zeros_like(h)
    nothing = torch.zeros([count, 1, width], dtype=h.dtype, device=h.device)
    stack = nothing
    outputs = torch.jit.annotate(List[Tensor], [])
    for t in range(gates.shape[1]):
        pre = gates[:, t] + h @ weight_hh.T + stack[:, 0] @ weight_sh.T
        if is_lstm:
            i, f = pre[:, :hidden], pre[:, hidden : 2 * hidden]
            g, o = pre[:, 2 * hidden : 3 * hidden], pre[:, 3 * hidden :]
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
        else:
            h = torch.tanh(pre)
        signals = h @ weight_hs.T
        action = torch.softmax(signals[:, :3], dim=1).unsqueeze(2).unsqueeze(3)
        pushed = torch.cat([torch.sigmoid(signals[:, 3:]).unsqueeze(1), stack], dim=1)
        popped = torch.cat([stack[:, 1:], nothing, nothing], dim=1)
        kept = torch.cat([stack, nothing], dim=1)
        stack = action[:, 0] * pushed + action[:, 1] * popped + action[:, 2] * kept
        outputs.append(h)
    return torch.stack(outputs, dim=1) if len(outputs) > 0 else gates[:, :, :hidden]


class StackRecurrent(LoopRecurrent):
    """stack-rnn or stack-lstm, with a superposition stack per layer."""

    def __init__(
        self, options: Options, gates: int, layers: int, hidden: int, **sizes: Any
    ) -> None:
        super().__init__(layers=layers, hidden=hidden, gates=gates, recurrent=hidden, **sizes)
        width = int(options["stack_width"])
        for layer in range(layers):
            self.rnn.register_parameter(f"weight_sh_l{layer}", _empty(gates * hidden, width))
            self.rnn.register_parameter(f"weight_hs_l{layer}", _empty(3 + width, hidden))

    def run(self, layer: int, gates: Tensor, h: Tensor) -> Tensor:
        names = ("weight_hh", "weight_sh", "weight_hs")
        weights = [self.rnn.of(name, layer) for name in names]
        return cast(Tensor, _run_stack(gates, *weights, h))


def sinusoidal_encoding(positions: Tensor, hidden: int) -> Tensor:
    """Of positions, (…, T), a row each."""
    position = positions.to(torch.float64).unsqueeze(-1)
    even = torch.arange(0, hidden, 2, dtype=torch.float64, device=positions.device)
    angle = position / 10000 ** (even / hidden)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(-2)


class ReadsBos(Recognizer):
    """BOS, before a string, and embeddings times √d."""

    extra_symbols = 1

    def add_positions(self, x: Tensor) -> Tensor:
        """To embeddings, (N, T + 1, d)."""
        return x

    def embedded(self, tokens: Tensor) -> Tensor:
        rows, hidden = self.embedding.weight.shape
        bos = rows - 1 - (self.padding > 0)
        x: Tensor = self.embedding(F.pad(tokens, (1, 0), value=bos)) * math.sqrt(hidden)
        return self._drop(self.add_positions(x))


class Transformer(ReadsBos):
    """PyTorch's own, for the options that it has: causal, layer norm first, sinusoidal positions."""

    def __init__(self, vocabulary: int, layers: int, hidden: int, **common: Any) -> None:
        super().__init__(vocabulary, hidden, **common)
        heads = int(DEFAULTS["transformer"]["heads"])
        layer = nn.TransformerEncoderLayer(
            hidden, heads, 4 * hidden, dropout=self.dropout, norm_first=True, batch_first=True
        )
        self.encoder = nn.TransformerEncoder(
            layer, layers, norm=nn.LayerNorm(hidden), enable_nested_tensor=False
        )

    def add_positions(self, x: Tensor) -> Tensor:
        positions = torch.arange(x.shape[1], device=x.device)
        return x + sinusoidal_encoding(positions, x.shape[2]).to(x)

    def hidden_vectors(self, tokens: Tensor) -> Tensor:
        x = self.embedded(tokens)
        mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).triu(1)
        return cast(Tensor, self.encoder(x, mask))


class Positions:
    """Of the symbols of all strings of a batch, BOS first: (T,), or (N, T) where they depend on how
    many symbols a string has.

    In training strings of one batch share them, where the engine draws them for each; a test sets
    `drawn` to False.
    """

    def __init__(self, options: Options) -> None:
        self.range = int(options.get("randomized", 0))
        self.table = int(options["table"]) if options.get("positions") == "learned" else 0
        self.drawn = True
        self.current = torch.arange(0)
        # How many each string has, (N,); None: as many as there is room for.
        self.symbols: Tensor | None = None

    def take(self, count: int, training: bool, device: torch.device) -> None:
        at = torch.arange(count, device=device)
        if self.range and training and self.drawn:
            at = torch.randperm(self.range, device=device)[:count].sort().values
        elif self.range:
            symbols = at[-1:] + 1 if self.symbols is None else self.symbols.unsqueeze(1)
            # What is beyond a string is nothing that anything looks at.
            at = ((at + 1) * (self.range + 1) // (symbols + 1) - 1).clamp(max=self.range - 1)
        elif self.table and training and self.drawn:
            at = at + torch.randint(self.table - count + 1, (1,), device=device)
        self.current = at


class DistanceBias(nn.Embedding):
    """What T5 adds to scores (Raffel et al. 2020): 32 buckets of distances up to 128, causally."""

    def __init__(self, heads: int) -> None:
        super().__init__(32, heads)

    def of(self, length: int) -> Tensor:
        """(heads, T, T)."""
        at = torch.arange(length, device=self.weight.device)
        distance = (at[:, None] - at[None, :]).clamp(min=0)
        far = torch.log2(distance.clamp(min=16).to(torch.float64) / 16) / 3 * 16
        bucket = torch.where(distance < 16, distance, 16 + far.long()).clamp(max=31)
        return cast(Tensor, self(bucket)).permute(2, 0, 1)


class Fire(nn.Module):
    """What FIRE adds to scores (Li et al. 2024), without the last bias, which softmax takes out."""

    def __init__(self, heads: int) -> None:
        super().__init__()
        self.c, self.L_multiplier = nn.Parameter(torch.tensor([0.1])), nn.Parameter(torch.ones(1))
        self.mlp = nn.Sequential(nn.Linear(1, 32), nn.ReLU(), nn.Linear(32, heads, bias=False))

    def of(self, length: int) -> Tensor:
        """(heads, T, T)."""
        at = torch.arange(length, device=self.c.device).to(self.c.dtype)
        distance = (at[:, None] - at[None, :]).clamp(min=0)
        divisor = torch.maximum(at, (512 * self.L_multiplier).abs())[:, None]
        c = self.c.abs()
        x = torch.log(c * distance + 1) / (torch.log(c * divisor + 1) + 1e-6)
        return cast(Tensor, self.mlp(x.unsqueeze(2))).permute(2, 0, 1)


class Attention(nn.Module):
    positions: Positions

    def __init__(self, options: Options, d: int, dropout: float) -> None:
        super().__init__()
        self.options, self.heads, self.dropout = options, int(options["heads"]), dropout
        self.in_proj_weight, self.in_proj_bias = _empty(3 * d, d), _empty(3 * d)
        self.out_proj = nn.Linear(d, d)
        if options["positions"] == "t5":
            self.relative_attention_bias = DistanceBias(self.heads)
        elif options["positions"] == "fire":
            self.fire = Fire(self.heads)

    def rotate(self, x: Tensor) -> Tensor:
        """Rotary positions for (N, heads, T, dims)."""
        dims = x.shape[3]
        even = torch.arange(0, dims, 2, dtype=torch.float64, device=x.device)
        position = self.positions.current.to(torch.float64).unsqueeze(-1)
        angle = position * 10000 ** (-even / dims)
        if angle.dim() == 3:
            angle = angle.unsqueeze(1)  # the same for all heads
        cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
        first, second = x[..., 0::2], x[..., 1::2]
        turned = [first * cos - second * sin, first * sin + second * cos]
        return torch.stack(turned, dim=-1).flatten(-2)

    def forward(self, x: Tensor) -> Tensor:
        count, length, d = x.shape
        qkv = F.linear(x, self.in_proj_weight, self.in_proj_bias)
        q, k, v = qkv.reshape(count, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        if self.options["positions"] == "rope":
            q, k = self.rotate(q), self.rotate(k)
        scores = q @ k.transpose(2, 3) / math.sqrt(d / self.heads)
        at = torch.arange(length, device=x.device)
        if self.options["positions"] == "alibi":
            slopes = 2.0 ** (-8 * torch.arange(1, self.heads + 1, device=x.device) / self.heads)
            scores = scores - slopes.to(x)[:, None, None] * (at[:, None] - at[None, :])
        elif self.options["positions"] == "t5":
            scores = scores + self.relative_attention_bias.of(length)
        elif self.options["positions"] == "fire":
            scores = scores + self.fire.of(length)
        strict = self.options["mask"] == "strict"
        unseen = at[None, :] >= at[:, None] if strict else at[None, :] > at[:, None]
        # A row that sees nothing is all zeros.
        scores = scores.masked_fill(unseen, -math.inf)
        weights = torch.softmax(scores.masked_fill(unseen.all(1)[:, None], 0), dim=-1)
        weights = F.dropout(weights.masked_fill(unseen, 0), self.dropout, self.training)
        attended = (weights @ v).transpose(1, 2).reshape(count, length, d)
        return cast(Tensor, self.out_proj(attended))


class CausalConvolution(nn.Module):
    """Depthwise, over (N, T, channels), followed by SiLU."""

    def __init__(self, channels: int, taps: int, bias: bool) -> None:
        super().__init__()
        self.weight = _empty(channels, taps)
        self.bias = _empty(channels) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        channels, taps = self.weight.shape
        padded = F.pad(x.transpose(1, 2), (taps - 1, 0))
        y = F.conv1d(padded, self.weight.unsqueeze(1), self.bias, groups=channels)
        return F.silu(y.transpose(1, 2))


@_script
def _scan(decay: Tensor, added: Tensor, C: Tensor) -> Tensor:
    """h ← decay ⊙ h + added, y = h C, over (N, T, E, S) and (N, T, S)."""
    h = torch.zeros_like(added[:, 0])
    outputs = torch.jit.annotate(List[Tensor], [])
    for t in range(added.shape[1]):
        h = decay[:, t] * h + added[:, t]
        outputs.append((h @ C[:, t].unsqueeze(2)).squeeze(2))
    return torch.stack(outputs, dim=1)


class Mamba(nn.Module):
    def __init__(self, options: Options, d: int, dropout: float) -> None:
        super().__init__()
        inner, state = int(options["expand"]) * d, int(options["state"])
        rank, taps = math.ceil(d / 16), int(options["conv"])
        self.signed = options["eigenvalues"] == "signed"
        self.in_proj = _linear(2 * inner, d)
        if taps:
            self.conv1d = CausalConvolution(inner, taps, bias=True)
        self.dt_down = _linear(rank, inner)
        self.bc_proj = _linear(2 * state, inner)
        self.dt_proj = nn.Linear(rank, inner)
        self.A_log, self.D = _empty(inner, state), _empty(inner)
        self.out_proj = _linear(d, inner)

    def forward(self, x: Tensor) -> Tensor:
        u, z = self.in_proj(x).chunk(2, dim=-1)
        u = self.conv1d(u) if hasattr(self, "conv1d") else F.silu(u)
        delta = F.softplus(self.dt_proj(self.dt_down(u)))
        B, C = self.bc_proj(u).chunk(2, dim=-1)
        decay = torch.exp(delta.unsqueeze(-1) * -torch.exp(self.A_log))
        if self.signed:
            decay = 2 * decay - 1
        added = (delta * u).unsqueeze(-1) * B.unsqueeze(2)
        y = _scan(decay, added, C) + self.D * u
        return cast(Tensor, self.out_proj(y * F.silu(z)))


class HeadNorm(nn.Module):
    def __init__(self, d: int, centred: bool) -> None:
        super().__init__()
        self.weight, self.centred = _empty(d), centred

    def forward(self, parts: Tensor) -> Tensor:
        """(N, T, d), of the heads apart."""
        if self.centred:
            parts = parts - parts.mean(-1, keepdim=True)
        parts = parts * torch.rsqrt((parts * parts).mean(-1, keepdim=True) + 1e-5)
        return parts.flatten(-2) * self.weight


@_script
def _run_delta(q: Tensor, k: Tensor, v: Tensor, beta: Tensor, alpha: Tensor) -> Tensor:
    """q (N, T, H, D); k and v (N, T, n, H, D); beta (N, T, n, H); alpha (N, T, H)."""
    S = torch.zeros_like(q[:, 0].unsqueeze(3) * q[:, 0].unsqueeze(2))
    outputs = torch.jit.annotate(List[Tensor], [])
    for t in range(q.shape[1]):
        S = alpha[:, t].unsqueeze(2).unsqueeze(3) * S
        for s in range(k.shape[2]):
            key = k[:, t, s]
            error = v[:, t, s] - (S @ key.unsqueeze(3)).squeeze(3)
            S = S + (beta[:, t, s].unsqueeze(2) * error).unsqueeze(3) * key.unsqueeze(2)
        outputs.append((S @ q[:, t].unsqueeze(3)).squeeze(3))
    return torch.stack(outputs, dim=1)


class DeltaNet(nn.Module):
    def __init__(self, options: Options, d: int, dropout: float) -> None:
        super().__init__()
        self.heads, self.steps = int(options["heads"]), int(options["householder"])
        self.most = 2 if options["eigenvalues"] == "signed" else 1
        taps, channels = int(options["conv"]), (1 + 2 * self.steps) * d
        self.qkv_proj = _linear(channels, d)
        if taps:
            self.conv1d = CausalConvolution(channels, taps, bias=False)
        self.beta_proj = _linear(self.steps * self.heads, d)
        if options["gate"] == "true":
            self.gate_proj = _linear(self.heads, d)
            self.dt_bias, self.A_log = _empty(self.heads), _empty(self.heads)
        if options["output_gate"] == "true":
            self.ogate_proj = _linear(d, d)
        self.norm = HeadNorm(d, centred=False)
        self.out_proj = _linear(d, d)

    def forward(self, x: Tensor) -> Tensor:
        qkv = self.qkv_proj(x)
        qkv = self.conv1d(qkv) if hasattr(self, "conv1d") else F.silu(qkv)
        vectors = _apart(qkv, 1 + 2 * self.steps, self.heads, -1)

        def normalized(y: Tensor) -> Tensor:
            return y * torch.rsqrt((y * y).sum(-1, keepdim=True) + 1e-6)

        q, k, v = normalized(vectors[:, :, 0]), normalized(vectors[:, :, 1::2]), vectors[:, :, 2::2]
        beta = self.most * _apart(torch.sigmoid(self.beta_proj(x)), self.steps, self.heads)
        alpha = torch.ones_like(beta[:, :, 0])
        if hasattr(self, "gate_proj"):
            step = F.softplus(self.gate_proj(x) + self.dt_bias)
            alpha = torch.exp(-torch.exp(self.A_log) * step)
        o = self.norm(_run_delta(q, k, v, beta, alpha))
        if hasattr(self, "ogate_proj"):
            o = o * F.silu(self.ogate_proj(x))
        return cast(Tensor, self.out_proj(o))


@_script
def _run_mlstm(q: Tensor, k: Tensor, v: Tensor, i: Tensor, log_f: Tensor) -> Tensor:
    """q, k and v (N, T, H, D); i and log_f (N, T, H)."""
    C = torch.zeros_like(q[:, 0].unsqueeze(3) * q[:, 0].unsqueeze(2))
    n, m = torch.zeros_like(q[:, 0]), torch.zeros_like(i[:, 0])
    outputs = torch.jit.annotate(List[Tensor], [])
    for t in range(q.shape[1]):
        kept = log_f[:, t] + m
        m = torch.maximum(kept, i[:, t])
        write, keep = torch.exp(i[:, t] - m).unsqueeze(2), torch.exp(kept - m).unsqueeze(2)
        C = keep.unsqueeze(3) * C + (write * v[:, t]).unsqueeze(3) * k[:, t].unsqueeze(2)
        n = keep * n + write * k[:, t]
        weight = torch.maximum((n * q[:, t]).sum(2).abs(), torch.exp(-m)).unsqueeze(2)
        outputs.append((C @ q[:, t].unsqueeze(3)).squeeze(3) / weight)
    return torch.stack(outputs, dim=1)


class MLstm(nn.Module):
    def __init__(self, options: Options, d: int, dropout: float) -> None:
        super().__init__()
        self.heads, taps = int(options["heads"]), int(options["conv"])
        self.goes_up = options["expand"] == "2"
        size = 2 * d if self.goes_up else d
        self.dims, self.norm_first = size // self.heads, options["order"] == "norm-gate"
        if self.goes_up:
            self.up_proj, self.gate_proj = _linear(size, d), _linear(size, d)
        else:
            self.ogate_proj = nn.Linear(d, d)
        if taps:
            self.conv1d = CausalConvolution(size, taps, bias=True)
            self.qk_proj, self.v_proj = _linear(2 * size, size), _linear(size, size)
        else:
            self.qkv_proj = _linear(3 * size, size)
        self.gates_proj = nn.Linear(size, 2 * self.heads)
        if options["skip"] == "true":
            self.skip = _empty(size)
        self.norm = HeadNorm(size, centred=True)
        self.out_proj = _linear(d, size)

    def forward(self, x: Tensor) -> Tensor:
        u = self.up_proj(x) if self.goes_up else x
        c = self.conv1d(u) if hasattr(self, "conv1d") else u
        if hasattr(self, "conv1d"):
            qkv = torch.cat([self.qk_proj(c), self.v_proj(u)], dim=-1)
        else:
            qkv = self.qkv_proj(u)
        qkv = _apart(qkv, 3, self.heads, -1)
        q, k, v = qkv[:, :, 0], qkv[:, :, 1] / math.sqrt(self.dims), qkv[:, :, 2]
        i, f = self.gates_proj(u).chunk(2, dim=-1)
        y = _run_mlstm(q, k, v, i, F.logsigmoid(f))
        gate = F.silu(self.gate_proj(x)) if self.goes_up else torch.sigmoid(self.ogate_proj(x))
        y = self.norm(y) if self.norm_first else y.flatten(2)
        if hasattr(self, "skip"):
            y = y + self.skip * c
        y = gate * y
        if not self.norm_first:
            y = self.norm(_apart(y, self.heads, -1))
        return cast(Tensor, self.out_proj(y))


@_script
def _run_heads(decay: Tensor, added: Tensor, C: Tensor) -> Tensor:
    """S ← decay S + added, y = S C, over (N, T, H), (N, T, H, P, S) and (N, T, S)."""
    S = torch.zeros_like(added[:, 0])
    outputs = torch.jit.annotate(List[Tensor], [])
    for t in range(added.shape[1]):
        S = decay[:, t].unsqueeze(2).unsqueeze(3) * S + added[:, t]
        outputs.append(S @ C[:, t].unsqueeze(1).unsqueeze(3))
    return torch.stack(outputs, dim=1).squeeze(4)


class Mamba2(nn.Module):
    def __init__(self, options: Options, d: int, dropout: float) -> None:
        super().__init__()
        self.heads, self.state = int(options["heads"]), int(options["state"])
        self.inner, taps = int(options["expand"]) * d, int(options["conv"])
        self.signed = options["eigenvalues"] == "signed"
        channels = self.inner + 2 * self.state
        self.in_proj = _linear(self.inner + channels, d)
        if taps:
            self.conv1d = CausalConvolution(channels, taps, bias=True)
        self.dt_proj = _linear(self.heads, d)
        self.dt_bias, self.A_log = _empty(self.heads), _empty(self.heads)
        self.D = _empty(self.heads)
        self.norm = HeadNorm(self.inner, centred=False)
        self.out_proj = _linear(d, self.inner)

    def forward(self, u: Tensor) -> Tensor:
        both = self.in_proj(u)
        z, xbc = both[:, :, : self.inner], both[:, :, self.inner :]
        xbc = self.conv1d(xbc) if hasattr(self, "conv1d") else F.silu(xbc)
        x, B, C = xbc.split([self.inner, self.state, self.state], dim=2)
        x = _apart(x, self.heads, -1)
        delta = F.softplus(self.dt_proj(u) + self.dt_bias)
        decay = torch.exp(-torch.exp(self.A_log) * delta)
        if self.signed:
            decay = 2 * decay - 1
        added = (delta.unsqueeze(3) * x).unsqueeze(4) * B.unsqueeze(2).unsqueeze(3)
        y = _run_heads(decay, added, C) + self.D.unsqueeze(1) * x
        gated = y.flatten(2) * F.silu(z)
        return cast(Tensor, self.out_proj(self.norm(gated.unsqueeze(2))))


@_script
def _run_gla(q: Tensor, k: Tensor, v: Tensor, alpha: Tensor) -> Tensor:
    """q, k and alpha (N, T, H, K); v (N, T, H, V)."""
    S = torch.zeros_like(v[:, 0].unsqueeze(3) * k[:, 0].unsqueeze(2))
    outputs = torch.jit.annotate(List[Tensor], [])
    for t in range(q.shape[1]):
        S = S * alpha[:, t].unsqueeze(2) + v[:, t].unsqueeze(3) * k[:, t].unsqueeze(2)
        outputs.append((S @ q[:, t].unsqueeze(3)).squeeze(3))
    return torch.stack(outputs, dim=1)


class Gla(nn.Module):
    def __init__(self, options: Options, d: int, dropout: float) -> None:
        super().__init__()
        self.heads, self.d = int(options["heads"]), d
        taps = int(options["conv"])
        self.qkv_proj = _linear(2 * d, d)
        if taps:
            self.conv1d = CausalConvolution(2 * d, taps, bias=False)
        self.gate_down, self.gate_up = _linear(16, d), nn.Linear(16, d // 2)
        self.ogate_proj = _linear(d, d)
        self.norm = HeadNorm(d, centred=False)
        self.out_proj = _linear(d, d)

    def forward(self, x: Tensor) -> Tensor:
        qkv = self.qkv_proj(x)
        if hasattr(self, "conv1d"):
            qkv = self.conv1d(qkv)
        half = self.d // 2
        q, k, v = (
            _apart(part, self.heads, -1)
            for part in (qkv[:, :, :half], qkv[:, :, half : self.d], qkv[:, :, self.d :])
        )
        alpha = torch.exp(F.logsigmoid(self.gate_up(self.gate_down(x))) / 16)
        scale = math.sqrt(self.d / 2 / self.heads)
        o = self.norm(_run_gla(q / scale, k, v, _apart(alpha, self.heads, -1)))
        return cast(Tensor, self.out_proj(o * F.silu(self.ogate_proj(x))))


@_script
def _run_rwkv7(r: Tensor, k: Tensor, v: Tensor, w: Tensor, kappa: Tensor, a: Tensor) -> Tensor:
    """All (N, T, H, D)."""
    S = torch.zeros_like(v[:, 0].unsqueeze(3) * k[:, 0].unsqueeze(2))
    outputs = torch.jit.annotate(List[Tensor], [])
    for t in range(r.shape[1]):
        said = S @ kappa[:, t].unsqueeze(3)
        S = S * w[:, t].unsqueeze(2) - said * (a[:, t] * kappa[:, t]).unsqueeze(2)
        S = S + v[:, t].unsqueeze(3) * k[:, t].unsqueeze(2)
        outputs.append((S @ r[:, t].unsqueeze(3)).squeeze(3))
    return torch.stack(outputs, dim=1)


class Rwkv7(nn.Module):
    def __init__(self, options: Options, d: int, dropout: float) -> None:
        super().__init__()
        self.heads, rank = int(options["heads"]), int(options["rank"])
        for name in "rwkvag":
            self.register_parameter(f"x_{name}", _empty(d))
        self.r_proj, self.k_proj, self.v_proj = _linear(d, d), _linear(d, d), _linear(d, d)
        self.w_down, self.w_up = _linear(rank, d), nn.Linear(rank, d)
        self.a_down, self.a_up = _linear(rank, d), nn.Linear(rank, d)
        self.g_down, self.g_up = _linear(rank, d), _linear(d, rank)
        self.k_k, self.k_a, self.r_k = _empty(d), _empty(d), _empty(d)
        self.norm = HeadNorm(d, centred=True)
        self.out_proj = _linear(d, d)

    def forward(self, x: Tensor) -> Tensor:
        shift = F.pad(x, (0, 0, 1, 0))[:, :-1] - x
        xr, xw, xk, xv, xa, xg = (x + getattr(self, f"x_{name}") * shift for name in "rwkvag")
        r, k, v = self.r_proj(xr), self.k_proj(xk), self.v_proj(xv)
        decay = torch.sigmoid(self.w_up(torch.tanh(self.w_down(xw))))
        w = torch.exp(-math.exp(-0.5) * decay)
        a = torch.sigmoid(self.a_up(self.a_down(xa)))
        g = self.g_up(torch.sigmoid(self.g_down(xg)))
        kappa = _apart(k * self.k_k, self.heads, -1)
        kappa = kappa * torch.rsqrt((kappa * kappa).sum(-1, keepdim=True) + 1e-6)
        k = k * (1 + (a - 1) * self.k_a)
        bonus = _apart(r * k * self.r_k, self.heads, -1).sum(-1, keepdim=True)
        r, k, v, w, a = (_apart(part, self.heads, -1) for part in (r, k, v, w, a))
        o = self.norm(_run_rwkv7(r, k, v, w, kappa, a)) + (bonus * v).flatten(-2)
        return cast(Tensor, self.out_proj(o * g))


MIXERS = {
    "transformer": Attention,
    "mamba": Mamba,
    "mamba2": Mamba2,
    "deltanet": DeltaNet,
    "gla": Gla,
    "mlstm": MLstm,
    "rwkv7": Rwkv7,
}

# The options of the skeleton, for a mixer that is not in the catalogue.
SKELETON = {
    "feed_forward": "4",
    "activation": "relu",
    "norm": "pre",
    "tie_embeddings": "true",
    "loops": "1",
    "padding": "0",
}


MakeMixer = Callable[[Options, int, float], nn.Module]


class OwnMixer(nn.Module):
    """A mixer that somebody else wrote, with what our skeleton relies on checked at its first call.

    It maps (N, T, d) to (N, T, d), or to a tuple whose first element is that, as the layers of
    flash-linear-attention do. It must not look at later positions, which are padding.
    """

    def __init__(self, mixer: nn.Module) -> None:
        super().__init__()
        self.layer = mixer
        self.is_checked = False

    def output(self, x: Tensor) -> Tensor:
        y = self.layer(x)
        y = y[0] if isinstance(y, (tuple, list)) else y
        if not isinstance(y, Tensor) or y.shape != x.shape:
            found = tuple(y.shape) if isinstance(y, Tensor) else type(y).__name__
            name = type(self.layer).__name__
            raise ValueError(f"{name} returned {found} for vectors of {tuple(x.shape)}")
        return y

    def check(self, x: Tensor) -> None:
        """Raises ValueError if an output depends on a later position; x, (N, T, d), says what kind
        of tensors and which device."""
        self.is_checked = True
        # Signs of a fixed pattern, so that nothing is drawn from a random generator.
        length, d = 12, x.shape[2]
        pattern = torch.arange(length * d, device=x.device).reshape(1, length, d)
        strings = (pattern * 2654435761 % 1000).to(x) / 500 - 1
        changed = strings.clone()
        changed[:, length // 2 :] *= -1
        modes = [(module, module.training) for module in self.layer.modules()]
        try:
            self.layer.eval()
            with torch.no_grad():
                before, after = (self.output(x)[:, : length // 2] for x in (strings, changed))
        finally:
            for module, mode in modes:
                module.training = mode
        if not torch.allclose(before, after, rtol=1e-3, atol=1e-5):
            raise ValueError(
                f"{type(self.layer).__name__} looks at later positions: its outputs for the first "
                f"{length // 2} of {length} vectors changed with the others"
            )

    def forward(self, x: Tensor) -> Tensor:
        if not self.is_checked:
            self.check(x)
        return self.output(x)


def _makes_own(mixer: Callable[[int], nn.Module]) -> MakeMixer:
    return lambda options, d, dropout: OwnMixer(mixer(d))


class ResidualLayer(nn.Module):
    def __init__(
        self, architecture: str | MakeMixer, options: Options, d: int, dropout: float
    ) -> None:
        super().__init__()
        self.dropout = dropout
        self.norm1 = nn.LayerNorm(d)
        make = MIXERS[architecture] if isinstance(architecture, str) else architecture
        mixer = make(options, d, dropout)
        if architecture == "transformer":
            self.self_attn = mixer
        else:
            self.mixer = mixer
        self.norm_first, self.activation = options["norm"] == "pre", options["activation"]
        units = int(options["feed_forward"]) * d
        if units:
            self.norm2 = nn.LayerNorm(d)
            both = 2 if self.activation == "swiglu" else 1
            self.linear1, self.linear2 = nn.Linear(d, both * units), nn.Linear(units, d)

    def _drop(self, vectors: Tensor) -> Tensor:
        return F.dropout(vectors, self.dropout, self.training)

    def feed_forward(self, x: Tensor) -> Tensor:
        raw = self.linear1(x)
        if self.activation == "swiglu":
            gate, value = raw.chunk(2, dim=-1)
            hidden = F.silu(gate) * value
        elif self.activation == "gelu":
            hidden = F.gelu(raw, approximate="tanh")
        else:
            hidden = torch.relu(raw)
        return cast(Tensor, self.linear2(self._drop(hidden)))

    def forward(self, x: Tensor) -> Tensor:
        mixer: nn.Module = self.self_attn if hasattr(self, "self_attn") else self.mixer
        if not self.norm_first:
            x = self.norm1(x + self._drop(mixer(x)))
            if hasattr(self, "norm2"):
                x = self.norm2(x + self._drop(self.feed_forward(x)))
            return x
        x = x + self._drop(mixer(self.norm1(x)))
        if hasattr(self, "norm2"):
            x = x + self._drop(self.feed_forward(self.norm2(x)))
        return x


class ResidualEncoder(nn.Module):
    def __init__(
        self,
        architecture: str | MakeMixer,
        options: Options,
        layers: int,
        d: int,
        dropout: float,
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            ResidualLayer(architecture, options, d, dropout) for _ in range(layers)
        )
        self.loops = int(options["loops"])
        if options["norm"] == "pre":
            self.norm = nn.LayerNorm(d)

    def forward(self, x: Tensor) -> Tensor:
        for _ in range(self.loops):
            for layer in self.layers:
                x = layer(x)
        return cast(Tensor, self.norm(x)) if hasattr(self, "norm") else x


class Residual(ReadsBos):
    """The transformer's skeleton around any mixer: that of an architecture of ours, or one of yours.

    `mixer` is called with d for each layer and returns a module from (N, T, d) to (N, T, d):

        Residual(mixer=lambda d: Mine(d), vocabulary=2, layers=5, hidden=32, terms=("lm",))

    Options of the skeleton are positions ("none", or "sinusoidal" encodings), feed_forward (units
    of that block as multiples of d; 4, or 0 for none), activation, norm, tie_embeddings, loops and
    padding, as docs/reference/architectures.md has them. All but the mixer, which starts as its code
    says, starts as in our engine: uniform in ±0.1, norms with the identity, heads by Xavier's rule.
    """

    def __init__(
        self,
        architecture: str = "",
        options: Options | None = None,
        vocabulary: int = 0,
        layers: int = 5,
        hidden: int = 0,
        mixer: Callable[[int], nn.Module] | None = None,
        **common: Any,
    ) -> None:
        if (mixer is None) == (not architecture):
            raise ValueError("Residual takes the name of an architecture or a mixer")
        if vocabulary < 1 or hidden < 1 or layers < 1:
            raise ValueError("Residual needs vocabulary, layers and hidden")
        options = options or {}
        unknown = sorted(options.keys() - SKELETON.keys() - {"positions"})
        if mixer is not None and unknown:
            raise ValueError(f"{unknown[0]!r} is not an option of the skeleton")
        options = {**SKELETON, **options}
        common["tie_embeddings"] = options["tie_embeddings"] == "true"
        common["padding"] = int(options["padding"])
        super().__init__(vocabulary, hidden, **common)
        make: str | MakeMixer = architecture if mixer is None else _makes_own(mixer)
        self.is_sinusoidal = options.get("positions") == "sinusoidal"
        self.at = Positions(options)
        if self.at.table:
            self.positions = nn.Embedding(self.at.table, hidden)
        self.encoder = ResidualEncoder(make, options, layers, hidden, self.dropout)
        for module in self.modules():
            if isinstance(module, Attention):
                module.positions = self.at
        if mixer is not None:
            self._initialize()

    def _initialize(self) -> None:
        heads = {"recognition_head"} | {TERMS[term]["head"] for term in self.terms}
        for name, module in self.named_modules():
            if name in heads and isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                nn.init.zeros_(module.bias)
            elif ".mixer" not in name and isinstance(module, (nn.Embedding, nn.Linear)):
                for parameter in module.parameters():
                    nn.init.uniform_(parameter, -0.1, 0.1)

    def add_positions(self, x: Tensor) -> Tensor:
        self.at.take(x.shape[1], self.training, x.device)
        if self.at.table:
            return cast(Tensor, x + self.positions(self.at.current))
        if self.is_sinusoidal:
            return x + sinusoidal_encoding(self.at.current, x.shape[2]).to(x)
        return x

    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor | dict[str, Tensor]:
        self.at.symbols = lengths + len(self.ends()) + 1
        try:
            return super().forward(tokens, lengths)
        finally:
            self.at.symbols = None

    def hidden_vectors(self, tokens: Tensor) -> Tensor:
        return cast(Tensor, self.encoder(self.embedded(tokens)))


def known_metadata(architecture: str) -> set[str]:
    """What module_of reads of a model's file."""
    sizes = {"architecture", "vocabulary", "layers", "hidden", "states", "readout", "rec_head"}
    heads = {f"{term}_head" for term in TERMS}
    return sizes | heads | set(DEFAULTS[architecture])


def module_of(metadata: Mapping[str, str], dropout: float = 0.0) -> Recognizer:
    """A module for the architecture, options and sizes that a model's file names; not its weights."""
    architecture = metadata["architecture"]
    if architecture not in DEFAULTS:
        raise ValueError(f"there is no module for the architecture {architecture!r}")
    defaults = DEFAULTS[architecture]
    unknown = set(metadata) - known_metadata(architecture)
    unknown = {key for key in unknown if metadata[key] != "0"}  # as "0" says that there is none
    if unknown:
        names = ", ".join(sorted(unknown))
        raise ValueError(f"there is no module for the {architecture} with {names}")
    options = {name: metadata.get(name, value) for name, value in defaults.items()}
    states = int(metadata.get("states", 0))
    sizes: dict[str, Any] = {key: int(metadata[key]) for key in ("vocabulary", "layers", "hidden")}
    sizes["terms"] = tuple(term for term in TERMS if metadata.get(f"{term}_head") == "1")
    sizes["dropout"], sizes["states"] = dropout, states
    sizes["recognizes"] = metadata.get("rec_head", "1") == "1"
    sizes["reads_eos"] = metadata.get("readout", "last") == "eos"
    if architecture in RECURRENT:
        return Recurrent(architecture, **sizes)
    if architecture == "slstm":
        return SLstm(options, **sizes)
    if architecture in ("stack-rnn", "stack-lstm"):
        return StackRecurrent(options, 1 if architecture == "stack-rnn" else 4, **sizes)
    if architecture == "transformer" and options == defaults:
        return Transformer(**sizes)
    return Residual(architecture, options, **sizes)


# What a model's file calls a tensor, and the module's name of it.
_RENAMED = (("rnn.bias_l", "rnn.bias_ih_l"),)


def parameters_of(module: nn.Module) -> dict[str, nn.Parameter]:
    """The parameters that are trained, by the names that our model files give them."""
    named = {}
    for name, parameter in module.named_parameters():
        if parameter.requires_grad:
            for ours, theirs in _RENAMED:
                name = name.replace(theirs, ours)
            named[name] = parameter
    return named
