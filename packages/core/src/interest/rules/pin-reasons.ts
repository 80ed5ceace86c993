/**
 * The reasons of a pin, and the limits of each: how far and how often it holds.
 *
 *   within       world units: the reason holds while the two are at most this far apart; Infinity: anywhere
 *   everyTicks   while it holds, changes of the marker are reported at this rate; 0: at the interest's rates
 *
 * For example: a target is reported each tick and lost at the edge of the arena; a guild mate on the map is
 * reported once a second. If several reasons hold, the smallest rate counts. Distances are those of the
 * definition, in float32.
 */
import type { ByteReader } from '../../bytes/byte-reader.ts';
import type { ByteWriter } from '../../bytes/byte-writer.ts';
import type { EntityId } from '../../entities/entity-ids.ts';
import { badOption, isRecord, rejectUnknownKeys, shown, UmweltError } from '../../errors.ts';
import { MAX_DISTANCE } from '../../settings.ts';

/** Limits of a pin. */
export interface PinOptions {
  /** World units, default Infinity: the reason holds while the two are at most this far apart. */
  within?: number;
  /**
   * 1 to 255: while the reason holds, changes are reported every so many ticks, whatever the interest's
   * rates. Default: at the interest's rates.
   */
  everyTicks?: number;
}

export interface PinReason {
  readonly reason: string;
  /** float32. */
  readonly within: number;
  /** 0: at the interest's rates. */
  readonly everyTicks: number;
}

export const PIN_NAMES: ReadonlySet<string> = new Set(['within', 'everyTicks']);
const MAX_EVERY_TICKS = 255;
const f32 = Math.fround;

/** Throws `BAD_OPTION`, `BAD_RANGE` for the distance. */
export function checkedPin(reason: string, options: PinOptions): PinReason {
  if (!isRecord(options)) throw badOption('options', options, 'an object of PinOptions');
  rejectUnknownKeys(options, PIN_NAMES, 'PinOptions');
  const { within = Number.POSITIVE_INFINITY, everyTicks } = options;
  const isRate =
    Number.isInteger(everyTicks) && Number(everyTicks) >= 1 && Number(everyTicks) <= MAX_EVERY_TICKS;
  if (everyTicks !== undefined && !isRate) {
    throw badOption('everyTicks', everyTicks, `a whole number of ticks from 1 to ${MAX_EVERY_TICKS}`);
  }
  return { reason, within: checkedWithin('within', within), everyTicks: everyTicks ?? 0 };
}

/**
 * Returns the distance as float32. Throws `BAD_RANGE`. `besides`: text for the message, what else is
 * expected.
 */
export function checkedWithin(field: string, within: unknown, besides = ''): number {
  const isDistance = typeof within === 'number' && within >= 0;
  if (!isDistance || (within > MAX_DISTANCE && within !== Number.POSITIVE_INFINITY)) {
    const message = `${field}: ${shown(within)} was given, expected ${besides}0 to ${MAX_DISTANCE}, or Infinity`;
    throw new UmweltError('BAD_RANGE', message, { field, value: within });
  }
  // Adding 0 turns -0 into 0.
  return f32(within) + 0;
}

/** Whether a squared distance is within a limit. All float32. */
export function isWithin(squared: number, within: number): boolean {
  return squared <= f32(within * within);
}

/** A pin: its reasons, in the order in which they were given. */
export class Pin {
  readonly watcher: EntityId;
  readonly marker: EntityId;
  /** By name. Changed by `set` and `delete` only. */
  readonly reasons = new Map<string, PinReason>();
  /** `undefined`: the reasons have changed since it was asked for. */
  #within: number | undefined;

  constructor(watcher: EntityId, marker: EntityId) {
    this.watcher = watcher;
    this.marker = marker;
  }

  /** How far apart the two may be while any reason holds: world units, float32. */
  get within(): number {
    if (this.#within === undefined) {
      this.#within = 0;
      for (const { within } of this.reasons.values()) this.#within = Math.max(this.#within, within);
    }
    return this.#within;
  }

  set(reason: PinReason): void {
    this.reasons.set(reason.reason, reason);
    this.#within = undefined;
  }

  delete(reason: string): void {
    this.reasons.delete(reason);
    this.#within = undefined;
  }

  copy(): Pin {
    const copy = new Pin(this.watcher, this.marker);
    for (const reason of this.reasons.values()) copy.set(reason);
    return copy;
  }
}

/** The smallest rate among the reasons that hold at a squared distance; 0 if none has a rate. */
export function rateOf(reasons: Iterable<PinReason>, squared: number): number {
  let smallest = 0;
  for (const { within, everyTicks } of reasons) {
    if (everyTicks === 0 || !isWithin(squared, within)) continue;
    if (smallest === 0 || everyTicks < smallest) smallest = everyTicks;
  }
  return smallest;
}

export function savePinReason(writer: ByteWriter, { reason, within, everyTicks }: PinReason): void {
  writer.text(reason);
  writer.f32(within);
  writer.u8(everyTicks);
}

export function loadPinReason(reader: ByteReader): PinReason {
  const reason = reader.text();
  const [within, everyTicks] = [reader.f32(), reader.u8()];
  const options = everyTicks === 0 ? { within } : { within, everyTicks };
  return reader.accepted('a reason of a pin', () => checkedPin(reason, options));
}
