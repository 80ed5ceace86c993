/**
 * The allowed imports: the architecture's arrows as one table. arrows.ts compares the code with it, architecture-page.ts
 * the page.
 *
 * A row names a folder or a single file; a last part of '*' stands for each existing folder. A file belongs to its
 * longest matching row, and may import its own row and the listed ones. A row covers the folders below it, too, except
 * for the top folder of a package's sources and of bench, examples and tools: each folder in those has a row of its own,
 * so that a new folder must be given its place here before other code imports it.
 */

const core = 'packages/core/src';
const scenarios = 'packages/scenarios/src';
const gateway = 'packages/gateway/src';
const client = 'packages/client/src';
const inspector = 'packages/inspector/src';
const colyseus = 'packages/colyseus/src';
const cluster = 'packages/cluster/src';
const cli = 'packages/cli/src';
const create = 'packages/create-umwelt';

/** Core's layers from the bottom up: each may import those before it. world.ts and the files beside it are on top. */
export const coreOrder: readonly string[] = [
  'errors.ts',
  'columns.ts',
  'settings.ts',
  'bytes',
  'threads',
  'kernels/layouts',
  'kernels',
  'entities',
  'detectors',
  'reports',
  'interest/table',
  'interest/rules',
  'interest/grids',
  'interest/standing',
  'interest/derived',
  'interest/seats',
  'interest/attached',
  'interest',
  'options.ts',
  'snapshot',
  'queries',
];
const coreLayers = within(core, ...coreOrder);

function within(folder: string, ...names: string[]): string[] {
  return names.map((name) => `${folder}/${name}`);
}

/** Left: the importing folder or file. Right: what it may import besides itself. */
export const arrows: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(coreLayers.map((layer, index) => [layer, coreLayers.slice(0, index)])),
  // AssemblyScript: outside its own folder it may import only layouts.
  [`${core}/kernels/wasm`]: [`${core}/kernels/layouts`],
  // The public names: recordings, their replay and channels build on World.
  [core]: [...coreLayers, ...within(core, 'recording', 'channels')],
  [`${core}/recording`]: [core, ...coreLayers],
  [`${core}/channels`]: [core, ...coreLayers],
  [`${core}/conformance`]: [core, ...coreLayers],
  'packages/core/test': [
    core,
    ...coreLayers,
    ...within(core, 'recording', 'channels', 'conformance'),
    scenarios,
    'tools',
  ],

  // Code that generators and readers of traces share is in the folder above both.
  [scenarios]: [core, ...within(scenarios, 'generators', 'traces')],
  [`${scenarios}/generators`]: [core, scenarios],
  [`${scenarios}/traces`]: [core, scenarios],
  'packages/scenarios/test': [core, scenarios, ...within(scenarios, 'generators', 'traces')],

  // Both ends of the frame format implement its document and share no code.
  [`${gateway}/wire`]: [],
  [`${gateway}/appearance`]: [core, ...within(gateway, 'wire', 'bounds')],
  [`${gateway}/views`]: [core, ...within(gateway, 'wire', 'appearance')],
  [`${gateway}/bounds`]: [core],
  [`${gateway}/transports`]: [core, `${gateway}/bounds`],
  [`${gateway}/telemetry`]: [core],
  [`${gateway}/sessions`]: [
    core,
    ...within(gateway, 'wire', 'appearance', 'views', 'transports', 'telemetry', 'bounds'),
  ],
  [`${gateway}/snapshot`]: [core, ...within(gateway, 'wire', 'appearance', 'views', 'sessions')],
  [gateway]: [
    core,
    ...within(
      gateway,
      'wire',
      'appearance',
      'views',
      'transports',
      'sessions',
      'snapshot',
      'telemetry',
      'bounds',
    ),
  ],
  'packages/gateway/test': [
    core,
    scenarios,
    gateway,
    ...within(gateway, 'wire', 'appearance', 'views', 'transports', 'sessions', 'bounds'),
    client,
    'tools',
  ],
  [client]: [],
  'packages/client/test': [client, 'tools'],

  // The room's side and, in client.ts, the player's; code that both share is in the folder above them.
  [colyseus]: [core, gateway],
  [`${colyseus}/client.ts`]: [client, colyseus],
  'packages/colyseus/test': [core, gateway, client, scenarios, colyseus, `${colyseus}/client.ts`, 'tools'],

  // Records do not know how they are applied; the state does not know time or network.
  [`${cluster}/records`]: [core],
  [`${cluster}/state`]: [core, `${cluster}/records`],
  [`${cluster}/checkpoints`]: [core, `${cluster}/log`],
  [`${cluster}/log`]: [core],
  [`${cluster}/status`]: [core, ...within(cluster, 'records', 'state', 'log')],
  [`${cluster}/node`]: [core, ...within(cluster, 'records', 'state', 'log', 'checkpoints', 'status')],
  [cluster]: [core, ...within(cluster, 'records', 'state', 'log', 'checkpoints', 'status', 'node')],
  'packages/cluster/test': [
    core,
    gateway,
    client,
    cluster,
    ...within(cluster, 'records', 'state', 'log', 'checkpoints', 'status', 'node'),
    'tools',
  ],

  // The frame format and other files that server and page share are in the folder above both.
  // a world of its own.
  [inspector]: [core, ...within(inspector, 'feed', 'server')],
  [`${inspector}/feed`]: [core, inspector],
  [`${inspector}/server`]: [core, inspector, `${inspector}/feed`],
  [`${inspector}/page`]: [core, inspector],
  // Feed, page and a world with any detector in one file; not part of the package.
  'packages/inspector/playground': [
    core,
    `${core}/detectors`,
    scenarios,
    inspector,
    ...within(inspector, 'feed', 'page'),
  ],
  'packages/inspector/test': [
    core,
    inspector,
    ...within(inspector, 'feed', 'server', 'page'),
    'packages/inspector',
    'packages/inspector/playground',
    scenarios,
    'tools',
  ],
  // vite.config.ts
  'packages/inspector': [],

  // command-line.ts names the commands; code that several of them need is beside it.
  [cli]: [core, scenarios, `${cli}/commands`],
  [`${cli}/commands`]: [
    core,
    scenarios,
    gateway,
    inspector,
    cluster,
    cli,
    ...within(cli, 'compare', 'replay', 'serve'),
  ],
  [`${cli}/compare`]: [core, scenarios, cli],
  [`${cli}/replay`]: [core, inspector, cli, `${cli}/commands`],
  [`${cli}/serve`]: [core, gateway, cli],
  'packages/cli/test': [
    core,
    scenarios,
    gateway,
    client,
    inspector,
    cluster,
    cli,
    ...within(cli, 'commands', 'compare', 'replay', 'serve'),
    'tools',
  ],

  // Writes files and imports none of our packages. Each template is self-contained, as the project made from it.
  [`${create}/src`]: [],
  [`${create}/templates/*`]: [core, gateway, client, inspector, colyseus, `${colyseus}/client.ts`],
  [`${create}/test`]: [`${create}/src`],

  bench: within('bench', 'engines', 'measure', 'report', 'suites'),
  'bench/engines': [core, scenarios],
  'bench/load': [core, scenarios, gateway, client],
  'bench/measure': [scenarios, 'bench/engines'],
  // Goals read what suites measured, and the goals are a suite, too.
  'bench/goals': [scenarios, ...within('bench', 'engines', 'measure', 'report', 'suites')],
  'bench/report': ['bench', ...within('bench', 'engines', 'goals', 'measure')],
  'bench/suites': [
    core,
    scenarios,
    gateway,
    client,
    ...within('bench', 'engines', 'goals', 'load', 'measure'),
  ],
  'bench/test': [
    core,
    scenarios,
    'bench',
    ...within('bench', 'engines', 'goals', 'load', 'measure', 'report', 'suites'),
  ],

  // Each example is self-contained: a reader must not need another one.
  examples: ['tools'],
  // Before the row of all examples, of which the first that fits counts.
  'examples/reference': [
    core,
    `${core}/bytes.ts`,
    `${core}/conformance`,
    `${core}/detectors`,
    scenarios,
    gateway,
    `${gateway}/opentelemetry.ts`,
    client,
    colyseus,
    `${colyseus}/client.ts`,
    cluster,
    inspector,
  ],
  'examples/*': [
    core,
    `${core}/conformance`,
    scenarios,
    gateway,
    client,
    colyseus,
    `${colyseus}/client.ts`,
    cluster,
    inspector,
    'examples',
    'tools',
  ],

  tools: [core, `${core}/conformance`, 'tools/checks', 'tools/reference'],
  'tools/checks': ['tools', 'tools/reference'],
  'tools/reference': [],
  'tools/test': ['tools', 'tools/checks', 'tools/reference'],
  // Scripts of a user: they run where the packages are installed.
  'tools/packed': [core, scenarios, gateway, client, inspector, colyseus, `${colyseus}/client.ts`],
  'tools/bundled': [core, `${core}/detectors`],
  // Transforms the sources that it is given, and reads none.
  'tools/site': [],
  'tools/checked-columns': [],
  'vitest.config.ts': ['tools', 'tools/checked-columns'],
};

/** The folders in which each folder must have a row of its own. */
const topFolders = /^(packages\/[^/]+(\/src)?|bench|examples|tools)$/;

/** A file's row, and the folder or file that the row stands for there. */
export interface Place {
  readonly row: string;
  readonly folder: string;
}

const places = new Map<string, Place | undefined>();

/** The longest row that covers `file`, or `undefined`. */
export function placeOf(file: string): Place | undefined {
  if (!places.has(file)) places.set(file, searchPlace(file));
  return places.get(file);
}

function searchPlace(file: string): Place | undefined {
  let found: Place | undefined;
  for (const row of Object.keys(arrows)) {
    const folder = folderOf(row, file);
    if (folder !== undefined && folder.length > (found?.folder.length ?? -1)) found = { row, folder };
  }
  return found;
}

function folderOf(row: string, file: string): string | undefined {
  const parts = file.split('/');
  const pattern = row.split('/');
  if (!pattern.every((name, index) => name === parts[index] || (name === '*' && index < parts.length - 1))) {
    return undefined;
  }
  const below = parts.length - pattern.length;
  return below > 1 && topFolders.test(row) ? undefined : parts.slice(0, pattern.length).join('/');
}
