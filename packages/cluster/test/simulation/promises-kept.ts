/**
 * What a node tells its game must agree with itself and with the log: what it owns is what it was told to have gained and not lost, what
 * it shows is what was asked for and not hidden, and whoever waits for an answer gets one.
 */
import type { EntityId } from 'umwelt';
import { type ClusterNode, participantOf } from '../../src/node/cluster-node.ts';

/** A call that is under way, or comes with a membership, explains a difference for so long. */
const UNDER_WAY_TICKS = 100;

interface Waiting {
  readonly what: string;
  /** Whose view it is about. */
  readonly id: EntityId | undefined;
  readonly sinceMs: number;
}

export class PromisesKept {
  /** What does not hold, in words. */
  problem: string | undefined;
  readonly #node: ClusterNode;
  readonly #now: () => number;
  readonly #gained = new Set<EntityId>();
  /** Views that were asked for and not hidden since. */
  readonly #asked = new Set<EntityId>();
  /** Views of which the log says something else: since which tick. */
  readonly #apart = new Map<EntityId, number>();
  readonly #spoilt = new Set<EntityId>();
  readonly #waiting = new Set<Waiting>();

  constructor(node: ClusterNode, now: () => number) {
    this.#node = node;
    this.#now = now;
    node.on('gain', (id) => {
      if (this.#gained.has(id)) this.#fail(`${id} was gained twice`);
      this.#gained.add(id);
    });
    node.on('lose', (id) => {
      if (!this.#gained.delete(id)) this.#fail(`${id} was lost that was not gained`);
    });
    node.on('hide', (id) => this.#asked.delete(id));
    node.on('tick', () => {
      this.#compareOwned();
      this.#compareShown();
    });
  }

  asked(id: EntityId, answer: Promise<void>): void {
    const wasAsked = this.#asked.has(id);
    this.#asked.add(id);
    this.expect(`show ${id}`, answer, id);
    answer.catch(({ code }) => {
      // It was refused at once. A view that another node took was hidden.
      if (code !== 'NOT_SHOWN' && !wasAsked) this.#asked.delete(id);
    });
  }

  /** Nothing is expected of the entity's view any more. */
  spoilt(id: EntityId): void {
    this.#spoilt.add(id);
  }

  /** The answer must come. */
  expect(what: string, answer: Promise<unknown>, id?: EntityId): void {
    const waiting = { what, id, sinceMs: this.#now() };
    this.#waiting.add(waiting);
    const settled = () => this.#waiting.delete(waiting);
    answer.then(settled, settled);
  }

  /** Of calls until then. */
  unanswered(untilMs: number): string | undefined {
    const waiting = [...this.#waiting].find(
      ({ id, sinceMs }) => sinceMs < untilMs && (id === undefined || !this.#spoilt.has(id)),
    );
    return waiting && `${waiting.what} of ${waiting.sinceMs} ms was never answered`;
  }

  #compareOwned(): void {
    const { replica } = participantOf(this.#node);
    const owned = new Set(replica.table.ownedBy(replica.selfCode));
    if (owned.size !== this.#gained.size || ![...owned].every((id) => this.#gained.has(id)))
      this.#fail(`it was told to own ${[...this.#gained]}, and owns ${[...owned]}`);
    for (const id of this.#node.owned)
      if (!owned.has(id)) this.#fail(`it counts ${id} as its own, which is not`);
  }

  #compareShown(): void {
    const { replica } = participantOf(this.#node);
    const { table, selfCode, tick } = replica;
    const shown = new Set(table.ids.filter((id, slot) => id !== 0 && table.showers[slot] === selfCode));
    for (const id of new Set([...this.#asked, ...shown, ...this.#apart.keys()])) {
      const isAsExpected = shown.has(id) === this.#asked.has(id) || this.#spoilt.has(id);
      if (selfCode === 0 || isAsExpected) this.#apart.delete(id);
      else if (!this.#apart.has(id)) this.#apart.set(id, tick);
      else if (tick - this.#apart.get(id)! > UNDER_WAY_TICKS)
        this.#fail(
          `${id} is ${shown.has(id) ? '' : 'not '}shown, and was ${shown.has(id) ? 'not ' : ''}asked for`,
        );
    }
  }

  #fail(problem: string): void {
    const { replica } = participantOf(this.#node);
    this.problem ??= `${this.#node.name} at tick ${replica.tick}: ${problem}`;
  }
}
