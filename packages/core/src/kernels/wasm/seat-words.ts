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

export { floatAt, setFloat, setWord, wordAt } from './job';
