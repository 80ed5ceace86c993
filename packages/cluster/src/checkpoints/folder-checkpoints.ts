/**
 * Checkpoints as files in a folder: on a disk that all machines share, or for a world on one machine.
 *
 *   WORLD.TIME.checkpoint    | 'umwkpt1\n' | SHA-256 of the state, 32 bytes | the state |      1 is the version
 *
 * TIME is the time of saving in milliseconds, with leading zeros. Log positions are no substitute: they may start again from
 * 1, time does not. A file is written under a temporary name, flushed to disk, and renamed, so a crash never damages an
 * earlier checkpoint. Temporary files that a crash left behind are removed after an hour.
 */
import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import files, { mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { UmweltError } from 'umwelt';
import { badOption, rejectUnknown } from '../log/bad-option.ts';
import { wholeFrom, worldName } from '../log/nats-options.ts';
import { type Checkpoints, KEEP, type NewestOptions, newestWhole } from './checkpoints.ts';

/** Options of `folderCheckpoints`. */
export interface FolderCheckpointsOptions {
  /** Path of the folder. Created if it does not exist. */
  readonly folder: string;
  /** World name, so that several worlds can share a folder: letters, digits, `-` and `_`, at most 64. */
  readonly world: string;
  /** Number of checkpoints to keep, at least 1; fewer if there is no room for so many. Default 2. */
  readonly keep?: number;
}

const VERSION = '1';
const MAGIC = new TextEncoder().encode(`umwkpt${VERSION}\n`);
const DIGEST_BYTES = 32;
const HEADER_BYTES = MAGIC.length + DIGEST_BYTES;
const TIME_DIGITS = 15;
/** The last time that a file's name can tell. */
const LAST_MS = 10 ** TIME_DIGITS - 1;
const LEFT_BEHIND_MS = 3600_000;

/**
 * Opens checkpoints in a folder. Throws `BAD_OPTION`. `save` and `newest` reject with `BAD_OPTION` for a folder that is none or that
 * this process may not use, with `TOO_MUCH` without room, and with `LOG_DOWN` for other faults of the file system; `newest` with
 * `BAD_SNAPSHOT` if there are checkpoints and all are damaged, and with `UNSUPPORTED` for one of another version.
 */
export function folderCheckpoints(options: FolderCheckpointsOptions): Checkpoints {
  rejectUnknown(options, ['folder', 'world', 'keep']);
  const { folder, world, keep = KEEP } = options;
  if (typeof folder !== 'string' || folder === '') throw badOption('folder', folder, 'a path');
  return new FolderCheckpoints(folder, worldName(world), wholeFrom('keep', keep, 1));
}

class FolderCheckpoints implements Checkpoints {
  readonly #folder: string;
  readonly #world: string;
  readonly #keep: number;
  #lastMs = 0;

  constructor(folder: string, world: string, keep: number) {
    this.#folder = folder;
    this.#world = world;
    this.#keep = keep;
  }

  async save(state: Uint8Array): Promise<void> {
    try {
      await this.#save(state);
    } catch (error) {
      throw faultOf(error, this.#folder);
    }
  }

  async newest(options?: NewestOptions): Promise<Uint8Array | undefined> {
    try {
      return await newestWhole(
        `the folder ${this.#folder}`,
        () => this.#names(),
        (name) => stateIn(path.join(this.#folder, name)),
        options,
      );
    } catch (error) {
      throw faultOf(error, this.#folder);
    }
  }

  async #save(state: Uint8Array): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    // Before the state is written: a disk may hold that for minutes, and a state that was saved meanwhile is newer.
    const file = this.#fileAt(await this.#nextMs());
    for (let isSaved = false; !isSaved; ) {
      try {
        await this.#write(file, state);
        isSaved = true;
      } catch (error) {
        // The room may be that of what crashes left behind, or of more than are kept by now: no save would ever remove them.
        const hasMore =
          isWithoutRoom(error) && ((await this.#tidy()) || (await this.#dropsOldest(error, state)));
        if (!hasMore) throw error;
      }
    }
    await syncFolder(this.#folder);
    await this.#tidy();
  }

  async #write(file: string, state: Uint8Array): Promise<void> {
    const unfinished = path.join(this.#folder, `${this.#world}.${randomUUID()}.unfinished`);
    try {
      await writeDurably(unfinished, [MAGIC, await digestOf(state), state]);
      await rename(unfinished, file);
    } catch (error) {
      // What was wrong at first says more than that this cannot be removed either.
      await unlink(unfinished).catch(() => {});
      throw error;
    }
  }

  /**
   * Milliseconds, strictly increasing even if the clock is set back, or the last one was saved by a machine whose clock is ahead:
   * otherwise the new checkpoint would count as the oldest, and be removed first.
   */
  async #nextMs(): Promise<number> {
    const [newest] = await this.#names();
    const savedMs = newest === undefined ? 0 : timeOf(newest);
    if (savedMs === LAST_MS) {
      throw new UmweltError(
        'BAD_SNAPSHOT',
        `the folder ${this.#folder} has the checkpoint ${newest}, expected none of the last time of all: no other could be newer. Remove or rename it`,
      );
    }
    this.#lastMs = Math.max(Date.now(), savedMs + 1, this.#lastMs + 1);
    return this.#lastMs;
  }

  #fileAt(ms: number): string {
    const time = String(ms).padStart(TIME_DIGITS, '0');
    return path.join(this.#folder, `${this.#world}.${time}.checkpoint`);
  }

  /** Newest first. */
  async #names(): Promise<string[]> {
    const all = await readdir(this.#folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return all
      .filter((name) => name.startsWith(`${this.#world}.`) && /^[^.]+\.\d{15}\.checkpoint$/.test(name))
      .sort()
      .reverse();
  }

  /** Whether it removed anything. */
  async #tidy(): Promise<boolean> {
    const extra: string[] = [];
    let kept = 0;
    for (const name of await this.#names()) {
      // A folder of that name is no checkpoint, and not this store's to remove.
      if ((await this.#stat(name))?.isDirectory()) continue;
      if (++kept > this.#keep) extra.push(name);
    }
    for (const name of await readdir(this.#folder)) {
      if (!name.startsWith(`${this.#world}.`) || !name.endsWith('.unfinished')) continue;
      const found = await this.#stat(name);
      // In the future, too: the machine that crashed had a clock that was ahead.
      if (found?.isFile() && Math.abs(Date.now() - found.mtimeMs) > LEFT_BEHIND_MS) extra.push(name);
    }
    let hasRemoved = false;
    for (const name of extra) hasRemoved = (await this.#remove(name)) || hasRemoved;
    return hasRemoved;
  }

  /**
   * Removes the oldest checkpoint, never the newest: a state that has grown must not end all saving, and fewer are kept. False if
   * that gives no room.
   */
  async #dropsOldest({ code }: SystemError, state: Uint8Array): Promise<boolean> {
    // Of a limit to one file others take no room.
    if (code === 'EFBIG') return false;
    const found = await Promise.all(
      (await this.#names()).map(async (name) => ({ name, stats: await this.#stat(name) })),
    );
    const [, ...older] = found.filter(({ stats }) => stats?.isFile());
    const oldest = older.at(-1);
    const free = await freeBytes(this.#folder);
    const room = older.reduce((sum, { stats }) => sum + (stats?.size ?? 0), free);
    return oldest !== undefined && room > HEADER_BYTES + state.length && this.#remove(oldest.name);
  }

  /** `undefined` if there is nothing of that name any more. */
  #stat(name: string): Promise<Stats | undefined> {
    return stat(path.join(this.#folder, name)).catch(() => undefined);
  }

  /**
   * The file may be missing: another process may have removed it. In a sticky folder it may be another user's, who removes it
   * when that user's process saves. False if it was not removed.
   */
  async #remove(name: string): Promise<boolean> {
    try {
      // Not rm(): that takes what it may not remove for a folder.
      await unlink(path.join(this.#folder, name));
      return true;
    } catch (error) {
      if (!isSystemError(error) || !['ENOENT', 'EPERM'].includes(error.code)) throw error;
      return false;
    }
  }
}

/** Codes of the file system for a folder that is none, or that this process may not use. */
const UNUSABLE = new Set([
  'EACCES',
  'EEXIST',
  'ELOOP',
  'ENAMETOOLONG',
  'ENOENT',
  'ENOTDIR',
  'EPERM',
  'EROFS',
]);
const WITHOUT_ROOM = new Set(['EDQUOT', 'EFBIG', 'ENOSPC']);

/**
 * Codes of a file that will not be read, while others may be: a disk that lost it, a link to itself, and a folder of that name. A container
 * runtime makes such a folder in place of a file that it is to mount and does not find.
 */
const DAMAGED = new Set(['EIO', 'EISDIR', 'ELOOP']);

/** An error of the file system as an UmweltError that names the folder; others as they are. */
function faultOf(error: unknown, folder: string): unknown {
  if (!isSystemError(error)) return error;
  const { code, message } = error;
  const details = { field: 'folder', value: folder };
  if (UNUSABLE.has(code)) {
    const expected =
      'a folder, or a path where one can be made, in which this process may read and write files';
    return new UmweltError(
      'BAD_OPTION',
      `folder: '${folder}' was given, expected ${expected}: ${message}`,
      details,
    );
  }
  if (WITHOUT_ROOM.has(code)) {
    const expected = 'room for a checkpoint beside the newest one';
    return new UmweltError(
      'TOO_MUCH',
      `the folder ${folder} is full, expected ${expected}: ${message}`,
      details,
    );
  }
  return new UmweltError('LOG_DOWN', `the folder ${folder} cannot be used: ${message}`, details);
}

function isWithoutRoom(error: unknown): error is SystemError {
  return isSystemError(error) && WITHOUT_ROOM.has(error.code);
}

type SystemError = Error & { readonly code: string };

function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string';
}

/** 0 if the runtime or the file system does not tell. */
async function freeBytes(folder: string): Promise<number> {
  try {
    // Not every runtime has that call: as a named import it would be missed when this file is loaded.
    const { bavail, bsize } = await files.statfs(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

function timeOf(name: string): number {
  return Number(name.split('.')[1]);
}

async function digestOf(state: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', state as Uint8Array<ArrayBuffer>));
}

async function writeDurably(file: string, parts: readonly Uint8Array[]): Promise<void> {
  const handle = await open(file, 'wx');
  try {
    for (const part of parts) await handle.writeFile(part);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Without this a power failure may undo the rename. Some file systems cannot sync a folder; that is ignored. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

/** Throws `UNSUPPORTED` for a file of another version: to pass over it would be to lose what a newer program saved. */
async function stateIn(file: string): Promise<Uint8Array | 'damaged' | 'gone'> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return 'gone' as const;
    if (DAMAGED.has(error.code ?? '')) return 'damaged' as const;
    throw error;
  });
  if (typeof bytes === 'string') return bytes;
  if (bytes.length < HEADER_BYTES) return 'damaged';
  const [, version] = /^umwkpt(\d)\n$/.exec(bytes.toString('latin1', 0, MAGIC.length)) ?? [];
  const state = new Uint8Array(bytes.subarray(HEADER_BYTES));
  const digest = await digestOf(state);
  const isWhole = version !== undefined && digest.every((byte, at) => bytes[MAGIC.length + at] === byte);
  if (!isWhole) return 'damaged';
  if (version === VERSION) return state;
  throw new UmweltError(
    'UNSUPPORTED',
    `the checkpoint ${file} is of version ${version}, expected ${VERSION}: another version of @umwelt/cluster saved it`,
    { value: Number(version) },
  );
}
