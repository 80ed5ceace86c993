// Puts the few in order who rank where seats end: part of the twin of ../seat-crowd.ts, and of ../seat-blocks.ts.
import { setWord, wordAt } from './job';

/** So many are held against each other, a bit each; more are left to others. */
export const FEW: u32 = 32;

/** Of those settled last: how many change, and the last rank that sits. */
export let changeCount: u32 = 0;
export let lastRank: f32 = 0;

/** As `settleFew`, of so many at most, infinite ranks behind the last: without a branch that could be foreseen wrongly. */
export const VERY_FEW: u32 = 12;
export function settleVeryFew(list: usize, ranks: usize, need: u32, seated: u32, least: f32): bool {
  const a = v128.load(ranks);
  const b = v128.load(ranks, 16);
  const c = v128.load(ranks, 32);
  let beforeA = i32x4.splat(0);
  let beforeB = beforeA;
  let beforeC = beforeA;
  let notBehindA = beforeA;
  let notBehindB = beforeA;
  let notBehindC = beforeA;
  for (let j: usize = 0; j < 48; j += 4) {
    const other = v128.load32_splat(ranks + j);
    beforeA = i32x4.sub(beforeA, f32x4.lt(other, a));
    beforeB = i32x4.sub(beforeB, f32x4.lt(other, b));
    beforeC = i32x4.sub(beforeC, f32x4.lt(other, c));
    notBehindA = i32x4.sub(notBehindA, f32x4.le(other, a));
    notBehindB = i32x4.sub(notBehindB, f32x4.le(other, b));
    notBehindC = i32x4.sub(notBehindC, f32x4.le(other, c));
  }
  const needed = i32x4.splat(<i32>need);
  const sitA = i32x4.lt_s(beforeA, needed);
  const sitB = i32x4.lt_s(beforeB, needed);
  const sitC = i32x4.lt_s(beforeC, needed);
  const isTieA = v128.and(sitA, i32x4.gt_s(notBehindA, needed));
  const isTieB = v128.and(sitB, i32x4.gt_s(notBehindB, needed));
  const isTieC = v128.and(sitC, i32x4.gt_s(notBehindC, needed));
  if (v128.any_true(v128.or(v128.or(isTieA, isTieB), isTieC))) return false;
  let ends = f32x4.max(f32x4.max(v128.and(a, sitA), v128.and(b, sitB)), f32x4.max(v128.and(c, sitC), f32x4.splat(least)));
  ends = f32x4.max(ends, v128.shuffle<f32>(ends, ends, 2, 3, 0, 1));
  ends = f32x4.max(ends, v128.shuffle<f32>(ends, ends, 1, 0, 3, 2));
  lastRank = f32x4.extract_lane(ends, 0);
  const sits =
    <u32>i32x4.bitmask(sitA) | (<u32>i32x4.bitmask(sitB) << 4) | (<u32>i32x4.bitmask(sitC) << 8);
  const changes = sits ^ seated;
  let to = list;
  for (let i: u32 = 0; i < VERY_FEW; i++) {
    store<u32>(to, wordAt(list, i));
    to += <usize>((changes >>> i) & 1) << 2;
  }
  changeCount = popcnt(changes);
  return true;
}

/**
 * Of the listed, ranked side by side with four places to spare, the first `need` sit, by how many rank before each, four at a
 * time; leaves in the list those who change. False, and nothing done, where equal ranks are in question. `seated`: a bit for
 * each of the list; `least`: what all rank at.
 */
export function settleFew(list: usize, ranks: usize, count: u32, need: u32, seated: u32, least: f32): bool {
  v128.store(ranks + (<usize>count << 2), f32x4.splat(Infinity));
  const needed = i32x4.splat(<i32>need);
  let ends = f32x4.splat(least);
  let sits: u32 = 0;
  for (let i: u32 = 0; i < count; i += 4) {
    const own = v128.load(ranks + (<usize>i << 2));
    let before = i32x4.splat(0);
    let notBehind = before;
    for (let j: u32 = 0; j < count; j++) {
      const other = v128.load32_splat(ranks + (<usize>j << 2));
      before = i32x4.sub(before, f32x4.lt(other, own));
      notBehind = i32x4.sub(notBehind, f32x4.le(other, own));
    }
    const sit = i32x4.lt_s(before, needed);
    if (v128.any_true(v128.and(sit, i32x4.gt_s(notBehind, needed)))) return false;
    ends = f32x4.max(ends, v128.and(own, sit));
    sits |= <u32>i32x4.bitmask(sit) << i;
  }
  lastRank = max(
    max(f32x4.extract_lane(ends, 0), f32x4.extract_lane(ends, 1)),
    max(f32x4.extract_lane(ends, 2), f32x4.extract_lane(ends, 3)),
  );
  let changes: u32 = 0;
  // Behind the last there are no bits: infinite ranks do not sit.
  for (let bits = sits ^ seated; bits != 0; bits &= bits - 1) setWord(list, changes++, wordAt(list, ctz(bits)));
  changeCount = changes;
  return true;
}
