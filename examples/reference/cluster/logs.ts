// Example of: Log
import { joinWorld, type Log, memoryLog } from '@umwelt/cluster';

/** A log that counts what is written. Anything that keeps records in one order can be a log. */
class CountedLog implements Log {
  readonly #log = memoryLog();
  count = 0;

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
    return this.#log.answer(how);
  }
}

const log = new CountedLog();
const node = await joinWorld({ log, tickMs: 10 });
await node.add({ x: 0, y: 0 });
console.log(log.count > 1, (await log.read(1)) !== undefined); // true true
await node.leave();
