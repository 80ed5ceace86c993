/**
 * Bytes from anywhere: whatever is cut, altered or made up is `BAD_SNAPSHOT`; where a forger put the checksum right, the
 * worst that comes of it is a world that describes something strange.
 */
import { describe, expect, test } from 'vitest';
import { checksumOf } from '../../src/bytes/checksum.ts';
import { Random } from '../../src/conformance/random.ts';
import { createScript } from '../../src/conformance/script.ts';
import { Replay, UmweltError, World } from '../../src/index.ts';
import { ScriptPlay } from './script-play.ts';

const HEADER_BYTES = 24;

interface Stored {
  readonly bytes: Uint8Array;
  readonly interests: ScriptPlay['interests'];
}

/** A small world of the script of a seed, in the midst of its life. */
function storedWorld(seed: number): Stored {
  const script = createScript(seed, { operations: 60, entities: 8, attachments: seed % 2 === 0 });
  const played = new ScriptPlay(script, (options) => [new World(options)]);
  for (const operation of script.operations.slice(0, 45)) {
    if (operation.kind !== 'churn') played.step(operation);
  }
  return { bytes: played.worlds[0].snapshot(), interests: played.interests };
}

function codeOf(bytes: Uint8Array, interests: Stored['interests'] = {}): string {
  try {
    World.restore(bytes, { interests });
    return 'restored';
  } catch (error) {
    if (error instanceof UmweltError) return error.code;
    throw error;
  }
}

/** Writes the checksum that the body has. */
function forged(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const [low, high] = checksumOf(bytes.subarray(HEADER_BYTES));
  view.setUint32(16, low, true);
  view.setUint32(20, high, true);
  return bytes;
}

describe('bytes that are no snapshot', () => {
  test.each([
    ['none', new Uint8Array(0)],
    ['zeros', new Uint8Array(4096)],
    ['text', new Uint8Array([...'umwelt, or so it says'].map((letter) => letter.charCodeAt(0)))],
  ])('%s are BAD_SNAPSHOT', (_name, bytes) => {
    expect(codeOf(bytes)).toBe('BAD_SNAPSHOT');
  });

  test('something that is no bytes is BAD_SNAPSHOT', () => {
    expect(codeOf('umws' as unknown as Uint8Array)).toBe('BAD_SNAPSHOT');
    expect(codeOf(undefined as unknown as Uint8Array)).toBe('BAD_SNAPSHOT');
  });

  test('what the file functions of browsers return is told from bytes', () => {
    const buffer = new ArrayBuffer(8) as unknown as Uint8Array;
    const given = 'an object (ArrayBuffer) was given, expected a Uint8Array with the bytes of a';
    expect(() => World.restore(buffer)).toThrow(`${given} snapshot`);
    expect(() => new Replay(buffer)).toThrow(`${given} recording`);
  });
});

describe('a snapshot', () => {
  const { bytes, interests } = storedWorld(3);

  test('that was cut short, or has more bytes, is told so', () => {
    const small = new World().snapshot();
    const told = (given: number) =>
      `the snapshot has ${given} bytes, expected ${small.length}, as its header says`;
    expect(() => World.restore(small.subarray(0, 100))).toThrow(told(100));
    const longer = new Uint8Array(small.length + 1);
    longer.set(small);
    expect(() => World.restore(longer)).toThrow(told(small.length + 1));
  });

  test('is read wherever it lies in a larger buffer', () => {
    for (let offset = 0; offset < 8; offset++) {
      const larger = new Uint8Array(bytes.length + 16);
      larger.set(bytes, offset);
      expect(codeOf(larger.subarray(offset, offset + bytes.length), interests)).toBe('restored');
    }
  });

  test('cut short anywhere is BAD_SNAPSHOT', () => {
    for (let length = 0; length < bytes.length; length++) {
      expect(codeOf(bytes.subarray(0, length), interests)).toBe('BAD_SNAPSHOT');
    }
  });

  test('with something after it is BAD_SNAPSHOT', () => {
    const longer = new Uint8Array(bytes.length + 4);
    longer.set(bytes);
    expect(codeOf(longer, interests)).toBe('BAD_SNAPSHOT');
  });

  test('with any bit altered is BAD_SNAPSHOT', () => {
    for (let at = 0; at < bytes.length; at++) {
      const altered = bytes.slice();
      altered[at] ^= 1 << (at & 7);
      expect(codeOf(altered, interests), `byte ${at}`).toBe('BAD_SNAPSHOT');
    }
  });

  test('of a later version is BAD_SNAPSHOT, and says so', () => {
    const later = bytes.slice();
    const version = bytes[4] as number;
    later[4] = version + 1;
    expect(() => World.restore(later)).toThrow(`version ${version + 1}, expected ${version}`);
  });
});

describe('a forged snapshot', () => {
  test('is refused or restored, and neither hangs, grows nor fails otherwise', () => {
    const random = new Random(77);
    let restored = 0;
    for (let seed = 1; seed <= 30; seed++) {
      const { bytes, interests } = storedWorld(seed);
      for (let i = 0; i < 150; i++) {
        const altered = bytes.slice();
        const changes = random.pick([1, 1, 2, 5]);
        for (let change = 0; change < changes; change++) {
          const at = HEADER_BYTES + random.below(altered.length - HEADER_BYTES);
          altered[at] = random.pick([0, 1, 255, 128, altered[at] + 1, random.below(256)]);
        }
        const code = codeOf(forged(altered), interests);
        expect(['restored', 'BAD_SNAPSHOT', 'UNKNOWN_INTEREST', 'UNKNOWN_DETECTOR']).toContain(code);
        if (code === 'restored') restored++;
      }
    }
    // Positions and the like may be anything: some pass, or this test tries nothing but the outer checks.
    expect(restored).toBeGreaterThan(100);
  });

  test('that claims millions of entities is refused before room is made for them', () => {
    const { bytes, interests } = storedWorld(3);
    const view = new DataView(bytes.buffer);
    const section = bytes.findIndex((_, at) => String.fromCharCode(...bytes.subarray(at, at + 4)) === 'ENTS');
    view.setUint32(section + 8, 4_000_000, true);
    const before = process.memoryUsage().arrayBuffers;
    expect(codeOf(forged(bytes), interests)).toBe('BAD_SNAPSHOT');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1 << 20);
  });
});
