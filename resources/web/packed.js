// What a page carries as text: bytes by 13 bits in two of 91 characters, deflated, and tables of photos.

const CODES = new Uint8Array(128).fill(255);
let next = 0;
for (let code = 33; code < 127; code++) if (!"<&-".includes(String.fromCharCode(code))) CODES[code] = next++;

/** The bytes of a block of the page. */
export function bytesOf(block) {
  const text = block.textContent, bytes = new Uint8Array(Number(block.dataset.size));
  let word = 0, bits = 0, first = -1, place = 0;
  for (let i = 0; i < text.length; i++) {
    const code = CODES[text.charCodeAt(i)];
    if (code === 255) continue; // the end of a line
    if (first < 0) {
      first = code;
      continue;
    }
    word = ((word & 255) << 13) | (91 * first + code);
    for (bits += 13, first = -1; bits >= 8; ) bytes[place++] = word >> (bits -= 8);
  }
  return bytes;
}

export async function inflated(bytes, format = "deflate") {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** A file of tables (format.md, P2) of arrays whose bytes lie in planes: all low ones, then the higher ones. A first
 * line in JSON says for each its name, type, shape, and whether it holds differences. */
export function tablesOf(bytes) {
  const end = bytes.indexOf(10), arrays = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  const sizes = arrays.map(([name, kind, shape]) => {
    const count = shape.reduce((product, side) => product * side, 1);
    return { head: 4 + name.length + 4 * shape.length, width: Number(kind[1]), count };
  });
  const to = new Uint8Array(sizes.reduce((total, { head, width, count }) => total + head + width * count, 0));
  const view = new DataView(to.buffer);
  let from = end + 1, place = 0;
  arrays.forEach(([name, kind, shape, differs], number) => {
    const { head, width, count } = sizes[number];
    to.set([name.length, ...new TextEncoder().encode(name + kind), shape.length], place);
    shape.forEach((side, axis) => view.setUint32(place + 4 + name.length + 4 * axis, side, true));
    place += head;
    let before = 0;
    for (let i = 0; i < count; i++) {
      let value = 0;
      for (let byte = width - 1; byte >= 0; byte--) value = (value << 8) | bytes[from + byte * count + i];
      before = differs ? before + value : value;
      for (let byte = 0; byte < width; byte++) to[place++] = before >>> (8 * byte);
    }
    from += width * count;
  });
  return to;
}
