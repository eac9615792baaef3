// PNG (RFC 2083 and its successor), written line by line: a picture of any size, with the very numbers that were decoded.

const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let word = byte;
  for (let bit = 0; bit < 8; bit++) word = word & 1 ? (word >>> 1) ^ 0xedb88320 : word >>> 1;
  return word;
});

function chunk(name, content) {
  const all = new Uint8Array(12 + content.length), view = new DataView(all.buffer);
  view.setUint32(0, content.length);
  all.set(new TextEncoder().encode(name), 4);
  all.set(content, 8);
  let crc = 0xffffffff;
  for (const byte of all.subarray(4, 8 + content.length)) crc = (crc >>> 8) ^ CRC[(crc ^ byte) & 255];
  view.setUint32(8 + content.length, ~crc >>> 0);
  return all;
}

/** Filters a line by Paeth's prediction. */
function filtered(line, above, step) {
  const to = new Uint8Array(line.length + 1);
  to[0] = 4;
  for (let i = 0; i < line.length; i++) {
    const left = i < step ? 0 : line[i - step], over = above[i], corner = i < step ? 0 : above[i - step];
    const guess = left + over - corner;
    const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - over), Math.abs(guess - corner)];
    to[i + 1] = line[i] - (a <= b && a <= c ? left : b <= c ? over : corner);
  }
  return to;
}

/** Makes a PNG of pieces of lines: an async generator of bytes, of samples with the higher byte first. */
export async function png({ width, height, samples, bits }, pieces) {
  const header = new DataView(new ArrayBuffer(13)), step = (samples * bits) / 8;
  header.setUint32(0, width);
  header.setUint32(4, height);
  header.setUint8(8, bits);
  header.setUint8(9, [0, 4, 2, 6][samples - 1]);
  let above = new Uint8Array(width * step);
  const deflated = new CompressionStream("deflate"), writer = deflated.writable.getWriter();
  const written = (async () => {
    for await (const piece of pieces) {
      for (let place = 0; place < piece.length; place += width * step) {
        const line = piece.subarray(place, place + width * step);
        await writer.ready;
        writer.write(filtered(line, above, step));
        above = line;
      }
    }
    await writer.close();
  })();
  const content = new Uint8Array(await new Response(deflated.readable).arrayBuffer());
  await written;
  const signature = Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10);
  const parts = [signature, chunk("IHDR", new Uint8Array(header.buffer)), chunk("IDAT", content), chunk("IEND", new Uint8Array())];
  return new Blob(parts, { type: "image/png" });
}
