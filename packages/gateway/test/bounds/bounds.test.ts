/** What bounds strangers: rates, and places shared out by address. */
import { describe, expect, it } from 'vitest';
import { addressKey, isNear } from '../../src/bounds/address.ts';
import { AddressRates } from '../../src/bounds/address-rates.ts';
import { Places } from '../../src/bounds/places.ts';
import { RateLimit } from '../../src/bounds/rate-limit.ts';
import { ReadPace } from '../../src/bounds/read-pace.ts';

describe('a rate limit', () => {
  const takenOf = (limit: RateLimit, nowMs: number): number =>
    Array.from({ length: 200 }, () => limit.take(nowMs)).filter(Boolean).length;

  it('lets through at once what it saves up, then as many as it says', () => {
    const limit = new RateLimit(10, 6, 0);
    expect(takenOf(limit, 0)).toBe(60);
    expect(takenOf(limit, 500)).toBe(5);
    expect(takenOf(limit, 5500)).toBe(50);
    expect(takenOf(limit, 60_000)).toBe(60);
  });

  it('gains nothing from a clock that goes back', () => {
    const limit = new RateLimit(10, 1, 1000);
    expect(takenOf(limit, 1000)).toBe(10);
    expect(takenOf(limit, 0)).toBe(0);
    expect(takenOf(limit, 1000)).toBe(0);
    expect(takenOf(limit, 1100)).toBe(1);
  });
});

describe('a pace of reading', () => {
  it('lets what it saves up pass, and says for how long to wait after more', () => {
    const pace = new ReadPace(1000, 0.25, 0);
    expect(pace.spend(250, 0)).toBe(0);
    expect(pace.spend(100, 0)).toBe(100);
    expect(pace.spend(100, 100)).toBe(100);
    expect(pace.spend(0, 60_000)).toBe(0);
    expect(pace.spend(1250, 60_000)).toBe(1000);
  });
});

describe('an address', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['session 4711', 'session 4711'],
    ['x'.repeat(64), 'x'.repeat(64)],
    ['x'.repeat(65), 'too long'],
  ])('%s counts as %s', (address, key) => {
    expect(addressKey(address)).toBe(key);
  });

  it.each([
    ['127.3.2.1', true],
    ['::ffff:127.0.0.1', true],
    ['::1', true],
    ['10.1.2.3', true],
    ['172.31.0.1', true],
    ['192.168.4.4', true],
    ['fd12::1', true],
    ['in-process', true],
    ['203.0.113.9', false],
    ['172.32.0.1', false],
    ['2001:db8::1', false],
  ])('%s is near: %s', (address, expected) => {
    expect(isNear(address)).toBe(expected);
  });
});

describe('rates by address', () => {
  it('are of each address, and of each /64', () => {
    const rates = new AddressRates(1, 3);
    const take = (address: string): boolean[] => [1, 2, 3, 4].map(() => rates.take(address, 0));
    expect(take('203.0.113.1')).toEqual([true, true, true, false]);
    expect(take('203.0.113.2')).toEqual([true, true, true, false]);
    expect(rates.take('2001:db8::1', 0)).toBe(true);
    expect(rates.take('2001:db8::2', 0)).toBe(true);
    expect(rates.take('2001:db8::3', 0)).toBe(true);
    expect(rates.take('2001:db8::4', 0)).toBe(false);
    expect(rates.take('203.0.113.1', 1000)).toBe(true);
  });

  it('remember a bounded number of addresses, and forget those that are quiet', () => {
    const rates = new AddressRates(1, 3);
    for (let i = 0; i < 40_000; i++) {
      rates.take(`host ${i}`, i / 1000);
      expect(rates.size).toBeLessThanOrEqual(16_384);
    }
    for (let ms = 60_000; ms < 90_000; ms += 100) rates.take(`host ${ms % 3}`, ms);
    expect(rates.size).toBe(3);
  });

  it('remember no long texts, which a client may have written into a header', () => {
    const rates = new AddressRates(1, 3);
    const take = (i: number): boolean => rates.take(`${i}, ${'x'.repeat(15_000)}`, 0);
    expect([1, 2, 3, 4].map(take)).toEqual([true, true, true, false]);
    expect(rates.size).toBe(1);
  });

  it('remember an address as long as its account is not full', () => {
    const rates = new AddressRates(1, 3);
    let taken = 0;
    for (let ms = 0; ms < 60_000; ms += 10) if (rates.take('203.0.113.1', ms)) taken++;
    expect(taken).toBe(3 + 59);
  });
});

describe('places', () => {
  it('are given up first by the oldest of the address that holds most', () => {
    const places = new Places<string>();
    places.add('a1', '203.0.113.1');
    places.add('b1', '203.0.113.2');
    places.add('b2', '::ffff:203.0.113.2');
    expect(places.first).toBe('b1');
    expect(places.countOf('203.0.113.2')).toBe(2);
    expect(places.delete('b1')).toBe(true);
    expect(places.delete('b1')).toBe(false);
    expect(places.first).toBe('a1');
    expect([places.size, places.has('b1'), places.has('b2')]).toEqual([2, false, true]);
  });

  it('are not taken from a newcomer by one address, however often that one comes', () => {
    const places = new Places<string>();
    places.add('newcomer', '198.51.100.7');
    for (let i = 0; i < 500; i++) {
      places.add(`flood ${i}`, '203.0.113.1');
      if (places.size > 50) places.delete(places.first!);
    }
    expect(places.has('newcomer')).toBe(true);
    expect(places.size).toBe(50);
  });
});
