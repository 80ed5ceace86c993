/**
 * Makes a failing script small enough to read.
 *
 * Problem: a failing script of hundreds of operations explains nothing. Method: delta debugging: remove halves,
 * quarters, ... single operations while the script still fails; then remove entities from crowds and members from
 * inits, patches and interests; repeat from the start until nothing more can be removed. Any mismatch counts as
 * failing, so the result may show a simpler cause. Cost: one run an attempt, at most `MOST_ATTEMPTS`, and
 * `MOST_OPERATIONS` in all of them: long scripts are shrunk less.
 *
 * Source: Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing Input, IEEE TSE 2002.
 */
import type { Operation, Script } from './operations.ts';
import type { PlainOptions } from './plain-interest.ts';
import { type Mismatch, runScript, type Trial } from './run-script.ts';

const MOST_ATTEMPTS = 4000;
const MOST_OPERATIONS = 1_000_000;

/** A failing script, shrunk, and how it fails. */
export interface Find {
  /** The shrunk script. */
  readonly script: Script;
  /** How it fails. */
  readonly mismatch: Mismatch;
}

/** Shrinks a script that fails in `trial`. Returns `undefined` if it does not fail. */
export function shrinkScript(script: Script, trial: Trial): Find | undefined {
  const mismatch = runScript(script, trial);
  if (mismatch === undefined) return undefined;
  return new Shrinking(script, mismatch, trial).smallest();
}

/** A find as text: the seed, the script as JSON with one operation a line, and the first difference. */
export function findText({ script, mismatch }: Find): string {
  const lines = script.operations.map((operation) => `    ${JSON.stringify(operation)}`);
  return [
    `seed ${script.seed}: ${mismatch.what}`,
    `after operation ${mismatch.at} of this script (shrunk, ${lines.length} operations):`,
    `{ "seed": ${script.seed}, "options": ${JSON.stringify(script.options)}, "operations": [`,
    lines.join(',\n'),
    '] }',
  ].join('\n');
}

class Shrinking {
  readonly #trial: Trial;
  #find: Find;
  #attempts = 0;
  #operations = 0;

  constructor(script: Script, mismatch: Mismatch, trial: Trial) {
    this.#trial = trial;
    this.#find = { script, mismatch };
  }

  smallest(): Find {
    // What a script shows, it shows at the same tick or earlier when every tick is asked about.
    this.#keeps(this.#find.script.operations.map((each) => without(each, 'reportOnly')[0] ?? each));
    // Operations after the first difference cannot be its cause.
    this.#keeps(this.#find.script.operations.slice(0, this.#find.mismatch.at + 1));
    // Most failures do not depend on listening.
    this.#keeps(this.#find.script.operations.filter(({ kind }) => kind !== 'listen'));
    let before: Script;
    do {
      before = this.#find.script;
      this.#strikeChunks();
      this.#strikeDetails();
      this.#strikeRules();
    } while (this.#find.script !== before && !this.#isTired);
    return this.#find;
  }

  get #isTired(): boolean {
    return this.#attempts >= MOST_ATTEMPTS || this.#operations >= MOST_OPERATIONS;
  }

  #strikeChunks(): void {
    let chunk = Math.ceil(this.#find.script.operations.length / 2);
    for (; chunk >= 1; chunk = Math.floor(chunk / 2)) {
      let start = 0;
      while (start < this.#find.script.operations.length) {
        const { operations } = this.#find.script;
        if (!this.#keeps([...operations.slice(0, start), ...operations.slice(start + chunk)])) start += chunk;
      }
    }
  }

  #strikeDetails(): void {
    for (let i = 0; i < this.#find.script.operations.length; i++) {
      for (let tries = 0; this.#simplifies(i) && tries < 40; tries++);
    }
  }

  /** Removes rules from the interests that the world begins with. */
  #strikeRules(): void {
    for (const name of Object.keys(this.#find.script.options.interests ?? {})) {
      for (let tries = 0; this.#simplifiesRules(name) && tries < 40; tries++);
    }
  }

  /** Tries an interest with one rule less; returns true if one of them still fails. */
  #simplifiesRules(name: string): boolean {
    const { options, operations } = this.#find.script;
    const { interests = {} } = options;
    return lessOne(interests[name], []).some((fewer) =>
      this.#keeps(operations, { ...options, interests: { ...interests, [name]: fewer } }),
    );
  }

  /** Tries the simpler forms of one operation; returns true if one of them still fails. */
  #simplifies(i: number): boolean {
    const { operations } = this.#find.script;
    return simplerForms(operations[i]).some((simpler) => this.#keeps(operations.with(i, simpler)));
  }

  /** Keeps a candidate if it still fails. */
  #keeps(operations: readonly Operation[], options: PlainOptions = this.#find.script.options): boolean {
    if (this.#isTired) return false;
    this.#attempts++;
    this.#operations += operations.length;
    const script = { ...this.#find.script, options, operations };
    const mismatch = runScript(script, this.#trial);
    if (mismatch === undefined) return false;
    this.#find = { script, mismatch };
    return true;
  }
}

function simplerForms(operation: Operation): Operation[] {
  switch (operation.kind) {
    case 'add':
      return lessOne(operation.init, ['x', 'y', 'z']).map((init) => ({ ...operation, init }));
    case 'pin':
      return lessOne(operation, ['kind', 'watcher', 'marker']);
    case 'update':
      return lessOne(operation.patch, []).map((patch) => ({ ...operation, patch }));
    case 'setInterest':
      return lessOne(operation.interest, []).map((interest) => ({ ...operation, interest }));
    case 'attach':
      return lessOne(operation.offset, []).map((offset) => ({ ...operation, offset }));
    case 'targets':
    case 'query':
      return lessOne(operation.options, []).map((options) => ({ ...operation, options }));
    case 'nearest':
      return lessOne(operation.options, ['z']).map((options) => ({ ...operation, options }));
    case 'watchersAt':
      return lessOne(operation.place, ['x', 'y', 'z']).map((place) => ({ ...operation, place }));
    case 'removeMany':
      return operation.keys.map((_, i) => ({ ...operation, keys: operation.keys.toSpliced(i, 1) }));
    case 'addMany': {
      const { keys, traits } = operation;
      const fewerTraits = lessOne(traits, []).map((fewer) => ({ ...operation, traits: fewer }));
      return [...keys.map((_, i) => withoutColumn(operation, i)), ...fewerTraits];
    }
    case 'move':
      return without(operation, 'teleport');
    case 'updateMany':
      return without(operation, 'spare');
    case 'moveMany': {
      const at = operation.at ?? [...operation.keys.keys()];
      const fewer = at.map((_, i) => ({ ...operation, at: at.toSpliced(i, 1) }));
      return [...fewer, ...without(operation, 'teleport'), ...without(operation, 'spare')];
    }
    default:
      return [];
  }
}

/** The operation without an optional member, if it has that member. */
function without(operation: Operation, member: 'teleport' | 'spare' | 'reportOnly'): Operation[] {
  if (!(member in operation)) return [];
  return [Object.fromEntries(Object.entries(operation).filter(([name]) => name !== member)) as Operation];
}

/** Every form of `members` with one of them removed. */
function lessOne<T extends object>(members: T, kept: readonly string[]): T[] {
  const names = Object.keys(members).filter((name) => !kept.includes(name));
  return names.map((name) => {
    const { [name as keyof T]: _, ...rest } = members;
    return rest as T;
  });
}

function withoutColumn(crowd: Extract<Operation, { kind: 'addMany' }>, i: number): Operation {
  const { z, ...rest } = crowd;
  const fewer = {
    ...rest,
    keys: crowd.keys.toSpliced(i, 1),
    x: crowd.x.toSpliced(i, 1),
    y: crowd.y.toSpliced(i, 1),
  };
  return z === undefined ? fewer : { ...fewer, z: z.toSpliced(i, 1) };
}
