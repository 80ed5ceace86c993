/**
 * Stores an interest as bytes, for snapshots and recordings: its numbers, and whether it had functions.
 * Functions cannot be stored.
 *
 * What is read passes the same check as what users give, so a loaded interest is always a valid one.
 */
import type { ByteReader } from '../../bytes/byte-reader.ts';
import type { ByteWriter } from '../../bytes/byte-writer.ts';
import { NO_CAP } from '../../entities/entity-state.ts';
import type { WorldSettings } from '../../settings.ts';
import { loadTerms, saveTerms } from './group-terms.ts';
import type { AdmitFunction, Interest, RankFunction, ResolvedInterest } from './interest.ts';

const HAS_RANK = 1;
const HAS_ADMIT = 2;
const IS_MUTUAL = 4;

/**
 * Placeholders for the functions of a replaced interest. It decides nothing any more, and its former
 * decisions cannot be recomputed.
 */
export const forgottenRank: RankFunction = () => Number.NaN;
export const forgottenAdmit: AdmitFunction = () => false;

/** An interest without its functions. */
export interface StoredInterest {
  readonly interest: Interest;
  readonly hasRank: boolean;
  readonly hasAdmit: boolean;
}

export function saveInterest(writer: ByteWriter, interest: ResolvedInterest): void {
  writer.u8(
    (interest.rank === undefined ? 0 : HAS_RANK) |
      (interest.admit === undefined ? 0 : HAS_ADMIT) |
      (interest.mutual ? IS_MUTUAL : 0),
  );
  writer.f32(interest.leaveMargin);
  writer.u32(interest.cap);
  writer.f64(interest.incumbentBonus);
  writer.u32(interest.minDwellTicks);
  writer.u32(interest.memoryTicks);
  writer.u16(interest.lingerTicks);
  writer.u32(interest.enterBudget);
  writer.u8(interest.quotas.length);
  for (const { layers, cap } of interest.quotas) {
    writer.u32(layers);
    writer.u32(cap);
  }
  writer.u8(interest.groupKinds);
  saveTerms(writer, interest.groupTerms);
  writer.u8(interest.updateRates.length);
  for (const [fraction, everyTicks] of interest.updateRates) {
    writer.f64(fraction);
    writer.u8(everyTicks);
  }
}

export function loadInterest(reader: ByteReader, { groups }: WorldSettings): StoredInterest {
  const bits = reader.u8();
  reader.check(bits <= (HAS_RANK | HAS_ADMIT | IS_MUTUAL), 'what an interest has');
  const leaveMargin = reader.f32();
  const cap = reader.u32();
  const incumbentBonus = reader.f64();
  const minDwellTicks = reader.u32();
  const memoryTicks = reader.u32();
  const lingerTicks = reader.u16();
  const enterBudget = infiniteOr(reader.u32());
  const quotaCount = reader.u8();
  const quotas: { layers: number; cap: number }[] = [];
  for (let i = 0; i < quotaCount; i++) quotas.push({ layers: reader.u32(), cap: infiniteOr(reader.u32()) });
  const kinds = reader.u8();
  reader.check(kinds >>> groups.length === 0, 'kinds of groups that there are');
  const shownKinds = groups.filter((_, kind) => (kinds & (1 << kind)) !== 0);
  const terms = loadTerms(reader);
  const ringCount = reader.u8();
  const updateRates: [number, number][] = [];
  for (let i = 0; i < ringCount; i++) updateRates.push([reader.f64(), reader.u8()]);
  const interest: Interest = {
    leaveMargin,
    cap: infiniteOr(cap),
    incumbentBonus,
    minDwellTicks,
    memoryTicks,
    lingerTicks,
    quotas,
    enterBudget,
    showGroup: terms === undefined ? shownKinds : { ...terms, kinds: shownKinds },
    mutual: (bits & IS_MUTUAL) !== 0,
    ...(ringCount === 0 ? {} : { updateRates }),
  };
  return { interest, hasRank: (bits & HAS_RANK) !== 0, hasAdmit: (bits & HAS_ADMIT) !== 0 };
}

function infiniteOr(cap: number): number {
  return cap === NO_CAP ? Number.POSITIVE_INFINITY : cap;
}

/** Whether two interests have the same rules. Functions are not compared, only whether there is one. */
export function isSameInterest(one: ResolvedInterest, other: ResolvedInterest): boolean {
  const [first, second] = [one, other].map((interest) => {
    const { rank, admit, ...rest } = interest;
    return JSON.stringify({ ...rest, hasRank: rank !== undefined, hasAdmit: admit !== undefined });
  });
  return first === second;
}
