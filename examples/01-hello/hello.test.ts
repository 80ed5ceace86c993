/** Checks the output of the first example, as a reader of the README sees it. */
import { expect, test } from 'vitest';
import { ExampleProcess, outputOf } from '../example-process.ts';

test('the owl perceives the mouse while it is within 30', async () => {
  expect(await outputOf('01-hello')).toBe(`tick 1: the mouse at 40, 8 goes unnoticed
tick 2: the mouse at 30, 8 goes unnoticed
tick 3: the mouse at 20, 8 enters
tick 4: the mouse at 10, 8 moves
tick 5: the mouse at 0, 8 moves
tick 6: the mouse at -10, 8 moves
tick 7: the mouse at -20, 8 moves
tick 8: the mouse at -30, 8 leaves
not related: out of reach: distance 31.05, reach 30
`);
});

test('without a name the examples are listed, each with what it shows', async () => {
  const output = await outputOf();
  expect(output).toMatch(/^ {2}01-hello +a world with two entities/m);
  expect(output).not.toMatch(/^ {2}\S+ *$/m);
});

test('a name that no example has is one line and exit code 2', async () => {
  const example = new ExampleProcess('99-nothing');
  expect(await example.ended).toBe(2);
  expect(example.errors).toMatch(/^umwelt example: expected one of 01-hello, .*; given '99-nothing'\n$/);
});

test('a part of a name is enough, and --help says what the options are', async () => {
  const help = await outputOf('ws', '--help');
  expect(help).toMatch(/^npm run example -- 02-ws-game: a small game/);
  expect(help).toContain('`--port NUMBER` (7610');
});

test('an option that an example does not have is one line and exit code 2', async () => {
  const example = new ExampleProcess('02-ws-game', '--prot', '80');
  expect(await example.ended).toBe(2);
  expect(example.errors).toBe(
    "umwelt example: Unknown option '--prot'; see npm run example -- 02-ws-game --help\n",
  );
});

test.each([
  ['02-ws-game', '--port', 'abc'],
  ['05-restart', '--port=65536'],
  ['06-cluster', '--bots', '1.5', '--memory'],
])('a number that %s cannot take is one line and exit code 2', async (...words) => {
  const example = new ExampleProcess(...words);
  expect(await example.ended).toBe(2);
  expect(example.errors).toMatch(
    /^umwelt example: --(port|bots): expected a whole number from 0 to 65535, given '[^\n]+'\n$/,
  );
});
