/** What one node reported in one tick, as words that can be compared with what the twin reported. */
import type { Participant } from '../../src/node/participant.ts';
import { mixed } from '../../src/state/mixed.ts';
import type { Replica } from '../../src/state/replica.ts';
import { digestOf } from '../../src/state/state-digest.ts';

export interface NodeReport {
  readonly name: string;
  /** On the clock of the run; 0 where there is none. */
  readonly atMs: number;
  readonly tick: number;
  /** Of the log up to the mark: two with the same one applied the same records. */
  readonly chain: string;
  /** Code of the node as a member; 0 while it is none. */
  readonly code: number;
  readonly incarnation: number;
  readonly hash: number;
  readonly views: number;
  /** Whether it is of a process that observes the world; and of one that has all that nodes have: what was reported to all watchers. */
  readonly isObserved?: boolean;
  readonly whole?: number;
  /** Of the whole state, every few ticks. */
  readonly digest: string | undefined;
}

const DIGEST_TICKS = 3;

/** Of a simulated process, or of a real one; `atMs`: when, on the clock of the run. */
export function reportOf(
  { name, participant }: { name: string; participant: Pick<Participant, 'replica' | 'self'> },
  atMs = 0,
): NodeReport {
  const { replica, self } = participant;
  const { hash, views } = viewsOf(replica).get(replica.selfCode) ?? { hash: 0, views: 0 };
  return {
    name,
    atMs,
    tick: replica.tick,
    chain: chainOf(replica),
    code: replica.selfCode,
    incarnation: self?.incarnation ?? 0,
    hash,
    views,
    digest: digestWord(replica),
  };
}

/** Of an observer. `isNew`: it tells watchers what nodes told them before. */
export function observedReport(replica: Replica, atMs: number, isNew: boolean): NodeReport {
  const whole = wholeOf([...viewsOf(replica).values()].map(({ hash }) => hash));
  const report = reportOf({ name: 'an observer', participant: { replica, self: undefined } }, atMs);
  return { ...report, isObserved: true, ...(!isNew && { whole }) };
}

/** Of what was reported to each watcher, what was reported to all. */
export function wholeOf(hashes: Iterable<number>): number {
  return [...hashes].reduce((sum, hash) => (sum + hash) >>> 0, 0);
}

export function chainOf({ chain }: Replica): string {
  return `${chain[0]},${chain[1]}`;
}

export function digestWord(replica: Replica): string | undefined {
  return replica.tick % DIGEST_TICKS === 0 ? String(digestOf(replica)) : undefined;
}

/** By code of the shower: a hash of all that was reported to those that it shows, and how many had something reported. */
export function viewsOf({ world, table }: Replica): Map<number, { hash: number; views: number }> {
  const found = new Map<number, { hash: number; views: number }>();
  for (const view of world.lastChanges) {
    const slot = view.watcher >>> 10;
    // Who was put to rest is told that all is gone: by its former shower, who may be gone itself.
    if (table.awake[slot] !== 1 || table.ids[slot] !== view.watcher) continue;
    const sum = found.get(table.showers[slot]!) ?? { hash: 0, views: 0 };
    let word = mixed(view.watcher);
    for (const list of [view.entered, view.left, view.updated, view.sensed]) {
      word = mixed(word + 0x9e3779b1);
      for (const id of list) word = mixed(word ^ id);
    }
    for (const id of [...view.entered, ...view.sensed])
      word = mixed(word + world.senses(view.watcher, id) + 1);
    found.set(table.showers[slot]!, { hash: (sum.hash + word) >>> 0, views: sum.views + 1 });
  }
  return found;
}
