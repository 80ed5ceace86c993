/**
 * What a node owns, shows and waits for, and the events that it emits about them.
 *
 * Events come in log order. Gained and lost entities are reported at the next mark, or before a message for the entity.
 */
import { type Changes, type EntityId, UmweltError, type UmweltErrorCode } from 'umwelt';
import type { ShowCall } from '../records/calls.ts';
import type { OwnerReason, ReplicaEvents } from '../state/events.ts';
import type { Replica } from '../state/replica.ts';
import { clusterMember } from './cluster-member.ts';
import type { GainReason, LoseReason, NodeListeners } from './listeners.ts';
import type { Outbox } from './outbox.ts';
import { itemsOf, type Parcel } from './parcel.ts';

interface Waiting<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: UmweltError) => void;
}

/** Callbacks for when this node has joined, left, or failed. */
export interface Settle {
  joined(): void;
  failed(error: UmweltError): void;
  left(): void;
}

/** `signal` may take it back. */
interface WaitingShow extends Waiting<void> {
  readonly signal: AbortSignal | undefined;
}

type OwnerChange =
  | { readonly id: EntityId; readonly isGained: true; readonly why: GainReason }
  | { readonly id: EntityId; readonly isGained: false; readonly why: LoseReason };

export class Holdings {
  readonly listeners: NodeListeners;
  /** Owned entities, without those in `departing`. */
  readonly owned = new Set<EntityId>();
  /** Entities given away or removed by calls that are not in the log yet: they must not be changed any more. */
  readonly departing = new Set<EntityId>();
  /** Those of them that are removed. */
  readonly removing = new Set<EntityId>();
  /** Watchers that this node is to show, kept across a loss of membership. */
  readonly wanted = new Set<EntityId>();
  isLeaving = false;
  #replica: Replica | undefined;
  #request = 0;
  readonly #adds = new Map<number, Waiting<EntityId> & { readonly key: string }>();
  readonly #shows = new Map<EntityId, WaitingShow[]>();
  /** By watcher: how many of this node's `show` calls are not in the log yet. A `show` that is in the log came before them. */
  readonly #asked = new Map<EntityId, number>();
  /** What calls returned and was not answered yet. */
  readonly #unanswered = new Set<Promise<unknown>>();
  #changes: OwnerChange[] = [];
  /** Entities whose gives are in the log, since the last tick. */
  readonly #given = new Set<EntityId>();
  readonly #settle: Settle;
  readonly #outbox: Outbox;
  /** Called before user listeners. */
  readonly #copied: (replica: Replica) => void;

  readonly events: ReplicaEvents = {
    hello: (_hello, outcome) => {
      if (typeof outcome !== 'string') this.listeners.emit('members');
    },
    gone: () => this.listeners.emit('members'),
    owner: (id, from, to, why) => this.#ownerChanged(id, from, to, why),
    fields: (id, fields) => this.listeners.emit('fields', id, fields),
    message: (id, owner, bytes, from) => {
      if (owner === 0 || owner !== this.#selfCode) return;
      this.#tellChanges();
      this.listeners.emit('message', id, bytes, clusterMember(from, this.#replica?.tick ?? 0));
    },
    broadcast: ({ marker, bytes, sense }) => this.listeners.emit('broadcast', marker, bytes, sense),
    shower: (id, shower) => {
      // A call that is still on its way is the later one. Shower 0 (none) while this node is gone: it asks again when it is back.
      if (shower !== this.#selfCode && this.wanted.has(id) && !this.#asked.has(id)) this.#notShown(id);
    },
  };

  constructor(listeners: NodeListeners, settle: Settle, outbox: Outbox, copied: (replica: Replica) => void) {
    this.listeners = listeners;
    this.#settle = settle;
    this.#outbox = outbox;
    this.#copied = copied;
  }

  /** A promise of the entity that an add makes, by the request number that the answer names. */
  expectAdd(key: string, call: (request: number) => void): Promise<EntityId> {
    const request = this.#request;
    call(request);
    this.#request = (request + 1) % 2 ** 32;
    return new Promise((resolve, reject) => this.#adds.set(request, { resolve, reject, key }));
  }

  /**
   * The answer to a call, for the caller. If the caller ends this node, it may ignore the rejection that follows; any other one
   * that nobody handles is an error.
   */
  answer<T>(call: Promise<T>): Promise<T> {
    const answer: Promise<T> = call.finally(() => this.#unanswered.delete(answer));
    this.#unanswered.add(answer);
    return answer;
  }

  /** The outcome of one of this node's adds. */
  added(request: number, outcome: EntityId | UmweltErrorCode): void {
    const waiting = this.#adds.get(request);
    this.#adds.delete(request);
    if (typeof outcome === 'number') waiting?.resolve(outcome);
    else waiting?.reject(refusedAdd(outcome, waiting.key));
  }

  /** Rejects adds whose outcome may have been in the log while this node was away. */
  forgetAdds(requests: readonly number[]): void {
    for (const request of requests) {
      const { reject } = this.#adds.get(request) ?? {};
      this.#adds.delete(request);
      reject?.(new UmweltError('LOG_DOWN', 'the node was away, so the outcome of this add is unknown'));
    }
  }

  depart(id: EntityId): void {
    this.owned.delete(id);
    this.departing.add(id);
  }

  /** A `show` was called. Resolves at the first tick at which this node shows the entity's view because of it. */
  expectShow(id: EntityId, signal?: AbortSignal): Promise<void> {
    this.wanted.add(id);
    this.#asked.set(id, (this.#asked.get(id) ?? 0) + 1);
    let withdraw = () => {};
    return new Promise<void>((resolve, reject) => {
      const waiting = { resolve, reject, signal };
      this.#shows.set(id, [...(this.#shows.get(id) ?? []), waiting]);
      withdraw = () => this.#withdraw(id, waiting);
      signal?.addEventListener('abort', withdraw);
      // A signal may outlive many calls: it keeps none that is over.
    }).finally(() => signal?.removeEventListener('abort', withdraw));
  }

  /** The caller of a `show` does not want it any more. Others may wait for the same view, or the call be on its way already. */
  #withdraw(id: EntityId, waiting: WaitingShow): void {
    const all = this.#shows.get(id) ?? [];
    const others = all.filter((each) => each !== waiting);
    if (others.length === all.length) return;
    if (others.length > 0) {
      this.#shows.set(id, others);
      waiting.reject(notShown(id));
      return;
    }
    const withdrawn = this.#outbox.withdrawShows(id);
    const asked = (this.#asked.get(id) ?? 0) - withdrawn;
    // A node that is no member asks for all views once it is one.
    if (this.#selfCode !== 0) {
      if (asked > 0) this.#asked.set(id, asked);
      // The log decides, or has it: a view that it gives to this node is the caller's, who hides it.
      if (asked > 0 || withdrawn === 0) return;
    }
    this.#asked.delete(id);
    this.#tookBack(id);
  }

  /** No `show` of the watcher is wanted or on its way any more. */
  #tookBack(id: EntityId): void {
    if (this.#selfCode === 0 || this.#replica?.table.showerOf(id) !== this.#selfCode) {
      this.#notShown(id);
      return;
    }
    for (const { reject } of this.#shows.get(id) ?? []) reject(notShown(id));
    this.#shows.delete(id);
  }

  hide(id: EntityId): void {
    if (this.wanted.has(id)) this.#notShown(id);
  }

  /** A record of this node counted, with these `show` calls: they are those of the parcel, or without those that were taken back. */
  heard(parcel: Parcel, shows: readonly ShowCall[]): void {
    for (const { id } of itemsOf(parcel, 'gives')) this.#given.add(id);
    const taken = itemsOf(parcel, 'shows').filter(({ isShown }) => isShown);
    for (const id of [...taken.map(({ id }) => id), ...parcel.withdrawn]) {
      const left = (this.#asked.get(id) ?? 0) - 1;
      if (left > 0) this.#asked.set(id, left);
      else this.#asked.delete(id);
    }
    for (const id of new Set(parcel.withdrawn)) {
      const isIn = shows.some((call) => call.id === id && call.isShown);
      if (!isIn && !this.#asked.has(id)) this.#tookBack(id);
    }
  }

  /** This node is a member. */
  joined(): void {
    const kept = new Set<EntityId>();
    const lost: EntityId[] = [];
    for (const id of this.wanted) {
      if (this.#mayShowAgain(id)) kept.add(id);
      else lost.push(id);
    }
    this.#asked.clear();
    for (const id of kept) this.#asked.set(id, 1);
    this.#outbox.show(kept, true);
    // Last: a listener that is told 'hide' may call `show`.
    for (const id of lost) this.#notShown(id);
    this.#settle.joined();
  }

  copied(replica: Replica): void {
    const earlier = this.#replica?.table ?? replica.table;
    this.#replica = replica;
    this.#changes = [];
    this.#copied(replica);
    // Before 'copy': a gateway must not resynchronise a session with the view of another entity.
    for (const id of [...this.wanted]) if (!replica.table.isSame(id, earlier)) this.#notShown(id);
    this.listeners.emit('copy');
  }

  /** This node is not a member any more, or is a new one: it has lost all that it owned. */
  fenced(): void {
    this.#tellChanges();
    const lost = [...this.owned, ...this.departing];
    this.owned.clear();
    this.departing.clear();
    this.removing.clear();
    this.#given.clear();
    for (const id of lost) this.listeners.emit('lose', id, 'fenced');
  }

  ticked(changes: Changes, isMember: boolean, isLagging: boolean): void {
    this.#tellChanges();
    this.#keepRefused();
    this.#tellShown();
    this.listeners.emit('tick', changes);
    if (isMember && !isLagging) this.listeners.emit('simulate', changes.tick);
  }

  outvoted(): void {
    this.listeners.emit('differed');
  }

  left(): void {
    this.fenced();
    this.excuse();
    this.#rejectAll(new UmweltError('LOG_DOWN', 'the node left before this call was in the log'));
    this.#settle.left();
  }

  failed(error: UmweltError): void {
    this.fenced();
    this.#rejectAll(error);
    this.#settle.failed(error);
    this.listeners.emit('failed', error);
  }

  /** The node was halted, or the log gave no answer: nothing that waits for the log is answered any more. */
  gaveUp(error: UmweltError): void {
    this.listeners.end();
    this.owned.clear();
    this.departing.clear();
    this.removing.clear();
    this.#rejectAll(error);
    this.#settle.failed(error);
  }

  /** The user ends this node: what is rejected because of that needs no handler. */
  excuse(): void {
    for (const answer of this.#unanswered) answer.catch(() => {});
  }

  get #selfCode(): number {
    return this.#replica?.selfCode ?? 0;
  }

  #ownerChanged(id: EntityId, from: number, to: number, why: OwnerReason): void {
    if (why === 'removed') {
      if (this.wanted.has(id)) this.#notShown(id);
      for (const waiting of this.#shows.get(id) ?? []) waiting.reject(notShown(id));
    }
    const self = this.#selfCode;
    if (self === 0) return;
    if (from === self) this.#changes.push({ id, isGained: false, why: why === 'removed' ? why : 'given' });
    if (to === self && why !== 'removed') this.#changes.push({ id, isGained: true, why });
  }

  #tellChanges(): void {
    const changes = this.#changes;
    this.#changes = [];
    for (const { id, isGained, why } of changes) {
      if (isGained) {
        this.#gain(id, why);
        continue;
      }
      // An older give of an entity that comes back says nothing about one that is called then.
      this.#given.delete(id);
      this.removing.delete(id);
      const wasOwned = this.owned.delete(id);
      if (this.departing.delete(id) || wasOwned) this.listeners.emit('lose', id, why);
    }
  }

  /** Entities that this node still owns after it gave them stay owned, such as one given to a member that is gone. */
  #keepRefused(): void {
    const { table } = this.#replica as Replica;
    for (const id of this.#given) {
      if (table.ownerOf(id) === this.#selfCode && this.departing.delete(id)) this.owned.add(id);
    }
    this.#given.clear();
  }

  #gain(id: EntityId, why: GainReason): void {
    // It may have been given away or removed since its record counted, before the mark that tells of it.
    if (!this.departing.has(id)) this.owned.add(id);
    this.listeners.emit('gain', id, (this.#replica as Replica).table.stateOf(id), why);
  }

  #tellShown(): void {
    const { table } = this.#replica as Replica;
    for (const [id, waiting] of this.#shows) {
      if (table.showerOf(id) !== this.#selfCode || table.awake[id >>> 10] !== 1 || this.#asked.has(id))
        continue;
      this.#shows.delete(id);
      for (const { resolve } of waiting) resolve();
    }
  }

  /**
   * False if another node shows it now: the player may have moved there while this node was away. A `show` that was called
   * since, or was not in the log by then, is the later call, unless it was taken back on its way.
   */
  #mayShowAgain(id: EntityId): boolean {
    const { table, members } = this.#replica as Replica;
    if (!table.has(id)) return false;
    const isWaitedFor = this.#shows.get(id)?.some(({ signal }) => !signal?.aborted) === true;
    if (this.#asked.has(id) && isWaitedFor) return true;
    const shower = table.showerOf(id);
    return shower === 0 || members.byNumber(shower - 1)?.isGone !== false;
  }

  #notShown(id: EntityId): void {
    if (this.wanted.delete(id)) this.listeners.emit('hide', id);
    for (const { reject } of this.#shows.get(id) ?? []) reject(notShown(id));
    this.#shows.delete(id);
  }

  #rejectAll(error: UmweltError): void {
    for (const { reject } of this.#adds.values()) reject(error);
    this.#adds.clear();
    for (const id of [...this.wanted]) {
      for (const { reject } of this.#shows.get(id) ?? []) reject(error);
    }
    this.#shows.clear();
    this.#asked.clear();
    this.wanted.clear();
  }
}

function refusedAdd(code: UmweltErrorCode, key: string): UmweltError {
  const message =
    code === 'KEY_TAKEN'
      ? `key '${key}' was given, but another entity has it`
      : `the entity was refused: ${code}`;
  return new UmweltError(code, message, { field: code === 'KEY_TAKEN' ? 'key' : 'entity', value: key });
}

export function notShown(id: EntityId): UmweltError {
  return new UmweltError('NOT_SHOWN', `the view of ${id} is shown by another node, or by none`, { id });
}
