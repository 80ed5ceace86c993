/**
 * The native yardstick: bench/native/double-sweep.c, a program of its own that takes turns with the other engines.
 *
 * It is compiled at first use by the machine's C compiler (`CC`, else cc, gcc, clang), for the machine's vectors, and
 * kept in .cache under a name that is a hash of all its inputs. Without a compiler or named pipes the engine is absent,
 * and the table says so.
 *
 * Positions go to it through one pipe and figures come back through another. Both ends block, so one of the two programs
 * runs at a time. Its own clock times sorting, testing and reporting, because the pipes are not part of the native code's
 * work. So its time also excludes taking over positions, which our engine's time includes.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import type { Simulation } from '@umwelt/scenarios';
import type { Engine, EngineKind, EngineOptions, TickCounts } from './engine.ts';
import { refuseBeyondPlain } from './peer.ts';

const SOURCE = path.join(import.meta.dirname, '..', 'native', 'double-sweep.c');
const CACHE = path.join(import.meta.dirname, '..', '..', '.cache');
const FLAGS = ['-std=gnu11', '-O3', '-ffp-contract=off'];
/** Flags to try, best first: not every compiler supports the machine's own vectors. */
const MACHINE_FLAGS = [['-march=native'], ['-mcpu=native'], []];
const TICK = 1;
const HASH = 2;
/** The layout of a reply, four times and four counts: `reply_t` in the source. */
const REPLY_BYTES = 48;

/** A program that runs on this machine, or the reason that there is none. */
type Built = { readonly program: string; readonly vectors: string } | { readonly absent: string };

const builds = new Map<string, Built>();

function built(...extraFlags: readonly string[]): Built {
  const key = extraFlags.join(' ');
  const known = builds.get(key) ?? build(extraFlags);
  builds.set(key, known);
  return known;
}

function build(extraFlags: readonly string[]): Built {
  if (process.platform === 'win32') return { absent: 'no named pipes here' };
  const compilers = process.env.CC === undefined ? ['cc', 'gcc', 'clang'] : [process.env.CC];
  const compiler = compilers.find((name) => spawnSync(name, ['--version']).status === 0);
  if (compiler === undefined) return { absent: `no C compiler: none of ${compilers.join(', ')}` };
  for (const machineFlags of MACHINE_FLAGS) {
    const program = compiled(compiler, [...FLAGS, ...machineFlags, ...extraFlags]);
    if (program === undefined) continue;
    const { status, stdout } = spawnSync(program, ['describe'], { encoding: 'utf8' });
    if (status === 0) return { program, vectors: stdout.trim() };
  }
  return { absent: `'${compiler}' makes no program that runs` };
}

/** The program; compiled unless it exists from the same source, compiler and machine. */
function compiled(compiler: string, flags: readonly string[]): string | undefined {
  const version = spawnSync(compiler, ['--version'], { encoding: 'utf8' }).stdout;
  const hash = createHash('sha256');
  for (const part of [readFileSync(SOURCE), version, flags.join(' '), cpus()[0]?.model ?? ''])
    hash.update(part).update('\0');
  const program = path.join(CACHE, `double-sweep-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(program)) return program;
  mkdirSync(CACHE, { recursive: true });
  // Under a temporary name first: two processes may compile it at the same time.
  const unfinished = `${program}.${process.pid}`;
  if (spawnSync(compiler, [...flags, '-o', unfinished, SOURCE, '-lm']).status !== 0) return undefined;
  renameSync(unfinished, program);
  return program;
}

class NativeEngine implements Engine {
  readonly #simulation: Simulation;
  readonly #child: ChildProcess;
  readonly #requests: number;
  readonly #replies: number;
  readonly #reply = new DataView(new ArrayBuffer(REPLY_BYTES));
  readonly #counts: TickCounts = { entered: 0, left: 0, updated: 0, idSum: 0 };
  tickMs = 0;
  waitedMs = 0;

  constructor(simulation: Simulation, program: string) {
    this.#simulation = simulation;
    const folder = mkdtempSync(path.join(tmpdir(), 'double-sweep-'));
    const pipes = ['requests', 'replies'].map((name) => path.join(folder, name)) as [string, string];
    if (spawnSync(program, ['pipes', ...pipes]).status !== 0) throw new Error(`no named pipes in ${folder}`);
    this.#child = spawn(program, ['serve', ...pipes], { stdio: ['ignore', 'ignore', 'inherit'] });
    if (this.#child.pid === undefined) throw new Error(`${program} does not start`);
    // Opening a pipe waits for its other end, so the order is that of the program.
    this.#requests = openSync(pipes[0], 'w');
    this.#replies = openSync(pipes[1], 'r');
    rmSync(folder, { recursive: true });
    this.#give(Uint32Array.of(simulation.capacity));
    this.#give(simulation.range);
  }

  tick(): TickCounts {
    const { x, y } = this.#simulation;
    refuseBeyondPlain(this.#simulation);
    this.#give(Uint8Array.of(TICK));
    this.#give(x);
    this.#give(y);
    const reply = this.#take(REPLY_BYTES);
    const times = [0, 8, 16].map((at) => reply.getFloat64(at, true));
    this.tickMs = times.reduce((sum, partNs) => sum + partNs, 0) / 1e6;
    this.waitedMs = reply.getFloat64(24, true) / 1e6;
    const counts = this.#counts;
    counts.entered = reply.getUint32(32, true);
    counts.left = reply.getUint32(36, true);
    counts.idSum = reply.getUint32(40, true);
    return counts;
  }

  hash(): string {
    this.#give(Uint8Array.of(HASH));
    return this.#take(8).getBigUint64(0, true).toString(16).padStart(16, '0');
  }

  dispose(): void {
    // The program ends when its request pipe is closed.
    closeSync(this.#requests);
    closeSync(this.#replies);
    this.#child.unref();
  }

  #give(data: Uint8Array | Uint32Array | Float32Array): void {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    for (let given = 0; given < bytes.length; ) given += writeSync(this.#requests, bytes, given);
  }

  #take(length: number): DataView {
    for (let had = 0; had < length; ) {
      const part = readSync(this.#replies, this.#reply, had, length - had, null);
      if (part === 0) throw new Error('the native program has ended');
      had += part;
    }
    return this.#reply;
  }
}

function nativeVariant(name: string, title: string, ...flags: readonly string[]): EngineKind {
  return {
    name,
    title,
    expectedTickMs: ({ entities, perceived }) => (entities * (30 + perceived)) / 1e6,
    absent(): string | undefined {
      const made = built(...flags);
      return 'absent' in made ? made.absent : undefined;
    },
    create(simulation: Simulation, { updates }: EngineOptions): Engine {
      if (updates) throw new Error(`'${name}' keeps no pairs, so it cannot report updated`);
      const made = built(...flags);
      if ('absent' in made) throw new Error(made.absent);
      return new NativeEngine(simulation, made.program);
    },
  };
}

/** Native code with the widest vectors that the machine has. */
export const native = nativeVariant('native', 'native C, widest vectors');
/** Native code with vectors of 128 bits, as WebAssembly has them. */
export const native128 = nativeVariant('native-128', 'native C, 128 bits', '-mno-avx');
