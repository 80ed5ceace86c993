/** Which errors are told in one line, and which keep their stack. */
import { UmweltError } from 'umwelt';
import { expect, it } from 'vitest';
import { faultLine, Mistake } from '../src/faults.ts';

function systemError(code: string, rest: object = {}): Error {
  return Object.assign(new Error(`${code}: what the system says`), { code, syscall: 'listen', ...rest });
}

it('a mistake and an error of umwelt are told in their own words', () => {
  expect(faultLine(new Mistake('no such thing'))).toBe('no such thing');
  expect(faultLine(new UmweltError('BAD_TRACE', 'line 3: what'))).toBe('line 3: what');
});

it('a fault of our own is not explained away', () => {
  expect(faultLine(new Error('broken invariant'))).toBeUndefined();
  expect(faultLine(new TypeError('x is not a function'))).toBeUndefined();
  expect(faultLine('thrown text')).toBeUndefined();
});

it("the system's errors say what to do about them", () => {
  expect(faultLine(systemError('EADDRINUSE', { port: 7600 }))).toContain('port 7600 is in use');
  expect(faultLine(systemError('EACCES', { port: 80 }))).toContain('port 80 needs rights');
  expect(faultLine(systemError('EADDRNOTAVAIL', { address: '1.2.3.4', port: 1 }))).toContain("'1.2.3.4'");
  expect(faultLine(systemError('ENOTFOUND', { hostname: 'nowhere' }))).toContain("'nowhere'");
  expect(faultLine(systemError('ENOENT', { path: 'a.csv' }))).toBe("no such file: 'a.csv'");
  expect(faultLine(systemError('EACCES', { path: 'a.csv' }))).toBe("no right to read 'a.csv'");
  expect(faultLine(systemError('EISDIR'))).toBe('a file was expected, and this is a folder');
  expect(faultLine(systemError('ENOSPC', { path: 'a.umwr' }))).toBe("there is no space left for 'a.umwr'");
  expect(faultLine(systemError('EDQUOT', { path: 'a.umwr' }))).toBe("there is no space left for 'a.umwr'");
  expect(faultLine(systemError('EWHATEVER'))).toBe('EWHATEVER: what the system says');
});

it('what comes from a file cannot break the line nor reach the terminal as a command', () => {
  expect(faultLine(new UmweltError('BAD_TRACE', "line 1: given 'a\n\u001b[31mb\u0007'"))).toBe(
    "line 1: given 'a \ufffd[31mb\ufffd'",
  );
});
