/**
 * The templates that there are, and what each needs besides its files.
 *
 * A template is a folder of `templates/`, whole as it stands there; only what npm would not pack under its own name is called
 * otherwise, and package.json is made (`manifest.ts`). Which versions of others' packages go with it, this package's own
 * package.json says: there they are what the templates are tried with.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { Mistake } from './mistake.ts';

export interface Template {
  readonly name: string;
  /** A few words for who chooses. */
  readonly summary: string;
  /** What runs with the server, ours and others'. */
  readonly dependencies: readonly string[];
  /** What `npm test` runs. */
  readonly test: string;
}

const OURS = ['umwelt', '@umwelt/gateway', '@umwelt/client', '@umwelt/inspector'];

/** What all of them need while they are developed. */
export const DEV_DEPENDENCIES: readonly string[] = ['@types/node', 'typescript', 'vite'];

export const TEMPLATES: readonly Template[] = [
  {
    name: 'ws',
    summary: 'a game over WebSockets: one server, one page',
    dependencies: OURS,
    test: 'game.test.ts',
  },
  {
    name: 'colyseus',
    summary: 'a Colyseus room whose clients perceive',
    dependencies: [...OURS, '@umwelt/colyseus', '@colyseus/core', '@colyseus/sdk', '@colyseus/ws-transport'],
    test: 'meadow-room.test.ts',
  },
  {
    name: 'ecs',
    summary: 'the game of `ws`, kept in an entity component system (bitECS)',
    dependencies: [...OURS, 'bitecs'],
    test: 'game.test.ts',
  },
];

/** Throws a `Mistake` for a name that none has. */
export function templateNamed(name: string): Template {
  const found = TEMPLATES.find((each) => each.name === name);
  if (found !== undefined) return found;
  const names = TEMPLATES.map((each) => each.name).join(', ');
  throw new Mistake(`template is '${name}'; expected one of ${names}`);
}

/** Where the files of a template lie. */
export function folderOf({ name }: Template): string {
  const folder = path.resolve(import.meta.dirname, '../templates', name);
  if (!existsSync(folder)) throw new Error(`${folder} is not there: the package is damaged`);
  return folder;
}
