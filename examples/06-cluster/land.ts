/**
 * Starts, kills and adds the nodes of the example. On a broker each node is a process, killed with `kill -9`. Without a broker all
 * nodes are in this process, on a log in memory.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { type Log, memoryLog, natsLog } from '@umwelt/cluster';
import { NatsBroker } from '../../tools/nats-broker.ts';
import { findNatsServer } from '../../tools/nats-server.ts';
import { Shard } from './shard.ts';
import type { ShardSettings } from './shard-process.ts';

const SCRIPT = new URL('./shard-process.ts', import.meta.url);
const NAMES = ['Amber', 'Beryl', 'Coral', 'Dusk', 'Ember', 'Fern', 'Garnet', 'Hazel'];

interface Running {
  readonly name: string;
  readonly port: number;
  kill(): Promise<void>;
}

export class Land {
  /** For a node in this process. */
  readonly log: Log;
  readonly #broker: NatsBroker | undefined;
  readonly #closeLog: () => Promise<void>;
  readonly #running = new Map<string, Running>();
  #started = 0;
  #isOver = false;

  private constructor(log: Log, closeLog: () => Promise<void>, broker?: NatsBroker) {
    this.log = log;
    this.#closeLog = closeLog;
    this.#broker = broker;
  }

  /** `wantsBroker` false: always use a log in memory. */
  static async open(wantsBroker: boolean): Promise<Land> {
    if (!wantsBroker || findNatsServer() === undefined) return new Land(memoryLog(), () => Promise.resolve());
    const broker = await NatsBroker.start();
    const log = await natsLog({ servers: broker.url, world: 'land', maxBytes: 2 ** 28 });
    return new Land(log, () => log.close(), broker);
  }

  /** Describes the log that the nodes use. */
  get ground(): string {
    return this.#broker === undefined
      ? 'a log in memory, with all nodes in one process (with nats-server each would be a process)'
      : `nats-server on port ${this.#broker.port}, each node in its own process`;
  }

  /** Ports of the gateways, by name of the node. */
  get ports(): ReadonlyMap<string, number> {
    return new Map([...this.#running].map(([name, { port }]) => [name, port]));
  }

  /** Starts one more node; resolves with its name when it is a member. */
  async add(walkers = 0): Promise<string> {
    const round = Math.floor(this.#started / NAMES.length);
    const name = `${NAMES[this.#started++ % NAMES.length]}${round === 0 ? '' : ` ${round + 1}`}`;
    const running =
      this.#broker === undefined
        ? await this.#inProcess(name, walkers)
        : await this.#process({ server: this.#broker.url, name, walkers });
    if (this.#isOver) await running.kill();
    else this.#running.set(name, running);
    return name;
  }

  /** False if there is no node of that name. */
  async kill(name: string): Promise<boolean> {
    const running = this.#running.get(name);
    this.#running.delete(name);
    await running?.kill();
    return running !== undefined;
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await Promise.all([...this.#running.keys()].map((name) => this.kill(name)));
    await this.#closeLog();
    await this.#broker?.dispose();
  }

  async #inProcess(name: string, walkers: number): Promise<Running> {
    const shard = await Shard.start({ log: this.log, name, walkers });
    return { name, port: shard.port, kill: () => shard.crash() };
  }

  #process(settings: ShardSettings): Promise<Running> {
    const child: ChildProcess = fork(SCRIPT, [JSON.stringify(settings)]);
    const { name } = settings;
    return new Promise((resolve, reject) => {
      const ended = new Promise<void>((done) => child.once('exit', () => done()));
      child.once('exit', () => {
        this.#running.delete(name);
        reject(new Error(`node ${name} ended before it was in the world`));
      });
      child.once('message', (port) => {
        resolve({
          name,
          port: Number(port),
          kill: () => {
            child.kill('SIGKILL');
            return ended;
          },
        });
      });
    });
  }
}
