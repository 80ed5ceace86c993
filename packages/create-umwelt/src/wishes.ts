/** The arguments of `npm create umwelt`: the folder, the template, and where the packages come from. */
import { parseArgs } from 'node:util';
import { Mistake } from './mistake.ts';
import { TEMPLATES } from './templates.ts';

export interface Wishes {
  readonly folder: string | undefined;
  readonly template: string | undefined;
  /** A folder of tarballs. */
  readonly packages: string | undefined;
  readonly wants: 'project' | 'help' | 'version';
}

export const HELP = `npm create umwelt: creates a game server that sends each player what it perceives

Usage: npm create umwelt FOLDER -- [OPTIONS]

Options:
  --template NAME    ${TEMPLATES.map(({ name, summary }) => `${name.padEnd(9)} ${summary}`).join(`\n${' '.repeat(21)}`)}
  --packages FOLDER  installs umwelt's packages from tarballs in that folder (made by its \`npm run pack\`), not from the registry
  -h, --help         this text
  -v, --version      the version`;

/** Throws a `Mistake` for an unknown option or a superfluous argument. */
export function readWishes(words: readonly string[]): Wishes {
  const { values, positionals } = parsed(words);
  if (positionals.length > 1) throw new Mistake(`got '${positionals.join(' ')}'; expected one folder`);
  return {
    folder: positionals[0],
    template: values.template,
    packages: values.packages,
    wants: values.help === true ? 'help' : values.version === true ? 'version' : 'project',
  };
}

function parsed(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        template: { type: 'string' },
        packages: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
      },
    });
  } catch (error) {
    const [said = ''] = (error as Error).message.split(/[.\n]/);
    throw new Mistake(`${said}; see --help`);
  }
}
