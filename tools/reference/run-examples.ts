/**
 * Runs programs one after the other in this process, each until it has nothing left to wait for, as `node FILE` does, but at one
 * start for all. A line before what each prints names its file.
 *
 * `node tools/reference/run-examples.ts FILE...`. Fails at the first program that throws, or that waits for what never comes.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const files = process.argv.slice(2);
let isUnderWay = false;

// At the end of a program's last line, what it started may be under way.
process.on('beforeExit', async () => {
  if (isUnderWay) throw new Error('a program waits for what never comes');
  const file = files.shift();
  if (file === undefined) return;
  isUnderWay = true;
  console.log(`# ${file}`);
  // This process asks again only if anything has happened.
  setImmediate(() => {});
  await import(pathToFileURL(path.resolve(file)).href);
  setImmediate(() => {});
  isUnderWay = false;
});
