/**
 * Requests that get lost on their way, as those do that a broker drops while its stream has no leader: the log makes them again, instead
 * of waiting until it gives up.
 */
import { connect, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { describeOnBroker, newWorld, oneBroker, openLog, operatorOf } from '../broker-stage.ts';
import { followed, record } from './log-contract.ts';

/** A request as the NATS client sends it: the subject, and how many bytes follow the line. */
const REQUEST = /PUB \$JS\.API\.([A-Z.]+)\.\S* \S+ (\d+)\r\n/;

/** Stands between a client and a broker, and does with the first request of each kind what it is told. */
class Tap {
  /** Kinds of requests of which the next one is not passed on; with a time, it is after that. */
  readonly held = new Map<string, number | undefined>();
  readonly seen: string[] = [];
  port = 0;

  async open(brokerPort: number): Promise<void> {
    const server = createServer((client) => {
      const broker = connect(brokerPort, '127.0.0.1');
      broker.pipe(client);
      client.on('data', (data) => {
        for (const piece of this.#pieces(data.toString('latin1'))) broker.write(piece, 'latin1');
      });
      for (const [one, other] of [
        [client, broker],
        [broker, client],
      ] as const)
        one.on('close', () => other.destroy()).on('error', () => other.destroy());
      this.#later = (text, milliseconds) => setTimeout(() => broker.write(text, 'latin1'), milliseconds);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    this.port = (server.address() as { port: number }).port;
  }

  #later: (text: string, milliseconds: number) => void = () => {};

  /** What is left to pass on now. Requests are short: none is in two pieces of the connection. */
  *#pieces(text: string): Generator<string> {
    let rest = text;
    for (let found = REQUEST.exec(rest); found !== null; found = REQUEST.exec(rest)) {
      const [line, kind = '', length] = found;
      const end = found.index + line.length + Number(length) + 2;
      this.seen.push(kind);
      const isHeld = this.held.has(kind);
      const milliseconds = this.held.get(kind);
      this.held.delete(kind);
      yield rest.slice(0, isHeld ? found.index : end);
      if (milliseconds !== undefined) this.#later(rest.slice(found.index, end), milliseconds);
      rest = rest.slice(end);
    }
    yield rest;
  }
}

describeOnBroker('requests to a broker', () => {
  it('that get lost are made again', async () => {
    const [broker, tap] = [await oneBroker(), new Tap()];
    await tap.open(broker.port);
    const log = await openLog(`nats://127.0.0.1:${tap.port}`);
    await log.append(record(1));
    tap.held.set('STREAM.INFO', undefined);
    expect(await log.last()).toBe(1);
    tap.held.set('STREAM.MSG.GET', undefined);
    expect(await log.read(1)).toEqual(record(1));
    tap.held.set('CONSUMER.CREATE', undefined);
    const { taken } = await followed(log, 1);
    await expect.poll(() => taken).toEqual([[1, 1]]);
    expect(tap.held.size).toBe(0);
    await log.append(record(2));
    await expect.poll(() => taken.length).toBe(2);
  });

  it('that are answered late leave nothing on the broker', async () => {
    const [broker, tap] = [await oneBroker(), new Tap()];
    await tap.open(broker.port);
    const world = newWorld();
    const log = await openLog(`nats://127.0.0.1:${tap.port}`, { world });
    tap.held.set('CONSUMER.CREATE', 1000);
    const { taken, losses } = await followed(log, 1);
    await expect.poll(() => tap.seen).toContain('CONSUMER.DELETE');
    const { manager } = await operatorOf(broker);
    await expect.poll(async () => (await manager.consumers.list(`UMWELT_${world}`).next()).length).toBe(1);
    await log.append(record(1));
    await expect.poll(() => taken).toEqual([[1, 1]]);
    expect(losses()).toBe(0);
  });
});
