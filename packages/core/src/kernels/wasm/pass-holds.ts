// Twin of ../pass-holds.ts, which says what the job's words are.

const MARKER_BITS: u32 = 0xfff00000;

let isEasy: usize = 0;
let flags: usize = 0;
let x: usize = 0;
let y: usize = 0;
let interests: usize = 0;
let margins: usize = 0;
let ranges: usize = 0;
let next: usize = 0;
let out: usize = 0;
let lostCount: u32 = 0;

export function passHolds(job: usize): void {
  let crossing = <usize>load<u32>(job);
  const crossingEnd = crossing + ((<usize>load<u32>(job, 4)) << 3);
  let held = <usize>load<u32>(job, 8);
  const heldEnd = held + ((<usize>load<u32>(job, 12)) << 3);
  next = <usize>load<u32>(job, 16);
  out = <usize>load<u32>(job, 20);
  isEasy = <usize>load<u32>(job, 24);
  flags = <usize>load<u32>(job, 28);
  x = <usize>load<u32>(job, 32);
  y = <usize>load<u32>(job, 36);
  interests = <usize>load<u32>(job, 40);
  margins = <usize>load<u32>(job, 44);
  ranges = job + 48;
  lostCount = 0;
  for (; crossing < crossingEnd; crossing += 8) {
    const low = load<u32>(crossing);
    const high = load<u32>(crossing, 4);
    held = passHeld(held, heldEnd, high, low >>> 20);
    let heldSenses: u32 = 0;
    if (held < heldEnd && load<u32>(held, 4) == high && load<u32>(held) >>> 20 == low >>> 20) {
      heldSenses = (load<u32>(held) >>> 8) & 255;
      held += 8;
    }
    const watcher = <usize>(high >>> 10);
    if (load<u8>(isEasy + watcher) == 0) write(low, high);
    else if (load<u8>(flags + watcher) == 0) lostCount += <u32>((low & 255) == 0);
    else decide(low & MARKER_BITS, high, (low & 255) | heldSenses, (low >>> 8) & 255);
  }
  passHeld(held, heldEnd, 0xffffffff, 0);
  store<u32>(job, <u32>((next - <usize>load<u32>(job, 16)) >> 3), 80);
  store<u32>(job, <u32>((out - <usize>load<u32>(job, 20)) >> 3), 84);
  store<u32>(job, lostCount, 88);
}

function passHeld(from: usize, end: usize, untilHigh: u32, untilMarker: u32): usize {
  let held = from;
  for (; held < end; held += 8) {
    const low = load<u32>(held);
    const high = load<u32>(held, 4);
    if (high > untilHigh || (high == untilHigh && low >>> 20 >= untilMarker)) break;
    const watcher = <usize>(high >>> 10);
    if (load<u8>(isEasy + watcher) == 0) continue;
    const exact = low & 255;
    if (load<u8>(flags + watcher) == 0) lostCount += <u32>(exact == 0);
    else decide(low & MARKER_BITS, high, exact | ((low >>> 8) & 255), exact);
  }
  return held;
}

// @ts-ignore: decorator
@inline
function decide(markerBits: u32, high: u32, before: u32, exact: u32): void {
  const lost = before & ~exact;
  let held: u32 = 0;
  if (lost != 0) held = heldSenses(<usize>(high >>> 10), <usize>(((high & 1023) << 12) | (markerBits >>> 20)), lost);
  if (held != 0) {
    store<u32>(next, markerBits | exact | (held << 8));
    store<u32>(next, high, 4);
    next += 8;
  }
  const after = exact | held;
  if (after != before) write(markerBits | before | (after << 8), high);
}

// @ts-ignore: decorator
@inline
function heldSenses(watcher: usize, marker: usize, lost: u32): u32 {
  const interest = interests == 0 ? 0 : <usize>load<u16>(interests + (watcher << 1));
  const margin = load<f32>(margins + (interest << 2));
  if (!(margin > 0) || load<u8>(flags + marker) == 0) return 0;
  const dx = load<f32>(x + (marker << 2)) - load<f32>(x + (watcher << 2));
  const dy = load<f32>(y + (marker << 2)) - load<f32>(y + (watcher << 2));
  const squared = dx * dx + dy * dy;
  let held: u32 = 0;
  let rest = lost;
  while (rest != 0) {
    const s = ctz<u32>(rest);
    rest &= rest - 1;
    const column = <usize>load<u32>(ranges + ((<usize>s) << 2));
    if (column == 0) continue;
    const range = load<f32>(column + (watcher << 2));
    const reach = range + margin;
    if (range > 0 && squared <= reach * reach) held |= 1 << s;
  }
  return held;
}

// @ts-ignore: decorator
@inline
function write(low: u32, high: u32): void {
  store<u32>(out, low);
  store<u32>(out, high, 4);
  out += 8;
}
