/**
 * Bytes that nobody meant, by the million: at a client, and at a gateway.
 *
 * Messages are made from sound ones, by flipping, cutting, repeating, splicing and stretching, and some from nothing but
 * chance. A client has to take each or to refuse it and begin anew, with a mirror that is sound either way; a gateway has to
 * close who sent it or to live with it, and an honest player beside them misses nothing. What comes next is sent to what the
 * last one left behind. Neither may throw, hang, or hold more in the end than in the beginning.
 *
 * Everything follows from the seed; a find names it, and the message.
 */
import { World } from 'umwelt';
import type { Session } from '../src/index.ts';
import { FrameDesk, type Seat, WiredClient } from './frame-desk.ts';
import { GatewayStage, type Player } from './gateway-stage.ts';

export interface FuzzTally {
  readonly messages: number;
  /** Those that were understood. */
  readonly taken: number;
  readonly refused: number;
  readonly slowestMs: number;
}

const SENSES = ['sight', 'hearing'];
const FIELDS = {
  'any-flag': { type: 'bool' },
  'any-count': { type: 'int' },
  'any-health': { type: 'uint' },
  'owner-gold': { type: 'float32', audience: 'owner' },
  'sight-name': { type: 'string', sense: 'sight' },
  'near-rank': { type: 'uint', audience: 'near' },
} as const;
const APPEARANCE = { positionStep: 0.5, nearDistance: 5, fields: FIELDS };
/** As a page that talks to a strange server must not be made to hold more: docs/frame-format.md. */
const ENTITIES_MAX = 65_536;
/** A message that takes longer is one that hangs. */
const HANG_MS = 2000;
const LONGEST = 400;

/** Numbers of 0 to `below` - 1, the same for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

type Random = ReturnType<typeof randomOf>;

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}

/** A message out of sound ones that is most likely none. */
function mangled(source: Uint8Array, corpus: readonly Uint8Array[], random: Random): Uint8Array {
  if (random(12) === 0) return Uint8Array.from({ length: random(60) }, () => random(256));
  let bytes = [...source];
  for (let times = random(3); times >= 0; times--) {
    const at = random(bytes.length + 1);
    const count = 1 + random(8);
    switch (random(8)) {
      case 0:
        bytes[at % (bytes.length || 1)] = random(256);
        break;
      case 1:
        bytes[at % (bytes.length || 1)]! ^= 1 << random(8);
        break;
      case 2:
        bytes = bytes.slice(0, at);
        break;
      case 3:
        bytes.splice(at, count);
        break;
      case 4:
        bytes.splice(at, 0, ...bytes.slice(at, at + count));
        break;
      case 5:
        bytes = [...bytes.slice(0, at), ...corpus[random(corpus.length)]!.slice(random(40))];
        break;
      case 6:
        // A number in place of another, of any size.
        bytes.splice(at, 1, ...varint(2 ** random(32) - random(2)));
        break;
      default:
        // One that does not end, or ends late.
        bytes.splice(at, 0, ...Array.from({ length: count }, () => 0xff), random(2) * 0x7f);
    }
  }
  return Uint8Array.from(bytes.slice(0, LONGEST));
}

/** What three clients were sent, each from its welcome on: a resync, and frames after it. */
function serverCorpus(): Uint8Array[][] {
  const world = new World({ senses: SENSES });
  const desk = new FrameDesk(world, APPEARANCE, SENSES);
  const ids = Array.from({ length: 8 }, (_, i) => world.add({ x: i, y: 0, range: 6 }));
  const seats: Seat[] = ids.slice(0, 3).map((id) => desk.seat(id, id));
  for (let tick = 1; tick < 12; tick++) {
    for (const [i, id] of ids.entries()) {
      world.move(id, (i * tick) % 9, tick / 4);
      desk.columns.set(id, { 'any-count': tick - i, 'sight-name': `n${i * tick}`, 'owner-gold': i / 3 });
    }
    world.update(ids[tick % 8]!, { gain: { sight: tick % 2, hearing: 1 } });
    desk.tick();
    for (const seat of seats) {
      seat.view.queue({ marker: ids[tick % 8]!, bytes: Uint8Array.of(tick, 1) });
      if (tick % 3 === 0) seat.view.queue({ marker: 0, steps: [tick, -tick], bytes: Uint8Array.of(tick) });
      seat.wired.receive(desk.frame(seat));
    }
  }
  return seats.map(({ wired }) => wired.heard);
}

/** Feeds a client `count` messages. Throws at a find. */
export function fuzzClient(seed: number, count: number): FuzzTally {
  const random = randomOf(seed);
  const stories = serverCorpus();
  const corpus = stories.flat();
  let story = stories[0]!;
  let next = 0;
  const wired = new WiredClient(1000, false);
  let taken = 0;
  let slowestMs = 0;
  for (let i = 0; i < count; i++) {
    if (wired.client.state !== 'open') {
      wired.reconnect();
      story = stories[random(stories.length)]!;
      // The welcome, mostly the resync, and how much of the rest goes well.
      next = random(8) === 0 ? 1 : 2 + random(story.length - 2);
      for (const bytes of story.slice(0, next)) wired.receive(bytes);
    }
    wired.nowMs += random(100);
    const source = story[next] ?? corpus[random(corpus.length)]!;
    const isSound = random(4) === 0;
    const bytes = isSound ? source : mangled(source, corpus, random);
    if (isSound) next++;
    // In its turn, as a frame by whoever knows the format would be.
    else if (bytes.length > 2 && random(8) > 0) bytes[2] = source[2]!;
    const startMs = performance.now();
    try {
      wired.receive(bytes);
      if (random(50) === 0) wired.client.interpolate(wired.nowMs);
      checkMirror(wired);
    } catch (error) {
      throw found(seed, i, bytes, error);
    }
    slowestMs = Math.max(slowestMs, performance.now() - startMs);
    if (slowestMs > HANG_MS) throw found(seed, i, bytes, `it took ${slowestMs} ms`);
    if (wired.client.state === 'open') taken++;
  }
  return { messages: count, taken, refused: count - taken, slowestMs };
}

function checkMirror({ client }: WiredClient): void {
  const { state, entities, left } = client;
  if (state !== 'open' && state !== 'waiting') throw new Error(`the client is ${state}`);
  if (entities.size + left.size > ENTITIES_MAX) throw new Error(`${entities.size} entities`);
  // After a refusal the mirror may be half of a frame, and nobody is told of it.
  if (state !== 'open') return;
  for (const [id, { x, y, z, fields, shown }] of entities) {
    const generation = id % 1024;
    const isSound = id < 2 ** 32 && generation > 0 && Number.isFinite(x + y + z + shown.x + shown.y);
    if (!isSound) throw new Error(`entity ${id} is at ${x}, ${y}, ${z}`);
    for (const name of Object.keys(fields)) {
      if (!(name in FIELDS)) throw new Error(`entity ${id} has a field '${name}'`);
    }
  }
}

/** Sound messages of clients; the tokens are of sessions that stand. */
function clientCorpus(watchers: readonly number[], sessions: Iterable<Session>, tick: number): Uint8Array[] {
  const hello = (token: Uint8Array, credential: string): Uint8Array => {
    const text = new TextEncoder().encode(credential);
    return Uint8Array.of(1, 2, token.length, ...token, tick & 127, text.length, ...text);
  };
  return [
    ...watchers.map((watcher) => hello(new Uint8Array(0), String(watcher))),
    ...[...sessions].map(({ token }) => hello(token, '')),
    Uint8Array.of(2, 1, 7, 7, 7),
    Uint8Array.of(2, 0xff, 0xff, 3),
    Uint8Array.of(3, tick & 127),
    Uint8Array.of(4, 9),
  ];
}

/** Feeds a gateway `count` messages over many connections, an honest player beside them. Rejects at a find. */
export async function fuzzGateway(seed: number, count: number): Promise<FuzzTally> {
  const random = randomOf(seed);
  const world = new World();
  const watchers = Array.from({ length: 6 }, (_, i) => world.add({ x: i, y: 0, range: 20 }));
  const honest = world.add({ x: 0, y: 1, range: 20 });
  const stage = await new GatewayStage(
    {
      authenticate: ({ credential }) => {
        if (credential === 'honest, and nobody else') return { watcher: honest };
        const watcher = Number(credential);
        return watcher !== honest && world.has(watcher) ? { watcher } : undefined;
      },
      onInput: (_session, payload) => {
        if (payload.length > 20) throw new Error('a game that does not like it');
      },
      limits: { graceMs: 2000, strangersMax: 20, clientsMax: 10 },
      randomToken: () => Uint8Array.from({ length: 16 }, () => random(256)),
    },
    world,
  ).listen();
  const player = await stage.joinedPlayer('honest, and nobody else');
  let refused = 0;
  let slowestMs = 0;
  let sent = 0;
  while (sent < count) {
    const others = [...stage.gateway.sessions].filter(({ watcher }) => watcher !== honest);
    const corpus = clientCorpus(watchers, others, world.tickCount);
    for (let k = 0; k < 100; k++) {
      let isOpen = true;
      const line = stage.transport.open({
        opened: () => {},
        received: () => {},
        closed: () => {
          isOpen = false;
        },
      });
      line.stalled = random(8) === 0;
      stage.transport.deliver();
      for (let i = 1 + random(6); i > 0 && isOpen; i--) {
        const source = corpus[random(corpus.length)]!;
        const bytes = random(3) === 0 ? source : mangled(source, corpus, random);
        const startMs = performance.now();
        try {
          line.send(bytes);
          line.deliver();
        } catch (error) {
          throw found(seed, sent, bytes, error);
        }
        slowestMs = Math.max(slowestMs, performance.now() - startMs);
        sent++;
      }
      if (!isOpen) refused++;
      // Some stay to be thrown out, or to be cut off as their last word goes by.
      else if (random(3) > 0) line.cut();
      stage.clock.pass(random(40));
    }
    for (const id of watchers) world.move(id, random(30), random(3));
    stage.tick();
    checkStage(stage, player, honest, seed, sent);
  }
  stage.clock.pass(60_000);
  stage.transport.deliver();
  if (stage.gateway.status().clients > 1 || stage.transport.lines.size > 1) {
    throw new Error(`seed ${seed}: ${stage.gateway.status().clients} sessions are left in the end`);
  }
  await stage.gateway.drain();
  return { messages: sent, taken: sent - refused, refused, slowestMs };
}

function checkStage(stage: GatewayStage, player: Player, honest: number, seed: number, sent: number): void {
  const { clients } = stage.gateway.status();
  // Joins, sessions and what ended fill lists of the stage's own.
  for (const list of [stage.joined, stage.ended, stage.inputs]) list.length = 0;
  if (clients > 10) throw new Error(`seed ${seed}: ${clients} sessions after ${sent} messages`);
  if (player.client.state !== 'open' || !stage.isEqual(player, honest)) {
    throw new Error(`seed ${seed}: the honest player lost its view after ${sent} messages`);
  }
}

function found(seed: number, index: number, bytes: Uint8Array, what: unknown): Error {
  const text = `seed ${seed}, message ${index}: ${Buffer.from(bytes).toString('hex')}: ${String(what)}`;
  return new Error(text, { cause: what });
}
