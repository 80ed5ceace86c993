/**
 * The tutorial in a form that a test can run: its files, the commands to type, and the two commands that keep running.
 *
 * A code block that names a file, as ```ts [server.ts], is that file; ```sh is typed line by line; ```sh [name] keeps
 * running in a terminal of its own.
 */

export interface Tutorial {
  readonly files: ReadonlyMap<string, string>;
  readonly commands: readonly string[];
  /** By name. */
  readonly running: ReadonlyMap<string, string>;
}

export function readTutorial(markdown: string): Tutorial {
  const files = new Map<string, string>();
  const commands: string[] = [];
  const running = new Map<string, string>();
  for (const [, language = '', name, code = ''] of markdown.matchAll(
    /^```(\w+)(?: \[([^\]]+)\])?\n([\s\S]*?)^```$/gm,
  )) {
    if (language !== 'sh') {
      if (name !== undefined) files.set(name, code);
    } else if (name === undefined) commands.push(...code.trim().split('\n'));
    else running.set(name, code.trim());
  }
  return { files, commands, running };
}
