/**
 * By which nonces a node knows its own hello and its own memberships in the log.
 *
 * A hello keeps its nonce until it is seen, so that a late copy of the record adds no second member. A node that lost its
 * membership may find it in a state that it copies: that one is no other node of its name.
 */
import { isSameWord, type Word64 } from '../records/record.ts';

export class OwnHello {
  /** Of the hello that is under way, or made this node a member. */
  #nonce: Word64 | undefined;
  /** Of its last membership, also if it never read the beginning of that. */
  #former: Word64 | undefined;

  /** The nonce of the hello that is under way; that of a new one by `make`. */
  nonce(make: () => Word64): Word64 {
    this.#nonce ??= make();
    return this.#nonce;
  }

  /** Whether the hello of that nonce is the one that is under way. */
  isUnderWay(nonce: Word64): boolean {
    return this.#nonce !== undefined && isSameWord(this.#nonce, nonce);
  }

  /** Whether that is the nonce of another node's membership. */
  isOthers(nonce: Word64): boolean {
    return ![this.#nonce, this.#former].some((own) => own && isSameWord(own, nonce));
  }

  /** The hello does not count, or is not wanted any more: the next one is another. */
  drop(): void {
    this.#nonce = undefined;
  }

  /** The membership of the hello is over, or was found in a copied state. */
  end(): void {
    this.#former = this.#nonce;
    this.#nonce = undefined;
  }
}
