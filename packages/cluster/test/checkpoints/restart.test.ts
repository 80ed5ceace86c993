/**
 * All nodes are dead: the newest checkpoint and what the log still has are the world that the next ones find. Most of these tests wait for
 * a node that waits for others, so some of them run at a time.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { UmweltError } from 'umwelt';
import { type ExpectStatic, it, onTestFinished, type TestContext } from 'vitest';
import {
  type Checkpoints,
  type ClusterNode,
  folderCheckpoints,
  type JoinOptions,
  type Log,
  memoryLog,
  type NewestOptions,
  NodeMetrics,
  natsCheckpoints,
} from '../../src/index.ts';
import { loadReplica } from '../../src/state/stored-replica.ts';
import { describeOnBroker, newWorld, oneBroker, openLog } from '../broker-stage.ts';
import { joinNode } from '../joined-nodes.ts';
import { bound } from '../late-log.ts';

/** The nodes and folders of one test. */
class Stage {
  /** The one of its test: the global one belongs to no test while several run. */
  readonly expect: ExpectStatic;
  readonly #nodes: ClusterNode[] = [];
  readonly #folders: string[] = [];

  constructor(expect: ExpectStatic) {
    this.expect = expect;
  }

  async joinNode(...options: Parameters<typeof joinNode>): Promise<ClusterNode> {
    const node = await joinNode(...options);
    this.#nodes.push(node);
    return node;
  }

  /** With a checkpoint every few ticks. */
  join(log: Log, name: string, checkpoints: Checkpoints, options: Partial<JoinOptions> = {}) {
    return this.joinNode(log, name, { silenceTicks: 20, checkpoints, checkpointMs: 20, ...options });
  }

  newFolder(): string {
    const folder = mkdtempSync(path.join(tmpdir(), 'umwelt-restart-'));
    this.#folders.push(folder);
    return folder;
  }

  inFolder(): Checkpoints {
    return folderCheckpoints({ folder: this.newFolder(), world: 'w' });
  }

  halt(): void {
    for (const node of this.#nodes.splice(0)) node.halt();
  }

  end(): void {
    this.halt();
    // A save that is under way may yet write into it.
    for (const folder of this.#folders) rmSync(folder, { recursive: true, maxRetries: 5 });
  }
}

/** A test with a stage of its own, which ends with it. */
const onStage =
  (play: (stage: Stage, expect: ExpectStatic) => Promise<void>) =>
  async ({ expect, onTestFinished }: TestContext): Promise<void> => {
    const stage = new Stage(expect);
    onTestFinished(() => stage.end());
    await play(stage, expect);
  };

const text = (value: string) => new TextEncoder().encode(value);

/** Saves until it is told to stop. */
class Stoppable implements Checkpoints {
  saved = 0;
  isOn = true;
  readonly #inner: Checkpoints;

  constructor(inner: Checkpoints) {
    this.#inner = inner;
  }

  async save(state: Uint8Array): Promise<void> {
    if (!this.isOn) return;
    await this.#inner.save(state);
    this.saved++;
  }

  newest(): Promise<Uint8Array | undefined> {
    return this.#inner.newest();
  }
}

/** Two heroes with state and fields at 1 and 2, saved; then the first goes to 10, and a third comes. */
async function world(stage: Stage, log: Log, inner: Checkpoints): Promise<void> {
  const { expect } = stage;
  const checkpoints = new Stoppable(inner);
  const node = await stage.join(log, 'first', checkpoints);
  const one = await node.add({ x: 1, y: 0, key: 'one', state: text('I') });
  await node.add({ x: 2, y: 0, key: 'two' });
  await expect.poll(() => node.owned.size).toBe(2);
  node.set(one, { health: 7 });
  await expect.poll(() => node.fieldsOf(one)).toEqual({ health: 7 });
  // One may have been under way.
  const before = checkpoints.saved;
  await expect.poll(() => checkpoints.saved).toBeGreaterThan(before + 1);
  checkpoints.isOn = false;
  node.move(one, 10, 0);
  await node.add({ x: 3, y: 0, key: 'three' });
  await expect.poll(() => node.world.position(one)[0]).toBe(10);
  node.halt();
}

function seen(node: ClusterNode): (string | number)[] {
  return ['one', 'two', 'three'].map((key) => {
    const id = node.find(key);
    return id === undefined ? 'none' : node.world.position(id)[0]!;
  });
}

/** Whatever was in the log: a node goes on from the checkpoint, owns all, and another joins it. */
async function goesOn(
  stage: Stage,
  log: () => Promise<Log>,
  checkpoints: Checkpoints,
  expected: (string | number)[],
): Promise<void> {
  const { expect } = stage;
  const node = await stage.join(await log(), 'second', checkpoints);
  const count = expected.filter((x) => x !== 'none').length;
  await expect.poll(() => node.owned.size).toBe(count);
  expect(seen(node)).toEqual(expected);
  const one = node.find('one')!;
  expect([node.stateOf(one), node.fieldsOf(one)]).toEqual([text('I'), { health: 7 }]);
  node.move(one, 20, 0);
  const other = await stage.join(await log(), 'third', checkpoints);
  await expect.poll(() => seen(other)).toEqual([20, ...expected.slice(1)]);
  await expect.poll(() => node.members.map((member) => member.name)).toEqual(['second', 'third']);
}

it.concurrent(
  'a world goes on from its checkpoint and the log since then',
  onStage(async (stage) => {
    const [log, checkpoints] = [memoryLog(), stage.inFolder()];
    await world(stage, log, checkpoints);
    await goesOn(stage, () => Promise.resolve(log), checkpoints, [10, 2, 3]);
  }),
);

async function skippedBy(node: ClusterNode): Promise<number | undefined> {
  const metric = new NodeMetrics(node).registry.getSingleMetric('umwelt_cluster_checkpoints_total');
  const found = await metric?.get();
  return found?.values.find(({ labels }) => labels.outcome === 'skipped')?.value;
}

it.concurrent.for<[string, (newest: string, checkpoints: Checkpoints) => Promise<void> | void]>([
  ['was altered', (newest) => writeFileSync(newest, readFileSync(newest).subarray(0, -1))],
  [
    'cannot be read by the file system',
    (newest) => {
      rmSync(newest);
      symlinkSync(newest, newest);
    },
  ],
  [
    'is whole, but no state',
    (newest, checkpoints) => {
      rmSync(newest);
      return checkpoints.save(text('what another program saved'));
    },
  ],
  [
    'is whole, but of a state that was damaged before it was saved',
    async (newest, checkpoints) => {
      const state = (await checkpoints.newest())!.with(500, 7).with(501, 7).with(502, 7);
      rmSync(newest);
      return checkpoints.save(state);
    },
  ],
])(
  'a world goes on from the checkpoint before the newest one, which %s, and tells it',
  ([, damage], context) =>
    onStage(async (stage, expect) => {
      const folder = stage.newFolder();
      const checkpoints = folderCheckpoints({ folder, world: 'w' });
      const log = memoryLog();
      await world(stage, log, checkpoints);
      const names = () => readdirSync(folder).sort();
      // The last save was under way when the node was halted.
      await expect
        .poll(() => names().map((name) => path.extname(name)))
        .toEqual(['.checkpoint', '.checkpoint']);
      const saved = names();
      await damage(path.join(folder, saved[1]!), checkpoints);
      const node = await stage.joinNode(log, 'second', { checkpoints, silenceTicks: 20 });
      await expect.poll(() => node.owned.size).toBe(3);
      expect(seen(node)).toEqual([10, 2, 3]);
      expect(await skippedBy(node)).toBe(1);
    })(context),
);

it.concurrent(
  'a checkpoint that was skipped is counted once, however often its node has to begin',
  onStage(async (stage, expect) => {
    const [log, checkpoints] = [memoryLog(), new SavedStates()];
    await world(stage, log, checkpoints);
    checkpoints.states.push(text('what another program saved'));
    const newest = checkpoints.states.length - 1;
    checkpoints.kept = () => [newest, newest - 1];
    let left = 3;
    const failing: Log = {
      ...bound(log),
      follow: (from, take, lost) =>
        left-- > 0 ? Promise.reject(new Error('not connected')) : log.follow(from, take, lost),
    };
    const node = await stage.joinNode(failing, 'second', { checkpoints, silenceTicks: 20 });
    expect(left).toBeLessThan(0);
    expect(await skippedBy(node)).toBe(1);
  }),
);

it.concurrent(
  'a world whose checkpoints are all no states begins with none of them, and says why',
  onStage(async (stage, expect) => {
    const checkpoints = stage.inFolder();
    await checkpoints.save(text('what another program saved'));
    await expect(stage.joinNode(memoryLog(), 'a', { checkpoints, patienceMs: 300 })).rejects.toMatchObject({
      code: 'BAD_SNAPSHOT',
      message: expect.stringContaining('has 1 checkpoints, expected one that is whole'),
    });
  }),
);

it.concurrent(
  'a world whose log does not keep what follows the checkpoint goes on as it was then; without one it begins again',
  onStage(async (stage, expect) => {
    const forget = async (log: Log) => {
      for (let times = 0; times < 40; times++) await log.append(new Uint8Array(100));
    };
    const saved = async () => {
      const [log, checkpoints] = [memoryLog({ maxBytes: 2000 }), stage.inFolder()];
      await world(stage, log, checkpoints);
      await forget(log);
      await goesOn(stage, () => Promise.resolve(log), checkpoints, [1, 2, 'none']);
    };
    const unsaved = async () => {
      const [log, checkpoints] = [memoryLog({ maxBytes: 2000 }), new Stoppable(stage.inFolder())];
      checkpoints.isOn = false;
      const node = await stage.join(log, 'first', checkpoints);
      await node.add({ x: 1, y: 0, key: 'one' });
      node.halt();
      await forget(log);
      const next = await stage.join(log, 'second', checkpoints);
      expect([next.world.size, next.find('one')]).toEqual([0, undefined]);
      await next.add({ x: 2, y: 0, key: 'one' });
      expect(seen(next)).toEqual([2, 'none', 'none']);
    };
    await Promise.all([saved(), unsaved()]);
  }),
);

it.concurrent(
  'a world that is silent for longer than a node has patience begins again all the same',
  onStage(async (stage, expect) => {
    const saved: Uint8Array[] = [];
    const checkpoints: Checkpoints = {
      save: async (state) => {
        saved.push(state);
      },
      newest: async () => saved[0],
    };
    const log = memoryLog({ maxBytes: 2000 });
    // A hundred seconds, of which a node that joins waits four times as many for other nodes that know more.
    const options = { checkpoints, checkpointMs: 20, silenceTicks: 20_000 };
    await stage.joinNode(log, 'first', options);
    await expect.poll(() => saved.length).toBeGreaterThan(1);
    stage.halt();
    for (let times = 0; times < 40; times++) await log.append(new Uint8Array(100));
    const node = await stage.joinNode(log, 'second', { ...options, patienceMs: 8000 });
    expect(node.isLive).toBe(true);
  }),
);

/** A log that lost its end: the records up to a position, as a new log has them. */
async function cutAfter(log: Log, position: number): Promise<Log> {
  const cut = memoryLog();
  for (let at = 1; at <= position; at++) await cut.append((await log.read(at))!);
  return cut;
}

/** Each state that was saved, oldest first; `kept` are those that the store still has. */
class SavedStates implements Checkpoints {
  readonly states: Uint8Array[] = [];
  kept: (count: number) => readonly number[] = (count) => [count - 1];

  async save(state: Uint8Array): Promise<void> {
    this.states.push(state);
  }

  async newest({ isUsable = () => true, skipped }: NewestOptions = {}): Promise<Uint8Array | undefined> {
    const found = this.kept(this.states.length).map((index) => this.states[index]!);
    const at = found.findIndex(isUsable);
    if (at > 0) skipped?.(at);
    if (at < 0 && found.length > 0) throw new UmweltError('BAD_SNAPSHOT', 'none is whole');
    return found[at];
  }
}

const positionIn = (checkpoint: Uint8Array) => loadReplica(checkpoint, { world: {}, views: 'own' }).position;

/**
 * A world whose hero walked to 40, a unit a tick, and saved a state a tick. The log lost its end, and a node that was not ahead went on
 * to 100 in its place: the newest checkpoints are of records that the log does not have any more.
 */
async function worldOnAnotherEnd(
  stage: Stage,
): Promise<{ log: Log; checkpoints: SavedStates; last: number }> {
  const { expect } = stage;
  const [whole, checkpoints] = [memoryLog(), new SavedStates()];
  const first = await stage.join(whole, 'first', checkpoints, { checkpointMs: 1 });
  const one = await first.add({ x: 0, y: 0, key: 'one' });
  first.on('simulate', () => first.move(one, (first.world.position(one)[0] ?? 0) + 1, 0));
  await expect.poll(() => first.world.position(one)[0], { interval: 1 }).toBeGreaterThan(40);
  first.halt();
  const last = positionIn(checkpoints.states.at(-1)!);
  const log = await cutAfter(whole, last - 30);
  const second = await stage.joinNode(log, 'second', { silenceTicks: 20 });
  await expect.poll(() => second.owned.size).toBe(1);
  second.move(one, 100, 0);
  await expect.poll(() => second.world.position(one)[0]).toBe(100);
  await expect.poll(async () => ((await log.last?.()) ?? 0) > last + 10).toBe(true);
  second.halt();
  return { log, checkpoints, last };
}

it.concurrent(
  'a world whose log lost its end goes on from the checkpoint that goes with the log, and tells that it passed over newer ones',
  onStage(async (stage, expect) => {
    const { log, checkpoints, last } = await worldOnAnotherEnd(stage);
    // Three of the lost end, and one from before.
    const before = checkpoints.states.findLastIndex((state) => positionIn(state) < last - 40);
    checkpoints.kept = (count) => [count - 1, count - 2, count - 3, before];
    const node = await stage.join(log, 'third', checkpoints, { checkpointMs: 300_000 });
    expect(node.find('one') === undefined ? 'none' : node.world.position(node.find('one')!)[0]).toBe(100);
    expect(await skippedBy(node)).toBe(3);
  }),
);

it.concurrent(
  'a world whose log lost its end goes on from the newest checkpoint if none goes with the log',
  onStage(async (stage, expect) => {
    const { log, checkpoints } = await worldOnAnotherEnd(stage);
    const node = await stage.join(log, 'third', checkpoints, { checkpointMs: 300_000, patienceMs: 8000 });
    const saved = loadReplica(checkpoints.states.at(-1)!, { world: {}, views: 'own' }).world;
    const one = node.find('one')!;
    expect([...node.world.position(one)]).toEqual([...saved.position(one)]);
    expect(node.world.position(one)[0]).toBeLessThan(60);
    expect(await skippedBy(node)).toBe(0);
  }),
);

it.concurrent(
  'a node goes on by a checkpoint from which the log was begun anew, although the node that did so died before it saved another',
  onStage(async (stage, expect) => {
    const { log, checkpoints } = await worldOnAnotherEnd(stage);
    const newest = checkpoints.states.length - 1;
    checkpoints.kept = () => [newest];
    const options = { checkpointMs: 300_000, patienceMs: 8000 };
    const node = await stage.join(log, 'third', checkpoints, options);
    const one = node.find('one')!;
    await expect.poll(() => node.owned.size).toBe(1);
    node.move(one, 200, 0);
    await expect.poll(() => node.world.position(one)[0]).toBe(200);
    node.halt();
    const fourth = await stage.join(log, 'fourth', checkpoints, options);
    expect(fourth.world.position(one)[0]).toBe(200);
    expect(fourth.members.map(({ name }) => name)).toContain('third');
  }),
);

it.concurrent(
  'a checkpoint of another log is named as why a node could not join',
  onStage(async (stage, expect) => {
    const [log, other, checkpoints] = [memoryLog(), memoryLog(), stage.inFolder()];
    await world(stage, log, checkpoints);
    await stage.joinNode(other, 'first');
    const end = (await log.last?.()) ?? 0;
    await expect.poll(async () => (await other.last?.()) ?? 0).toBeGreaterThan(end);
    stage.halt();
    await expect(stage.joinNode(other, 'second', { checkpoints, patienceMs: 500 })).rejects.toMatchObject({
      code: 'BAD_SNAPSHOT',
      message: expect.stringContaining('is not of this log'),
    });
  }),
);

it.concurrent(
  'a world that is new does not begin with what another one saved in the same store',
  onStage(async (stage, expect) => {
    const named = (name: string): Log => ({ ...bound(memoryLog()), name });
    const checkpoints = stage.inFolder();
    await world(stage, named('UMWELT_one'), checkpoints);
    const other = stage.join(named('UMWELT_two'), 'second', checkpoints, { patienceMs: 500 });
    await expect(other).rejects.toMatchObject({
      code: 'BAD_SNAPSHOT',
      message: expect.stringContaining('is of the log UMWELT_one, expected one of UMWELT_two'),
    });
    // Its own log may have been lost.
    const again = named('UMWELT_one');
    await goesOn(stage, () => Promise.resolve(again), checkpoints, [1, 2, 'none']);
  }),
);

it.concurrent(
  'a checkpoint goes with a copy of its log, whatever the name of that is',
  onStage(async (stage) => {
    const [log, checkpoints] = [memoryLog(), stage.inFolder()];
    await world(stage, { ...bound(log), name: 'UMWELT_one' }, checkpoints);
    await goesOn(
      stage,
      () => Promise.resolve({ ...bound(log), name: 'UMWELT_copy' }),
      checkpoints,
      [10, 2, 3],
    );
  }),
);

it.concurrent.for([20, 90])(
  'a checkpoint of tick %i of a world in which nothing happened is not taken for that of another one',
  (ticks, context) =>
    onStage(async (stage, expect) => {
      const [log, other] = [memoryLog(), memoryLog()];
      const saved: Uint8Array[] = [];
      const checkpoints: Checkpoints = {
        save: async (state) => {
          saved.push(state);
        },
        newest: async () => saved[ticks],
      };
      // Records of both are alike: a hello, then a mark and no calls for each tick.
      await stage.joinNode(log, 'first', { checkpoints, checkpointMs: 1 });
      await expect.poll(() => saved.length).toBeGreaterThan(ticks);
      await stage.joinNode(other, 'first');
      // A busy machine saves less often than it ticks.
      const end = positionIn(saved[ticks]!);
      await expect.poll(async () => (await other.last?.()) ?? 0).toBeGreaterThan(end + 20);
      stage.halt();
      await expect(stage.joinNode(other, 'second', { checkpoints, patienceMs: 1500 })).rejects.toMatchObject({
        code: 'BAD_SNAPSHOT',
      });
    })(context),
);

describeOnBroker('a world on a broker whose nodes are all dead', () => {
  it(
    'goes on from its checkpoint where the log is whole, where it is empty, and where it is gone',
    onStage(async (stage) => {
      const broker = await oneBroker();
      const nats = await connect({ servers: broker.url });
      onTestFinished(() => nats.close());
      const manager = await jetstreamManager(nats);
      const cases = [
        ['whole', [10, 2, 3]],
        ['empty', [1, 2, 'none']],
        ['gone', [1, 2, 'none']],
      ] as const;
      const play = async ([what, expected]: (typeof cases)[number]) => {
        const name = newWorld();
        const checkpoints = await natsCheckpoints({ servers: broker.url, world: name, maxBytes: 2 ** 24 });
        onTestFinished(() => checkpoints.close());
        await world(stage, await openLog(broker.url, { world: name }), checkpoints);
        if (what === 'empty') await manager.streams.purge(`UMWELT_${name}`);
        if (what === 'gone') await manager.streams.delete(`UMWELT_${name}`);
        await goesOn(stage, () => openLog(broker.url, { world: name }), checkpoints, [...expected]);
      };
      await Promise.all(cases.map(play));
    }),
  );
});
