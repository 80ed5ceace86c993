/**
 * `umwelt serve`: area of interest as a service, for game servers in other languages.
 *
 * One process with one world. Callers put, update and remove entities under their own keys over a WebSocket. For each watcher
 * that they put they get what entered, left, changed and is sensed differently. docs/serve.md specifies every byte.
 */
import { WebSocketTransport } from '@umwelt/gateway';
import { UmweltError, World, type WorldOptions } from 'umwelt';
import { optionLines } from '../arguments.ts';
import { faultLine, Mistake } from '../faults.ts';
import { counted, ticksPerSecond } from '../numbers.ts';
import { Playback } from '../playback.ts';
import { planOf, SERVE_OPTIONS, type ServePlan } from '../serve/serve-plan.ts';
import { Service } from '../serve/service.ts';
import type { Terminal } from '../terminal.ts';
import type { Command } from './command.ts';

export const serve: Command = {
  name: 'serve',
  help: `umwelt serve: area of interest for servers in other languages, over a WebSocket

Usage: umwelt serve [OPTIONS]

${optionLines(SERVE_OPTIONS)}

Callers add entities under their own keys and receive, each tick, what their watchers perceive: in binary, or in JSON
for trying it by hand. All callers share one world. When a connection ends, its entities are removed. The format is in
docs/serve.md.

Examples:
  umwelt serve --rate 0                               a tick when a caller requests it
  umwelt serve --senses sight,hearing --interests rules.json
  UMWELT_TOKEN=... umwelt serve --host 0.0.0.0

Ctrl-C or SIGTERM stops it: connections are closed with 1001.`,
  run: (words, terminal) => serveWorld(planOf(words, terminal.environment ?? {}), terminal),
};

async function serveWorld(plan: ServePlan, { output, clock, stop }: Terminal): Promise<void> {
  const world = worldOf(plan.world);
  const service = new Service({
    world,
    rate: plan.rate,
    token: plan.token,
    clock,
    limits: { entitiesMax: plan.entitiesMax },
    log: (line) => output.write(`${line}\n`),
  });
  const transport = new WebSocketTransport({
    port: plan.port,
    host: plan.host,
    publicHealth: plan.publicHealth,
    ...(plan.adminPort === undefined ? {} : { adminPort: plan.adminPort }),
  });
  await service.listen(transport).catch((error: unknown) => {
    throw namingItsOption(error, plan);
  });
  try {
    output.write(`${greeting(plan, world, transport)}\n`);
    await ticksUntil(stop, plan, service, clock);
  } finally {
    await service.drain();
    await world.dispose();
    const { counts } = service;
    output.write(
      `ended after ${counted(counts.ticks.of(), 'tick')}, ${counted(counts.batches.of(), 'batch', 'batches')}\n`,
    );
  }
}

/** The options that the words give, by the member of `WorldOptions` that they become. */
const OPTION_OF: Readonly<Record<string, string>> = {
  senses: '--senses',
  rangeShape: '--range-shape',
  groups: '--groups',
  interests: '--interests',
};

/** @throws Mistake that names the option of the command line, for what the world refuses. */
function worldOf(options: WorldOptions): World {
  try {
    return new World(options);
  } catch (error) {
    if (!(error instanceof UmweltError)) throw error;
    const { field = '' } = error.details;
    const option = OPTION_OF[field.split('.')[0] ?? ''];
    if (option === undefined) {
      // A member that no option has: of all options, only the interests come from a file.
      throw options.interests === undefined ? error : new Mistake(`--interests: ${error.message}`);
    }
    const own = error.message.replace(
      `${field}: `,
      field.includes('.') ? `${field.slice(field.indexOf('.') + 1)}: ` : '',
    );
    throw new Mistake(`${option}: ${own.replace('dimensions: 3', '--dimensions 3')}`);
  }
}

/** An error about the admin port names the option of that port. */
function namingItsOption(error: unknown, { adminPort }: ServePlan): unknown {
  const port = (error as { readonly port?: number } | undefined)?.port;
  const line = port === undefined || port !== adminPort ? undefined : faultLine(error, '--admin-port');
  return line === undefined ? error : new Mistake(line);
}

/** Ticks at the plan's rate, or when callers request it, until it is stopped. */
async function ticksUntil(
  stop: AbortSignal,
  { rate }: ServePlan,
  service: Service,
  clock: Terminal['clock'],
): Promise<void> {
  const stopped = Promise.withResolvers<void>();
  const onStop = () => stopped.resolve();
  stop.addEventListener('abort', onStop, { once: true });
  if (stop.aborted) onStop();
  if (rate > 0) {
    const tick = () => {
      service.tick();
      return true;
    };
    const playback = new Playback({ clock, periodMs: 1000 / rate, speed: 1, tick });
    await Promise.race([playback.run(), stopped.promise]);
    playback.stop();
  } else await stopped.promise;
  stop.removeEventListener('abort', onStop);
}

function greeting(
  { rate, token, host, world: { detector } }: ServePlan,
  world: World,
  transport: WebSocketTransport,
): string {
  const pace = rate === 0 ? 'ticks on demand' : ticksPerSecond(rate);
  const address = host.includes(':') ? `[${host}]` : host;
  const lines = [
    `ws://${address}:${transport.port}/ (Ctrl-C stops)`,
    `${world.dimensions}-D, senses ${world.senseNames.join(', ')}, ${pace}, detector ${detector}`,
    token === undefined ? 'no token: any program on this machine may connect' : 'callers need the token',
  ];
  if (transport.adminPort !== 0) lines.push(`metrics on http://127.0.0.1:${transport.adminPort}/metrics`);
  return lines.join('\n');
}
