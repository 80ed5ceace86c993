/** The pages of the site: their paths, and the targets of their links. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openRepository } from '../checks/repository.ts';
import { root } from '../run-command.ts';
import { pageGroups, placeInSite, type SiteLink, siteText } from '../site-pages.ts';

const address = 'https://host.example/umwelt';
const siteLink: SiteLink = (file, anchor) => {
  if (anchor === '#world') return 'api/umwelt/World.md';
  const place = placeInSite(file);
  return place === undefined ? undefined : place + anchor;
};

it('links lead to pages where they exist, else to the repository', () => {
  const text = [
    '[words](../GLOSSARY.md) [one](interest.md#cap) [api](api/umwelt.md) [code](../packages/core/src/world.ts)',
    '[start](../README.md) [all](README.md) [out](https://elsewhere.example) [here](#cap) ![picture](pictures/a.png)',
  ].join('\n');
  expect(siteText('docs/senses.md', text, address, siteLink)).toBe(
    [
      `[words](./glossary.md) [one](./interest.md#cap) [api](./api/umwelt.md) [code](${address}/blob/main/packages/core/src/world.ts)`,
      '[start](./index.md) [all](./pages.md) [out](https://elsewhere.example) [here](#cap) ![picture](pictures/a.png)',
    ].join('\n'),
  );
  expect(
    siteText('docs/api/umwelt.md', '[up](../gateway.md) [side](umwelt-client.md)', address, siteLink),
  ).toBe('[up](../gateway.md) [side](./umwelt-client.md)');
  const given = '[it](#world) [here](#top) [gateway](umwelt-gateway.md#gateway) [up](../gateway.md)';
  expect(siteText('docs/api/umwelt.md', given, address, siteLink, 'api/umwelt/Place.md')).toBe(
    '[it](./World.md) [here](../umwelt.md#top) [gateway](../umwelt-gateway.md#gateway) [up](../../gateway.md)',
  );
});

it('code is left as it is, and comments are left out', () => {
  const text = 'a `[b](c.md)` <!-- told\nto nobody -->d\n```md\n[e](f.md)\n```\n';
  expect(siteText('docs/a.md', text, address, siteLink)).toBe('a `[b](c.md)` d\n```md\n[e](f.md)\n```\n');
});

it('a comment that asks for it becomes the playground, with its settings', () => {
  const text = 'Seats:\n<!-- playground: cap=6&detector=tower -->\n\n<!-- for us -->\nNext\n';
  expect(siteText('docs/recipes/a.md', text, address, siteLink)).toBe(
    'Seats:\n![Playground](playground.html#cap=6&detector=tower)\n\nNext\n',
  );
});

it('every page that the sidebar names exists', () => {
  const { files } = openRepository(root);
  for (const [file] of pageGroups.flatMap(({ pages }) => pages)) expect(files).toContain(file);
});

it('the command says in one line what is wrong with its options or its port, before it builds', async () => {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const told = (...words: string[]) => {
    const command = [path.join(root, 'tools/docs.ts'), ...words];
    const { status, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
    return [status, stderr];
  };
  expect(told('--prot', '80')).toEqual([
    2,
    "docs: Unknown option '--prot'; there are --build, --base, --out and --port\n",
  ]);
  expect(told('--port', 'x')).toEqual([2, "docs: --port is 'x'; expected 0 to 65535\n"]);
  expect(told('--port', String(port))).toEqual([
    2,
    `docs: no site on port ${port}: it is in use; choose another with --port\n`,
  ]);
  server.close();
});
