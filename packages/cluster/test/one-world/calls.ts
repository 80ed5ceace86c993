/** What each kind of call is on a node, and on the one world. */
import type { EntityId, World } from 'umwelt';
import type { ClusterNode } from '../../src/index.ts';
import { ROOM_BYTES } from '../../src/node/outbox.ts';
import {
  drawnColumns,
  drawnInterest,
  drawnPatch,
  INTEREST_NAMES,
  LATE_NAMES,
  SENSES,
} from '../simulation/drawn.ts';
import { Random } from '../simulation/random.ts';
import { KEYS, type OneWorld } from './one-world.ts';
import type { Call, Kind } from './script.ts';

/** Of a message that is not its bytes, and less than one move more. */
const MESSAGE_BYTES = 8 + 4;

/** `by`: the node's incarnation. */
export type Told = (one: OneWorld, by: number) => unknown;

/** Those that the stage makes. */
export type Coming = 'join' | 'leave' | 'halt';

export interface Scene {
  readonly node: ClusterNode;
  readonly ids: readonly EntityId[];
  readonly views: 'own' | 'all';
  /** See `Script.fills`. */
  readonly fills: boolean;
  /** Numbers what is added. */
  added(answer: Promise<EntityId | Uint32Array>): Promise<unknown>;
}

/** A call's own. */
interface Given extends Scene {
  readonly id: EntityId;
  readonly other: EntityId;
  readonly x: number;
  readonly y: number;
  readonly z: number | undefined;
  readonly both: Uint32Array;
  /** Of x and y. */
  readonly random: Random;
}

type Pair = readonly [make: () => unknown, told: Told];

/** Methods that a world has, too. */
type Alike = Pick<
  ClusterNode,
  | 'move'
  | 'remove'
  | 'removeMany'
  | 'update'
  | 'updateMany'
  | 'touch'
  | 'pin'
  | 'unpin'
  | 'block'
  | 'unblock'
  | 'setInterest'
>;

const alike = ({ node }: Given, call: (target: Alike | World) => void): Pair => [
  () => call(node),
  ({ world }) => call(world),
];

const PAIRS: { readonly [K in Exclude<Kind, Coming>]: (given: Given) => Pair } = {
  move: (given) => alike(given, (target) => target.move(given.id, given.x, given.y, given.z)),
  teleport: (given) =>
    alike(given, (target) => target.move(given.id, given.x, given.y, given.z, { teleport: true })),
  moveMany: ({ node, id, other, both, x, y, z, random }) => {
    const how = { teleport: random.chance(0.3) };
    return [
      () => node.moveMany(both, [x, y], [y, x], z === undefined ? undefined : [z, 1], undefined, how),
      (one) => {
        // A node makes the moves that can be made, a world none.
        one.tell(({ world }) => world.move(id, x, y, z, how));
        one.tell(({ world }) => world.move(other, y, x, z === undefined ? undefined : 1, how));
      },
    ];
  },
  attachEntity: ({ node, id, other, x, y, z = 0 }) => {
    const offset = { x: 1 + (x % 3), y: y % 3, z: z % 4 };
    return [() => node.attachEntity(id, other, offset), ({ world }) => world.attach(id, other, offset)];
  },
  detachEntity: ({ node, id }) => [() => node.detachEntity(id), ({ world }) => world.detach(id)],
  remove: (given) => alike(given, (target) => target.remove(given.id)),
  removeMany: (given) => alike(given, (target) => target.removeMany(given.both)),
  update: (given) => {
    const patch = drawnPatch(given.random, given.ids);
    return alike(given, (target) => target.update(given.id, patch));
  },
  updateMany: (given) => {
    const columns = drawnColumns(given.random, 2);
    return alike(given, (target) => target.updateMany(given.both, columns));
  },
  touch: (given) => alike(given, (target) => target.touch(given.id)),
  pin: (given) => {
    const { random } = given;
    const limits = {
      ...(random.chance(0.5) && { within: random.between(5, 80) }),
      ...(random.chance(0.5) && { everyTicks: 1 + random.below(5) }),
    };
    return alike(given, (target) => target.pin(given.id, given.other, 'quest', limits));
  },
  unpin: (given) => alike(given, (target) => target.unpin(given.id, given.other, 'quest')),
  block: (given) => alike(given, (target) => target.block(given.id, given.other)),
  unblock: (given) => alike(given, (target) => target.unblock(given.id, given.other)),
  add: ({ node, random, ids, x, y, z, added }) => {
    const entity = {
      ...placeOf(x, y, z),
      ...drawnPatch(random, ids),
      ...(random.chance(0.5) && { range: random.between(0, 40) }),
      ...(random.chance(0.5) && { key: random.of(KEYS) }),
      ...(random.chance(0.3) && { state: Uint8Array.of(x) }),
      ...(random.chance(0.3) && { fields: { name: `${x}` } }),
    };
    return [() => added(node.add(entity)), (one, by) => one.add(by, entity)];
  },
  addMany: ({ node, random, ids, x, y, z, added }) => {
    const entities = {
      x: [x, y],
      y: [y, x],
      ...(z !== undefined && { z: [z, 0] }),
      ...drawnPatch(random, ids),
      range: random.between(0, 40),
    };
    return [() => added(node.addMany(entities)), (one, by) => one.addMany(by, entities)];
  },
  setInterest: (given) => {
    const { random } = given;
    const name = random.of([...INTEREST_NAMES, ...LATE_NAMES]);
    const interest = drawnInterest(random, given.views === 'all' && random.chance(0.2));
    return alike(given, (target) => target.setInterest(name, interest));
  },
  joinChannel: ({ node, id }) => [() => node.joinChannel(id), (one) => one.joinChannel(id)],
  leaveChannel: ({ node, id }) => [() => node.leaveChannel(id), (one) => one.leaveChannel(id)],
  set: ({ node, id, x, y }) => {
    const fields = { [x % 2 === 0 ? 'name' : 'health']: [y, `${y}`, y % 2 === 0][x % 3]! };
    return [() => node.set(id, fields), (one) => one.set(id, fields)];
  },
  keep: ({ node, id, x, y }) => {
    const state = Uint8Array.of(x, y);
    return [() => node.keep(id, state), (one) => one.keep(id, state)];
  },
  give: ({ node, id, random }) => {
    const to = random.of(node.members);
    return [() => node.give(id, to), (one, by) => one.give(by, id, to.incarnation)];
  },
  send: ({ node, id, x, y, fills }) => {
    const bytes = fills ? new Uint8Array(ROOM_BYTES - MESSAGE_BYTES - 16 * (y % 3)) : Uint8Array.of(x);
    return [() => node.send(id, bytes), (one, by) => one.send(by, id, bytes)];
  },
  broadcast: ({ node, id, x, random }) => {
    const bytes = Uint8Array.of(x);
    const sense = random.of(['', ...SENSES]);
    return [() => node.broadcast(id, bytes, { sense }), (one) => one.broadcast(id, bytes, sense)];
  },
  show: ({ node, id }) => [() => node.show(id), (one, by) => one.show(by, id, true)],
  hide: ({ node, id }) => [() => node.hide(id), (one, by) => one.show(by, id, false)],
};

/** What of a record comes after all else in it, in this order: see docs/cluster.md. */
const LATER: readonly (readonly Kind[])[] = [
  ['joinChannel', 'leaveChannel'],
  ['set'],
  ['give', 'leave'],
  ['send'],
  ['broadcast'],
  ['show', 'hide'],
];

/** Its place in a record among other calls; 0 for those whose order is that in which they are made. */
export function phaseOf(kind: Kind): number {
  return 1 + LATER.findIndex((kinds) => kinds.includes(kind));
}

/** `undefined` for a call for what is not there yet. */
export function pairOf(
  { kind, a, b, x, y }: Call & { kind: Exclude<Kind, Coming> },
  scene: Scene,
): Pair | undefined {
  const [id, other] = [scene.ids[a], scene.ids[b]];
  if (id === undefined || other === undefined) return undefined;
  const z = scene.node.world.dimensions === 3 ? (7 * x + y) % 20 : undefined;
  const random = new Random(60 * x + y);
  return PAIRS[kind]({ ...scene, id, other, x, y, z, both: Uint32Array.of(id, other), random });
}

/** As a world of two or of three dimensions needs it. */
export function placeOf(x: number, y: number, z: number | undefined): { x: number; y: number; z?: number } {
  return z === undefined ? { x, y } : { x, y, z };
}
