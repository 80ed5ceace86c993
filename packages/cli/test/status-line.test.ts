/** What the status line says, how it fits, and when it is written. */
import { beforeEach, describe, expect, it } from 'vitest';
import { counted, fullCount, milliseconds, shortCount } from '../src/numbers.ts';
import {
  LIVE_INTERVAL_MS,
  PLAIN_INTERVAL_MS,
  type Status,
  StatusLine,
  statusText,
} from '../src/status-line.ts';
import { FakeClock } from './fake-clock.ts';

const STATUS: Status = {
  entities: 5000,
  relations: 62_229,
  detector: 'tower',
  eventsPerSecond: 1_076_160.4,
  tickMsMedian: 1.234,
  tickMsP99: 12.34,
  ticksBehind: 0,
  ticksPerSecond: 20.04,
};

describe('the text', () => {
  it('has every figure when there is room', () => {
    expect(statusText(STATUS, 200)).toBe(
      '5,000 entities | 62,229 relations | 1,076,160 events/s | tower tick ms p50 1.23 p99 12.3 | 0 behind | 20.0 ticks/s',
    );
  });

  it('says first what is out of the ordinary', () => {
    expect(statusText({ ...STATUS, state: 'paused' }, 200)).toMatch(/^paused \| 5,000 entities/);
  });

  it('shortens counts, then names no detector, then drops figures from the end, and never exceeds the width', () => {
    for (let width = 1; width < 130; width++) {
      const text = statusText(STATUS, width);
      expect(text.length).toBeLessThanOrEqual(width);
      if (width >= 15) expect(text).not.toMatch(/\|\s*$/);
    }
    expect(statusText(STATUS, 100)).toBe(
      '5.00k entities | 62.2k relations | 1.08M events/s | tower ms p50 1.23 p99 12.3 | 0 behind',
    );
    expect(statusText(STATUS, 79)).toBe(
      '5.00k entities | 62.2k relations | 1.08M events/s | tower ms p50 1.23 p99 12.3',
    );
    expect(statusText({ ...STATUS, detector: 'cross-list' }, 79)).toBe(
      '5.00k entities | 62.2k relations | 1.08M events/s | tick ms p50 1.23 p99 12.3',
    );
    expect(statusText(STATUS, 40)).toBe('5.00k entities | 62.2k relations');
  });
});

describe('numbers', () => {
  it('have a comma between thousands', () => {
    expect([0, 999, 1000, 12_345.6, 1_000_000].map(fullCount)).toEqual([
      '0',
      '999',
      '1,000',
      '12,346',
      '1,000,000',
    ]);
  });

  it('are at most five characters when short', () => {
    expect(
      [0, 999, 1000, 9994, 9995, 99_949, 99_950, 999_499, 999_500, 12_345_678, 999_500_000].map(shortCount),
    ).toEqual(['0', '999', '1.00k', '9.99k', '10.0k', '99.9k', '100k', '999k', '1.00M', '12.3M', '1.00G']);
  });

  it('have three digits as times', () => {
    expect([0, 0.456, 12.34, 123.4].map(milliseconds)).toEqual(['0.00', '0.46', '12.3', '123']);
  });
});

describe('the line', () => {
  let clock: FakeClock;
  let written: string;

  beforeEach(() => {
    clock = new FakeClock();
    written = '';
  });

  function lineOn(screen: { isTTY?: boolean; columns?: number }): StatusLine {
    const output = { ...screen, write: (text: string) => (written += text) };
    return new StatusLine(output, clock, () => STATUS);
  }

  it('is written over on a terminal, without a line end, and fits its width', () => {
    lineOn({ isTTY: true, columns: 50 }).start();
    clock.advance(3 * LIVE_INTERVAL_MS);
    expect(written).not.toContain('\n');
    const shown = written.split('\r\u001b[2K').slice(1);
    expect(shown).toHaveLength(3);
    for (const text of shown) expect(text.length).toBeLessThan(50);
  });

  it('takes 80 columns for granted where a terminal does not tell', () => {
    lineOn({ isTTY: true, columns: 0 }).start();
    clock.advance(LIVE_INTERVAL_MS);
    expect(written.length).toBeGreaterThan(40);
    expect(written.length).toBeLessThan(90);
  });

  it('is a plain line now and then elsewhere, without control characters', () => {
    lineOn({}).start();
    clock.advance(3 * PLAIN_INTERVAL_MS);
    const lines = written.split('\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toBe(statusText(STATUS, 200));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there.
    expect(written).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });

  it('leaves room for lines above it', () => {
    const line = lineOn({ isTTY: true, columns: 200 });
    line.start();
    clock.advance(LIVE_INTERVAL_MS);
    written = '';
    line.print('hello');
    expect(written).toBe('\r\u001b[2Khello\n');
  });

  it('is gone when stopped, and not written again', () => {
    const line = lineOn({ isTTY: true, columns: 200 });
    line.start();
    clock.advance(LIVE_INTERVAL_MS);
    written = '';
    line.stop();
    clock.advance(10_000);
    expect(written).toBe('\r\u001b[2K');
  });
});

it('counts one of a thing in the singular', () => {
  const counts = [0, 1, 2, 1000].map((count) => counted(count, 'tick'));
  expect(counts).toEqual(['0 ticks', '1 tick', '2 ticks', '1,000 ticks']);
  expect([1, 3].map((count) => counted(count, 'entity', 'entities'))).toEqual(['1 entity', '3 entities']);
});
