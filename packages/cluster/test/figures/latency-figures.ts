/**
 * How long a record takes from who appends it to a replica that has applied it, through a real broker: four members, each with a
 * connection of its own, that move a quarter of a crowd each 50 ms, and one more connection that follows. All of it is one
 * process, so that there is one clock; what the members and the replica work is in it, too.
 */
import { NatsBroker } from '../../../../tools/nats-broker.ts';
import { natsLog } from '../../src/log/nats-log.ts';
import { readRecord } from '../../src/records/record.ts';
import { Replica } from '../../src/state/replica.ts';
import { callsRecord, helloRecord, markRecord } from '../record-makers.ts';

const MEMBERS = 4;
const TICK_MS = 50;
const PIECE = 5000;

export interface Latency {
  readonly records: number;
  readonly bytesASecond: number;
  readonly medianMs: number;
  readonly p99Ms: number;
}

/** `movers`: of all members together. */
export async function latencyOf(movers: number, seconds: number): Promise<Latency> {
  const broker = await NatsBroker.start();
  const connect = () =>
    natsLog({ servers: [broker.url], world: 'latency', maxBytes: 2 ** 30, connectMs: 60_000 });
  const logs = await Promise.all(Array.from({ length: MEMBERS + 1 }, connect));
  try {
    return await measured(logs, movers, seconds);
  } finally {
    await Promise.all(logs.map((log) => log.close()));
    await broker.dispose();
  }
}

async function measured(
  logs: readonly Awaited<ReturnType<typeof natsLog>>[],
  movers: number,
  seconds: number,
): Promise<Latency> {
  const ids: number[][] = Array.from({ length: MEMBERS }, () => []);
  const replica = new Replica({
    world: {},
    views: 'own',
    events: { added: (member, _request, id) => void ids[member.number]!.push(Number(id)) },
  });
  /** By member and number of its record: when it was appended. */
  const sentMs = new Map<string, number>();
  const tookMs: number[] = [];
  const stop = await logs[MEMBERS]!.follow(
    1,
    (position, window) => {
      const bytes = window.slice();
      replica.apply(position, bytes);
      const { member, seq } = readRecord(bytes);
      const sent = sentMs.get(`${member} ${seq}`);
      if (sent !== undefined) tookMs.push(performance.now() - sent);
    },
    () => {
      throw new Error('the broker broke off');
    },
  );
  const part = Math.floor(movers / MEMBERS);
  const seqs = new Array<number>(MEMBERS).fill(0);
  for (let n = 0; n < MEMBERS; n++)
    await logs[n]!.append(helloRecord({ name: `n${n}`, nonce: [n + 1, 1], silenceTicks: 1e6 }));
  await until(() => replica.members.live().length === MEMBERS);
  const speaker = (n: number) => ({
    member: n,
    incarnation: replica.members.byNumber(n)!.incarnation,
    seq: ++seqs[n]!,
  });
  for (let n = 0; n < MEMBERS; n++) {
    for (let from = 0; from < part; from += PIECE) {
      const adds = Array.from({ length: Math.min(PIECE, part - from) }, (_, i) => ({
        request: from + i,
        x: n,
        y: from + i,
        z: 0,
        patch: { range: 0 },
        key: '',
        fields: {},
        keep: new Uint8Array(0),
      }));
      await logs[n]!.append(callsRecord(speaker(n), { adds }));
    }
  }
  await until(() => replica.world.size === part * MEMBERS);
  let bytes = 0;
  const beganMs = performance.now();
  for (let tick = 1; performance.now() - beganMs < seconds * 1000; tick++) {
    const appended: Promise<number>[] = [];
    for (let n = 0; n < MEMBERS; n++) {
      const x = Float32Array.from({ length: part }, () => tick);
      const moves = { ids: Uint32Array.from(ids[n]!), x, y: x, z: undefined };
      const who = speaker(n);
      const record = callsRecord(who, { moves });
      bytes += record.length;
      sentMs.set(`${n} ${who.seq}`, performance.now());
      appended.push(logs[n]!.append(record));
    }
    const { incarnation } = replica.members.byNumber(0)!;
    appended.push(logs[0]!.append(markRecord({ member: 0, incarnation }, replica.tick + 1)));
    // Nobody appends its next record before this one is in the log.
    await Promise.all(appended);
    await until(() => performance.now() - beganMs >= tick * TICK_MS);
  }
  const sentSeconds = (performance.now() - beganMs) / 1000;
  await until(() => tookMs.length === sentMs.size);
  stop();
  const sorted = tookMs.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)]!;
  return {
    records: sorted.length,
    bytesASecond: bytes / sentSeconds,
    medianMs: at(0.5),
    p99Ms: at(0.99),
  };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 1));
}
