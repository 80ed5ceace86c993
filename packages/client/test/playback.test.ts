/** The clock of what is drawn. */
import { expect, it } from 'vitest';
import { Playback } from '../src/playback.ts';

it('follows the server at once after another length of its ticks, however few ticks there were', () => {
  const playback = new Playback();
  playback.tickMs = 50;
  for (let tick = 0; tick <= 20; tick++) playback.arrived(tick, 50 * tick);
  expect(playback.tickAt(1000)).toBe(20);
  playback.tickMs = 20;
  // Before the first frame nothing says where the server is.
  expect(playback.tickAt(1010)).toBe(20);
  playback.arrived(21, 1020);
  expect(playback.tickAt(1020)).toBe(21);
  expect(playback.tickAt(1030)).toBe(21.5);
});

it.each([50, 51, 52, 55])('stays two ticks behind a server whose ticks of 50 ms take %i ms', (msPerTick) => {
  const playback = new Playback();
  playback.tickMs = 50;
  let ahead = 0;
  for (let tick = 1; tick <= 2000; tick++) {
    // Just before the next frame the clock is the farthest ahead.
    playback.arrived(tick, tick * msPerTick);
    if (tick > 200 && playback.tickAt((tick + 1) * msPerTick - 1) - 2 > tick) ahead++;
  }
  expect(ahead).toBe(0);
});
