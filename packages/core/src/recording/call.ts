/**
 * The calls that a recording contains, by the byte that each begins with; and the function that repeats them on a
 * world.
 *
 *   tick          hash, high u32, low u32          of what the tick reported
 *   add           id, x y (z) f32, patch           the id that the call returned
 *   addMany       ids, x, y, (z), patch            columns
 *   move          id, x y (z) f32
 *   moveMany      ids, x, y, (z)                   in the order in which they were written; the last of one id wins
 *   teleport      as move; teleportMany: as moveMany
 *   update        id, patch
 *   touch remove  id
 *   removeMany    ids
 *   pin unpin     watcher, marker, reason          pin: and within (f32), everyTicks (u8); block, unblock: no reason
 *   attach        child, parent, x y (z) f32       detach: child
 *   setInterest   name, interest                   functions are not stored, only whether there were any
 *   setDetector   name                             '' for a user's own detector
 *
 * Patches are written by stored-patch.ts, interests by stored-interest.ts; ids are u32.
 */
import type { ByteReader } from '../bytes/byte-reader.ts';
import type { DetectorFactory, DetectorName } from '../detectors/detector.ts';
import { UmweltError } from '../errors.ts';
import type { Interest } from '../interest/rules/interest.ts';
import { loadPinReason } from '../interest/rules/pin-reasons.ts';
import { loadInterest } from '../interest/rules/stored-interest.ts';
import { storeOf, type World } from '../world.ts';
import { loadPatch } from './stored-patch.ts';

export const CALLS = {
  tick: 0,
  add: 1,
  addMany: 2,
  move: 3,
  moveMany: 4,
  update: 5,
  touch: 6,
  remove: 7,
  removeMany: 8,
  pin: 9,
  unpin: 10,
  block: 11,
  unblock: 12,
  setInterest: 13,
  setDetector: 14,
  attach: 15,
  detach: 16,
  teleport: 17,
  teleportMany: 18,
} as const;

const TELEPORT = { teleport: true };

/** What calls need and do not contain. */
export interface CallContext {
  readonly interests: Readonly<Record<string, Interest>>;
  /** Replaces the recorded detectors. */
  readonly detector: DetectorName | DetectorFactory | undefined;
}

/**
 * Makes the next call on the world. Returns the recorded hash if the call was a tick. Throws `BAD_TRACE` if the bytes
 * are no call, or the call fails; `UNKNOWN_INTEREST`, `UNKNOWN_DETECTOR` if a function or detector of the user is
 * missing.
 */
export function replayCall(reader: ByteReader, world: World, context: CallContext): string | undefined {
  const call = reader.u8();
  if (call === CALLS.tick) {
    world.tick();
    return hex(reader.u32()) + hex(reader.u32());
  }
  if (call === CALLS.setInterest) setInterest(reader, world, context);
  else if (call === CALLS.setDetector) setDetector(reader, world, context);
  else reader.accepted('a call that can be made', () => makeCall(call, reader, world));
  return undefined;
}

function makeCall(call: number, reader: ByteReader, world: World): void {
  switch (call) {
    case CALLS.add: {
      const id = reader.u32();
      const position = readPosition(reader, world);
      const given = world.add({ ...position, ...loadPatch(reader) });
      if (given !== id) throw reader.fault(`the id ${id}, and the world gave ${given}`);
      break;
    }
    case CALLS.addMany: {
      const ids = reader.column('u32');
      const positions = readPositions(reader, world, ids.length);
      const given = world.addMany({ ...positions, ...loadPatch(reader) });
      if (!given.every((id, i) => id === ids[i])) throw reader.fault('the ids that the world gives');
      break;
    }
    case CALLS.move:
    case CALLS.teleport: {
      const id = reader.u32();
      const { x, y, z } = readPosition(reader, world);
      world.move(id, x, y, z, call === CALLS.teleport ? TELEPORT : undefined);
      break;
    }
    case CALLS.moveMany:
    case CALLS.teleportMany: {
      const ids = reader.column('u32');
      const { x, y, z } = readPositions(reader, world, ids.length);
      world.moveMany(ids, x, y, z, undefined, call === CALLS.teleportMany ? TELEPORT : undefined);
      break;
    }
    case CALLS.update:
      world.update(reader.u32(), loadPatch(reader));
      break;
    case CALLS.touch:
      world.touch(reader.u32());
      break;
    case CALLS.attach:
      world.attach(reader.u32(), reader.u32(), readPosition(reader, world));
      break;
    case CALLS.detach:
      world.detach(reader.u32());
      break;
    case CALLS.remove:
      world.remove(reader.u32());
      break;
    case CALLS.removeMany:
      world.removeMany(reader.column('u32'));
      break;
    default:
      makeTie(call, reader, world);
  }
}

function makeTie(call: number, reader: ByteReader, world: World): void {
  reader.check(call >= CALLS.pin && call <= CALLS.unblock, 'a call that there is');
  const watcher = reader.u32();
  const marker = reader.u32();
  if (call === CALLS.pin) {
    const { reason, within, everyTicks } = loadPinReason(reader);
    world.pin(watcher, marker, reason, everyTicks === 0 ? { within } : { within, everyTicks });
  } else if (call === CALLS.unpin) world.unpin(watcher, marker, reader.text());
  else if (call === CALLS.block) world.block(watcher, marker);
  else world.unblock(watcher, marker);
}

function setInterest(reader: ByteReader, world: World, { interests }: CallContext): void {
  const name = reader.text();
  const { interest, hasRank, hasAdmit } = loadInterest(reader, storeOf(world).settings);
  const { rank, admit } = (Object.hasOwn(interests, name) ? interests[name] : undefined) ?? {};
  if ((hasRank && typeof rank !== 'function') || (hasAdmit && typeof admit !== 'function')) {
    throw new UmweltError(
      'UNKNOWN_INTEREST',
      `interest '${name}' had a function, which is not recorded; expected it among the interests given`,
      { field: 'interests', value: name },
    );
  }
  const whole: Interest = interest;
  if (hasRank && rank !== undefined) whole.rank = rank;
  if (hasAdmit && admit !== undefined) whole.admit = admit;
  reader.accepted('an interest', () => world.setInterest(name, whole));
}

function setDetector(reader: ByteReader, world: World, { detector }: CallContext): void {
  const name = reader.text();
  if (detector !== undefined) return;
  if (name === '') {
    throw new UmweltError(
      'UNKNOWN_DETECTOR',
      'the recorded world got a detector of its own, which is not recorded; expected one as detector',
      { field: 'detector' },
    );
  }
  world.setDetector(name as DetectorName);
}

function readPosition(reader: ByteReader, world: World): { x: number; y: number; z?: number } {
  const position = { x: reader.f32(), y: reader.f32() };
  return storeOf(world).settings.dimensions === 3 ? { ...position, z: reader.f32() } : position;
}

function readPositions(
  reader: ByteReader,
  world: World,
  count: number,
): { x: Float32Array; y: Float32Array; z?: Float32Array } {
  const positions = { x: reader.elements('f32', count), y: reader.elements('f32', count) };
  if (storeOf(world).settings.dimensions === 2) return positions;
  return { ...positions, z: reader.elements('f32', count) };
}

function hex(word: number): string {
  return word.toString(16).padStart(8, '0');
}
