/**
 * The examples of the reference: programs in examples/reference, a folder for each package.
 *
 * The first line of a program names what it is an example of: `// Example of: World, EntityId`. The reference shows the
 * program at the first of these names, and links to it from the others. A name that the program does not use, does not
 * exist or has another example is a problem, and so is an exported name without an example.
 * tools/test/reference-examples.test.ts runs the programs.
 */

export interface ReferenceExample {
  readonly file: string;
  /** The names that it is an example of: at the first one it is shown. */
  readonly names: readonly string[];
  /** The program without its first line. */
  readonly code: string;
}

/** What is wrong with an example; without a file, what has none. */
export interface ExampleProblem {
  readonly file?: string;
  readonly message: string;
}

/** The part of a repository that is read. */
interface Files {
  /** Paths relative to the root. */
  readonly files: readonly string[];
  read(file: string): string;
}

/** The folder of all examples; each package has one within it, named as its own folder. */
const EXAMPLE_FOLDER = 'examples/reference';
const FIRST_LINE = /^\/\/ Example of: (\w+(?:, \w+)*)\n+/;

/** The examples for the package in `packages/NAME`, ascending by file. */
export function examplesFor(repository: Files, packageFolder: string): ReferenceExample[] {
  const folder = packageFolder.replace(/^packages/, EXAMPLE_FOLDER);
  return repository.files
    .filter((file) => file.startsWith(`${folder}/`) && file.endsWith('.ts'))
    .map((file) => readExample(file, repository.read(file)));
}

/** A program without such a first line is an example of nothing. */
export function readExample(file: string, text: string): ReferenceExample {
  const names = FIRST_LINE.exec(text)?.[1]?.split(', ') ?? [];
  return { file, names, code: text.replace(FIRST_LINE, '').trimEnd() };
}

/** What is wrong with the examples of a package that exports `exported`. */
export function exampleProblems(
  exported: readonly string[],
  examples: readonly ReferenceExample[],
): ExampleProblem[] {
  const problems: ExampleProblem[] = [];
  const shownIn = new Map<string, string>();
  for (const { file, names, code } of examples) {
    if (names.length === 0)
      problems.push({ file, message: "does not begin with a line '// Example of: NAME, NAME'" });
    for (const name of names) {
      const earlier = shownIn.get(name);
      if (!exported.includes(name)) problems.push({ file, message: `${name} is not exported` });
      else if (!usesName(code, name)) problems.push({ file, message: `does not use ${name}` });
      else if (earlier !== undefined)
        problems.push({ file, message: `${name} already has an example, ${earlier}` });
      shownIn.set(name, earlier ?? file);
    }
  }
  for (const name of exported) if (!shownIn.has(name)) problems.push({ message: `${name} has no example` });
  return problems;
}

/** Whether the code, comments left out, has the name as a word. */
function usesName(code: string, name: string): boolean {
  return new RegExp(`(?<![\\w.])${name}\\b`).test(code.replace(/(^|\s)\/\/.*$/gm, ''));
}

/** What the output of a program is, by the comments after its `console.log` calls: a line each. */
export function foretoldOutput(code: string): string[] {
  return code
    .split('\n')
    .map((line) => /console\.log\(.*\); \/\/ (.+)$/.exec(line)?.[1])
    .filter((line) => line !== undefined);
}
