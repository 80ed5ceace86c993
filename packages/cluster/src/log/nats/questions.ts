/**
 * Questions to any member, and answers of any length: how a joining node gets the state of the world.
 *
 * It uses core NATS with one subject and a queue group, so that each question reaches one of the answering processes. The
 * answer goes to the asker's inbox in pieces of at most 256 KiB. The asker acknowledges every 8 pieces, and at most 16 are in
 * flight. So an answer takes at most 4 MiB of memory at either end, whatever its length, and a slow asker slows the sender
 * down. Core NATS may drop messages when a connection breaks: pieces are numbered, and a missing piece ends the answer with an
 * error. The asker then asks again.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Msg, Subscription } from '@nats-io/transport-node';
import { UmweltError } from 'umwelt';
import { afterAwake } from '../awake-timer.ts';
import { type BrokerConnection, faultOf, logDown, plainBytes, REFUSED_MS, reasonOf } from './connection.ts';
import { calledLoudly } from './follower.ts';
import { PIECE_BYTES, readPiece, writeFailed, writePiece } from './piece.ts';

/** Longest wait for a message from the other end. */
const PATIENCE_MS = 5000;
/** The asker acknowledges after this many pieces; twice as many may be in flight. */
const RECEIVED_EVERY = 8;
const UNDER_WAY_MAX = 2 * RECEIVED_EVERY;
/** Answers that one process gives at once; further askers are told to ask again. */
const ANSWERS_MAX = 8;
const NO_RESPONDERS = 503;
/**
 * Subjects that are no other end's: a process that may only ask, such as an observer, must not make a member write into a log, ask
 * other members, or call the broker. Nor must one that may only answer make an asker do that.
 */
const NO_INBOX = /^(?:\$|umwelt\.[^.]+\.(?:log|snap)$)/;

/** The other end's messages, one at a time. `next` rejects if the next message does not come in time. */
class Inbox {
  readonly subject: string;
  readonly #connection: BrokerConnection;
  readonly #subscription: Subscription;
  readonly #forget: () => void;
  #messages: Msg[] = [];
  #error: Error | undefined;
  /** The probable reason why no message comes. */
  doubt: UmweltError | undefined;
  #wake: (() => void) | undefined;

  constructor(connection: BrokerConnection, subject: string) {
    this.subject = subject;
    this.#connection = connection;
    this.#forget = connection.onDown(() => this.fail(logDown('the connection broke during an answer')));
    this.#subscription = connection.nats.subscribe(subject, {
      callback: (error, message) => {
        if (error) this.fail(faultOf(error));
        else this.#messages.push(message);
        // The other end respects the window; an unrelated sender may not.
        if (this.#messages.length > 2 * UNDER_WAY_MAX)
          this.fail(logDown('more messages than were asked for'));
        this.#wake?.();
      },
    });
  }

  get hasMessages(): boolean {
    return this.#messages.length > 0;
  }

  async next(): Promise<Msg> {
    if (this.#messages.length === 0 && this.#error === undefined) await this.#waited();
    const message = this.#messages.shift();
    if (this.#error !== undefined || message === undefined) {
      throw this.#error ?? this.doubt ?? logDown(`no sign of life in ${PATIENCE_MS} ms during an answer`);
    }
    return message;
  }

  close(): void {
    this.#forget();
    if (!this.#connection.nats.isClosed()) this.#subscription.unsubscribe();
  }

  #waited(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = afterAwake(PATIENCE_MS, () => this.#wake?.());
      this.#wake = () => {
        cancel();
        this.#wake = undefined;
        resolve();
      };
    });
  }

  /** `next` rejects from now on. */
  fail(error: Error): void {
    this.#error ??= error;
    this.#wake?.();
  }
}

/** See `Log.ask`. */
export async function askOne(
  connection: BrokerConnection,
  subject: string,
  question: Uint8Array,
): Promise<AsyncIterable<Uint8Array>> {
  if (!connection.isUp) throw logDown('not connected');
  const inbox = new Inbox(connection, connection.newInbox());
  const forget = connection.onRefused((operation, refused, reason) => {
    if (operation === 'publish' && refused === subject) inbox.fail(faultOf(reason));
  });
  try {
    connection.nats.publish(subject, new Uint8Array(question), { reply: inbox.subject });
    const first = await inbox.next().finally(forget);
    if (first.data.length === 0 && first.headers?.code === NO_RESPONDERS) {
      inbox.close();
      return nothing();
    }
    return pieces(connection, inbox, first);
  } catch (error) {
    inbox.close();
    throw error;
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

async function* pieces(connection: BrokerConnection, inbox: Inbox, first: Msg): AsyncGenerator<Uint8Array> {
  const tell = (bytes: Uint8Array) => {
    // A message from an unrelated sender may have no reply subject.
    if (connection.isUp && first.reply && !NO_INBOX.test(first.reply))
      connection.nats.publish(first.reply, bytes);
  };
  // The answer may be short enough to come nevertheless.
  const forget = connection.onRefused((operation, refused, reason) => {
    if (operation === 'publish' && refused === first.reply) inbox.doubt = faultOf(reason);
  });
  let isComplete = false;
  try {
    let count = 0;
    for (let message = first; ; message = await inbox.next()) {
      const piece = readPiece(plainBytes(message.data));
      if (piece?.kind === 'failed') throw logDown(`no answer: ${new TextDecoder().decode(piece.body)}`);
      if (piece === undefined || piece.count !== count)
        throw logDown(`piece ${count} of an answer is missing`);
      if (piece.kind === 'end') break;
      if (piece.kind !== 'piece') throw logDown(`message ${count} of an answer is not a piece`);
      yield piece.body;
      count++;
      if (count % RECEIVED_EVERY === 0) tell(writePiece('received', count));
    }
    isComplete = true;
  } finally {
    if (!isComplete) tell(writePiece('stop'));
    forget();
    inbox.close();
  }
}

type How = (bytes: Uint8Array) => AsyncIterable<Uint8Array>;

/**
 * See `Log.answer`. A process that may not send answers leaves the questions to others until it may. Whether it may only the broker
 * knows, and says so when an answer is sent.
 */
export function answerAll(
  connection: BrokerConnection,
  { subject, group }: { readonly subject: string; readonly group: string },
  how: How,
  refused: (reason: Error | undefined) => void,
): () => void {
  let answers = 0;
  /** Subjects that answers were sent to, as long as the broker may yet refuse them. */
  const askers = new Set<string>();
  /** After a refused answer: sent to nobody, to find out whether the next one would be refused, too. */
  let probe: string | undefined;
  let subscription = subscribed();
  let isRefused = false;
  let isEnded = false;
  let timer: NodeJS.Timeout | undefined;
  const forget = connection.onRefused((operation, refusedSubject, reason) => {
    const isAnswer = operation === 'publish' && askers.has(refusedSubject);
    const isQuestions = operation === 'subscription' && refusedSubject === subject;
    if (!isAnswer && !isQuestions && refusedSubject !== probe) return;
    isRefused = true;
    refused(new Error(reasonOf(reason)));
    if (isAnswer) {
      probe ??= connection.newInboxBeside(refusedSubject);
      unsubscribe();
    }
    clearTimeout(timer);
    timer = setTimeout(again, REFUSED_MS);
  });
  return () => {
    isEnded = true;
    clearTimeout(timer);
    forget();
    unsubscribe();
  };

  function subscribed(): Subscription {
    return connection.nats.subscribe(subject, {
      queue: group,
      callback: (error, { reply, data }) => {
        if (error || !reply || NO_INBOX.test(reply)) return;
        if (answers >= ANSWERS_MAX) {
          connection.nats.publish(reply, writeFailed('too many questions at once'));
          return;
        }
        answers++;
        // That other subjects are refused says nothing: an asker may name any.
        if (connection.isInbox(reply)) askers.add(reply);
        void giveAnswer(connection, reply, new Uint8Array(data), how).finally(() => {
          answers--;
          void flushed(connection).then(() => askers.delete(reply));
        });
      },
    });
  }

  function unsubscribe(): void {
    if (!connection.nats.isClosed()) subscription.unsubscribe();
  }

  /** The broker forgets a subscription that it refused: once it may, the node must subscribe again. */
  async function again(): Promise<void> {
    if (connection.nats.isClosed()) return;
    isRefused = false;
    if (probe !== undefined) {
      if (connection.isUp) connection.nats.publish(probe);
      if (!(await isAllowed()) || connection.nats.isClosed()) return;
      probe = undefined;
    }
    unsubscribe();
    subscription = subscribed();
    if (await isAllowed()) refused(undefined);
  }

  /** Whether the broker took all that was sent; asks again later if not. */
  async function isAllowed(): Promise<boolean> {
    const isTold = await flushed(connection);
    if (isEnded || isRefused) return false;
    if (!isTold) timer = setTimeout(again, REFUSED_MS);
    return isTold;
  }
}

/** False if the connection broke. When it resolves, what the broker refused of all that was sent before was told. */
async function flushed({ nats }: BrokerConnection): Promise<boolean> {
  try {
    await nats.flush();
  } catch {
    return false;
  }
  await nextTurn();
  return true;
}

/** Never rejects: what happens at the asker's end is not this process's fault. What `how` throws ends the process. */
async function giveAnswer(
  connection: BrokerConnection,
  to: string,
  question: Uint8Array,
  how: How,
): Promise<void> {
  const inbox = new Inbox(connection, connection.newInbox());
  const tell = (bytes: Uint8Array) => {
    if (!connection.isUp) throw logDown('the connection broke during an answer');
    connection.nats.publish(to, bytes, { reply: inbox.subject });
  };
  let count = 0;
  let received = 0;
  try {
    for await (const whole of ownErrors(how, question)) {
      for (let from = 0; from < whole.length; from += PIECE_BYTES) {
        tell(writePiece('piece', count++, whole.subarray(from, from + PIECE_BYTES)));
        while (count - received >= UNDER_WAY_MAX || inbox.hasMessages) {
          const said = readPiece((await inbox.next()).data);
          if (said?.kind !== 'received' || said.count > count) return;
          received = Math.max(received, said.count);
        }
      }
    }
    tell(writePiece('end', count));
  } catch (error) {
    if (!(error instanceof OwnError)) return;
    if (connection.isUp) connection.nats.publish(to, writeFailed(reasonOf(error.cause)));
    // A question that cannot be answered is the asker's fault; anything else is a bug here.
    if (!(error.cause instanceof UmweltError)) calledLoudly(() => throwIt(error.cause));
  } finally {
    inbox.close();
  }
}

class OwnError extends Error {}

/** Yields what `how` yields; wraps what it throws in an OwnError. */
async function* ownErrors(how: How, question: Uint8Array): AsyncGenerator<Uint8Array> {
  try {
    yield* how(question);
  } catch (error) {
    throw new OwnError('an answer failed', { cause: error });
  }
}

function throwIt(error: unknown): never {
  throw error;
}
