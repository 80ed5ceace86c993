/**
 * Real brokers for tests, fuzz runs and the example: started on free ports of the loopback with a store of their own,
 * killed, stopped, continued and restarted as a test needs it. They run the configurations that packages/cluster/brokers
 * contains, with another store and other ports.
 *
 * No broker outlives the process that started it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findNatsServer } from './nats-server.ts';
import { root } from './run-command.ts';

const configurations = path.join(root, 'packages', 'cluster', 'brokers');

/**
 * Becomes the broker. The pipe ends with the process that started it, also if that one is killed: then the broker is, too.
 */
const SCRIPT =
  'exec 3<&0 </dev/null; ulimit -f "$0"; (cat <&3 >/dev/null; kill -9 $$) 2>/dev/null & exec "$@" 3<&-';

/** The longest time until a broker answers: a busy machine starts three at the same time. */
const READY_MS = 60_000;
const LOOK_MS = 25;

export interface BrokerLimits {
  /** The most bytes in a file of its store, as if the disk were full. */
  readonly fileBytes?: number;
}

export class NatsBroker {
  readonly port: number;
  /** The folder of its store and its configuration. */
  readonly folder: string;
  readonly #words: readonly string[];
  readonly #environment: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;
  #output = '';

  private constructor(port: number, folder: string, configuration: string, name: string) {
    this.port = port;
    this.folder = folder;
    const file = path.join(folder, 'broker.conf');
    writeFileSync(file, configuration);
    this.#words = ['-c', file, '-a', '127.0.0.1', '-p', String(port)];
    this.#environment = { UMWELT_BROKER: name };
  }

  /** One broker with the configuration for a single broker. */
  static async start(limits: BrokerLimits = {}): Promise<NatsBroker> {
    const [port] = await freePorts(1);
    const folder = newFolder();
    const broker = new NatsBroker(port as number, folder, configurationOf('one-server', folder), 'one');
    await broker.restart(limits);
    return broker;
  }

  /** Three brokers that know each other, with the configuration for three. */
  static async startThree(): Promise<readonly [NatsBroker, NatsBroker, NatsBroker]> {
    const ports = await freePorts(6);
    const routes = ports.slice(3).map((port) => `nats://127.0.0.1:${port}`);
    const brokers = ['one', 'two', 'three'].map((name, index) => {
      const folder = newFolder();
      const configuration = configurationOf('three-servers', folder)
        .replace('port: 6222', `listen: "127.0.0.1:${ports[3 + index]}"`)
        .replace(/routes: \[[^\]]*\]/, `routes: [ ${routes.join(', ')} ]`);
      return new NatsBroker(ports[index] as number, folder, configuration, name);
    });
    await Promise.all(brokers.map((broker) => broker.restart()));
    return brokers as unknown as readonly [NatsBroker, NatsBroker, NatsBroker];
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  /** The output since it was started last. */
  get output(): string {
    return this.#output;
  }

  /** Starts it with the contents of its store; resolves when it accepts connections. */
  async restart({ fileBytes }: BrokerLimits = {}): Promise<void> {
    const program = findNatsServer();
    if (program === undefined)
      throw new Error('no nats-server: tools/install-nats-server.ts says how to get one');
    if (this.#child !== undefined) throw new Error(`the broker on port ${this.port} runs`);
    this.#output = '';
    // In units of 512 bytes.
    const limit = fileBytes === undefined ? 'unlimited' : String(Math.ceil(fileBytes / 512));
    const child = spawn('sh', ['-c', SCRIPT, limit, program, ...this.#words], {
      env: { ...process.env, ...this.#environment },
    });
    child.once('exit', () => child.stdin.destroy());
    this.#child = child;
    running.add(child);
    const take = (text: Buffer) => {
      this.#output += text.toString();
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('exit', () => {
      running.delete(child);
      if (this.#child === child) this.#child = undefined;
    });
    const deadline = Date.now() + READY_MS;
    while (!this.#output.includes('Server is ready')) {
      if (this.#child !== child) throw new Error(`nats-server ended: ${this.#output}`);
      if (Date.now() > deadline) throw new Error(`nats-server is not ready: ${this.#output}`);
      await rest(LOOK_MS);
    }
  }

  /** Ends it at once, as a crash does. */
  kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      child.once('exit', () => resolve());
      child.kill('SIGKILL');
    });
  }

  /** Stops it (SIGSTOP); its connections stay open. Resolves when it has stopped, because a signal takes time. */
  async freeze(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined) return;
    child.kill('SIGSTOP');
    while (child.exitCode === null && !isStopped(child.pid)) await delay(1);
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  /** It reads its configuration again. */
  reload(): void {
    this.#child?.kill('SIGHUP');
  }

  /** Ends it and removes its store. */
  async dispose(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Whether all threads of a process are stopped; true if the system does not say. */
function isStopped(pid: number): boolean {
  const tasks = `/proc/${pid}/task`;
  try {
    // The state follows the name, which is in brackets and may contain brackets.
    return readdirSync(tasks).every((task) => /\) [Tt] /.test(readFileSync(`${tasks}/${task}/stat`, 'utf8')));
  } catch {
    return true;
  }
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

function newFolder(): string {
  return mkdtempSync(path.join(tmpdir(), 'umwelt-broker-'));
}

function configurationOf(name: string, folder: string): string {
  const text = readFileSync(path.join(configurations, `${name}.conf`), 'utf8');
  return text.replace('"./nats-data"', JSON.stringify(path.join(folder, 'store')));
}

/** Free ports: all are kept open until the last is known, so that they differ. */
async function freePorts(count: number): Promise<number[]> {
  const held = await Promise.all(Array.from({ length: count }, () => holdPort()));
  const ports = held.map((server) => (server.address() as { port: number }).port);
  await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function holdPort(): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
