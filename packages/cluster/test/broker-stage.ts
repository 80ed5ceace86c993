/**
 * Where suites on a real broker play: brokers and logs that end with the suite.
 *
 * Without a nats-server the suites are skipped; with CI=true that is a failure.
 */
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, describe, it } from 'vitest';
import { NatsBroker } from '../../../tools/nats-broker.ts';
import { findNatsServer } from '../../../tools/nats-server.ts';
import { type NatsLogOptions, natsLog } from '../src/log/nats-log.ts';
import type { NatsLog } from '../src/log/nats-options.ts';

const hasBroker = findNatsServer() !== undefined;

/** As `describe`, where there is a nats-server: the brokers and logs of the suite end after its own hooks. */
export function describeOnBroker(name: string, suite: () => void): void {
  if (!hasBroker && process.env.CI === 'true') {
    it(name, () => {
      throw new Error('no nats-server: with CI=true this suite must not be skipped');
    });
    return;
  }
  describe.skipIf(!hasBroker)(name, () => {
    afterAll(async () => {
      for (const end of endings.splice(0).reverse()) await end();
    });
    suite();
  });
}

const endings: (() => Promise<unknown>)[] = [];

export async function oneBroker(...options: Parameters<typeof NatsBroker.start>): Promise<NatsBroker> {
  const broker = await NatsBroker.start(...options);
  endings.push(() => broker.dispose());
  return broker;
}

/** A connection to a broker beside the logs, as its operator has one, and its streams. */
export async function operatorOf(
  broker: NatsBroker,
): Promise<{ nats: NatsConnection; manager: JetStreamManager }> {
  const nats = await connect({ servers: broker.url });
  endings.push(() => nats.close());
  return { nats, manager: await jetstreamManager(nats) };
}

export async function threeBrokers(): ReturnType<typeof NatsBroker.startThree> {
  const brokers = await NatsBroker.startThree();
  for (const broker of brokers) endings.push(() => broker.dispose());
  return brokers;
}

/** Room for many worlds in one test file. */
const SMALL = 16 * 1024 * 1024;
let worlds = 0;

export function newWorld(): string {
  return `world-${++worlds}`;
}

/** A log of a new world, unless one is named. */
export async function openLog(
  servers: string | string[],
  options: Partial<NatsLogOptions> = {},
): Promise<NatsLog> {
  const log = await natsLog({ servers, world: newWorld(), maxBytes: SMALL, ...options });
  endings.push(() => log.close());
  return log;
}
