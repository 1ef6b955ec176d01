"""The architectures as PyTorch modules, of plain tensor operations, one string at a time.

Parameters have the names and shapes of model.safetensors. What PyTorch has a module for (RNN, LSTM,
GRU, the transformer) is that module; the rest is written from the equations at the head of the
engine's files in src/flare/nn.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F

RECURRENT = {"rnn": nn.RNN, "lstm": nn.LSTM, "gru": nn.GRU}
DEFAULTS = {
    "transformer": {"positions": "sinusoidal", "mask": "causal", "heads": "8"},
    "mamba": {
        "eigenvalues": "positive",
        "conv": "4",
        "state": "16",
        "expand": "2",
        "feed_forward": "0",
    },
    "deltanet": {
        "eigenvalues": "positive",
        "householder": "1",
        "gate": "false",
        "conv": "4",
        "heads": "4",
    },
    "mlstm": {"heads": "4"},
    "slstm": {"heads": "4"},
    "stack-rnn": {"stack_width": "10"},
    "stack-lstm": {"stack_width": "10"},
}


def empty(*shape):
    return nn.Parameter(torch.empty(*shape))


def sinusoidal_encoding(length, hidden):
    position = torch.arange(length, dtype=torch.float64).unsqueeze(1)
    even = torch.arange(0, hidden, 2, dtype=torch.float64)
    angle = position / 10000 ** (even / hidden)
    return torch.stack([angle.sin(), angle.cos()], dim=2).reshape(length, hidden)


class Model(nn.Module):
    """What the architectures share: the embedding and the heads."""

    def __init__(self, vocabulary, hidden, rows, ns_head, states):
        super().__init__()
        self.vocabulary = vocabulary
        self.embedding = nn.Embedding(rows, hidden)
        self.recognition_head = nn.Linear(hidden, 1)
        if ns_head:
            self.next_symbols_head = nn.Linear(hidden, vocabulary + 1)
        if states:
            self.states_head = nn.Linear(hidden, states)

    def language_model_logits(self, hidden_vectors):
        return hidden_vectors @ self.embedding.weight[: self.vocabulary + 1].T


class RecurrentModel(Model):
    """PyTorch's own recurrent modules."""

    def __init__(self, architecture, vocabulary, layers, hidden, lm_head, ns_head, states):
        super().__init__(vocabulary, hidden, vocabulary + lm_head, ns_head, states)
        self.rnn = RECURRENT[architecture](hidden, hidden, layers)
        self.initial_hidden_names = [f"initial_hidden_l{l}" for l in range(layers)]
        for name in self.initial_hidden_names:
            self.register_parameter(name, empty(hidden))
        # The models have one bias per layer; the second of PyTorch's two stays zero.
        for l in range(layers):
            bias = getattr(self.rnn, f"bias_hh_l{l}")
            nn.init.zeros_(bias)
            bias.requires_grad_(False)

    def hidden_vectors(self, tokens):
        initial = torch.stack([getattr(self, name) for name in self.initial_hidden_names])
        h_0 = torch.tanh(initial)
        if len(tokens) == 0:  # PyTorch refuses sequences of length 0.
            return h_0[-1:]
        state = (h_0, torch.zeros_like(h_0)) if isinstance(self.rnn, nn.LSTM) else h_0
        outputs, _ = self.rnn(self.embedding(tokens), state)
        return torch.cat([h_0[-1:], outputs])


class Recurrence(nn.Module):
    """The matrices of a recurrent model's layers; `recurrent` inputs to the state's product."""

    def __init__(self, layers, hidden, gates, recurrent):
        super().__init__()
        for l in range(layers):
            self.register_parameter(f"weight_ih_l{l}", empty(gates * hidden, hidden))
            self.register_parameter(f"weight_hh_l{l}", empty(gates * hidden, recurrent))
            self.register_parameter(f"bias_l{l}", empty(gates * hidden))

    def of(self, name, layer):
        return getattr(self, f"{name}_l{layer}")


class LoopModel(Model):
    """A loop over layers and time around a step of plain operations."""

    def __init__(self, vocabulary, layers, hidden, lm_head, ns_head, states, gates, recurrent):
        super().__init__(vocabulary, hidden, vocabulary + lm_head, ns_head, states)
        self.layers, self.hidden = layers, hidden
        self.rnn = Recurrence(layers, hidden, gates, recurrent)
        for l in range(layers):
            self.register_parameter(f"initial_hidden_l{l}", empty(hidden))

    def hidden_vectors(self, tokens):
        inputs = self.embedding(tokens)
        for l in range(self.layers):
            h = torch.tanh(getattr(self, f"initial_hidden_l{l}"))
            outputs, state = [h], self.initial_state(l)
            for x in inputs:
                h, state = self.step(l, self.rnn.of("weight_ih", l) @ x + self.rnn.of("bias", l), h, state)
                outputs.append(h)
            inputs = torch.stack(outputs[1:]) if len(outputs) > 1 else inputs
        return torch.stack(outputs)


class SLstmModel(LoopModel):
    def __init__(self, options, layers, hidden, **sizes):
        self.heads = int(options["heads"])
        super().__init__(
            layers=layers, hidden=hidden, gates=4, recurrent=hidden // self.heads, **sizes
        )

    def initial_state(self, layer):
        return torch.zeros(self.hidden), torch.zeros(self.hidden), torch.full((self.hidden,), -math.inf)

    def step(self, layer, pre, h, state):
        c, n, m = state
        dims = self.hidden // self.heads
        blocks = self.rnn.of("weight_hh", layer).reshape(4, self.heads, dims, dims)
        recurrent = torch.einsum("ghij,hj->ghi", blocks, h.reshape(self.heads, dims))
        i, f, z, o = (pre + recurrent.reshape(-1)).chunk(4)
        log_f = F.logsigmoid(f)
        m_next = torch.maximum(log_f + m, i)
        i, f = torch.exp(i - m_next), torch.exp(log_f + m - m_next)
        c, n = f * c + i * torch.tanh(z), f * n + i
        return torch.sigmoid(o) * c / n, (c, n, m_next)


class StackModel(LoopModel):
    def __init__(self, options, layers, hidden, gates, **sizes):
        super().__init__(layers=layers, hidden=hidden, gates=gates, recurrent=hidden, **sizes)
        self.gates, self.width = gates, int(options["stack_width"])
        for l in range(layers):
            self.rnn.register_parameter(f"weight_sh_l{l}", empty(gates * hidden, self.width))
            self.rnn.register_parameter(f"weight_hs_l{l}", empty(3 + self.width, hidden))

    def initial_state(self, layer):
        return torch.zeros(self.hidden), torch.zeros(1, self.width)

    def step(self, layer, pre, h, state):
        c, stack = state
        pre = pre + self.rnn.of("weight_hh", layer) @ h + self.rnn.of("weight_sh", layer) @ stack[0]
        if self.gates == 1:
            h = torch.tanh(pre)
        else:
            i, f, g, o = pre.chunk(4)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
        signals = self.rnn.of("weight_hs", layer) @ h
        push, pop, no_op = torch.softmax(signals[:3], dim=0)
        nothing = torch.zeros(1, self.width)
        pushed = torch.cat([torch.sigmoid(signals[3:]).unsqueeze(0), stack])
        popped = torch.cat([stack[1:], nothing, nothing])
        stack = push * pushed + pop * popped + no_op * torch.cat([stack, nothing])
        return h, (c, stack)


class TransformerModel(Model):
    """PyTorch's own transformer, for the options that it has."""

    def __init__(self, vocabulary, layers, hidden, lm_head, ns_head, states):
        super().__init__(vocabulary, hidden, vocabulary + lm_head + 1, ns_head, states)
        layer = nn.TransformerEncoderLayer(
            hidden, 8, 4 * hidden, dropout=0.0, norm_first=True, batch_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, layers, norm=nn.LayerNorm(hidden))

    def hidden_vectors(self, tokens):
        rows, hidden = self.embedding.weight.shape
        inputs = torch.cat([torch.tensor([rows - 1]), tokens])  # BOS is the last row.
        length = len(inputs)
        embedded = self.embedding(inputs) * math.sqrt(hidden)
        encoding = sinusoidal_encoding(length, hidden).to(embedded.dtype)
        mask = torch.ones(length, length, dtype=torch.bool).triu(1)
        return self.encoder(embedded + encoding, mask)


class Attention(nn.Module):
    def __init__(self, options, d):
        super().__init__()
        self.options, self.heads = options, int(options["heads"])
        self.in_proj_weight, self.in_proj_bias = empty(3 * d, d), empty(3 * d)
        self.out_proj = nn.Linear(d, d)

    def rotate(self, x):
        """Rotary positions for (heads, length, dims)."""
        length, dims = x.shape[1:]
        angle = torch.arange(length, dtype=torch.float64).unsqueeze(1) * 10000 ** (
            -torch.arange(0, dims, 2, dtype=torch.float64) / dims
        )
        cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
        even, odd = x[..., 0::2], x[..., 1::2]
        return torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(-2)

    def forward(self, x):
        length, d = x.shape
        qkv = x @ self.in_proj_weight.T + self.in_proj_bias
        q, k, v = qkv.reshape(length, 3, self.heads, -1).permute(1, 2, 0, 3)
        if self.options["positions"] == "rope":
            q, k = self.rotate(q), self.rotate(k)
        scores = q @ k.transpose(1, 2) / math.sqrt(d / self.heads)
        if self.options["positions"] == "alibi":
            slopes = 2.0 ** (-8 * torch.arange(1, self.heads + 1) / self.heads)
            at = torch.arange(length)
            scores = scores - slopes[:, None, None] * (at[:, None] - at[None, :])
        strict = self.options["mask"] == "strict"
        hidden = torch.ones(length, length, dtype=torch.bool).triu(0 if strict else 1)
        scores = scores.masked_fill(hidden, -math.inf)
        # A row that sees nothing is all zeros.
        weights = torch.softmax(scores.masked_fill(hidden.all(1)[:, None], 0), dim=-1)
        attended = weights.masked_fill(hidden, 0) @ v
        return self.out_proj(attended.transpose(0, 1).reshape(length, d))


class CausalConvolution(nn.Module):
    """Depthwise, over (length, channels), followed by SiLU."""

    def __init__(self, channels, taps, bias):
        super().__init__()
        self.weight = empty(channels, taps)
        self.bias = empty(channels) if bias else None

    def forward(self, x):
        taps = self.weight.shape[1]
        padded = F.pad(x.T.unsqueeze(0), (taps - 1, 0))
        y = F.conv1d(padded, self.weight.unsqueeze(1), self.bias, groups=len(self.weight))
        return F.silu(y.squeeze(0).T)


def linear(out, inputs):
    return nn.Linear(inputs, out, bias=False)


class Mamba(nn.Module):
    def __init__(self, options, d):
        super().__init__()
        inner, self.state = int(options["expand"]) * d, int(options["state"])
        rank, taps = math.ceil(d / 16), int(options["conv"])
        self.signed = options["eigenvalues"] == "signed"
        self.in_proj = linear(2 * inner, d)
        if taps:
            self.conv1d = CausalConvolution(inner, taps, bias=True)
        self.dt_down = linear(rank, inner)
        self.bc_proj = linear(2 * self.state, inner)
        self.dt_proj = nn.Linear(rank, inner)
        self.A_log, self.D = empty(inner, self.state), empty(inner)
        self.out_proj = linear(d, inner)

    def forward(self, x):
        u, z = self.in_proj(x).chunk(2, dim=-1)
        u = self.conv1d(u) if hasattr(self, "conv1d") else F.silu(u)
        delta = F.softplus(self.dt_proj(self.dt_down(u)))
        B, C = self.bc_proj(u).chunk(2, dim=-1)
        decay = torch.exp(delta.unsqueeze(-1) * -torch.exp(self.A_log))
        if self.signed:
            decay = 2 * decay - 1
        added = (delta * u).unsqueeze(-1) * B.unsqueeze(1)
        h, y = torch.zeros_like(self.A_log), []
        for t in range(len(x)):
            h = decay[t] * h + added[t]
            y.append(h @ C[t])
        return self.out_proj((torch.stack(y) + self.D * u) * F.silu(z))


class DeltaNet(nn.Module):
    def __init__(self, options, d):
        super().__init__()
        self.heads, self.steps = int(options["heads"]), int(options["householder"])
        self.most = 2 if options["eigenvalues"] == "signed" else 1
        taps, channels = int(options["conv"]), (1 + 2 * self.steps) * d
        self.qkv_proj = linear(channels, d)
        if taps:
            self.conv1d = CausalConvolution(channels, taps, bias=False)
        self.beta_proj = linear(self.steps * self.heads, d)
        self.gated = options["gate"] == "true"
        if self.gated:
            self.gate_proj = linear(self.heads, d)
            self.dt_bias, self.A_log = empty(self.heads), empty(self.heads)
        self.norm = HeadNorm(d, self.heads, centred=False)
        self.out_proj = linear(d, d)

    def forward(self, x):
        length, d = x.shape
        qkv = self.qkv_proj(x)
        qkv = self.conv1d(qkv) if hasattr(self, "conv1d") else F.silu(qkv)
        vectors = qkv.reshape(length, 1 + 2 * self.steps, self.heads, -1)
        normalize = lambda y: y * torch.rsqrt((y * y).sum(-1, keepdim=True) + 1e-6)
        q, k, v = normalize(vectors[:, 0]), normalize(vectors[:, 1::2]), vectors[:, 2::2]
        beta = self.most * torch.sigmoid(self.beta_proj(x)).reshape(length, self.steps, -1)
        if self.gated:
            decay = -torch.exp(self.A_log) * F.softplus(self.gate_proj(x) + self.dt_bias)
        dims = d // self.heads
        S, outputs = torch.zeros(self.heads, dims, dims), []
        for t in range(length):
            if self.gated:
                S = torch.exp(decay[t])[:, None, None] * S
            for s in range(self.steps):
                b, key = beta[t, s][:, None], k[t, s]
                error = v[t, s] - torch.einsum("hvk,hk->hv", S, key)
                S = S + (b * error).unsqueeze(2) * key.unsqueeze(1)
            outputs.append(torch.einsum("hvk,hk->hv", S, q[t]).reshape(d))
        return self.out_proj(self.norm(torch.stack(outputs)))


class HeadNorm(nn.Module):
    def __init__(self, d, heads, centred):
        super().__init__()
        self.weight, self.heads, self.centred = empty(d), heads, centred

    def forward(self, x):
        parts = x.reshape(len(x), self.heads, -1)
        if self.centred:
            parts = parts - parts.mean(-1, keepdim=True)
        parts = parts * torch.rsqrt((parts * parts).mean(-1, keepdim=True) + 1e-5)
        return parts.reshape(x.shape) * self.weight


class MLstm(nn.Module):
    def __init__(self, options, d):
        super().__init__()
        self.heads = int(options["heads"])
        self.qkv_proj = linear(3 * d, d)
        self.gates_proj = nn.Linear(d, 2 * self.heads)
        self.ogate_proj = nn.Linear(d, d)
        self.norm = HeadNorm(d, self.heads, centred=True)
        self.out_proj = linear(d, d)

    def forward(self, x):
        length, d = x.shape
        dims = d // self.heads
        q, k, v = self.qkv_proj(x).reshape(length, 3, self.heads, dims).unbind(1)
        k = k / math.sqrt(dims)
        i, f = self.gates_proj(x).chunk(2, dim=-1)
        log_f = F.logsigmoid(f)
        C, n = torch.zeros(self.heads, dims, dims), torch.zeros(self.heads, dims)
        m, outputs = torch.zeros(self.heads), []
        for t in range(length):
            m_next = torch.maximum(log_f[t] + m, i[t])
            write = torch.exp(i[t] - m_next)[:, None]
            keep = torch.exp(log_f[t] + m - m_next)[:, None]
            C = keep.unsqueeze(2) * C + (write * v[t]).unsqueeze(2) * k[t].unsqueeze(1)
            n = keep * n + write * k[t]
            m = m_next
            weight = torch.maximum((n * q[t]).sum(-1).abs(), torch.exp(-m))
            outputs.append((torch.einsum("hvk,hk->hv", C, q[t]) / weight[:, None]).reshape(d))
        h = torch.sigmoid(self.ogate_proj(x)) * torch.stack(outputs)
        return self.out_proj(self.norm(h))


MIXERS = {"transformer": Attention, "mamba": Mamba, "deltanet": DeltaNet, "mlstm": MLstm}


class ResidualLayer(nn.Module):
    def __init__(self, architecture, options, d):
        super().__init__()
        self.norm1 = nn.LayerNorm(d)
        mixer = MIXERS[architecture](options, d)
        if architecture == "transformer":
            self.self_attn = mixer
        else:
            self.mixer = mixer
        units = int(options.get("feed_forward", 4)) * d
        if units:
            self.norm2 = nn.LayerNorm(d)
            self.linear1, self.linear2 = nn.Linear(d, units), nn.Linear(units, d)

    def forward(self, x):
        mixer = self.self_attn if hasattr(self, "self_attn") else self.mixer
        x = x + mixer(self.norm1(x))
        if hasattr(self, "norm2"):
            x = x + self.linear2(torch.relu(self.linear1(self.norm2(x))))
        return x


class ResidualEncoder(nn.Module):
    def __init__(self, architecture, options, layers, d):
        super().__init__()
        self.layers = nn.ModuleList(ResidualLayer(architecture, options, d) for _ in range(layers))
        self.norm = nn.LayerNorm(d)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.norm(x)


class ResidualModel(Model):
    """The residual skeleton around any mixer."""

    def __init__(self, architecture, options, vocabulary, layers, hidden, lm_head, ns_head, states):
        super().__init__(vocabulary, hidden, vocabulary + lm_head + 1, ns_head, states)
        self.sinusoidal = options.get("positions") == "sinusoidal"
        self.encoder = ResidualEncoder(architecture, options, layers, hidden)

    def hidden_vectors(self, tokens):
        rows, hidden = self.embedding.weight.shape
        x = self.embedding(torch.cat([torch.tensor([rows - 1]), tokens])) * math.sqrt(hidden)
        if self.sinusoidal:
            x = x + sinusoidal_encoding(len(x), hidden).to(x.dtype)
        return self.encoder(x)


def make_model(metadata):
    """The module that the metadata of a model.safetensors describes, its values still to be set."""
    architecture = metadata["architecture"]
    sizes = {
        "vocabulary": int(metadata["vocabulary"]),
        "layers": int(metadata["layers"]),
        "hidden": int(metadata["hidden"]),
        "lm_head": int(metadata.get("lm_head", 0)),
        "ns_head": int(metadata.get("ns_head", 0)),
        "states": int(metadata.get("states", 0)),
    }
    defaults = DEFAULTS.get(architecture, {})
    options = {name: metadata.get(name, value) for name, value in defaults.items()}
    if architecture in RECURRENT:
        return RecurrentModel(architecture, **sizes)
    if architecture == "slstm":
        return SLstmModel(options, **sizes)
    if architecture in ("stack-rnn", "stack-lstm"):
        return StackModel(options, gates=1 if architecture == "stack-rnn" else 4, **sizes)
    if architecture == "transformer" and options == defaults:
        return TransformerModel(**sizes)
    return ResidualModel(architecture, options, **sizes)
