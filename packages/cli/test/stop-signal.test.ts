/** Ending on signals, in a process that would go on for ever. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SAME_KEY_PRESS_MS, untilStopped } from '../src/stop-signal.ts';

const STOP_SIGNAL = new URL('../src/stop-signal.ts', import.meta.url).href;

/** Hears the wish to end, says so, and does not heed it. */
const STUBBORN = `
  import { stopOnSignals } from '${STOP_SIGNAL}';
  stopOnSignals().addEventListener('abort', () => process.stdout.write('heard'));
  setInterval(() => {}, 1000);
  process.stdout.write('ready');
`;

describe('a process that does not heed the first Ctrl-C', () => {
  it('has heard it once, and is ended by a later one', async () => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', STUBBORN], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    await once(child.stdout, 'data');
    child.kill('SIGINT');
    await expect.poll(() => output).toBe('readyheard');
    const pressing = setInterval(() => child.kill('SIGINT'), SAME_KEY_PRESS_MS / 3);
    const [exitCode, signal] = await once(child, 'exit');
    clearInterval(pressing);
    expect({ exitCode, signal, output }).toEqual({ exitCode: null, signal: 'SIGINT', output: 'readyheard' });
  });
});

/** Reports progress twenty times, and then ends. */
const REPORTING = `
  import { stopOnSignals } from '${STOP_SIGNAL}';
  stopOnSignals().addEventListener('abort', () => process.exit(3));
  let reports = 0;
  setInterval(() => {
    process.stderr.write('progress');
    if (++reports === 20) process.stdout.write('done', () => process.exit(0));
  }, 10);
`;

describe('a process whose progress nobody reads any more', () => {
  it('goes on', async () => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', REPORTING], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    child.stderr.destroy();
    const [[output], [exitCode]] = await Promise.all([
      once(child.stdout.setEncoding('utf8'), 'data'),
      once(child, 'exit'),
    ]);
    expect({ output, exitCode }).toEqual({ output: 'done', exitCode: 0 });
  });
});

describe('work that may be interrupted', () => {
  it('comes to its outcome when nobody wants to end', async () => {
    expect(await untilStopped(Promise.resolve(7), new AbortController().signal)).toBe(7);
  });

  it('hands on its error', async () => {
    const fault = new Error('no');
    await expect(untilStopped(Promise.reject(fault), new AbortController().signal)).rejects.toBe(fault);
  });

  it('is left alone as soon as somebody wants to end, before it or during it', async () => {
    const wish = new AbortController();
    const outcome = untilStopped(new Promise(() => {}), wish.signal);
    wish.abort();
    expect(await outcome).toBeUndefined();
    expect(await untilStopped(Promise.resolve(7), wish.signal)).toBeUndefined();
    // Also when the work then fails: nobody waits for it any more.
    expect(await untilStopped(Promise.reject(new Error('late')), wish.signal)).toBeUndefined();
  });
});
