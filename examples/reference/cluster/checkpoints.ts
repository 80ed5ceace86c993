// Example of: folderCheckpoints, FolderCheckpointsOptions, Checkpoints
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type Checkpoints,
  type FolderCheckpointsOptions,
  folderCheckpoints,
  joinWorld,
  memoryLog,
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
await rm(folder, { recursive: true });
