/** What a node answers about watchers that another node shows. */
import { afterEach, expect, it } from 'vitest';
import { type ClusterNode, memoryLog } from '../../src/index.ts';
import { haltNodes, joinNode as join } from '../joined-nodes.ts';

afterEach(haltNodes);

const OPTIONS = { world: { interests: { default: { cap: 1 } } } };

it('what depends on a watcher’s seats is answered only where the watcher is shown', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a', OPTIONS), await join(log, 'b', OPTIONS)];
  const hero = await a.add({ x: 0, y: 0, range: 10 });
  const [near, far] = await a.addMany({ x: [1, 2], y: [0, 0] });
  await expect.poll(() => b.world.has(far!)).toBe(true);
  await b.show(hero);
  expect([...b.world.outranked(hero).ids]).toEqual([far]);
  const out = new Uint32Array(4);
  const circle = { kind: 'circle', x: 0, y: 0, radius: 9 } as const;
  const questions: ((node: ClusterNode) => unknown)[] = [
    ({ world }) => world.visibleTo(hero),
    ({ world }) => world.visibleToInto(hero, out),
    ({ world }) => world.related(hero, near!),
    ({ world }) => world.senses(hero, near!),
    ({ world }) => world.explain(hero, near!),
    ({ world }) => world.outranked(hero),
    ({ world }) => world.targets(hero, circle),
    ({ world }) => world.targetsInto(hero, circle, undefined, out),
  ];
  for (const ask of questions) {
    expect(() => ask(b)).not.toThrow();
    expect(() => ask(a), String(ask)).toThrow(expect.objectContaining({ code: 'NOT_SHOWN' }));
  }
});
