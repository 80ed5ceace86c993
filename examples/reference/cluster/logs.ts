// Example of: Log, QuestionCounts
import { joinWorld, type Log, memoryLog, type QuestionCounts } from '@umwelt/cluster';

/** A log that counts what is written. Anything that keeps records in one order can be a log. */
class CountedLog implements Log {
  readonly #log = memoryLog();
  count = 0;
  #answered = 0;

  append(bytes: Uint8Array): Promise<number> {
    this.count++;
    return this.#log.append(bytes);
  }

  follow(...words: Parameters<Log['follow']>): ReturnType<Log['follow']> {
    return this.#log.follow(...words);
  }

  read(position: number): Promise<Uint8Array | undefined> {
    return this.#log.read(position);
  }

  ask(bytes: Uint8Array): Promise<AsyncIterable<Uint8Array>> {
    return this.#log.ask(bytes);
  }

  answer(how: Parameters<Log['answer']>[0]): () => void {
    return this.#log.answer((question) => {
      this.#answered++;
      return how(question);
    });
  }

  /** For `NodeMetrics`: here none is refused. */
  get questions(): QuestionCounts {
    return { answered: this.#answered, refused: 0 };
  }
}

const log = new CountedLog();
const node = await joinWorld({ log, tickMs: 10 });
await node.add({ x: 0, y: 0 });
console.log(log.count > 1, (await log.read(1)) !== undefined); // true true
const other = await joinWorld({ log, tickMs: 10 });
console.log(log.questions.answered); // 1
await other.leave();
await node.leave();
