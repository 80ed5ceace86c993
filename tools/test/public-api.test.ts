/** The check of public names fails for each thing that a docstring or an example leaves out. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { publicApiCheck } from '../checks/public-api.ts';
import { describeProblem, openRepository } from '../checks/repository.ts';

const ERRORS = `export type UmweltErrorCode =
  | 'BAD_OPTION'
  | 'BAD_ID'
  | 'TOO_MUCH';
export class UmweltError extends Error {}
`;
const SOURCE = `import { Store } from './store.ts';
import { check } from './check.ts';

export class Cart {
  readonly #store: Store;
  constructor(store: Store) {
    this.#store = store;
  }
  push(id: number, options: CartOptions = {}): void {
    this.#store.slotOf(id);
    check(options);
  }
  tryPush(id: number): boolean {
    try {
      this.push(id);
      return true;
    } catch (error) {
      if (error.code === 'BAD_OPTION' || error.code === 'BAD_ID') return false;
      throw error;
    }
  }
}
export function createCart(options: CartOptions): Cart {
  return new Cart(check(options));
}
`;
const STORE = `export class Store {
  slotOf(id: number): number {
    if (id < 0) throw new UmweltError('BAD_ID', 'a negative id');
    return id;
  }
}
`;
const CHECK = `export function check(options: object): object {
  if (options === null) throw badOption('options');
  return options;
}
function badOption(field: string): UmweltError {
  return new UmweltError('BAD_OPTION', field);
}
`;
/** Everything is said. */
const GOOD = `/** A cart. */
export declare class Cart {
    #private;
    /** Moves it. Throws \`BAD_ID\`, and as \`createCart\`. */
    push(id: number, options?: CartOptions): void;
    /** As \`push\`; false if it cannot. */
    tryPush(id: number): boolean;
}
/** Options of a cart. */
export interface CartOptions {
    /** World units. Default 1. */
    readonly width?: number;
    /** Its name, none unless given. */
    readonly label?: string;
    /** Calls, one a tick. */
    readonly calls: readonly number[];
}
/** Makes a cart. Throws \`BAD_OPTION\`. */
export declare function createCart(options: CartOptions): Cart;
`;
const EXAMPLE = `// Example of: Cart, CartOptions, createCart
import { type Cart, type CartOptions, createCart } from '@umwelt/it';

const options: CartOptions = { calls: [] };
const cart: Cart = createCart(options);
`;

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'umwelt-public-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** The problems of a repository with one package. */
async function problems(declarations: string, example = EXAMPLE): Promise<string[]> {
  const manifest = { name: '@umwelt/it', exports: { '.': { types: './dist/index.d.ts' } } };
  const files = {
    '.gitignore': 'none\n',
    'packages/core/package.json': '{ "name": "umwelt" }',
    'packages/core/src/errors.ts': ERRORS,
    'packages/it/package.json': JSON.stringify(manifest),
    'packages/it/dist/index.d.ts': declarations,
    'packages/it/src/index.ts': SOURCE,
    'packages/it/src/store.ts': STORE,
    'packages/it/src/check.ts': CHECK,
    'examples/reference/it/cart.ts': example,
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
  const check = (update: boolean) => publicApiCheck(update).check(openRepository(folder));
  await check(true);
  return (await check(false)).map(describeProblem);
}

it('a package whose names say everything has no problem', async () => {
  expect(await problems(GOOD)).toEqual([]);
});

it.each([
  ['a name without a docstring', '/** A cart. */\n', '', 'Cart has no docstring'],
  ['a member without a docstring', '/** Calls, one a tick. */\n', '', 'CartOptions.calls has no docstring'],
  ['an option without a default', ' Default 1.', '', 'CartOptions.width does not say what holds without it'],
  [
    'a number without a unit',
    'Calls, one a tick.',
    'Calls.',
    'CartOptions.calls does not say its unit, or what it counts',
  ],
  [
    'a parameter without a default',
    'push(id: number, ',
    'push(id: number, patience?: number, ',
    'Cart.push does not say what holds without its parameter patience',
  ],
  [
    'a parameter without a unit',
    'createCart(options: CartOptions)',
    'createCart(options: CartOptions, speed: number)',
    'createCart does not say the unit of its parameter speed, or what it counts',
  ],
  [
    'a function without its error',
    ' Throws `BAD_OPTION`.',
    '',
    'createCart does not name BAD_OPTION, which it throws',
  ],
  [
    'a method without an error of its field',
    ' Throws `BAD_ID`, and as `createCart`.',
    ' As `createCart`.',
    'Cart.push does not name BAD_ID, which it throws',
  ],
])('%s is a problem', async (_, said, instead, problem) => {
  expect(GOOD).toContain(said);
  expect(await problems(GOOD.replace(said, instead))).toContain(`packages/it: ${problem}`);
});

it('a name without an example is a problem', async () => {
  const example = EXAMPLE.replace(', createCart\n', '\n');
  expect(await problems(GOOD, example)).toEqual(['packages/it: createCart has no example']);
});
