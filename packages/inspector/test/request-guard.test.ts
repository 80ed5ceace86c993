/**
 * Who may open the feed.
 */
import { describe, expect, it } from 'vitest';
import { isHostAllowed, isOriginAllowed } from '../src/server/request-guard.ts';

const asked = (host: string | undefined, origin?: string) => ({
  headers: { ...(host === undefined ? {} : { host }), ...(origin === undefined ? {} : { origin }) },
});

describe('the origin', () => {
  it('is the page of the inspector itself', () => {
    expect(isOriginAllowed(asked('localhost:7600', 'http://localhost:7600'))).toBe(true);
    expect(isOriginAllowed(asked('inspector.example', 'https://inspector.example'))).toBe(true);
  });

  it('may be none at all, which no browser sends', () => {
    expect(isOriginAllowed(asked('localhost:7600'))).toBe(true);
  });

  it.each([
    'http://localhost:8080',
    'http://evil.example',
    'https://localhost.evil.example:7600',
    'null',
    'nonsense',
    '',
  ])('is not %s', (origin) => {
    expect(isOriginAllowed(asked('localhost:7600', origin))).toBe(false);
  });
});

describe('the host', () => {
  it.each(['localhost:7600', '127.0.0.1:7600', '[::1]:7600', 'localhost'])(
    'is a name of the loopback: %s',
    (host) => {
      expect(isHostAllowed(asked(host), '127.0.0.1')).toBe(true);
    },
  );

  it.each(['evil.example:7600', 'localhost.evil.example', '', undefined, ':::'])(
    'is no foreign name that points there: %s',
    (host) => {
      expect(isHostAllowed(asked(host), '127.0.0.1')).toBe(false);
    },
  );

  it('is any name when the inspector listens beyond the loopback', () => {
    expect(isHostAllowed(asked('game.example:7600'), '0.0.0.0')).toBe(true);
  });
});
