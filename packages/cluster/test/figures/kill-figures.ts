/**
 * What it costs when something dies: node processes on real brokers, clients on their sockets, and a replica beside them that follows the
 * log and says what was in it when.
 *
 * A node is killed with `kill -9`, the one that marks ticks or another, and either somebody tells the log that it is gone, as whoever
 * supervises processes can, or its silence does. Of three brokers each is killed in turn: one of them leads. Times are of this machine,
 * with whatever else it does.
 */
import { UmweltClient } from '@umwelt/client';
import { NatsBroker } from '../../../../tools/nats-broker.ts';
import { natsLog } from '../../src/log/nats-log.ts';
import { readRecord } from '../../src/records/record.ts';
import type { Member } from '../../src/state/members.ts';
import { Replica } from '../../src/state/replica.ts';
import { WORLD } from '../gateway/hosted-node.ts';
import { PlayedNode } from '../processes/played-node.ts';
import { goneRecord } from '../record-makers.ts';
import type { Plan } from '../simulation/plan.ts';
import { TICK_MS } from '../simulation/process.ts';

const NODES = 4;
const WOLVES = 60;
const FIELD = 60;
const CLIENTS = 20;
const CLUSTER = 'figures';
const PATIENCE_MS = 120_000;
/** All goes its way before each death. */
const STEADY_MS = 3000;

/** Milliseconds, one for each death. */
export interface KillFigures {
  /** From mark to mark, over the death of the node that marked. */
  readonly tickerMs: number[];
  /** From the death to the first move of its entities by another node: `told`, that it is gone; else it was silent for 30 ticks. */
  readonly toldMs: number[];
  readonly silentMs: number[];
  /** From the death of a node to the next frame of each of its clients. */
  readonly framesMs: number[];
  /** With three brokers, one killed: from mark to mark; and until all nodes have a newer tick. */
  readonly brokerMs: number[];
  readonly allBackMs: number[];
}

/** So many deaths of nodes, and of so many of three brokers; `say` is told of each. */
export async function killFigures(
  deaths: number,
  brokers: number,
  say: (line: string) => void = () => {},
): Promise<KillFigures> {
  const figures: KillFigures = {
    tickerMs: [],
    toldMs: [],
    silentMs: [],
    framesMs: [],
    brokerMs: [],
    allBackMs: [],
  };
  await staged(1, async (stage) => {
    for (let death = 0; death < deaths; death++) {
      say(`death ${death + 1} of ${deaths} of the node that marks`);
      await stage.killTicker(figures, death % 2 === 0);
    }
  });
  if (brokers === 0) return figures;
  await staged(3, async (stage) => {
    for (let broker = 0; broker < brokers; broker++) {
      say(`death of broker ${broker + 1} of ${brokers}`);
      await stage.killBroker(figures, broker);
    }
  });
  return figures;
}

async function staged(brokers: 1 | 3, run: (stage: Stage) => Promise<void>): Promise<void> {
  const started = brokers === 3 ? await NatsBroker.startThree() : [await NatsBroker.start()];
  const stage = new Stage(started);
  try {
    await stage.begin();
    await run(stage);
  } finally {
    await stage.end();
  }
}

interface Mark {
  readonly ms: number;
  readonly member: number;
}

class Stage {
  readonly #brokers: readonly NatsBroker[];
  readonly #replica: Replica;
  readonly #nodes: PlayedNode[] = [];
  readonly #ticks = new Map<string, number>();
  readonly #clients: UmweltClient[] = [];
  /** By client: the port that it asked last, and when the first frame of its connection came. */
  readonly #ports: number[] = [];
  readonly #firstMs: number[] = [];
  #log!: Awaited<ReturnType<typeof natsLog>>;
  #marks: Mark[] = [];
  /** Entities that came to another owner since a node died, and when the first of them was moved. */
  #orphans: Set<number> | undefined;
  #movedMs: number | undefined;
  #lives = 0;
  #isOver = false;

  constructor(brokers: readonly NatsBroker[]) {
    this.#brokers = brokers;
    this.#replica = new Replica({
      world: WORLD,
      views: 'own',
      events: {
        owner: (id, _from, _to, why) => {
          if (why === 'orphaned') this.#orphans?.add(id);
        },
      },
    });
  }

  async begin(): Promise<void> {
    const servers = this.#brokers.map(({ url }) => url);
    this.#log = await natsLog({ servers, world: CLUSTER, connectMs: 60_000 });
    await this.#follow();
    for (let number = 0; number < NODES; number++) this.#start(number);
    await this.#until(() => this.#nodes.every(({ state }) => state === 'joined'));
    for (let index = 0; index < CLIENTS; index++) this.#clients.push(this.#client(index));
    await this.#until(() => this.#clients.every(({ tick }) => tick > 0));
  }

  async end(): Promise<void> {
    this.#isOver = true;
    for (const client of this.#clients) client.close();
    await Promise.all(this.#nodes.map((node) => node.kill()));
    await this.#log?.close();
    await Promise.all(this.#brokers.map((broker) => broker.dispose()));
  }

  /** And starts it again afterwards. */
  async killTicker(figures: KillFigures, isTold: boolean): Promise<void> {
    await this.#steady();
    const member = this.#ticker();
    const number = this.#nodes.findIndex(({ name }) => name === member.name);
    const node = this.#nodes[number]!;
    const struck = this.#clients.flatMap((_, index) => (this.#ports[index] === node.port ? [index] : []));
    [this.#orphans, this.#movedMs, this.#marks] = [new Set(), undefined, []];
    const killedMs = performance.now();
    await node.kill();
    if (isTold) await this.#log.append(goneRecord(member.number, member.incarnation));
    await this.#until(() => this.#movedMs !== undefined);
    figures[isTold ? 'toldMs' : 'silentMs'].push(this.#movedMs! - killedMs);
    const first = this.#marks.find(({ ms, member: by }) => ms > killedMs && by !== member.number);
    const last = this.#marks.findLast(({ member: by }) => by === member.number)?.ms ?? killedMs;
    if (first !== undefined) figures.tickerMs.push(first.ms - Math.max(last, killedMs - TICK_MS));
    await this.#until(() => struck.every((index) => this.#firstMs[index]! > killedMs));
    figures.framesMs.push(...struck.map((index) => this.#firstMs[index]! - killedMs));
    this.#orphans = undefined;
    this.#start(number);
    await this.#until(() => this.#nodes.every(({ state }) => state === 'joined'));
  }

  async killBroker(figures: KillFigures, index: number): Promise<void> {
    await this.#steady();
    const broker = this.#brokers[index]!;
    const tick = this.#replica.tick;
    this.#marks = [];
    const killedMs = performance.now();
    await broker.kill();
    await this.#until(() => [...this.#ticks.values()].every((at) => at > tick + 4));
    figures.allBackMs.push(performance.now() - killedMs);
    await new Promise((resolve) => setTimeout(resolve, STEADY_MS));
    const times = [killedMs, ...this.#marks.map(({ ms }) => ms)];
    figures.brokerMs.push(Math.max(...times.slice(1).map((ms, i) => ms - times[i]!)));
    await broker.restart();
  }

  /** Who marked most of late. */
  #ticker(): Member {
    const counts = new Map<number, number>();
    for (const { member } of this.#marks.slice(-20)) counts.set(member, (counts.get(member) ?? 0) + 1);
    const [number] = [...counts].sort(([, one], [, other]) => other - one)[0] ?? [0];
    return this.#replica.members.byNumber(number)!;
  }

  async #steady(): Promise<void> {
    await this.#until(() => this.#clients.every(({ state }) => state === 'open'));
    // A broker that came back has to catch up.
    const [tick, ms] = [this.#replica.tick, performance.now()];
    await this.#until(
      () => performance.now() - ms > STEADY_MS && this.#replica.tick > tick + STEADY_MS / TICK_MS / 2,
    );
  }

  async #follow(): Promise<void> {
    for (;;) {
      try {
        await this.#log.follow(
          this.#replica.position + 1,
          (position, bytes) => this.#hear(position, bytes.slice()),
          () => {
            if (!this.#isOver) void this.#follow();
          },
        );
        return;
      } catch (error) {
        if (this.#isOver) return;
        if ((error as { code?: string }).code !== 'LOG_DOWN') throw error;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }

  #hear(position: number, bytes: Uint8Array): void {
    const tick = this.#replica.tick;
    this.#replica.apply(position, bytes);
    const ms = performance.now();
    const record = readRecord(bytes);
    if (record.kind === 'mark' && this.#replica.tick > tick) this.#marks.push({ ms, member: record.member });
    else if (record.kind === 'calls' && this.#movedMs === undefined) {
      const { ids = new Uint32Array(0) } = record.calls.moves ?? {};
      if (ids.some((id) => this.#orphans?.has(id) === true)) this.#movedMs = ms;
    }
  }

  #start(number: number): void {
    const lives = this.#lives++;
    const plan: Plan = {
      seed: 7,
      nodes: NODES,
      entities: WOLVES,
      durationMs: 1e9,
      calmMs: 12_000,
      hasRules: false,
      hasTerritories: false,
      views: 'own',
      giveChance: 0,
      faults: [],
    };
    const servers = this.#brokers.map(({ url }) => url);
    const node = { servers, world: CLUSTER, name: `n${number}`, number, plan, lives };
    const hosts = { wolves: lives < NODES ? WOLVES / NODES : 0, field: FIELD };
    this.#nodes[number] = new PlayedNode(
      { ...node, firstNonce: lives * 2 ** 20, hosts },
      {
        report: ({ name, tick }) => void this.#ticks.set(name, tick),
        fault: (reason) => {
          if (!this.#isOver) throw new Error(reason);
        },
      },
    );
  }

  #client(index: number): UmweltClient {
    const client = new UmweltClient({
      url: () => {
        const open = this.#nodes.filter(({ state }) => state === 'joined');
        const port = open[Math.floor(Math.random() * open.length)]?.port ?? 1;
        this.#ports[index] = port;
        return `ws://127.0.0.1:${port}/`;
      },
      credential: () => String(index),
      retryFirstMs: 50,
      retryMaxMs: 1000,
    });
    let isFirst = true;
    client.on('state', (state) => {
      if (state !== 'open') isFirst = true;
    });
    client.on('frame', () => {
      if (isFirst) this.#firstMs[index] = performance.now();
      isFirst = false;
    });
    client.connect();
    return client;
  }

  async #until(isSo: () => boolean): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while (!isSo()) {
      if (performance.now() > deadline) throw new Error(`waited ${PATIENCE_MS} ms for ${isSo}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;
}
