/** Checkpoints in a folder: what is kept, what is passed over, what a crash leaves. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { newestWhole } from '../../src/checkpoints/checkpoints.ts';
import { folderCheckpoints } from '../../src/checkpoints/folder-checkpoints.ts';
import { joinWorld, memoryLog } from '../../src/index.ts';
import { haltNodes } from '../joined-nodes.ts';
import { itKeepsCheckpoints, newestOf, state } from './checkpoints-contract.ts';

afterEach(haltNodes);

function newFolder(): string {
  const parent = mkdtempSync(path.join(tmpdir(), 'umwelt-checkpoints-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  return path.join(parent, 'made', 'by-itself');
}

itKeepsCheckpoints(() => {
  const folder = newFolder();
  return Promise.resolve(() => Promise.resolve(folderCheckpoints({ folder, world: 'w' })));
});

it('keeps as many as it is told, each world its own', async () => {
  const folder = newFolder();
  const three = folderCheckpoints({ folder, world: 'w', keep: 3 });
  const other = folderCheckpoints({ folder, world: 'w2' });
  await other.save(state(99));
  for (let value = 1; value <= 5; value++) await three.save(state(value));
  expect(readdirSync(folder).filter((name) => name.startsWith('w.'))).toHaveLength(3);
  expect(await newestOf(other)).toEqual({ value: 99, length: 300_000 });
});

it('passes over one that was cut short or altered', async () => {
  const folder = newFolder();
  const checkpoints = folderCheckpoints({ folder, world: 'w', keep: 3 });
  for (const value of [1, 2, 3]) await checkpoints.save(state(value));
  const [, second, third] = readdirSync(folder)
    .sort()
    .map((name) => path.join(folder, name));
  truncateSync(third!, 200_000);
  expect((await newestOf(checkpoints))?.value).toBe(2);
  const bytes = readFileSync(second!);
  bytes[1000] = bytes[1000]! ^ 1;
  writeFileSync(second!, bytes);
  expect((await newestOf(checkpoints))?.value).toBe(1);
});

it('does not say that there are none if all are damaged, or if a later version saved the newest', async () => {
  const folder = newFolder();
  const checkpoints = folderCheckpoints({ folder, world: 'w' });
  for (const value of [1, 2]) await checkpoints.save(state(value));
  const [first, second] = readdirSync(folder)
    .sort()
    .map((name) => path.join(folder, name));
  const bytes = readFileSync(second!);
  bytes[6] = '2'.charCodeAt(0);
  writeFileSync(second!, bytes);
  await expect(checkpoints.newest()).rejects.toMatchObject({ code: 'UNSUPPORTED', details: { value: 2 } });
  await expect(joinWorld({ log: memoryLog(), checkpoints })).rejects.toMatchObject({ code: 'UNSUPPORTED' });
  truncateSync(second!, 200_000);
  expect((await newestOf(checkpoints))?.value).toBe(1);
  truncateSync(first!, 0);
  await expect(checkpoints.newest()).rejects.toMatchObject({ code: 'BAD_SNAPSHOT' });
  const joined = joinWorld({ log: memoryLog(), checkpoints, patienceMs: 300 });
  await expect(joined).rejects.toMatchObject({ code: 'BAD_SNAPSHOT' });
  expect(readdirSync(folder)).toHaveLength(2);
});

it('finds the newer ones that took the place of those it was about to read', async () => {
  const listed = [['a', 'b'], ['c']];
  const read = (name: string) => Promise.resolve(name === 'c' ? state(3) : ('gone' as const));
  expect(await newestWhole('it', () => Promise.resolve(listed.shift()!), read)).toEqual(state(3));
  const again = newestWhole('it', () => Promise.resolve(['a']), read);
  await expect(again).rejects.toMatchObject({ code: 'BAD_SNAPSHOT' });
});

it('never takes a half written one, and removes it when it is old', async () => {
  const folder = newFolder();
  const checkpoints = folderCheckpoints({ folder, world: 'w' });
  await checkpoints.save(state(1));
  const names = ['w.young.unfinished', 'w.old.unfinished', 'w.future.unfinished'];
  const [young, old, future] = names.map((name) => path.join(folder, name));
  for (const file of [young!, old!, future!]) writeFileSync(file, 'half');
  utimesSync(old!, 1, 1);
  utimesSync(future!, Date.now() / 1000 + 86_400, Date.now() / 1000 + 86_400);
  await checkpoints.save(state(2));
  expect(readdirSync(folder).filter((name) => name.endsWith('.unfinished'))).toEqual(['w.young.unfinished']);
  expect((await newestOf(checkpoints))?.value).toBe(2);
});

it('the newest is the one that was saved last, also after a process whose clock was hours ahead', async () => {
  const folder = newFolder();
  const now = Date.now();
  const ahead = vi.spyOn(Date, 'now').mockReturnValue(now + 5 * 3600_000);
  onTestFinished(() => ahead.mockRestore());
  const first = folderCheckpoints({ folder, world: 'w' });
  for (const value of [1, 2]) await first.save(state(value));
  ahead.mockReturnValue(now);
  const second = folderCheckpoints({ folder, world: 'w' });
  for (const value of [3, 4]) {
    await second.save(state(value));
    expect((await newestOf(second))?.value).toBe(value);
  }
});

it('one with the last time that a name can tell is not followed by one that is never found', async () => {
  const folder = newFolder();
  const checkpoints = folderCheckpoints({ folder, world: 'w' });
  await checkpoints.save(state(1));
  const [name] = readdirSync(folder);
  const last = path.join(folder, 'w.999999999999999.checkpoint');
  renameSync(path.join(folder, name!), last);
  await expect(checkpoints.save(state(2))).rejects.toMatchObject({
    code: 'BAD_SNAPSHOT',
    message: expect.stringContaining('w.999999999999999.checkpoint'),
  });
  expect(readdirSync(folder)).toHaveLength(1);
  rmSync(last);
  await checkpoints.save(state(3));
  expect((await newestOf(checkpoints))?.value).toBe(3);
});

it('a folder with the name of a checkpoint is damaged, is left alone, and is in the way of none', async () => {
  const folder = newFolder();
  const checkpoints = folderCheckpoints({ folder, world: 'w', keep: 1 });
  const names = ['w.000000000000001.checkpoint', 'w.900000000000000.checkpoint', 'w.old.unfinished'];
  for (const name of names) mkdirSync(path.join(folder, name, 'something'), { recursive: true });
  utimesSync(path.join(folder, 'w.old.unfinished'), 1, 1);
  await expect(checkpoints.newest()).rejects.toMatchObject({
    code: 'BAD_SNAPSHOT',
    message: expect.stringContaining('2 checkpoints'),
  });
  for (const value of [1, 2, 3]) {
    await checkpoints.save(state(value));
    expect((await newestOf(checkpoints))?.value).toBe(value);
  }
  expect(readdirSync(folder).filter((name) => !names.includes(name))).toHaveLength(1);
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(names));
});

it('a save that the disk holds up is not taken for newer than one that began later', async () => {
  const folder = newFolder();
  const checkpoints = folderCheckpoints({ folder, world: 'w' });
  const digest = crypto.subtle.digest.bind(crypto.subtle);
  const free = Promise.withResolvers<void>();
  const held = vi.spyOn(crypto.subtle, 'digest').mockImplementationOnce(async (how, bytes) => {
    await free.promise;
    return digest(how, bytes);
  });
  onTestFinished(() => held.mockRestore());
  const first = checkpoints.save(state(1));
  await expect.poll(() => held.mock.calls.length).toBe(1);
  await checkpoints.save(state(2));
  free.resolve();
  await first;
  expect((await newestOf(checkpoints))?.value).toBe(2);
});

/** Calls that fail in the same way: both must name the folder. */
async function expectFaults(folder: string, code: string, told: string): Promise<void> {
  const checkpoints = folderCheckpoints({ folder, world: 'w' });
  for (const call of [() => checkpoints.save(state(1)), () => checkpoints.newest()]) {
    await expect(call()).rejects.toMatchObject({
      name: 'UmweltError',
      code,
      message: expect.stringMatching(new RegExp(`'${folder}' was given, expected a folder.*: ${told}`)),
      details: { field: 'folder', value: folder },
    });
  }
}

it('says which folder is none', async () => {
  const file = path.resolve(newFolder(), '..', '..', 'a-file');
  writeFileSync(file, '');
  await expectFaults(path.join(file, 'below'), 'BAD_OPTION', 'ENOTDIR');
  await expectFaults(file, 'BAD_OPTION', 'E(NOTDIR|EXIST)');
});

const isRoot = process.geteuid?.() === 0;

/** The superuser may do everything. */
async function asNobody(act: () => Promise<void>): Promise<void> {
  if (isRoot) process.seteuid?.(65_534);
  try {
    await act();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

it.skipIf(process.geteuid === undefined)(
  'says which folder it may not use, and uses it once it may',
  async () => {
    const folder = newFolder();
    await folderCheckpoints({ folder, world: 'w' }).save(state(1));
    chmodSync(folder, 0);
    await asNobody(() => expectFaults(folder, 'BAD_OPTION', 'EACCES'));
    chmodSync(folder, 0o700);
    const again = folderCheckpoints({ folder, world: 'w' });
    expect((await newestOf(again))?.value).toBe(1);
    await again.save(state(2));
    expect((await newestOf(again))?.value).toBe(2);
  },
);

it.skipIf(!isRoot)(
  'a sticky folder: saves beside the checkpoints of another user, which it may not remove',
  async () => {
    const folder = newFolder();
    const own = folderCheckpoints({ folder, world: 'w' });
    for (const value of [1, 2]) await own.save(state(value));
    for (const above of [folder, path.dirname(folder), path.dirname(path.dirname(folder))])
      chmodSync(above, 0o1777);
    await asNobody(async () => {
      const other = folderCheckpoints({ folder, world: 'w' });
      for (let value = 3; value <= 6; value++) {
        await other.save(state(value));
        expect((await newestOf(other))?.value).toBe(value);
      }
    });
    expect(readdirSync(folder)).toHaveLength(4);
    await own.save(state(7));
    expect(readdirSync(folder)).toHaveLength(2);
    expect((await newestOf(own))?.value).toBe(7);
  },
);

it.each([
  ['ENOSPC', 'TOO_MUCH', 'is full, expected room for a checkpoint'],
  ['EIO', 'LOG_DOWN', 'cannot be used'],
])(
  'a disk with %s is named, nothing is left of the new state and the former one is kept',
  async (code, fault, told) => {
    const folder = newFolder();
    const checkpoints = folderCheckpoints({ folder, world: 'w', keep: 1 });
    await checkpoints.save(state(1));
    const [name] = readdirSync(folder);
    const handle = await open(path.join(folder, name!));
    await handle.close();
    const failed = Object.assign(new Error(`${code}: of the disk, write`), { code, syscall: 'write' });
    const write = vi.spyOn(Object.getPrototypeOf(handle), 'writeFile');
    onTestFinished(() => write.mockRestore());
    write
      .mockImplementationOnce(() => Promise.resolve())
      .mockImplementationOnce(() => Promise.reject(failed));
    await expect(checkpoints.save(state(2))).rejects.toMatchObject({
      code: fault,
      message: expect.stringMatching(new RegExp(`the folder ${folder} ${told}.*: ${code}`)),
    });
    expect(readdirSync(folder)).toEqual([name]);
    expect((await newestOf(checkpoints))?.value).toBe(1);
    await checkpoints.save(state(3));
    expect((await newestOf(checkpoints))?.value).toBe(3);
  },
);

it.each([
  ['what crashes left behind', ['w.old.unfinished']],
  ['more checkpoints than are kept by now', ['w.000000000000001.checkpoint']],
  ['as many checkpoints as are kept', ['w.000000000000001.checkpoint'], 2],
])('a disk that is full of %s gets room for a new state', async (_what, names, keep = 1) => {
  const folder = newFolder();
  const checkpoints = folderCheckpoints({ folder, world: 'w', keep });
  await checkpoints.save(state(1));
  for (const name of [...names, 'w.young.unfinished']) writeFileSync(path.join(folder, name), 'half');
  for (const name of names) utimesSync(path.join(folder, name), 1, 1);
  const handle = await open(path.join(folder, 'w.young.unfinished'));
  await handle.close();
  const real = Object.getPrototypeOf(handle).writeFile;
  const write = vi.spyOn(Object.getPrototypeOf(handle), 'writeFile').mockImplementation(async function (
    this: unknown,
    ...given: unknown[]
  ) {
    if (readdirSync(folder).some((name) => names.includes(name)))
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), {
        code: 'ENOSPC',
        syscall: 'write',
      });
    return real.apply(this, given);
  });
  onTestFinished(() => write.mockRestore());
  await checkpoints.save(state(2));
  expect((await newestOf(checkpoints))?.value).toBe(2);
  expect(readdirSync(folder).filter((name) => name.endsWith('.unfinished'))).toEqual(['w.young.unfinished']);
  expect(readdirSync(folder)).toHaveLength(keep + 1);
});

it('keeps the newest checkpoint where there is no room even without the older ones', async () => {
  const folder = newFolder();
  const checkpoints = folderCheckpoints({ folder, world: 'w', keep: 3 });
  for (const value of [1, 2, 3]) await checkpoints.save(state(value));
  const names = readdirSync(folder).sort();
  const handle = await open(path.join(folder, names[0]!));
  await handle.close();
  for (const [code, left] of [
    ['EFBIG', names],
    ['ENOSPC', names.slice(2)],
  ] as const) {
    const write = vi
      .spyOn(Object.getPrototypeOf(handle), 'writeFile')
      .mockRejectedValue(Object.assign(new Error(`${code}: write`), { code, syscall: 'write' }));
    await expect(checkpoints.save(state(4))).rejects.toMatchObject({ code: 'TOO_MUCH' });
    write.mockRestore();
    expect(readdirSync(folder)).toEqual(left);
  }
  expect((await newestOf(checkpoints))?.value).toBe(3);
});

it.each([
  [{ folder: '' }, 'folder'],
  [{ world: '../up' }, 'world'],
  [{ keep: 0 }, 'keep'],
  [{ keeps: 2 }, 'keeps'],
])('refuses options %o', (wrong, field) => {
  expect(() => folderCheckpoints({ folder: 'x', world: 'w', ...wrong })).toThrow(
    expect.objectContaining({ code: 'BAD_OPTION', details: expect.objectContaining({ field }) }),
  );
});
