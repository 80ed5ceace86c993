/** Records come back as they were written; whatever else the bytes are is refused, and nothing else happens. */
import { expect, it } from 'vitest';
import { FIRST_FORMAT, FORMAT } from '../../src/records/formats.ts';
import { HEADER_BYTES, RECORD_BYTES_MAX, readRecord, writeRecord } from '../../src/records/record.ts';
import { STEPS_FORMAT } from '../../src/records/steps.ts';
import { NOTHING_NOTED } from '../../src/state/members.ts';
import { callsRecord, goneRecord, helloRecord, type Items, markRecord } from '../record-makers.ts';
import { Random } from '../simulation/random.ts';

const speaker = { member: 7, incarnation: 2 ** 40 + 5, seq: 2 ** 32 - 1 };
const everything: Items = {
  moves: {
    ids: Uint32Array.of(1025, 2049),
    x: Float32Array.of(1.5, -2),
    y: Float32Array.of(0, 1e12),
    z: Float32Array.of(3, 4),
  },
  adds: [
    {
      request: 3,
      x: 1.25,
      y: 2,
      z: 0,
      patch: { range: 5, interest: 'few' },
      key: 'hero',
      keep: Uint8Array.of(1),
      fields: { name: 'grey', health: 7, isAwake: true },
    },
    { request: 4, x: 0, y: 0, z: 0, patch: {}, key: '', keep: new Uint8Array(0), fields: {} },
  ],
  updates: [{ id: 1025, patch: { range: { sight: 3 }, marker: false, cap: Number.POSITIVE_INFINITY } }],
  touches: [1025],
  removes: [2049, 1025],
  ties: [
    { tie: 'pin', watcher: 1025, marker: 2049, reason: 'quest', within: 12.5, everyTicks: 3 },
    { tie: 'unblock', watcher: 1, marker: 2, reason: '', within: Number.POSITIVE_INFINITY, everyTicks: 0 },
  ],
  steps: [{ step: 'attach', id: 1025, parent: 2049, x: 1.5, y: 0, z: -2 }],
  fields: [{ id: 1025, fields: { name: 'Änn', health: 0.5, isAway: false, isHere: true } }],
  keeps: [{ id: 1025, bytes: new Uint8Array(16 * 1024).fill(7) }],
  gives: [{ id: 1025, member: 1023, incarnation: 2 ** 47 }],
  sends: [{ id: 1025, bytes: Uint8Array.of(1, 2, 3) }],
  broadcasts: [{ marker: 1025, sense: 'sight', bytes: new Uint8Array(0) }],
  shows: [
    { id: 1025, isShown: true },
    { id: 1025, isShown: false },
  ],
  teleports: [1025, 2049],
};
const steps = [
  { step: 'attach', id: 1025, parent: 0, x: 0, y: 0, z: 0 },
  { step: 'move', id: 2049, x: 1.5, y: -2, z: 0.25 },
  { step: 'teleport', id: 2049, x: 2 ** 39, y: 0, z: -4 },
  { step: 'remove', id: 1025 },
  { step: 'attach', id: 3073, parent: 2049, x: 0.1, y: 0, z: 1e12 },
] as const;
const samples = {
  steps: callsRecord(speaker, { steps, touches: [1025] }, NOTHING_NOTED, STEPS_FORMAT),
  hello: helloRecord(),
  calls: callsRecord(speaker, everything),
  heartbeat: callsRecord(speaker, {}),
  mark: markRecord(speaker, 12),
  bye: writeRecord('bye', speaker, () => {}),
  gone: goneRecord(3, 2 ** 33),
};

it('come back as they were written, wherever they lie in memory', () => {
  for (const shift of [0, 1, 2, 3, 4]) {
    const moved = new Uint8Array(samples.calls.length + shift).subarray(shift);
    moved.set(samples.calls);
    const record = readRecord(moved);
    expect(record).toMatchObject({ ...speaker, kind: 'calls', calls: everything });
  }
  expect(readRecord(samples.hello)).toMatchObject({ kind: 'hello', hello: { name: 'a', silenceTicks: 5 } });
  expect(readRecord(samples.mark)).toMatchObject({ member: 7, kind: 'mark', tick: 12 });
  expect(readRecord(samples.gone)).toMatchObject({ kind: 'gone', member: 3, incarnation: 2 ** 33 });
  expect(readRecord(samples.heartbeat)).toMatchObject({ kind: 'calls', calls: {} });
});

it('have steps from the second format on; before that, attachments only, without their kind', () => {
  const { steps: sample } = samples;
  expect(readRecord(sample)).toMatchObject({ format: 2, calls: { steps, touches: [1025] } });
  const attachment = callsRecord(speaker, { steps: [steps[0]] });
  expect(readRecord(attachment)).toMatchObject({ format: 1, calls: { steps: [steps[0]] } });
  const bodyFrom = HEADER_BYTES + 12 + 4;
  const zeros = Array.from({ length: 24 }, () => 0);
  // Number 8, 36 bytes, one attachment: child, parent, offset.
  expect([...attachment.subarray(bodyFrom)]).toEqual([
    ...[8, 0, 0, 0, 36, 0, 0, 0, 1, 0, 0, 0],
    ...[1, 4, 0, 0, 0, 0, 0, 0, ...zeros],
  ]);
  expect(() => readRecord(sample.with(0, 1))).toThrow(expect.objectContaining({ code: 'BAD_RECORD' }));
  expect(() => readRecord(attachment.with(0, 2))).toThrow(expect.objectContaining({ code: 'BAD_RECORD' }));
});

it('have a header of 16 bytes', () => {
  expect(samples.bye.length).toBe(HEADER_BYTES);
  expect([...samples.bye]).toEqual([FIRST_FORMAT, 3, 7, 0, 5, 0, 0, 0, 0, 1, 255, 255, 255, 255, 0, 0]);
});

it.each(Object.entries(samples))('of %s are refused when they are cut short or go on', (_kind, bytes) => {
  for (let length = 0; length < Math.min(bytes.length, 600); length++) {
    expect(() => readRecord(bytes.subarray(0, length)), `${length} bytes`).toThrow(
      expect.objectContaining({ code: 'BAD_RECORD' }),
    );
  }
  const longer = new Uint8Array(bytes.length + 1);
  longer.set(bytes);
  expect(() => readRecord(longer)).toThrow(expect.objectContaining({ code: 'BAD_RECORD' }));
});

it('that are larger than half a MiB, or of another format, are refused', () => {
  expect(() => readRecord(new Uint8Array(RECORD_BYTES_MAX + 1))).toThrow(
    expect.objectContaining({ code: 'BAD_RECORD' }),
  );
  const other = samples.mark.slice();
  other[0] = FORMAT + 1;
  expect(() => readRecord(other)).toThrow(expect.objectContaining({ code: 'BAD_RECORD' }));
  expect(() => writeRecord('calls', speaker, (w) => w.column(new Uint8Array(RECORD_BYTES_MAX)))).toThrow(
    expect.objectContaining({ code: 'TOO_MUCH' }),
  );
});

it('that are damaged anyhow are read or refused, and nothing else', () => {
  const random = new Random(5);
  const kinds = Object.values(samples);
  let refused = 0;
  for (let i = 0; i < 20_000; i++) {
    const bytes = random.of(kinds).slice(0, 400);
    const flips = 1 + random.below(4);
    for (let k = 0; k < flips; k++) bytes[random.below(bytes.length)] = random.below(256);
    try {
      readRecord(bytes);
    } catch (error) {
      expect(error).toMatchObject({ code: 'BAD_RECORD' });
      refused++;
    }
  }
  expect(refused).toBeGreaterThan(5000);
});

it('that claim more than they bring make no room for it', () => {
  const bytes = callsRecord(speaker, { touches: [1] });
  // The count of touches lies behind header, digest, the count of sections and the section's own header.
  new DataView(bytes.buffer).setUint32(HEADER_BYTES + 12 + 4 + 8, 0xffff_ffff, true);
  expect(() => readRecord(bytes)).toThrow(expect.objectContaining({ code: 'BAD_RECORD' }));
});
