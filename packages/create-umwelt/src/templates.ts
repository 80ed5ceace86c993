/**
 * The templates, and what each needs besides its files.
 *
 * A template is a folder in `templates/`, copied as it is. Only files that npm would not pack under their own name have another
 * name there, and package.json is generated (`manifest.ts`). The versions of other packages come from this package's own
 * package.json: the templates are tested with those.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { Mistake } from './mistake.ts';

export interface Template {
  readonly name: string;
  /** A few words for the choice. */
  readonly summary: string;
  /** Runtime dependencies, umwelt's and others. */
  readonly dependencies: readonly string[];
  /** The file that `npm test` runs. */
  readonly test: string;
}

const OURS = ['umwelt', '@umwelt/gateway', '@umwelt/client', '@umwelt/inspector'];

/** Development dependencies of all templates. */
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
    summary: 'a Colyseus room whose clients are sent what they perceive',
    dependencies: [...OURS, '@umwelt/colyseus', '@colyseus/core', '@colyseus/sdk', '@colyseus/ws-transport'],
    test: 'meadow-room.test.ts',
  },
  {
    name: 'ecs',
    summary: 'the game of `ws` with its entities in an entity component system (bitECS)',
    dependencies: [...OURS, 'bitecs'],
    test: 'game.test.ts',
  },
];

/** Throws a `Mistake` for an unknown name. */
export function templateNamed(name: string): Template {
  const found = TEMPLATES.find((each) => each.name === name);
  if (found !== undefined) return found;
  const names = TEMPLATES.map((each) => each.name).join(', ');
  throw new Mistake(`template is '${name}'; expected one of ${names}`);
}

/** The folder of a template's files. */
export function folderOf({ name }: Template): string {
  const folder = path.resolve(import.meta.dirname, '../templates', name);
  if (!existsSync(folder)) throw new Error(`${folder} is not there: the package is damaged`);
  return folder;
}
