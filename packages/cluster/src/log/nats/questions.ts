/**
 * Questions to any member, and answers of any length: how a joining node gets the state of the world.
 *
 * It uses core NATS with one subject and a queue group, so that each question reaches one of the answering processes. The
 * answer goes to the asker's inbox in pieces of at most 256 KiB. The asker acknowledges every 8 pieces, and at most 16 are in
 * flight. So an answer takes at most 4 MiB of memory at either end, whatever its length, and a slow asker slows the sender
 * down. Core NATS may drop messages when a connection breaks: pieces are numbered, and a missing piece ends the answer with an
 * error. The asker then asks again.
 *
 * A process that has more questions than time lets them wait, and sends an empty piece first: the asker acknowledges it at
 * once, which proves that it is there. See turns.ts.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Msg, Subscription } from '@nats-io/transport-node';
import { UmweltError } from 'umwelt';
import { afterAwake } from '../awake-timer.ts';
import { type BrokerConnection, faultOf, logDown, plainBytes, REFUSED_MS, reasonOf } from './connection.ts';
import { calledLoudly } from './follower.ts';
import { PIECE_BYTES, readPiece, writeFailed, writePiece } from './piece.ts';
import type { Turns } from './turns.ts';

/** Longest wait for a message from the other end. */
const PATIENCE_MS = 5000;
/** The asker acknowledges after this many pieces; twice as many may be in flight. */
const RECEIVED_EVERY = 8;
const UNDER_WAY_MAX = 2 * RECEIVED_EVERY;
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
      count++;
      if (piece.body.length > 0) yield piece.body;
      if (piece.body.length === 0 || count % RECEIVED_EVERY === 0) tell(writePiece('received', count));
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
  { subject, group, turns }: { readonly subject: string; readonly group: string; readonly turns: Turns },
  how: How,
  refused: (reason: Error | undefined) => void,
): () => void {
  if (connection.nats.isClosed()) throw logDown('closed');
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
    turns.end();
  };

  function subscribed(): Subscription {
    return connection.nats.subscribe(subject, {
      queue: group,
      callback: (error, { reply, data }) => {
        if (error || !reply || NO_INBOX.test(reply)) return;
        const answer = new Answer(connection, reply, turns);
        const begin = () => {
          // That other subjects are refused says nothing: an asker may name any.
          if (connection.isInbox(reply)) askers.add(reply);
        };
        const ended = () => {
          if (askers.has(reply)) void flushed(connection).then(() => askers.delete(reply));
        };
        turns.take({
          place: placeOf(reply),
          prove: () => {
            begin();
            return answer.prove();
          },
          answer: () => {
            begin();
            return answer.give(new Uint8Array(data), how).finally(ended);
          },
          refuse: () => {
            answer.refuse();
            ended();
          },
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

/** The inboxes of one user have different ends. */
function placeOf(inbox: string): string {
  return inbox.slice(0, Math.max(0, inbox.lastIndexOf('.')));
}

class Answer {
  readonly #connection: BrokerConnection;
  readonly #to: string;
  readonly #turns: Turns;
  #inbox: Inbox | undefined;
  /** Pieces sent, and how many of them the asker has received. */
  #count = 0;
  #received = 0;

  constructor(connection: BrokerConnection, to: string, turns: Turns) {
    this.#connection = connection;
    this.#to = to;
    this.#turns = turns;
  }

  /** Whether the asker listens where it wants to be answered. Never rejects. */
  async prove(): Promise<boolean> {
    const inbox = this.#listen();
    try {
      this.#tell(inbox, writePiece('piece', this.#count++));
      return await this.#hear(inbox);
    } catch {
      return false;
    }
  }

  /** Never rejects: what happens at the asker's end is not this process's fault. What `how` throws ends the process. */
  async give(question: Uint8Array, how: How): Promise<void> {
    const inbox = this.#listen();
    try {
      // This is most of the work: a state is written at once. Sending it is a tenth, at the pace of the asker.
      for await (const whole of ownErrors((bytes) => this.#turns.work(() => how(bytes)), question)) {
        for (let from = 0; from < whole.length; from += PIECE_BYTES) {
          const body = whole.subarray(from, from + PIECE_BYTES);
          this.#tell(inbox, writePiece('piece', this.#count++, body));
          while (this.#count - this.#received >= UNDER_WAY_MAX || inbox.hasMessages)
            if (!(await this.#hear(inbox))) return;
        }
      }
      this.#tell(inbox, writePiece('end', this.#count));
    } catch (error) {
      if (!(error instanceof OwnError)) return;
      this.#fail(reasonOf(error.cause));
      // A question that cannot be answered is the asker's fault; anything else is a bug here.
      if (!(error.cause instanceof UmweltError)) calledLoudly(() => throwIt(error.cause));
    } finally {
      inbox.close();
    }
  }

  refuse(): void {
    this.#inbox?.fail(logDown('the question is not answered'));
    this.#inbox?.close();
    this.#fail('too many questions at once');
  }

  #listen(): Inbox {
    this.#inbox ??= new Inbox(this.#connection, this.#connection.newInbox());
    return this.#inbox;
  }

  #tell(inbox: Inbox, bytes: Uint8Array): void {
    if (!this.#connection.isUp) throw logDown('the connection broke during an answer');
    this.#connection.nats.publish(this.#to, bytes, { reply: inbox.subject });
  }

  #fail(reason: string): void {
    if (this.#connection.isUp) this.#connection.nats.publish(this.#to, writeFailed(reason));
  }

  /** False if the asker wants no more, or says what it cannot know. */
  async #hear(inbox: Inbox): Promise<boolean> {
    const said = readPiece((await inbox.next()).data);
    if (said?.kind !== 'received' || said.count > this.#count) return false;
    this.#received = Math.max(this.#received, said.count);
    return true;
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
