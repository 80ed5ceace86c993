/**
 * Who may import whom: the architecture's arrows as one table, and the check that holds the code to it.
 *
 * A row names a folder or a single file; a file belongs to its longest matching row, and may import its own row and
 * those listed. Type imports count: what a type names, its reader must understand. TypeScript's project references do
 * not do this work, since an import that goes up compiles.
 */
import { importsOf } from './imports.ts';
import { type Check, type Problem, type Repository, sourceFiles } from './repository.ts';

const core = 'packages/core/src';
const scenarios = 'packages/scenarios/src';
const gateway = 'packages/gateway/src';
const client = 'packages/client/src';
const inspector = 'packages/inspector/src';
const colyseus = 'packages/colyseus/src';
const cli = 'packages/cli/src';

/** Core from the ground up: each may import those before it. world.ts and what stands beside it lie on top. */
const coreLayers = [
  'errors.ts',
  'settings.ts',
  'recording/bytes',
  'threads',
  'kernels',
  'entities',
  'detectors',
  'reports',
  'interest',
  'queries',
].map((name) => `${core}/${name}`);

function gatewayFolders(...names: string[]): string[] {
  return names.map((name) => `${gateway}/${name}`);
}

/** The table. Left: who imports. Right: what it may import besides its own. */
const arrows: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(coreLayers.map((layer, index) => [layer, coreLayers.slice(0, index)])),
  [`${core}/kernels/wasm`]: [],
  // World stores itself through snapshots; recordings and their replay stand on World.
  [core]: [...coreLayers, `${core}/recording`],
  [`${core}/recording`]: [core, ...coreLayers],
  [`${core}/conformance`]: [core, ...coreLayers],
  'packages/core/test': [core, ...coreLayers, `${core}/recording`, `${core}/conformance`, scenarios, 'tools'],

  [scenarios]: [core],
  'packages/scenarios/test': [scenarios, core],

  // Both ends of the frame format know it from its document, and not from each other.
  [`${gateway}/wire`]: [],
  [`${gateway}/appearance`]: [core, `${gateway}/wire`],
  [`${gateway}/views`]: [core, `${gateway}/wire`, `${gateway}/appearance`],
  [`${gateway}/transports`]: [core],
  [`${gateway}/telemetry`]: [],
  [`${gateway}/sessions`]: [
    core,
    ...gatewayFolders('wire', 'appearance', 'views', 'transports', 'telemetry'),
  ],
  [gateway]: [core, ...gatewayFolders('wire', 'appearance', 'views', 'transports', 'sessions', 'telemetry')],
  'packages/gateway/test': [
    core,
    scenarios,
    gateway,
    client,
    ...gatewayFolders('wire', 'appearance', 'views', 'transports', 'sessions'),
    'tools',
  ],
  [client]: [],
  'packages/client/test': [client],

  // The room's side and, in client.ts, the player's: what both know lies above them.
  [colyseus]: [core, gateway],
  [`${colyseus}/client.ts`]: [client, colyseus],
  'packages/colyseus/test': [core, gateway, client, scenarios, colyseus, `${colyseus}/client.ts`, 'tools'],

  // The frame format and other files that server and page share lie above both.
  [inspector]: [core, `${inspector}/server`],
  [`${inspector}/server`]: [core, inspector],
  [`${inspector}/page`]: [core, inspector],
  'packages/inspector/test': [
    core,
    inspector,
    `${inspector}/server`,
    `${inspector}/page`,
    'packages/inspector',
    scenarios,
    'tools',
  ],
  // vite.config.ts
  'packages/inspector': [],

  [cli]: [core, scenarios, gateway, inspector],
  'packages/cli/test': [core, scenarios, gateway, client, inspector, cli, 'tools'],

  bench: [core, scenarios, gateway, client],
  examples: [
    core,
    `${core}/conformance`,
    scenarios,
    gateway,
    client,
    colyseus,
    `${colyseus}/client.ts`,
    inspector,
    'tools',
  ],
  tools: ['tools/checks', core, `${core}/conformance`],
  'tools/checks': ['tools'],
  'tools/test': ['tools', 'tools/checks'],
  'vitest.config.ts': [],
};

/** The row that `file` belongs to, or `undefined`. */
function rowOf(file: string): string | undefined {
  const rows = Object.keys(arrows).filter((row) => file === row || file.startsWith(`${row}/`));
  return rows.sort((first, second) => second.length - first.length)[0];
}

export const arrowsCheck: Check = {
  name: 'import arrows',
  check(repository: Repository): Problem[] {
    return sourceFiles(repository).flatMap((file) => problemsOf(repository, file));
  },
};

function problemsOf(repository: Repository, file: string): Problem[] {
  const from = rowOf(file);
  if (from === undefined) return [{ file, message: 'lies in no row of the table in tools/checks/arrows.ts' }];
  const allowed = arrows[from] ?? [];
  const problems: Problem[] = [];
  for (const { line, specifier, target } of importsOf(repository, file)) {
    // What is not source (a package.json, a page) has no arrows.
    if (target === undefined || !/\.(ts|tsx|mjs)$/.test(target)) continue;
    const to = rowOf(target);
    if (to === undefined) {
      problems.push({ file, line, message: `imports '${specifier}', which lies in no row of the arrows` });
    } else if (to !== from && !allowed.includes(to)) {
      const rule = allowed.length === 0 ? 'only itself' : `only itself and ${allowed.join(', ')}`;
      problems.push({ file, line, message: `imports '${specifier}': ${from} may import ${rule}` });
    } else if (specifier.startsWith('.') && packageOf(target) !== packageOf(file) && to !== 'tools') {
      problems.push({
        file,
        line,
        message: `reaches into another package by '${specifier}': import it by name`,
      });
    }
  }
  return problems;
}

/** The folder of the package a file belongs to: two levels under packages, one elsewhere. */
function packageOf(file: string): string {
  const parts = file.split('/');
  return parts.slice(0, parts[0] === 'packages' ? 2 : 1).join('/');
}
