/** What docs/colyseus.md names is there. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as player from '../src/client.ts';
import * as room from '../src/index.ts';

const guide = readFileSync(new URL('../../../docs/colyseus.md', import.meta.url), 'utf8');

describe('the guide', () => {
  it('imports names that are exported', () => {
    const imports = [...guide.matchAll(/import \{ (\w+) \} from '@umwelt\/colyseus(\/client)?'/g)];
    expect(imports).toHaveLength(2);
    for (const [, name = '', from] of imports)
      expect(from === undefined ? room : player).toHaveProperty(name);
  });

  it('has every call in its table', () => {
    const table = guide.slice(guide.indexOf('## The calls'), guide.indexOf('## Limits'));
    const named = [...table.matchAll(/^\| `(?:new )?(\w+)/gm)].map(([, name]) => name).sort();
    const calls = Object.getOwnPropertyNames(room.RoomInterest.prototype);
    expect(named).toEqual(calls.map((name) => (name === 'constructor' ? 'RoomInterest' : name)).sort());
  });
});
