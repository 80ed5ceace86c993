/** What every place for checkpoints must do: the suites of all of them call this with a way to open an empty one. */
import { expect, it } from 'vitest';
import type { Checkpoints } from '../../src/checkpoints/checkpoints.ts';

export function state(value: number, length = 300_000): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (value + index * 7 + (index >> 10)) % 256);
}

export async function newestOf(
  checkpoints: Checkpoints,
): Promise<{ value: number; length: number } | undefined> {
  const bytes = await checkpoints.newest();
  if (bytes === undefined) return undefined;
  expect(Buffer.compare(bytes, state(bytes[0] ?? 0, bytes.length))).toBe(0);
  return { value: bytes[0] ?? 0, length: bytes.length };
}

/** `open` answers a place of the same world each time it is called within one test. */
export function itKeepsCheckpoints(open: () => Promise<() => Promise<Checkpoints>>): void {
  it('has none at first', async () => {
    const again = await open();
    expect(await (await again()).newest()).toBeUndefined();
  });

  it('gives back the state that was saved last, also to another process', async () => {
    const again = await open();
    const mine = await again();
    for (let value = 1; value <= 5; value++) {
      await mine.save(state(value, 100_000 * value));
      expect(await newestOf(mine)).toEqual({ value, length: 100_000 * value });
    }
    const other = await again();
    expect(await newestOf(other)).toEqual({ value: 5, length: 500_000 });
    await other.save(state(6));
    expect(await newestOf(mine)).toEqual({ value: 6, length: 300_000 });
  });

  it('passes over what cannot be used, for an older one, and tells how many', async () => {
    const checkpoints = await (await open())();
    await checkpoints.save(state(1));
    await checkpoints.save(state(2));
    const told: number[] = [];
    const skipped = (count: number) => told.push(count);
    const newest = (isUsable: (bytes: Uint8Array) => boolean) => checkpoints.newest({ isUsable, skipped });
    expect((await newest(() => true))?.[0]).toBe(2);
    expect(told).toEqual([]);
    expect((await newest(([first]) => first === 1))?.[0]).toBe(1);
    expect(told).toEqual([1]);
    await expect(newest(() => false)).rejects.toMatchObject({ code: 'BAD_SNAPSHOT' });
    expect(told).toEqual([1]);
  });
}
