// Runs an ONNX file in onnxruntime-web: node run_onnx.mjs NODE_MODULES MODEL.onnx < batches.json
// prints the logits of every batch, as JSON.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [modules, model] = process.argv.slice(2);
const ort = createRequire(resolve(modules, "x.js"))("onnxruntime-web");
ort.env.wasm.numThreads = 1;
const session = await ort.InferenceSession.create(readFileSync(model), {
  executionProviders: ["wasm"],
});

const integers = (values, shape) =>
  new ort.Tensor("int64", BigInt64Array.from(values.flat(), BigInt), shape);

const answers = [];
for (const { tokens, lengths } of JSON.parse(readFileSync(0, "utf8"))) {
  const outputs = await session.run({
    tokens: integers(tokens, [tokens.length, tokens[0].length]),
    lengths: integers(lengths, [lengths.length]),
  });
  answers.push(Array.from(outputs.logits.data));
}
console.log(JSON.stringify(answers));
