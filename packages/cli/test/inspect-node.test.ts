/** The inspector on real members of a cluster: each is one line, and greets with who owns whom and who shows whom. */
import { type ClusterNode, joinWorld, memoryLog, observeWorld } from '@umwelt/cluster';
import { inspect } from '@umwelt/inspector';
import { afterAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';

const ends: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

/** What a page of it is greeted with. */
async function greetingOf(
  target: Parameters<typeof inspect>[0],
): Promise<{ title: string; kinds: string[] }> {
  const inspector = await inspect(target, { port: 0 });
  ends.push(() => inspector.close());
  const socket = new WebSocket(`${inspector.url.replace('http', 'ws')}/feed`);
  ends.push(() => socket.terminate());
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('message', (data) => resolve(JSON.parse(String(data))));
  });
}

it('a member and an observer are looked into by one line', async () => {
  const log = memoryLog();
  const join = async (name: string): Promise<ClusterNode> => {
    const node = await joinWorld({ log, name, tickMs: 20 });
    ends.push(() => node.halt());
    return node;
  };
  const [first, second] = [await join('first'), await join('second')];
  const hero = await first.add({ x: 0, y: 0, range: 40 });
  await second.add({ x: 5, y: 5 });
  await second.show(hero);
  await expect.poll(() => first.showerOf(hero)?.name).toBe('second');

  const kinds = expect.arrayContaining(['first, shown by second', 'second']);
  expect(await greetingOf(first)).toMatchObject({ title: 'first', kinds });
  expect(await greetingOf(second)).toMatchObject({ title: 'second', kinds });
  const observer = await observeWorld({ log });
  ends.push(() => observer.stop());
  expect(await greetingOf(observer)).toMatchObject({ title: 'A world', kinds });
  // Its world alone will do, too.
  expect((await greetingOf(first.world)).kinds).toEqual(['watcher', 'marker']);
});
