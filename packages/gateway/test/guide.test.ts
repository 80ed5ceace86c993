/** What docs/gateway.md shows is so: its server is put together and talked to. */
import { readFileSync } from 'node:fs';
import * as client from '@umwelt/client';
import { expect, it } from 'vitest';
import * as gateway from '../src/index.ts';
import { readDoorLimits } from '../src/transports/door-limits.ts';

const guide = readFileSync(new URL('../../../docs/gateway.md', import.meta.url), 'utf8');

/** Names and defaults of the table with that heading. */
function tableOf(heading: string): Record<string, number> {
  const table = guide.split(`| ${heading} |`)[1]?.split('\n\n')[0] ?? '';
  const rows = [...table.matchAll(/^\| `(\w+)` \| ([\d,]+) \|/gm)];
  return Object.fromEntries(rows.map(([, name, value]) => [name, Number(value?.replaceAll(',', ''))]));
}

it('has every limit in its table, with its default', async () => {
  const { World } = await import('umwelt');
  const subject = new gateway.Gateway(new World(), {
    tickMs: 50,
    appearance: { positionStep: 1 },
    authenticate: () => undefined,
  });
  expect(tableOf('limit')).toEqual(subject.limits);
  expect(tableOf('limit of the transport')).toEqual(readDoorLimits());
  await subject.drain();
});

it('imports names that are exported', () => {
  const imports = [...guide.matchAll(/import \{ ([^}]+) \} from '@umwelt\/(gateway|client)'/g)];
  expect(imports).toHaveLength(3);
  for (const [, names = '', from] of imports) {
    for (const name of names.split(', ')) expect(from === 'gateway' ? gateway : client).toHaveProperty(name);
  }
});
