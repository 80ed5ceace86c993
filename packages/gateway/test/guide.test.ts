/** What docs/gateway.md shows is so: its server is put together and talked to. */
import { readFileSync } from 'node:fs';
import * as client from '@umwelt/client';
import { expect, it } from 'vitest';
import * as gateway from '../src/index.ts';

const guide = readFileSync(new URL('../../../docs/gateway.md', import.meta.url), 'utf8');

it('has every limit in its table, with its default', async () => {
  const { World } = await import('umwelt');
  const subject = new gateway.Gateway(new World(), {
    tickMs: 50,
    appearance: { positionStep: 1 },
    authenticate: () => undefined,
  });
  const rows = [...guide.matchAll(/^\| `(\w+)` \| ([\d,]+) \|/gm)].map(([, name, value]) => [
    name,
    Number(value?.replaceAll(',', '')),
  ]);
  expect(Object.fromEntries(rows)).toEqual(subject.limits);
  await subject.drain();
});

it('imports names that are exported', () => {
  const imports = [...guide.matchAll(/import \{ ([^}]+) \} from '@umwelt\/(gateway|client)'/g)];
  expect(imports).toHaveLength(2);
  for (const [, names = '', from] of imports) {
    for (const name of names.split(', ')) expect(from === 'gateway' ? gateway : client).toHaveProperty(name);
  }
});
