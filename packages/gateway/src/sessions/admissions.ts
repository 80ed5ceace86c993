/**
 * Admissions under way: the game has been asked whether to let someone in, and has not answered yet.
 *
 * How long that takes is the game's affair, and how often it is asked is the strangers': so there are only so many at once, and
 * each ends with its connection, which has `authenticateMs`. The game is told by a signal; what it answers all the same
 * counts as if the client were there and left.
 */
import { Places } from '../bounds/places.ts';
import type { Authenticate } from './gateway-options.ts';
import type { Peer } from './peer.ts';
import type { Admission } from './session.ts';

export interface AdmissionsHome {
  /** Undefined: it may not come in. */
  answered(peer: Peer, admission: Admission | undefined): void;
  /** The game threw, or its promise was rejected. */
  failed(peer: Peer, error: unknown): void;
}

export class Admissions {
  readonly #home: AdmissionsHome;
  readonly #most: number;
  readonly #places = new Places<Peer>();
  readonly #signals = new Map<Peer, AbortController>();

  constructor(home: AdmissionsHome, most: number) {
    this.#home = home;
    this.#most = most;
  }

  get size(): number {
    return this.#places.size;
  }

  /** Asks the game; where it knows at once, the client is in at once. */
  begin(peer: Peer, credential: string, authenticate: Authenticate): void {
    this.#places.add(peer, peer.request.address);
    if (this.#places.size > this.#most) this.#places.first?.close('full');
    if (peer.isOver) return;
    const controller = new AbortController();
    this.#signals.set(peer, controller);
    const { signal } = controller;
    try {
      const answer = authenticate({ ...peer.request, credential, signal });
      if (!isThenable(answer)) this.#settle(peer, () => this.#home.answered(peer, answer));
      else {
        // A promise of our own: what somebody else's does with its callbacks is theirs.
        Promise.resolve(answer).then(
          (admission) => this.#settle(peer, () => this.#home.answered(peer, admission)),
          (error: unknown) => this.#fail(peer, signal, error),
        );
      }
    } catch (error) {
      this.#fail(peer, signal, error);
    }
  }

  /** The connection is over: its admission holds no place any more, and the game is told. */
  ended(peer: Peer): void {
    this.#places.delete(peer);
    const controller = this.#signals.get(peer);
    this.#signals.delete(peer);
    controller?.abort();
  }

  #settle(peer: Peer, tell: () => void): void {
    this.#places.delete(peer);
    this.#signals.delete(peer);
    tell();
  }

  #fail(peer: Peer, { aborted }: AbortSignal, error: unknown): void {
    // A hook that gives up when it is told to has done what it ought to.
    this.#settle(peer, () => aborted || this.#home.failed(peer, error));
  }
}

function isThenable(answer: ReturnType<Authenticate>): answer is PromiseLike<Admission | undefined> {
  return typeof (answer as PromiseLike<unknown> | undefined)?.then === 'function';
}
