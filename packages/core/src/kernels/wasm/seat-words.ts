// Words of a job whose layout is shared with TypeScript: numbers of words, not bytes.

// @ts-ignore: decorator
@inline
export function word(job: usize, at: i32): u32 {
  return load<u32>(job + (<usize>at << 2));
}

// @ts-ignore: decorator
@inline
export function column(job: usize, at: i32): usize {
  return <usize>load<u32>(job + (<usize>at << 2));
}

// @ts-ignore: decorator
@inline
export function float(job: usize, at: i32): f32 {
  return load<f32>(job + (<usize>at << 2));
}

// @ts-ignore: decorator
@inline
export function wordAt(column: usize, i: u32): u32 {
  return load<u32>(column + (<usize>i << 2));
}

// @ts-ignore: decorator
@inline
export function setWord(column: usize, i: u32, value: u32): void {
  store<u32>(column + (<usize>i << 2), value);
}

// @ts-ignore: decorator
@inline
export function floatAt(column: usize, i: u32): f32 {
  return load<f32>(column + (<usize>i << 2));
}

// @ts-ignore: decorator
@inline
export function setFloat(column: usize, i: u32, value: f32): void {
  store<f32>(column + (<usize>i << 2), value);
}
