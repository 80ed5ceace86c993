/** Writes x and y side by side, by slot: reading a marker's position then costs one cache miss, not two. */
export function joinPlaces(x: usize, y: usize, places: usize, slotCount: u32): void {
  if (!ASC_FEATURE_SIMD) {
    for (let slot: usize = 0; slot < <usize>slotCount; slot++) {
      store<f32>(places + (slot << 3), load<f32>(x + (slot << 2)));
      store<f32>(places + (slot << 3), load<f32>(y + (slot << 2)), 4);
    }
    return;
  }
  // Columns have slack for one more vector after their end.
  for (let slot: usize = 0; slot < <usize>slotCount; slot += 4) {
    const xs = v128.load(x + (slot << 2));
    const ys = v128.load(y + (slot << 2));
    v128.store(places + (slot << 3), v128.shuffle<f32>(xs, ys, 0, 4, 1, 5));
    v128.store(places + (slot << 3), v128.shuffle<f32>(xs, ys, 2, 6, 3, 7), 16);
  }
}

/**
 * Sets the position to NaN for each slot whose value in a column is not the usual one. If `values` is 0, there is no such column.
 */
export function loseOthers(values: usize, usual: f32, places: usize, slotCount: u32): void {
  if (values == 0) return;
  for (let slot: u32 = 0; slot < slotCount; slot += 4) {
    if (ASC_FEATURE_SIMD) {
      const areOthers = f32x4.ne(v128.load(values + (<usize>slot << 2)), f32x4.splat(usual));
      if (!v128.any_true(areOthers)) continue;
    }
    const end = min<u32>(slot + 4, slotCount);
    for (let each = slot; each < end; each++) if (load<f32>(values + (<usize>each << 2)) != usual) losePlace(places, each);
  }
}

/** NaN fails every comparison. */
export function losePlace(places: usize, slot: u32): void {
  store<f32>(places + (<usize>slot << 3), f32.NaN);
}
