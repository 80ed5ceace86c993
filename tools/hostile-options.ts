/**
 * Tests wrong options systematically: each member of each object gets each kind of value that it does not accept, and
 * every object gets an unknown member.
 *
 * A caller's mistake must produce the right kind of error, with the given and the expected value. Anything else is a
 * fault: the options are accepted, or internal code throws.
 */

/** A kind of value that a member accepts. Every member accepts `undefined`. */
export type Kind = 'number' | 'text' | 'flag' | 'function' | 'list' | 'object';

/** By path, such as 'limits.graceMs': the kinds of value that the member accepts. */
export type Kinds = Readonly<Record<string, readonly Kind[]>>;

const VALUES: readonly (readonly [name: string, kind: Kind | 'none', value: unknown])[] = [
  ['null', 'none', null],
  ['NaN', 'none', Number.NaN],
  ['a bigint', 'none', 3n],
  ['a symbol', 'none', Symbol('hostile')],
  ['a number', 'number', 1],
  ['a negative number', 'number', -1],
  ['infinity', 'number', Number.POSITIVE_INFINITY],
  ['no text', 'text', ''],
  ['text', 'text', 'hostile'],
  ['a number as text', 'text', '5'],
  ['a flag', 'flag', true],
  ['a function', 'function', () => () => undefined],
  ['a list', 'list', []],
  ['an object', 'object', {}],
  ['an object without a prototype', 'object', Object.create(null)],
];

export interface Trial {
  /** Throws, or rejects, if the options are wrong; otherwise undoes what it did. */
  readonly attempt: (options: never) => unknown;
  /** Options that are accepted. */
  readonly fine: object;
  readonly kinds: Kinds;
  /** Whether it is the kind of error for a caller's mistake. */
  readonly isRight: (error: unknown) => boolean;
}

/** The faults, a line for each, and the number of values tried. */
export async function optionFaults(
  trial: Trial,
): Promise<{ readonly faults: string[]; readonly tried: number }> {
  const faults: string[] = [];
  let tried = 0;
  const expectRefusal = async (what: string, options: unknown, mayBeTaken: boolean): Promise<void> => {
    tried++;
    const problem = await outcome(trial, options);
    if (problem === undefined && !mayBeTaken) faults.push(`${what} is taken`);
    else if (problem !== undefined && problem !== '') faults.push(`${what}: ${problem}`);
  };
  if ((await outcome(trial, trial.fine)) !== undefined) faults.push('what is fine is refused');
  for (const [name, kind, value] of VALUES) {
    if (kind !== 'object') await expectRefusal(`${name} for all options`, value, false);
    for (const [path, kinds] of Object.entries(trial.kinds)) {
      await expectRefusal(
        `${path}: ${name}`,
        withMember(trial.fine, path, value),
        kinds.includes(kind as Kind),
      );
    }
  }
  const objects = ['', ...Object.keys(trial.kinds).flatMap((path) => parentsOf(path))];
  for (const path of new Set(objects)) {
    const nonsense = path === '' ? 'nonsense' : `${path}.nonsense`;
    await expectRefusal(`${nonsense}: a member`, withMember(trial.fine, nonsense, 1), false);
  }
  return { faults, tried };
}

/** The fault, if any. Undefined: the options were accepted; '': they were refused correctly. */
async function outcome({ attempt, isRight }: Trial, options: unknown): Promise<string | undefined> {
  try {
    await attempt(options as never);
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (!isRight(error)) return `${error instanceof Error ? error.name : 'no error'}: ${message}`;
    return /expected/.test(message) ? '' : `'${message}' does not say what was expected`;
  }
}

/** The paths above a path: for 'a.b.c', 'a' and 'a.b'. */
function parentsOf(path: string): string[] {
  const names = path.split('.');
  return names.slice(1).map((_, i) => names.slice(0, i + 1).join('.'));
}

/** The options with one member set; objects on the path are copied, and created if missing. */
function withMember(options: object, path: string, value: unknown): object {
  const [first = '', ...rest] = path.split('.');
  const inner = (options as Record<string, unknown>)[first];
  const isObject = typeof inner === 'object' && inner !== null;
  const member = rest.length === 0 ? value : withMember(isObject ? inner : {}, rest.join('.'), value);
  return { ...options, [first]: member };
}
