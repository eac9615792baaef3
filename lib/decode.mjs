// Decodes files in node as a page does: `decode.mjs LIBRARY TABLES`, with a job in JSON on each line of its
// input: {"file": …, "models": […], "k": [1, 2], "reduction": 1}. Answers each with a line: digests of the pixels, and
// milliseconds of processor time.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Library } from "../resources/web/library.js";

const [, , library, folder] = process.argv;
const compiled = new WebAssembly.Module(readFileSync(library));
const tables = ["shared", "grade-0", "grade-1", "grade-2"].map((name) => readFileSync(`${folder}/${name}.tables`));
const NAMES = ["", "uint8", "uint16", "int16", "float32"];
const STACK = "stack";

/** Shape and type, as digests of arrays begin with. */
function described(info, reduction) {
  const sides = [info.height, info.width].map((side) => Math.ceil(side / reduction));
  const shape = [...(info.method === STACK ? [info.images] : []), ...sides, ...(info.hasChannels ? [info.channels] : [])];
  return `${shape.join("x")} ${NAMES[info.type]} `;
}

/** Adds lines to a digest. */
function digested(opened, digest, lines) {
  opened.withLines(lines, (values) => digest.update(new Uint8Array(values.buffer, values.byteOffset, values.byteLength)));
}

function answered({ file: path, models, k, reduction = 1 }) {
  const instance = new Library(compiled, tables), digests = {};
  let start = process.cpuUsage().user, spent = 0;
  const file = instance.open(readFileSync(path)), { info } = file;
  if (info.lent) {
    const lender = models.map((model) => instance.open(readFileSync(model))).find((model) => file.takes(model));
    if (!lender) throw new Error("None of the models is that of the file.");
  }
  for (const count of k ?? [info.k]) {
    for (let part = 0; part < info.parts; part++) file.decode(part, count);
    const digest = createHash("sha256").update(described(info, reduction));
    if (count === info.k && reduction === 1 && info.corrections) {
      for (let part = 0; part < info.corrections; part++) {
        const [first, last] = file.span("pcai_corrected", part);
        digested(file, digest, { k: count, start: first, stop: last, part });
      }
    } else digested(file, digest, { k: count, start: 0, stop: info.images * Math.ceil(info.height / reduction), reduction });
    spent += process.cpuUsage().user - start;
    digests[count] = digest.digest("hex");
    start = process.cpuUsage().user;
  }
  return { pixels: digests, milliseconds: spent / 1000 };
}

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    answer = answered(JSON.parse(line));
  } catch (error) {
    answer = { fault: error.message };
  }
  console.log(JSON.stringify(answer));
}
