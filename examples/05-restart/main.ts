/**
 * npm run example -- 05-restart: a server that stops on SIGTERM and continues in a new process: players only see a pause
 *
 * Start it, connect, stop it (Ctrl-C or SIGTERM) and start it again with the same port and file: clients reconnect by themselves,
 * keep their identity, and get what has changed since. `--port NUMBER` (7620, 0 for any free one), `--file PATH` (town.snapshot,
 * in the current folder).
 */
import { parseArgs } from 'node:util';
import { WebSocketTransport } from '@umwelt/gateway';
import { saveTown, takeTown } from './saved-file.ts';
import { TICK_MS, Town } from './town.ts';

const { values } = parseArgs({
  options: { port: { type: 'string', default: '7620' }, file: { type: 'string', default: 'town.snapshot' } },
});
const saved = await takeTown(values.file);
const town = new Town(saved);
const transport = new WebSocketTransport({ port: Number(values.port), host: '127.0.0.1' });
try {
  await town.listen(transport);
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}; choose another port with --port`);
  process.exit(2);
}
const clients = [...town.gateway.sessions].length;
console.log(`ws://127.0.0.1:${transport.port}/ (Ctrl-C stops)`);
console.log(saved ? `continues after tick ${town.world.tickCount} with ${clients} players` : 'a new town');
const timer = setInterval(() => town.step(), TICK_MS);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    clearInterval(timer);
    // From here on no input is accepted, so that clients miss nothing that is not in the saved state.
    const drained = town.gateway.drain({ keepSessions: true });
    await saveTown(values.file, town.save());
    console.log(`saved after tick ${town.world.tickCount}`);
    await drained;
  });
}
