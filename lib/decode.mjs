// Decodes files in node as a page does: `decode.mjs LIBRARY TABLES`, with a job in JSON on each line of its
// input: {"file": …, "models": […], "k": [1, 2], "reduction": 1, "most": bytes of memory}. Answers each with a line:
// digests of the pixels, milliseconds of processor time, and bytes of memory. One instance decodes all.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Library, Refused } from "../resources/web/library.js";

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

let instance = new Library(compiled, tables);

/** Opens a job's files, uses them, and closes them whatever happens. */
function answered({ file: path, models, k, reduction = 1, most }) {
  const opened = [], open = (each) => (opened.push(instance.open(readFileSync(each), { most })), opened.at(-1));
  try {
    return decoded(open(path), () => models.map(open), k, reduction);
  } finally {
    opened.forEach((each) => each.close());
  }
}

/** Digests of a file's pixels; `lenders` opens the models that may have its basis. */
function decoded(file, lenders, k, reduction) {
  const { info } = file, digests = {};
  let start = process.cpuUsage().user, spent = 0;
  if (info.lent && !lenders().some((model) => file.takes(model))) throw new Refused("None of the models has the file's basis.");
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
    if (!(error instanceof Refused)) {
      answer.trap = `${error}`;
      instance = new Library(compiled, tables);
    }
  }
  console.log(JSON.stringify({ ...answer, memory: instance.own.memory.buffer.byteLength }));
}
