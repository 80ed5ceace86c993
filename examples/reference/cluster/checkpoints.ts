// Example of: folderCheckpoints, FolderCheckpointsOptions, Checkpoints, NewestOptions
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type Checkpoints,
  type FolderCheckpointsOptions,
  folderCheckpoints,
  joinWorld,
  memoryLog,
  type NewestOptions,
} from '@umwelt/cluster';

const folder = await mkdtemp(path.join(tmpdir(), 'checkpoints-'));
const options: FolderCheckpointsOptions = { folder, world: 'prime', keep: 3 };
const checkpoints: Checkpoints = folderCheckpoints(options);

// Nodes save there by themselves, and the first one after all have died continues from it.
const node = await joinWorld({ log: memoryLog(), tickMs: 10, checkpoints, checkpointMs: 60_000 });
await node.leave();

// The store itself: bytes in, the newest undamaged ones out.
const own = folderCheckpoints({ folder, world: 'other' });
await own.save(Uint8Array.of(1, 2, 3));
console.log((await own.newest())?.length); // 3

// What cannot be used is passed over for an older one, as a node does with bytes that are no state.
await own.save(Uint8Array.of(4));
let skipped = 0;
const long: NewestOptions = {
  isUsable: (bytes) => bytes.length > 2,
  skipped: (count) => {
    skipped += count;
  },
};
console.log((await own.newest(long))?.length); // 3
console.log(skipped); // 1
await rm(folder, { recursive: true });
