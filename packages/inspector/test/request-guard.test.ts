/**
 * Who may open the page and the feed.
 */
import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { isLoopback, isOriginAllowed, RequestGuard } from '../src/server/request-guard.ts';

const isHostAllowed = (request: ReturnType<typeof asked>, host: string, hostNames: string[] = []) =>
  new RequestGuard({ host, hostNames }).isHostAllowed(request);

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
  it('may have letters that a browser writes in another way', () => {
    expect(isHostAllowed(asked('xn--bren-loa.example:7600'), '127.0.0.1', ['Bären.example'])).toBe(true);
    expect(isHostAllowed(asked('game.example'), '127.0.0.1', ['game.example.'])).toBe(true);
  });

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

  it('is an address, a name of this machine, or one that it was told, beyond the loopback', () => {
    for (const host of [
      '192.168.1.5:7600',
      '10.0.0.1',
      '[fe80::1]:7600',
      'localhost:7600',
      `${hostname()}:7600`,
    ]) {
      expect(isHostAllowed(asked(host), '0.0.0.0')).toBe(true);
    }
    expect(isHostAllowed(asked('Game.example:7600'), '0.0.0.0', ['game.EXAMPLE'])).toBe(true);
    expect(isHostAllowed(asked('game.example.:7600'), 'game.example')).toBe(true);
  });

  it.each([
    'evil.example:7600',
    'game.example.evil.example',
    '10.0.0.1.evil.example',
    '1.2.3.4.5',
    '',
    undefined,
  ])('is no name beyond the loopback that a site may have pointed there: %s', (host) => {
    expect(isHostAllowed(asked(host), '0.0.0.0', ['game.example'])).toBe(false);
  });

  it('is an address that was meant, on the loopback', () => {
    expect(isHostAllowed(asked('192.168.1.5:7600'), '127.0.0.1')).toBe(false);
    expect(isHostAllowed(asked('proxy.example'), '127.0.0.1', ['proxy.example'])).toBe(true);
  });
});

describe('the loopback', () => {
  it.each(['localhost', '127.0.0.1', '127.8.9.10', '::1'])('is %s', (host) => {
    expect(isLoopback(host)).toBe(true);
  });

  it.each(['0.0.0.0', '::', '', '127.evil.example', '128.0.0.1', 'localhost.example'])(
    'is not %s',
    (host) => {
      expect(isLoopback(host)).toBe(false);
    },
  );
});

describe('the token', () => {
  const isRight = (guard: RequestGuard, url: string) => guard.isTokenRight({ url });

  it('is none on the loopback, and none is asked for', () => {
    const guard = new RequestGuard({ host: '127.0.0.1' });
    expect(guard.token).toBeUndefined();
    expect(isRight(guard, '/feed')).toBe(true);
  });

  it('is one of chance beyond it, another each time, and nothing else will do', () => {
    const guards = [0, 1].map(() => new RequestGuard({ host: '0.0.0.0' })) as [RequestGuard, RequestGuard];
    const [{ token }, other] = guards;
    expect(token).toMatch(/^[\w-]{24}$/);
    expect(token).not.toBe(other.token);
    expect(isRight(guards[0], `/feed?token=${token}`)).toBe(true);
    for (const url of [
      ...[
        '/feed',
        '/',
        '/feed?',
        '/feed?token',
        '/feed?token=',
        `/feed?Token=${token}`,
        `/feed?token=${token}x`,
      ],
      ...[`/feed?token=${token?.slice(0, -1)}`, `/feed?token=${other.token}`, `/feed/${token}`, `/${token}`],
      `/feed?token=x&token=${token}`,
    ]) {
      expect(isRight(guards[0], url)).toBe(false);
    }
  });

  it('is the one that was given, on the loopback too', () => {
    const token = 'ö & = ? # twenty characters';
    for (const host of ['127.0.0.1', '0.0.0.0']) {
      const guard = new RequestGuard({ host, token });
      expect(isRight(guard, '/feed')).toBe(false);
      expect(isRight(guard, `/feed?token=${encodeURIComponent(token)}`)).toBe(true);
    }
  });
});
