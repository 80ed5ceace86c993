/** A node in its own process: `node shard-process.ts SETTINGS`, where SETTINGS is JSON. It ends with its parent process. */
import { natsLog } from '@umwelt/cluster';
import { Shard } from './shard.ts';

export interface ShardSettings {
  readonly server: string;
  readonly name: string;
  readonly walkers: number;
}

process.once('disconnect', () => process.exit());
const { server, name, walkers }: ShardSettings = JSON.parse(process.argv[2] ?? '');
const log = await natsLog({ servers: server, world: 'land', maxBytes: 2 ** 28 });
const { port } = await Shard.start({ log, name, walkers });
process.send?.(port);
