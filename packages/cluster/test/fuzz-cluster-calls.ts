/**
 * `npm run fuzz -- cluster-calls`: random calls in single ticks of one to three nodes, against one world that is told the same, seed
 * after seed; see one-world/stage.ts. A find is shrunk and printed. Exit codes: 1 for a find, 2 for a wrong argument.
 */
import { drawnScript, scriptText, shrunk } from './one-world/script.ts';
import { played } from './one-world/stage.ts';
import { Random } from './simulation/random.ts';

const USAGE = `npm run fuzz -- cluster-calls

  --seed N     the first seed; by default the time
  --count N    how many; default 200
`;

/** False when something was found. */
async function fuzz(first: number, count: number): Promise<boolean> {
  for (let seed = first; seed < first + count; seed++) {
    const script = drawnScript(new Random(seed));
    const difference = await played(script);
    if (difference === undefined) continue;
    process.stdout.write(`seed ${seed}: ${difference}\nshrinking ...\n`);
    const small = await shrunk(script, async (candidate) => (await played(candidate)) !== undefined);
    process.stdout.write(`${scriptText(small)}\n${await played(small)}\n`);
    return false;
  }
  process.stdout.write(`${count} seeds from ${first}: nothing found\n`);
  return true;
}

const words = process.argv.slice(2);
const numbers = new Map([
  ['--seed', Date.now() % 2 ** 31],
  ['--count', 200],
]);
const isSound = words.every((word, at) =>
  at % 2 === 0 ? numbers.has(word) && at + 1 < words.length : Number.isInteger(Number(word)),
);
for (let at = 0; at + 1 < words.length; at += 2) numbers.set(words[at]!, Number(words[at + 1]));
if (words.includes('--help')) process.stdout.write(USAGE);
else if (!isSound) {
  process.stderr.write(`fuzz: cluster-calls: expected\n${USAGE}`);
  process.exitCode = 2;
} else process.exit((await fuzz(numbers.get('--seed')!, numbers.get('--count')!)) ? 0 : 1);
