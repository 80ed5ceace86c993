/**
 * What a node with clients spends on its main thread: it applies the log, ticks, and encodes a frame for each of its clients.
 * Their sockets, and what they send, are left out: both divide wholly over nodes.
 */
import { UmweltClient } from '@umwelt/client';
import { Gateway, InProcessTransport } from '@umwelt/gateway';
import { pino } from 'pino';
import type { EntityId } from 'umwelt';
import { type Crowd, milliseconds, Walk, type Walker } from './replica-figures.ts';

const BATCH = 200;

/** A member's walk, and a client for each watcher that it shows. */
export async function walkWithClients(crowd: Crowd, members: number, own: number): Promise<Walker> {
  const walk = new Walk(crowd, members, own);
  const { world } = walk.replica;
  const gateway = new Gateway(world, {
    tickMs: 50,
    appearance: { positionStep: 0.01 },
    authenticate: ({ credential }) => ({ watcher: Number(credential), data: credential }),
    limits: { clientsMax: walk.shown.length, admissionsMax: BATCH, strangersMax: BATCH },
    logger: pino({ enabled: false }),
  });
  const transport = new InProcessTransport();
  await gateway.listen(transport);
  const clients: UmweltClient[] = [];
  let nowMs = 0;
  for (let from = 0; from < walk.shown.length; from += BATCH) {
    const batch = Array.from(walk.shown.subarray(from, from + BATCH), (id, i) =>
      connected(transport, id, from + i, () => nowMs),
    );
    while (batch.some(({ state }) => state !== 'open')) {
      transport.deliver();
      await new Promise((resolve) => setImmediate(resolve));
      if (batch.some(({ state }) => state === 'closed')) throw new Error('a client was turned away');
    }
    clients.push(...batch);
  }
  gateway.observe(({ frames, entered, updated }) => {
    if (frames !== clients.length || entered + updated === 0)
      throw new Error(`${frames} of ${clients.length} clients had a frame, of ${entered + updated} entities`);
  });
  const tell = (): number => milliseconds(() => gateway.publish(world.lastChanges));
  return {
    step: () => {
      const { applyMs, tickMs } = walk.step();
      const step = { applyMs, tickMs: tickMs + tell() };
      // By the clock of clients it is time to acknowledge what they were sent.
      nowMs += 1000;
      transport.deliver();
      return step;
    },
    end: async () => {
      for (const client of clients) client.close();
      transport.deliver();
      await gateway.drain();
    },
  };
}

function connected(
  transport: InProcessTransport,
  id: EntityId,
  number: number,
  now: () => number,
): UmweltClient {
  const address = `10.${number >>> 16}.${(number >>> 8) & 255}.${number & 255}`;
  const client = new UmweltClient({
    url: '/',
    credential: () => String(id),
    now,
    openSocket: (url, events) => transport.open(events, { address, url, origin: undefined, headers: {} }),
  });
  client.connect();
  return client;
}
