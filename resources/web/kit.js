// What a page that has everything in it opens pictures with.

import { bytesOf, inflated, tablesOf } from "./packed.js";

const TABLES = ["shared", "grade-0", "grade-1", "grade-2"];

/** The script of the page, which does in workers what `serve` does. */
const SCRIPT = globalThis.document?.currentScript?.textContent;

/** The decoder, its workers and the tables that are in the page. */
export async function kitOfPage() {
  const content = async (id) => {
    const block = document.getElementById(id);
    return block && inflated(bytesOf(block));
  };
  const [compiled, ...tables] = await Promise.all([
    content("decoder").then((bytes) => WebAssembly.compile(bytes)),
    ...TABLES.map((name) => content(name).then((bytes) => bytes && tablesOf(bytes))),
  ]);
  const url = URL.createObjectURL(new Blob([SCRIPT], { type: "text/javascript" }));
  return { compiled, worker: () => new Worker(url), tables: async () => tables };
}
