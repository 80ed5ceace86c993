/**
 * Screenshots as pixels: a reader of the PNGs that Chromium writes, 8 bits a channel, with or without alpha, not
 * interlaced.
 */
import { inflateSync } from 'node:zlib';

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue of a pixel, each 0 to 255. */
  at(x: number, y: number): [red: number, green: number, blue: number];
}

export function readPng(file: Buffer): Picture {
  const width = file.readUInt32BE(16);
  const height = file.readUInt32BE(20);
  const colourType = file[25];
  if (file[24] !== 8 || (colourType !== 2 && colourType !== 6)) throw new Error('a PNG of another kind');
  const channels = colourType === 6 ? 4 : 3;
  const parts: Buffer[] = [];
  for (let at = 8; at < file.length; ) {
    const length = file.readUInt32BE(at);
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(file.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const pixels = unfiltered(inflateSync(Buffer.concat(parts)), width * channels, height, channels);
  return {
    width,
    height,
    at(x, y) {
      const offset = (Math.round(y) * width + Math.round(x)) * channels;
      return [pixels[offset] as number, pixels[offset + 1] as number, pixels[offset + 2] as number];
    },
  };
}

function unfiltered(data: Buffer, rowBytes: number, height: number, channels: number): Uint8Array {
  const out = new Uint8Array(rowBytes * height);
  for (let row = 0; row < height; row++) {
    const filter = data[row * (rowBytes + 1)];
    for (let i = 0; i < rowBytes; i++) {
      const at = row * rowBytes + i;
      const left = i >= channels ? (out[at - channels] as number) : 0;
      const up = row > 0 ? (out[at - rowBytes] as number) : 0;
      const corner = row > 0 && i >= channels ? (out[at - rowBytes - channels] as number) : 0;
      const raw = data[row * (rowBytes + 1) + 1 + i] as number;
      const predicted = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter as number] as number;
      out[at] = raw + predicted;
    }
  }
  return out;
}

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner;
  const byLeft = Math.abs(estimate - left);
  const byUp = Math.abs(estimate - up);
  const byCorner = Math.abs(estimate - corner);
  if (byLeft <= byUp && byLeft <= byCorner) return left;
  return byUp <= byCorner ? up : corner;
}

/** How far apart two colours are: the greatest difference of a channel, 0 to 255. */
export function difference(a: readonly number[], b: readonly number[]): number {
  return Math.max(...a.map((value, i) => Math.abs(value - (b[i] as number))));
}

/** How many pixels of a box differ by more than a shade between two pictures. */
export function changedPixels(
  a: Picture,
  b: Picture,
  box: { x: number; y: number; width: number; height: number },
): number {
  let count = 0;
  for (let y = box.y; y < box.y + box.height; y++) {
    for (let x = box.x; x < box.x + box.width; x++) if (difference(a.at(x, y), b.at(x, y)) > 8) count++;
  }
  return count;
}
