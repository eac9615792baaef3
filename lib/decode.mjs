// Decodes files in node as a page does: `decode.mjs LIBRARY TABLES`, with a job in JSON on each line of its
// input: {"file": …, "models": […], "k": [1, 2], "reduction": 1}. Answers each with a line: digests of the pixels, and
// milliseconds of processor time.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , library, folder] = process.argv;
const compiled = new WebAssembly.Module(readFileSync(library));
const tables = ["shared", "grade-0", "grade-1", "grade-2"].map((name) => readFileSync(`${folder}/${name}.tables`));
const BYTES = [0, 1, 2, 2, 4];
const NAMES = ["", "uint8", "uint16", "int16", "float32"];
const INFO = ["method", "type", "images", "height", "width", "channels", "hasChannels", "block", "k", "lines", "parts", "corrections", "alpha", "lent"];

/** An instance of the library, with functions that throw what it says of a fault. */
class Library {
  constructor() {
    this.own = new WebAssembly.Instance(compiled, {}).exports;
    this.tables = tables.map(() => 0);
  }

  put(content) {
    const place = this.own.web_take(content.length);
    if (!place) throw new Error("There is no memory.");
    new Uint8Array(this.own.memory.buffer).set(content, place);
    return place;
  }

  /** Tables of all grades: a page would fetch the one that is asked for. */
  giveTables() {
    tables.forEach((content, number) => this.own.web_tables(number - 1, this.put(content), content.length));
  }

  check(file, fault) {
    if (!fault) return;
    const place = this.own.pcai_reason(file, 0), memory = new Uint8Array(this.own.memory.buffer);
    throw new Error(new TextDecoder().decode(memory.subarray(place, memory.indexOf(0, place))));
  }

  open(content, most = 2 ** 31, unbacked = 2 ** 27) {
    const fault = this.own.web_take(4);
    const file = this.own.web_open(this.put(content), content.length, most, unbacked, fault);
    this.check(file, new DataView(this.own.memory.buffer).getInt32(fault, true));
    return file;
  }

  about(file) {
    const numbers = new BigInt64Array(this.own.memory.buffer, this.own.pcai_about(file), INFO.length);
    return Object.fromEntries(INFO.map((name, index) => [name, Number(numbers[index])]));
  }

  decode(file, info, k) {
    for (let part = 0; part < info.parts; part++) {
      this.check(file, this.own.pcai_decode(file, BigInt(part), BigInt(k)));
    }
  }

  pixels(file, info, k, reduction) {
    const width = Math.ceil(info.width / reduction), height = Math.ceil(info.height / reduction);
    const apart = width * info.channels * BYTES[info.type], lines = height * info.images;
    const place = this.own.web_take(apart * lines);
    if (!place) throw new Error("There is no memory.");
    this.check(file, this.own.pcai_lines(file, BigInt(k), 0n, BigInt(lines), BigInt(reduction), place, apart));
    for (let part = 0; k === info.k && reduction === 1 && part < info.corrections; part++) {
      this.correct(file, part, place, apart);
    }
    return new Uint8Array(this.own.memory.buffer, place, apart * lines);
  }

  correct(file, part, place, apart) {
    const bounds = this.own.web_take(16);
    this.check(file, this.own.pcai_corrected(file, BigInt(part), bounds, bounds + 8));
    const start = Number(new DataView(this.own.memory.buffer).getBigInt64(bounds, true));
    this.check(file, this.own.pcai_correct(file, BigInt(part), place + start * apart, apart));
  }
}

/** Shape and type, as digests of arrays begin with. */
function described(info, reduction) {
  const sides = [info.height, info.width].map((side) => Math.ceil(side / reduction));
  const shape = [...(info.method === 2 ? [info.images] : []), ...sides, ...(info.hasChannels ? [info.channels] : [])];
  return `${shape.join("x")} ${NAMES[info.type]} `;
}

/** Lends the basis of the first of some files that has it. */
function lend(library, file, models) {
  for (const path of models) {
    if (!library.own.pcai_lend(file, library.open(readFileSync(path)))) return;
  }
  throw new Error("None of the models is that of the file.");
}

function answered({ file: path, models, k, reduction = 1 }) {
  const library = new Library(), digests = {};
  let start = process.cpuUsage().user, spent = 0;
  library.giveTables();
  const file = library.open(readFileSync(path)), info = library.about(file);
  if (info.lent) lend(library, file, models);
  for (const count of k ?? [info.k]) {
    library.decode(file, info, count);
    const pixels = library.pixels(file, info, count, reduction);
    spent += process.cpuUsage().user - start;
    const digest = createHash("sha256").update(described(info, reduction));
    digests[count] = digest.update(pixels).digest("hex");
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
