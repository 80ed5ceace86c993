/**
 * One change or one question in a resting world: each kind that the interface has, as a call about players and things.
 *
 * Most changes come in pairs, to what is odd and back, so that the world is the same at the end. Half of the subjects are a
 * player and a thing that relate, the others are any two.
 */
import type { Random } from '@umwelt/scenarios';
import type { EntityId, EntityPatch, Interest, Shape, World } from 'umwelt';

/** The name of an interest that a watcher changes to and from; and of one that no watcher has. */
export const OTHER_RULE = 'other';
export const UNUSED_RULE = 'unused';
/** Children of a carrier. */
const FLEET = 50;
/** Subjects of one question about many. */
const MANY = 20;

/** A resting world, and what a change needs to know of it. */
export interface Scene {
  readonly world: World;
  /** `OTHER_RULE` as it is at first. */
  readonly other: Interest;
  readonly random: Random;
  /** World units: the extent on each axis, and the usual range of a player. */
  readonly side: number;
  readonly range: number;
  /** The channel of all players. */
  readonly channel: number;
  readonly things: EntityId[];
  readonly players: EntityId[];
  /** A player and a thing that it related to when the world came to rest; at least one pair. */
  readonly seen: readonly (readonly [player: EntityId, thing: EntityId])[];
}

export interface Kind {
  readonly label: string;
  /** Once, before the first call; not timed. */
  begin?(scene: Scene): void;
  /** The change number `k`. */
  run(scene: Scene, k: number): void;
  /** Question number `k`, after the change; returns the answer: ids, or numbers. */
  ask?(scene: Scene, k: number): ArrayLike<number>;
}

type Point = readonly [x: number, y: number, z: number];

/** Whether call `k` is the first of its pair. */
const isFirst = (k: number): boolean => k % 2 === 0;
/** Subjects of the calls k and k + 1, which form a pair. */
const player = ({ seen, players }: Scene, k: number): EntityId =>
  k % 4 < 2 ? seen[(k >> 2) % seen.length]![0] : players[(7 * (k >> 1)) % players.length]!;
const thing = ({ seen, things }: Scene, k: number): EntityId =>
  k % 4 < 2 ? seen[(k >> 2) % seen.length]![1] : things[(7919 * (1 + (k >> 2))) % things.length]!;

export function anywhere({ random, side }: Pick<Scene, 'random' | 'side'>): Point {
  return [side * random.unit(), side * random.unit(), side * random.unit()];
}

function pointOf({ world }: Scene, id: EntityId): Point {
  const [x, y, z = 0] = world.position(id);
  return [x!, y!, z];
}

function walk(scene: Scene, id: EntityId): void {
  const [x, y, z] = pointOf(scene, id);
  scene.world.move(id, x + 0.005 * scene.range, y, z);
}

/** The change that a question is asked about. */
function walkOne(scene: Scene, k: number): void {
  walk(scene, player(scene, k));
}

/** A patch, or what it is in call `k`. */
type Patch = EntityPatch | ((scene: Scene, k: number) => EntityPatch);

/** Changes of an entity in pairs: the even calls to what is odd, the others back. */
function change(
  label: string,
  subject: (scene: Scene, k: number) => EntityId,
  odd: Patch,
  usual: Patch,
): Kind {
  const patchOf = (patch: Patch, scene: Scene, k: number) =>
    typeof patch === 'function' ? patch(scene, k) : patch;
  return {
    label,
    run: (scene, k) => scene.world.update(subject(scene, k), patchOf(isFirst(k) ? odd : usual, scene, k)),
  };
}

const MOVES: readonly Kind[] = [
  { label: 'nothing', run: () => {} },
  { label: 'a thing moves', run: (scene, k) => walk(scene, thing(scene, k)) },
  {
    label: 'a thing moves to another place',
    run: (scene, k) => scene.world.move(thing(scene, k), ...anywhere(scene)),
  },
  { label: 'a player walks', run: (scene, k) => walk(scene, player(scene, k)) },
  {
    label: 'a player moves to another place',
    run: (scene, k) => scene.world.move(player(scene, k), ...anywhere(scene)),
  },
  {
    label: 'a player is teleported',
    run: (scene, k) => scene.world.move(player(scene, k), ...anywhere(scene), { teleport: true }),
  },
  {
    label: 'a thing is teleported in its place',
    run: (scene, k) => {
      const id = thing(scene, k);
      scene.world.move(id, ...pointOf(scene, id), { teleport: true });
    },
  },
  { label: 'a thing is touched', run: (scene, k) => scene.world.touch(thing(scene, k)) },
];

function add(scene: Scene, k: number, init: EntityPatch): EntityId {
  const [x, y, z] = k % 4 < 2 ? pointOf(scene, player(scene, k)) : anywhere(scene);
  return scene.world.add({ x, y, z, ...init });
}

const COMING_AND_GOING: readonly Kind[] = [
  { label: 'a thing is added', run: (scene, k) => void scene.things.push(add(scene, k, {})) },
  { label: 'a thing is removed', run: ({ world, things }) => world.remove(things.pop()!) },
  {
    label: 'a player is added',
    run: (scene, k) => void scene.players.push(add(scene, k, { range: scene.range, group: 1 + k })),
  },
  { label: 'a player is removed', run: ({ world, players }) => world.remove(players.pop()!) },
];

const PATCHES: readonly Kind[] = [
  change('gain', thing, { gain: 1.2 }, { gain: 1 }),
  change('gain 0', thing, { gain: 0 }, { gain: 1 }),
  change('minReach', thing, ({ range }) => ({ minReach: 2 * range }), { minReach: 0 }),
  change('maxReach', thing, ({ range }) => ({ maxReach: range / 2 }), { maxReach: Number.POSITIVE_INFINITY }),
  change('layers', thing, { layers: 2 }, { layers: 1 }),
  change('needs', thing, { needs: 4 }, { needs: 0 }),
  change('only', thing, (scene, k) => ({ only: player(scene, k) }), { only: 0 }),
  change('onlyGroup', thing, { onlyGroup: true }, { onlyGroup: false }),
  change('marker', thing, { marker: false }, { marker: true }),
  change('weight', thing, { weight: 3 }, { weight: 1 }),
  change('volatile', thing, { volatile: true }, { volatile: false }),
  change('channel of a thing', thing, { channel: 2 }, { channel: 0 }),
  change('group of a thing', thing, (_, k) => ({ group: 1 + (k % 9) }), { group: 0 }),
  change('always', thing, { always: true }, { always: false }),
  change('a thing begins to watch', thing, ({ range }) => ({ range }), { range: 0 }),
  change(
    'range',
    player,
    ({ range }) => ({ range: 1.1 * range }),
    ({ range }) => ({ range }),
  ),
  change(
    'a range of ten',
    player,
    ({ range }) => ({ range: 10 * range }),
    ({ range }) => ({ range }),
  ),
  change('sees', player, { sees: 3 }, { sees: 1 }),
  change('channel of a player', player, { channel: 3 }, ({ channel }) => ({ channel })),
  change(
    'group of a player',
    player,
    (_, k) => ({ group: 1 + (k % 50) }),
    (_, k) => ({ group: 500 + k }),
  ),
  change('interest', player, { interest: OTHER_RULE }, { interest: 'default' }),
  change('watches', player, { watches: false }, { watches: true }),
  change('updates', player, { updates: false }, { updates: true }),
  change('a player shown always', player, { always: true }, { always: false }),
  change('cap', player, { cap: 10 }, { cap: 25 }),
];

const TIES: readonly Kind[] = [
  {
    label: 'pin, unpin',
    run: (scene, k) =>
      scene.world[isFirst(k) ? 'pin' : 'unpin'](player(scene, k), thing(scene, k ^ 2), 'quest'),
  },
  {
    label: 'pin within a distance, unpin',
    run: (scene, k) => {
      const [watcher, marker] = [player(scene, k), thing(scene, k)] as const;
      if (isFirst(k)) scene.world.pin(watcher, marker, 'duel', { within: 3 * scene.range });
      else scene.world.unpin(watcher, marker, 'duel');
    },
  },
  {
    label: 'block, unblock',
    run: (scene, k) => scene.world[isFirst(k) ? 'block' : 'unblock'](player(scene, k), thing(scene, k)),
  },
  {
    label: 'attach, detach',
    run: (scene, k) => {
      if (isFirst(k)) scene.world.attach(thing(scene, k), player(scene, k), { x: scene.range / 9 });
      else scene.world.detach(thing(scene, k));
    },
  },
  {
    label: `a carrier of ${FLEET} walks`,
    begin: ({ world, things, players, range }) => {
      for (let i = 0; i < FLEET; i++)
        world.attach(things[(31 * i) % things.length]!, players[0]!, { x: (i * range) / FLEET });
    },
    run: (scene) => walk(scene, scene.players[0]!),
  },
  {
    label: 'setInterest of an interest that one has',
    begin: ({ world, players }) => world.update(players[0]!, { interest: OTHER_RULE }),
    run: ({ world, other, range }, k) =>
      world.setInterest(OTHER_RULE, { ...other, leaveMargin: (range * (1 + (k % 5))) / 50 }),
  },
  {
    label: 'setInterest of an interest that none has',
    run: ({ world, other }, k) => world.setInterest(UNUSED_RULE, { ...other, minDwellTicks: k % 5 }),
  },
];

function around(scene: Scene, k: number): Shape {
  const [x, y, z] = pointOf(scene, player(scene, k));
  const radius = scene.range / 2;
  return scene.world.dimensions === 2
    ? { kind: 'circle', x, y, radius }
    : { kind: 'sphere', x, y, z, radius };
}

function nearest(scene: Scene, k: number, now: boolean): ArrayLike<number> {
  const [x, y, z] = pointOf(scene, player(scene, k));
  return scene.world.nearest(x, y, 5, { now, ...(scene.world.dimensions === 3 ? { z } : {}) });
}

function watchersAt(scene: Scene, k: number): ArrayLike<number> {
  const [x, y, z] = pointOf(scene, player(scene, k));
  return scene.world.watchersAt({ x, y, z });
}

function question(label: string, ask: (scene: Scene, k: number) => ArrayLike<number>): Kind {
  return { label, run: walkOne, ask };
}

const QUESTIONS: readonly Kind[] = [
  question('visibleTo', (scene, k) => scene.world.visibleTo(player(scene, k))),
  question('visibleTo of one that rests', (scene, k) => scene.world.visibleTo(player(scene, k + 2))),
  question('watchersOf', (scene, k) => scene.world.watchersOf(thing(scene, k))),
  question('watcherCount', (scene, k) => [scene.world.watcherCount(player(scene, k))]),
  question(`watchersOfMany, ${MANY}`, (scene, k) => {
    const ids = Uint32Array.from({ length: MANY }, (_, i) => thing(scene, k + i));
    return scene.world.watchersOfMany(ids).watchers;
  }),
  question('watchersAt', watchersAt),
  {
    label: 'watchersAt, a thing changed',
    run: (scene, k) => scene.world.update(thing(scene, k), { gain: isFirst(k) ? 1.2 : 1 }),
    ask: watchersAt,
  },
  question('related, senses', (scene, k) => [
    Number(scene.world.related(player(scene, k), thing(scene, k))),
    scene.world.senses(player(scene, k), thing(scene, k)),
  ]),
  question('explain', (scene, k) => [scene.world.explain(player(scene, k), thing(scene, k)).distance]),
  question('outranked', (scene, k) => scene.world.outranked(player(scene, k)).ids),
  question('query', (scene, k) => scene.world.query(around(scene, k))),
  question('query, now', (scene, k) => scene.world.query(around(scene, k), { now: true })),
  question('nearest', (scene, k) => nearest(scene, k, false)),
  question('nearest, now', (scene, k) => nearest(scene, k, true)),
  question('targets', (scene, k) => scene.world.targets(player(scene, k), around(scene, k))),
  question('stats', ({ world }) => [world.stats().relationCount]),
];

/** In this order, because some leave something behind: caps of some watchers, a carrier, an interest of one watcher. */
export const KINDS: readonly Kind[] = [...MOVES, ...COMING_AND_GOING, ...PATCHES, ...TIES, ...QUESTIONS];
