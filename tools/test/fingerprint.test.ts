/** The fingerprint of a build changes exactly when its inputs change. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fingerprint } from '../fingerprint.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'umwelt-fingerprint-'));
  mkdirSync(path.join(folder, 'src/inner'), { recursive: true });
  writeFileSync(path.join(folder, 'src/one.ts'), 'one');
  writeFileSync(path.join(folder, 'src/inner/two.ts'), 'two');
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('fingerprint', () => {
  it('does not depend on modification times or on files elsewhere', () => {
    const before = fingerprint(folder, ['src'], ['flag']);
    utimesSync(path.join(folder, 'src/one.ts'), 1, 1);
    writeFileSync(path.join(folder, 'other.ts'), 'other');
    expect(fingerprint(folder, ['src'], ['flag'])).toBe(before);
  });

  it('changes with a byte, a name, a word, and an added or removed file', () => {
    const seen = new Set([fingerprint(folder, ['src'], ['flag'])]);
    seen.add(fingerprint(folder, ['src'], ['flags']));
    writeFileSync(path.join(folder, 'src/inner/two.ts'), 'twp');
    seen.add(fingerprint(folder, ['src'], ['flag']));
    renameSync(path.join(folder, 'src/inner/two.ts'), path.join(folder, 'src/inner/three.ts'));
    seen.add(fingerprint(folder, ['src'], ['flag']));
    rmSync(path.join(folder, 'src/inner/three.ts'));
    seen.add(fingerprint(folder, ['src'], ['flag']));
    expect(seen.size).toBe(5);
  });

  it('counts a missing place as empty', () => {
    expect(fingerprint(folder, ['src', 'nowhere'], [])).toBe(fingerprint(folder, ['src'], []));
  });
});
