/** The record that nearly all clients need of an entity is in its line, whichever way it was written there. */
import { World } from 'umwelt';
import { describe, expect, it } from 'vitest';
import { AppearanceColumns } from '../../src/appearance/appearance-columns.ts';
import { RecordCache } from '../../src/appearance/record-cache.ts';
import { type AppearanceOptions, readSchema } from '../../src/appearance/schema.ts';
import {
  LINE_AGE_LENGTH,
  LINE_BYTES,
  LINE_TICK,
  LINE_WORDS,
  UsualRecords,
} from '../../src/appearance/usual-records.ts';

/** One entity, whose line is prepared in each tick, as the second entity of a client would need it. */
class Stage {
  readonly world: World;
  readonly columns: AppearanceColumns;
  readonly id: number;
  readonly #records: RecordCache;
  readonly #usual: UsualRecords;

  constructor(dimensions: 2 | 3, appearance: AppearanceOptions = { positionStep: 1 }) {
    this.world = new World({ dimensions });
    this.columns = new AppearanceColumns(this.world, readSchema(appearance, ['sight'], dimensions));
    this.#records = new RecordCache(this.columns);
    this.#usual = new UsualRecords(this.columns, this.#records);
    this.id = this.world.add({ x: 0, y: 0, z: 0 });
  }

  /** Ticks, and begins a tick of frames. */
  tick(): number {
    const { tick } = this.world.tick();
    this.columns.beginTick(tick);
    this.#records.beginTick(tick);
    this.#usual.beginTick(tick);
    return tick;
  }

  /** The record in the line, and how old a client's state may be that needs it; undefined if the line fits no client. */
  line(): { age: number; bytes: number[] } | undefined {
    const at = (this.id >>> 10) * LINE_WORDS;
    if (this.#usual.lines[at + LINE_TICK] !== this.world.tickCount) this.#usual.prepare(this.id);
    return this.#read(this.#usual.lines);
  }

  /** The same of its second line. */
  secondLine(): { age: number; bytes: number[] } | undefined {
    this.#usual.prepareWhole(this.id >>> 10);
    return this.#read(this.#usual.wholeLines);
  }

  #read(lines: Uint32Array): { age: number; bytes: number[] } | undefined {
    const at = (this.id >>> 10) * LINE_WORDS;
    const [age, length] = [lines[at + LINE_AGE_LENGTH]! >>> 8, lines[at + LINE_AGE_LENGTH]! & 255];
    if (age === 0) return undefined;
    const start = lines[at + LINE_BYTES]!;
    if (length > 8) return { age, bytes: [...this.#records.bytes.subarray(start, start + length)] };
    const words = new DataView(new ArrayBuffer(8));
    words.setUint32(0, lines[at + LINE_BYTES]!, true);
    words.setUint32(4, lines[at + LINE_BYTES + 1]!, true);
    return { age, bytes: Array.from({ length }, (_, i) => words.getUint8(i)) };
  }
}

describe('the usual record', () => {
  it.each([
    [
      [1, -1],
      [1, 2, 1],
    ],
    [
      [63, 64],
      [1, 126, 128, 1],
    ],
    [
      [-64, -65],
      [1, 127, 129, 1],
    ],
    [
      [64, 63],
      [1, 128, 1, 126],
    ],
    [
      [8191, -8192],
      [1, 254, 127, 255, 127],
    ],
    [
      [8192, 0],
      [1, 128, 128, 1, 0],
    ],
    [
      [0, -8193],
      [1, 0, 129, 128, 1],
    ],
    [
      [2 ** 27, -(2 ** 27)],
      [1, 128, 128, 128, 128, 1, 255, 255, 255, 127],
    ],
    [
      [1, 2, 3],
      [1, 2, 4, 6],
    ],
    [
      [1, 2, -64],
      [1, 2, 4, 127],
    ],
    [
      [1, 2, 64],
      [1, 2, 4, 128, 1],
    ],
    [
      [64, 2, 64],
      [1, 128, 1, 4, 128, 1],
    ],
    [
      [1, 64, 64],
      [1, 2, 128, 1, 128, 1],
    ],
    [
      [8191, -8192, 64],
      [1, 254, 127, 255, 127, 128, 1],
    ],
    [
      [64, 64, 1],
      [1, 128, 1, 128, 1, 2],
    ],
    [
      [1, 1, 8192],
      [1, 2, 2, 128, 128, 1],
    ],
  ])('of a move by %j is %j', ([x, y, z], bytes) => {
    const stage = new Stage(z === undefined ? 2 : 3);
    stage.tick();
    stage.line();
    stage.world.move(stage.id, x!, y!, z);
    stage.tick();
    expect(stage.line()).toEqual({ age: 1, bytes });
  });

  it('of a move to where positions can no longer be sent goes as far as they can', () => {
    const stage = new Stage(2);
    stage.world.move(stage.id, 2 ** 31 - 256, 0);
    stage.tick();
    stage.line();
    stage.world.move(stage.id, 2 ** 31 + 1024, 1);
    stage.tick();
    expect(stage.line()).toEqual({ age: 1, bytes: [1, 254, 3, 2] });
  });

  it('is that of the move also if the position was read before, as of a client that plays the entity', () => {
    const stage = new Stage(2);
    stage.tick();
    stage.line();
    // The line of an entity that rests is built only when a client needs it.
    for (let i = 0; i < 3; i++) stage.tick();
    stage.world.move(stage.id, 5, 6);
    expect(stage.columns.notice(stage.id, stage.tick())).toBe(true);
    expect(stage.line()).toEqual({ age: 4, bytes: [1, 10, 12] });
  });

  it('of an entity that a listener removed fits no client: each one is asked what it has', () => {
    const stage = new Stage(2);
    stage.tick();
    stage.line();
    for (let i = 0; i < 3; i++) stage.tick();
    stage.world.remove(stage.id);
    expect(stage.line()).toBeUndefined();
  });

  it('of an entity of which some see more fits no client; the second is for those who see none of it', () => {
    const near = { type: 'uint', audience: 'near' } as const;
    const fields = { kind: { type: 'uint' }, hp: near, mood: near } as const;
    const stage = new Stage(2, { positionStep: 1, nearDistance: 5, fields });
    stage.tick();
    stage.line();
    stage.columns.set(stage.id, { mood: 7 });
    stage.tick();
    expect(stage.line()).toBeUndefined();
    expect(stage.secondLine()).toEqual({ age: 1, bytes: [] });
    stage.world.move(stage.id, 5, 6);
    stage.columns.set(stage.id, { mood: 8, kind: 3 });
    stage.tick();
    expect(stage.line()).toBeUndefined();
    expect(stage.secondLine()).toEqual({ age: 2, bytes: [9, 10, 12, 3] });
  });
});
