/**
 * Pending admissions: the game has been asked whether to admit a client, and has not answered yet.
 *
 * The game decides how long an answer takes, and unauthenticated clients decide how often it is asked. So the
 * number of pending admissions is limited, and each ends with its connection, which has `authenticateMs`. The
 * game is told by an abort signal. If it admits the client nevertheless, this counts as if the client had
 * joined and left.
 */
import { Places } from '../bounds/places.ts';
import type { Authenticate } from './gateway-options.ts';
import type { Peer } from './peer.ts';
import type { Admission } from './session.ts';

export interface AdmissionsHome {
  /** `undefined` rejects the client. */
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

  /** Asks the game. A synchronous answer admits the client at once. */
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
        // Wrap it: a foreign thenable may call its callbacks in any way.
        Promise.resolve(answer).then(
          (admission) => this.#settle(peer, () => this.#home.answered(peer, admission)),
          (error: unknown) => this.#fail(peer, signal, error),
        );
      }
    } catch (error) {
      this.#fail(peer, signal, error);
    }
  }

  /** The connection has closed: frees its place and aborts the signal. */
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
    // A hook that rejects because its signal was aborted has done the right thing.
    this.#settle(peer, () => aborted || this.#home.failed(peer, error));
  }
}

function isThenable(answer: ReturnType<Authenticate>): answer is PromiseLike<Admission | undefined> {
  return typeof (answer as PromiseLike<unknown> | undefined)?.then === 'function';
}
