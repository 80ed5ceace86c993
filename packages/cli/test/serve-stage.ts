/**
 * A service without a network: callers whose connections do what a test says, and a clock that it turns.
 *
 * A caller keeps what it was told: the answers, and the relations that follow from them, as a server in another language would.
 */
import type { Connection, ConnectionEvents, Transport, TransportHost } from '@umwelt/gateway';
import { World, type WorldOptions } from 'umwelt';
import type { Answer, Refused, Views, Welcome } from '../src/serve/answer.ts';
import { readAnswer } from '../src/serve/binary-answers.ts';
import { writeBatch, writeHello } from '../src/serve/binary-commands.ts';
import type { Command } from '../src/serve/command.ts';
import { readAnswerText } from '../src/serve/json-answers.ts';
import { writeBatchText, writeHelloText } from '../src/serve/json-commands.ts';
import type { Key } from '../src/serve/key.ts';
import { Service, type ServiceOptions } from '../src/serve/service.ts';
import { FakeClock } from './fake-clock.ts';

export type Form = 'binary' | 'json';

export class ServeStage {
  readonly clock = new FakeClock();
  readonly lines: string[] = [];
  readonly world: World;
  readonly service: Service;
  #host: TransportHost | undefined;

  constructor(worldOptions: WorldOptions = {}, options: Partial<ServiceOptions> = {}) {
    this.world = new World(worldOptions);
    this.service = new Service({
      world: this.world,
      rate: 0,
      token: undefined,
      clock: this.clock,
      log: (line) => this.lines.push(line),
      ...options,
    });
    const transport: Transport = {
      start: async (host) => {
        this.#host = host;
      },
      stop() {},
      close: async () => {},
    };
    void this.service.listen(transport);
  }

  connect(form: Form, origin?: string): StagedCaller {
    const { senseNames, dimensions } = this.world;
    const caller = new StagedCaller(form, senseNames, dimensions);
    const request = { address: 'here', url: '/', origin, headers: {} };
    caller.events = this.#host?.accept(caller.connection, request);
    return caller;
  }

  /** One that has said hello. */
  join(form: Form, token = ''): StagedCaller {
    const caller = this.connect(form);
    caller.hello(token);
    return caller;
  }
}

export class StagedCaller {
  events: ConnectionEvents | undefined;
  /** What is under way and not read yet, as a test says. */
  bufferedBytes = 0;
  isPaused = false;
  closeCode: number | undefined;
  closeReason = '';
  readonly answers: Answer[] = [];
  readonly connection: Connection;
  readonly #form: Form;
  readonly #dimensions: 2 | 3;
  readonly #relations = new Map<Key, Map<Key, number>>();
  readonly #told: string[] = [];

  constructor(form: Form, senses: readonly string[], dimensions: 2 | 3) {
    this.#form = form;
    this.#dimensions = dimensions;
    const caller = this;
    this.connection = {
      get bufferedBytes() {
        return caller.bufferedBytes;
      },
      send: (bytes) => this.#take(readAnswer(bytes)),
      sendText: (text) => this.#take(readAnswerText(text, senses)),
      pause: () => {
        this.isPaused = true;
      },
      resume: () => {
        this.isPaused = false;
      },
      close: (code, reason) => {
        if (this.closeCode === undefined) this.closeReason = reason;
        this.closeCode ??= code;
      },
      terminate() {},
    };
  }

  /** The newest version of the format unless given. */
  hello(token = '', version?: number): void {
    if (this.#form === 'json') this.events?.receivedText?.(writeHelloText(token, version));
    else this.events?.received(writeHello(token, version));
  }

  send(...commands: Command[]): void {
    // A watcher that is removed is told nothing more: whoever removes it has to forget what it perceived.
    for (const command of commands) if (command.do === 'remove') this.#relations.delete(command.key);
    if (this.#form === 'json') this.events?.receivedText?.(writeBatchText(commands));
    else this.events?.received(writeBatch(commands, this.#dimensions));
  }

  get welcome(): Welcome | undefined {
    return this.answers.find((answer) => answer.is === 'welcome');
  }

  get views(): Views[] {
    return this.answers.filter((answer) => answer.is === 'views');
  }

  get refused(): Refused[] {
    return this.answers.filter((answer) => answer.is === 'refused');
  }

  /** Codes of all that was refused. */
  get codes(): string[] {
    return this.refused.flatMap(({ commands }) => commands.map(({ code }) => code));
  }

  /** Who perceives whom by which senses, as told so far: 'watcher>marker:senses', sorted. */
  get relations(): string[] {
    const pairs = [...this.#relations].flatMap(([watcher, markers]) =>
      [...markers].map(([marker, senses]) => pairText(watcher, marker, senses)),
    );
    return pairs.sort();
  }

  /** What was told since the last call, one line a pair: 'entered watcher>marker:senses'; sorted. */
  takeTold(): string[] {
    return this.#told.splice(0).sort();
  }

  #take(answer: Answer | undefined): void {
    if (answer === undefined) throw new Error('the service said what is no answer');
    this.answers.push(answer);
    if (answer.is !== 'views') return;
    if (answer.resync) this.#relations.clear();
    for (const { watcher, list, markers, senses, parents } of answer.rows) {
      const known = this.#relations.get(watcher) ?? new Map<Key, number>();
      this.#relations.set(watcher, known);
      for (const [i, marker] of markers.entries()) {
        if (list === 'heard') {
          this.#told.push(`heard ${pairText(watcher, marker, undefined)}`);
          continue;
        }
        const isKnown = known.has(marker);
        if (isKnown === (list === 'entered')) throw new Error(`${list} does not fit: ${String(marker)}`);
        if (list === 'attached') {
          this.#told.push(hangingText(watcher, marker, parents?.[i]));
          continue;
        }
        this.#told.push(`${list} ${pairText(watcher, marker, senses[i])}`);
        if (list === 'left' || list === 'gone') known.delete(marker);
        else if (list !== 'updated') known.set(marker, senses[i]!);
      }
    }
  }
}

/** From whom one that the watcher perceives hangs, as text. */
export function hangingText(watcher: Key, child: Key, parent: Key | undefined): string {
  return `attached ${pairText(watcher, child, undefined)} to ${JSON.stringify(parent)}`;
}

/** A key as text, by which 5 and '5' differ. */
export function pairText(watcher: Key, marker: Key, senses: number | undefined): string {
  return `${JSON.stringify(watcher)}>${JSON.stringify(marker)}${senses === undefined ? '' : `:${senses}`}`;
}
