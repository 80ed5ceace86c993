/** Puts x and y side by side, by slot: what is fetched of a marker is then one wait for memory, not two. */
export function joinPlaces(x: usize, y: usize, places: usize, slotCount: u32): void {
  if (!ASC_FEATURE_SIMD) {
    for (let slot: usize = 0; slot < <usize>slotCount; slot++) {
      store<f32>(places + (slot << 3), load<f32>(x + (slot << 2)));
      store<f32>(places + (slot << 3), load<f32>(y + (slot << 2)), 4);
    }
    return;
  }
  // Columns end with room for a vector more.
  for (let slot: usize = 0; slot < <usize>slotCount; slot += 4) {
    const xs = v128.load(x + (slot << 2));
    const ys = v128.load(y + (slot << 2));
    v128.store(places + (slot << 3), v128.shuffle<f32>(xs, ys, 0, 4, 1, 5));
    v128.store(places + (slot << 3), v128.shuffle<f32>(xs, ys, 2, 6, 3, 7), 16);
  }
}
