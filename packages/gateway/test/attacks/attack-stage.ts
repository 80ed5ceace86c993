/**
 * An attack as a measured run: a server, honest clients, an attacker, each in a process of its own but for the clients, and what the
 * clients see before, while and after it happens.
 *
 * The attack comes and goes, several times: before each time and after the last one it is quiet for as long. Others who want the
 * processor change from one minute to the next, so what an attack costs is judged by its quiet neighbours, time by time (gap-ratio.ts).
 */
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { UmweltClient } from '@umwelt/client';
import type { Tally } from './attack-list.ts';

/** An honest client that joins while the run goes on tries for so long. */
const JOIN_MS = 10_000;
/** Whatever was held for the attackers is gone by then: grace times, deadlines. */
const SETTLE_MS = 8000;
const SETTLE_TURNS = 6;
const WARMING_MS = 2000;
const MOST_TIMES = 4;
/** An attack ends by itself so long after it was to be ended. */
const ATTACK_MORE_MS = 30_000;

export interface PhaseFigures {
  /** Between two frames of an honest client, in milliseconds. */
  readonly gapP50Ms: number;
  readonly gapP99Ms: number;
  readonly gapMaxMs: number;
  readonly frames: number;
  /** Honest clients that joined, and the longest that took; those that had not within ten seconds. */
  readonly joins: number;
  readonly joinMaxMs: number;
  readonly joinsFailed: number;
  /**
   * What the thread that ticks worked from one tick to the next, in milliseconds of a processor: as long as that is well below a
   * tick, ticks are late only where others have the processor.
   */
  readonly workP50Ms: number;
  readonly workP99Ms: number;
  /** The same of all the server's threads. */
  readonly allWorkP50Ms: number;
}

export interface AttackFigures {
  /** One more than attacked ones: before each, and after the last. */
  readonly quiet: readonly PhaseFigures[];
  readonly attacked: readonly PhaseFigures[];
  /** Of the server: before, and when the attack is long over. */
  readonly heldBytes: readonly [before: number, after: number];
  /** Connections that honest clients lost. */
  readonly lost: number;
  /** Of all its times. */
  readonly tally: Tally;
}

export interface AttackPlan {
  readonly name: string;
  /** Of each phase. */
  readonly seconds: number;
  /** How often it is attacked. */
  readonly rounds: number;
  /** Whether what was seen is not enough: then as many rounds follow, up to four times in all. */
  readonly isUnclear?: (seen: Pick<AttackFigures, 'quiet' | 'attacked'>) => boolean;
  readonly clients: number;
  /** Of the loopback. */
  readonly address: string;
  /** Warms up before, and waits until what attackers held is given back; else memory is not compared. */
  readonly settles: boolean;
}

interface ServerFigures {
  readonly heldBytes: number;
  /** From tick to tick, since it was last asked: of the thread that ticks, and of all. */
  readonly workMs: readonly number[];
  readonly allWorkMs: readonly number[];
}

class Crowd {
  readonly clients: UmweltClient[];
  gaps: number[] = [];
  lost = 0;

  constructor(url: string, count: number) {
    this.clients = Array.from({ length: count }, (_, i) => this.#client(url, `honest ${i}`));
  }

  close(): void {
    for (const client of this.clients) client.close();
  }

  #client(url: string, credential: string): UmweltClient {
    const client = new UmweltClient({ url, credential: () => credential });
    let lastMs = 0;
    client.on('frame', () => {
      const nowMs = performance.now();
      if (lastMs > 0) this.gaps.push(nowMs - lastMs);
      lastMs = nowMs;
    });
    client.on('state', (state) => {
      if (state === 'waiting' || state === 'closed') this.lost++;
    });
    client.connect();
    return client;
  }
}

export async function runAttack({
  name,
  seconds,
  rounds,
  isUnclear,
  clients,
  address,
  settles,
}: AttackPlan): Promise<AttackFigures> {
  const server = processOf('attacked-server.ts', []);
  try {
    const { port } = (await answerOf(server)) as { port: number };
    const url = `ws://127.0.0.1:${port}/`;
    const crowd = new Crowd(url, clients);
    await until(() => crowd.clients.every(({ tick }) => tick > 0));
    // What is compiled on the way is not what is measured.
    if (settles) await pause(WARMING_MS);
    const quiet = [await phase(crowd, server, url, seconds)];
    const heldBefore = (await figuresOf(server)).heldBytes;
    const attacked: PhaseFigures[] = [];
    const tally: Tally = {};
    for (let round = 0, planned = rounds; round < planned; round++) {
      const words = [name, String(port), address, String(seconds * 1000 + ATTACK_MORE_MS)];
      const attacker = processOf('attacker.ts', words);
      await answerOf(attacker);
      const ended = answerOf(attacker);
      attacked.push(await phase(crowd, server, url, seconds));
      if (attacker.connected) attacker.send('stop');
      for (const [what, count] of Object.entries((await ended) as Tally))
        tally[what] = (tally[what] ?? 0) + count;
      quiet.push(await phase(crowd, server, url, seconds));
      const mayGoOn = round + 1 === planned && planned < MOST_TIMES * rounds;
      if (mayGoOn && isUnclear?.({ quiet, attacked }) === true) planned += rounds;
    }
    const heldAfter = settles ? await settled(server, heldBefore) : heldBefore;
    const { lost } = crowd;
    crowd.close();
    return { quiet, attacked, heldBytes: [heldBefore, heldAfter], lost, tally };
  } finally {
    if (server.connected) server.disconnect();
  }
}

async function phase(
  crowd: Crowd,
  server: ChildProcess,
  url: string,
  seconds: number,
): Promise<PhaseFigures> {
  crowd.gaps = [];
  await figuresOf(server);
  const startMs = performance.now();
  // The collection that came with it is not the attack's.
  crowd.gaps = [];
  const joins: number[] = [];
  let failed = 0;
  for (let i = 0; performance.now() - startMs < seconds * 1000; i++) {
    const took = await joinOnce(url, `newcomer ${i}`);
    if (took === undefined) failed++;
    else joins.push(took);
    await pause(300);
  }
  const gaps = crowd.gaps.toSorted((one, other) => one - other);
  const { workMs, allWorkMs } = await figuresOf(server);
  const work = workMs.toSorted((one, other) => one - other);
  const allWork = allWorkMs.toSorted((one, other) => one - other);
  return {
    gapP50Ms: at(gaps, 0.5),
    gapP99Ms: at(gaps, 0.99),
    gapMaxMs: at(gaps, 1),
    frames: gaps.length,
    joins: joins.length,
    joinMaxMs: Math.max(0, ...joins),
    joinsFailed: failed,
    workP50Ms: at(work, 0.5),
    workP99Ms: at(work, 0.99),
    allWorkP50Ms: at(allWork, 0.5),
  };
}

/** How long it takes to join and be shown something, as a player who tries again; undefined: too long. */
async function joinOnce(url: string, credential: string): Promise<number | undefined> {
  const startMs = performance.now();
  const client = new UmweltClient({ url, credential: () => credential });
  client.connect();
  await until(() => client.tick > 0 || performance.now() - startMs > JOIN_MS);
  const took = performance.now() - startMs;
  const hasJoined = client.tick > 0;
  client.close();
  return hasJoined ? took : undefined;
}

async function settled(server: ChildProcess, goal: number): Promise<number> {
  let held = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < SETTLE_TURNS && held > goal * 1.1; turn++) {
    await pause(SETTLE_MS);
    held = (await figuresOf(server)).heldBytes;
  }
  return held;
}

function processOf(file: string, words: readonly string[]): ChildProcess {
  return fork(join(import.meta.dirname, file), words, {
    execArgv: ['--conditions=umwelt:source'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

function answerOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null): void => reject(new Error(`a process of the run ended with ${code}`));
    child.once('exit', ended);
    child.once('message', (answer) => {
      child.off('exit', ended);
      resolve(answer);
    });
  });
}

async function figuresOf(server: ChildProcess): Promise<ServerFigures> {
  const answer = answerOf(server);
  server.send('figures');
  return (await answer) as ServerFigures;
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(5);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
