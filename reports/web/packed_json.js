// SPDX-License-Identifier: Apache-2.0
// Reads compressed JSON of the page (packed_json.h).

// False in browsers before Chrome 80, Firefox 113 and Safari 16.4: their pages keep the static
// figures.
export const canUnpack = "DecompressionStream" in globalThis;

export async function unpack({deflate}) {
  const text = atob(deflate);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = text.charCodeAt(i); // from() is slow
  const stream = new DecompressionStream("deflate");
  const writer = stream.writable.getWriter();
  // Errors reach the reader.
  writer.write(bytes).catch(() => {});
  writer.close().catch(() => {});
  return new Response(stream.readable).json();
}
