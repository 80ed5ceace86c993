/** Where the page is served, to whom, and what is printed of it. */
import { describe, expect, it } from 'vitest';
import { parseOptions } from '../src/arguments.ts';
import { PAGE_OPTIONS, pagePlanOf } from '../src/page-access.ts';
import { UmweltProcess, umwelt } from './child-process.ts';

describe('the page plan', () => {
  const planOf = (words: string[], environment?: Record<string, string>) =>
    pagePlanOf(parseOptions(words, PAGE_OPTIONS), environment);

  it('is the loopback, and nothing else, unless something else is said', () => {
    expect(planOf([])).toEqual({ port: 7600, host: '127.0.0.1', hostNames: [] });
  });

  it('takes names by commas, and the token from the variable', () => {
    const words = ['--port', '0', '--host', '0.0.0.0', '--host-names', 'a.example,b.example'];
    expect(planOf(words, { UMWELT_TOKEN: 'a token of twenty.' })).toEqual({
      ...{ port: 0, host: '0.0.0.0', hostNames: ['a.example', 'b.example'], token: 'a token of twenty.' },
    });
  });

  it('ignores spaces round names, and names the option of an empty one', () => {
    expect(planOf(['--host-names', 'a.example, b.example']).hostNames).toEqual(['a.example', 'b.example']);
    for (const names of ['a,,b', 'a,', ' '])
      expect(() => planOf([`--host-names=${names}`])).toThrow(/^--host-names has an empty name; expected/);
  });

  it('names the variable of a token that is none, and not its value', () => {
    const expected = 'UMWELT_TOKEN has 5 characters; expected 16 to 512';
    expect(() => planOf([], { UMWELT_TOKEN: 'short' })).toThrow(expected);
  });
});

describe('umwelt play', () => {
  const SMALL = ['play', '--scenario', 'city', '--entities', '200', '--port', '0'];

  it('prints an address with a token beyond the loopback, which lets in', async () => {
    const run = new UmweltProcess([...SMALL, '--host', '0.0.0.0']);
    const [, address] = await run.printed(/^(http:\/\/localhost:\d+\/\?token=[\w-]{24}) \(Ctrl-C stops\)$/m);
    expect((await fetch(address as string)).status).not.toBe(401);
    expect((await fetch(new URL('/', address))).status).toBe(401);
    run.kill('SIGINT');
    expect(await run.ended).toMatchObject({ exitCode: 0, errors: '' });
  });

  it('takes names only with a page', async () => {
    const { exitCode, errors } = await umwelt('play', '--no-page', '--host-names', 'a.example');
    expect(exitCode).toBe(2);
    expect(errors).toContain('--host-names does not go with --no-page');
  });
});
