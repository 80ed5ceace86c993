/** Asks for missing arguments, if the input is a terminal. */
import { createInterface } from 'node:readline/promises';
import { Mistake } from './mistake.ts';
import { TEMPLATES, type Template, templateNamed } from './templates.ts';
import type { Wishes } from './wishes.ts';

interface Streams {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

/** Folder and template: from the arguments, else from answers; the default template is the first. Throws a `Mistake` without a folder. */
export async function decided(
  { folder, template }: Wishes,
  { input, output }: Streams,
): Promise<{ readonly folder: string; readonly template: Template }> {
  const given = template === undefined ? undefined : templateNamed(template);
  if (folder !== undefined && (given !== undefined || !input.isTTY))
    return { folder, template: given ?? TEMPLATES[0]! };
  if (!input.isTTY) throw new Mistake('no folder was given; expected one, as in: npm create umwelt my-game');
  const asking = createInterface({ input, output });
  try {
    const where = folder ?? ((await asking.question('Folder (my-game): ')).trim() || 'my-game');
    if (given !== undefined) return { folder: where, template: given };
    const list = TEMPLATES.map(({ name, summary }) => `  ${name.padEnd(9)} ${summary}\n`).join('');
    const named = (await asking.question(`${list}Template (${TEMPLATES[0]!.name}): `)).trim();
    return { folder: where, template: named === '' ? TEMPLATES[0]! : templateNamed(named) };
  } finally {
    asking.close();
  }
}
