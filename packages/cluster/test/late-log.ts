/** A log that is far from one node: what this node appends comes late, in its order. */
import type { Log } from '../src/index.ts';

/** The same log, which this node's records reach late. */
export function late(log: Log, milliseconds: number): Log {
  return {
    ...bound(log),
    append: async (bytes) => {
      const copy = bytes.slice();
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      return log.append(copy);
    },
  };
}

/** The same log. `cut` keeps from it what is appended, until the function that it returns is called. */
export function cuttable(log: Log): { readonly log: Log; cut(): () => void } {
  let mended: Promise<void> | undefined;
  const append = async (bytes: Uint8Array): Promise<number> => {
    const copy = bytes.slice();
    await mended;
    return log.append(copy);
  };
  const cut = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    mended = promise;
    return () => {
      mended = undefined;
      resolve();
    };
  };
  return { log: { ...bound(log), append }, cut };
}

/** The same log as an object of its own, of which a test replaces some calls. */
export function bound(log: Log): Log {
  return {
    append: (bytes) => log.append(bytes),
    follow: (from, take, lost) => log.follow(from, take, lost),
    read: (position) => log.read(position),
    last: async () => (await log.last?.()) ?? 0,
    ask: (bytes) => log.ask(bytes),
    answer: (how) => log.answer(how),
  };
}
