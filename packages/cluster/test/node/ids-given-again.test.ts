/** The log lost its end, and gave the ids of that end again: what a node still wants with them is not meant for others. */
import { UmweltError } from 'umwelt';
import { afterEach, expect, it } from 'vitest';
import type { Log } from '../../src/index.ts';
import { haltNodes, joinNode } from '../joined-nodes.ts';

afterEach(haltNodes);

interface Following {
  next: number;
  readonly take: (position: number, bytes: Uint8Array) => void;
  readonly lost: () => void;
}

/** Records that may be taken back, and who answers. */
class Store {
  readonly records: Uint8Array[] = [];
  readonly lines = new Set<Line>();
}

/** A node's connection to them, which may be cut. */
class Line implements Log {
  isUp = true;
  readonly #store: Store;
  readonly #followings = new Set<Following>();
  #how: ((bytes: Uint8Array) => AsyncIterable<Uint8Array>) | undefined;

  constructor(store: Store) {
    this.#store = store;
    store.lines.add(this);
  }

  cut(): void {
    this.isUp = false;
    for (const { lost } of this.#followings) setImmediate(lost);
    this.#followings.clear();
  }

  async append(bytes: Uint8Array): Promise<number> {
    const { records, lines } = this.#reached();
    records.push(bytes.slice());
    for (const line of lines) setImmediate(() => line.deliver());
    return records.length;
  }

  async follow(from: number, take: Following['take'], lost: () => void): Promise<() => void> {
    this.#reached();
    const following = { next: from, take, lost };
    this.#followings.add(following);
    setImmediate(() => this.deliver());
    return () => this.#followings.delete(following);
  }

  async read(position: number): Promise<Uint8Array | undefined> {
    return this.#reached().records[position - 1]?.slice();
  }

  async last(): Promise<number> {
    return this.#reached().records.length;
  }

  async ask(bytes: Uint8Array): Promise<AsyncIterable<Uint8Array>> {
    const [answer] = [...this.#reached().lines].map((line) => line.answered(bytes)).filter((each) => each);
    return answer ?? nothing();
  }

  answer(how: (bytes: Uint8Array) => AsyncIterable<Uint8Array>): () => void {
    this.#how = how;
    return () => {
      this.#how = undefined;
    };
  }

  answered(bytes: Uint8Array): AsyncIterable<Uint8Array> | undefined {
    return this.isUp ? this.#how?.(bytes) : undefined;
  }

  deliver(): void {
    const { records } = this.#store;
    for (const following of this.#followings) {
      while (this.#followings.has(following) && following.next <= records.length) {
        const position = following.next++;
        following.take(position, records[position - 1]!);
      }
    }
  }

  #reached(): Store {
    if (!this.isUp) throw new UmweltError('LOG_DOWN', 'cut');
    return this.#store;
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

it('a node does not show, or write to, the entity that got the id of one whose add the log lost', async () => {
  const store = new Store();
  const [lineA, lineB] = [new Line(store), new Line(store)];
  const a = await joinNode(lineA, 'a', { silenceTicks: 4000 });
  const b = await joinNode(lineB, 'b', { silenceTicks: 4000 });
  await expect.poll(() => a.members.length).toBe(2);
  lineA.cut();
  const end = store.records.length;
  const alice = await b.add({ x: 0, y: 0, range: 5, key: 'alice' });
  await b.show(alice);
  const hidden: number[] = [];
  b.on('hide', (id) => hidden.push(id));
  lineB.cut();
  b.send(alice, Uint8Array.of(1));
  store.records.length = end;
  lineA.isUp = true;
  const bob = await a.add({ x: 9, y: 9, range: 5, key: 'bob' });
  expect(bob).toBe(alice);
  const told: number[] = [];
  a.on('message', (_id, bytes) => told.push(bytes[0]!));
  lineB.isUp = true;
  await expect.poll(() => b.isLive && b.find('bob')).toBe(bob);
  b.send(bob, Uint8Array.of(2));
  await expect.poll(() => told.at(-1)).toBe(2);
  expect([told, hidden, b.showerOf(bob)]).toEqual([[2], [alice], undefined]);
  await b.show(bob);
  expect(b.showerOf(bob)?.name).toBe('b');
});
