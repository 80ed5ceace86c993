/**
 * Worlds with a planted bug in their rules each: the suite and the scripts must fail every one of them.
 *
 * Problem: who gets a seat is decided above the detectors, so no spoilt detector can show that the rules are watched.
 * Method: a world that hears something else than what it was told, each a slip that real engines make: a tick too many,
 * a bonus forgotten, reasons that are counted instead of named.
 */
import type {
  Changes,
  EntityId,
  EntityInit,
  EntityPatch,
  Interest,
  MoveOptions,
  PinOptions,
  ShownGroups,
  WorldOptions,
} from '../../src/index.ts';
import { World } from '../../src/index.ts';

/** What is heard instead of what was said. */
interface Slip {
  readonly interest?: (given: Interest) => Interest;
  readonly entity?: <T extends EntityPatch>(given: T) => T;
  readonly move?: (given: MoveOptions | undefined) => MoveOptions;
  readonly reason?: (given: string) => string;
  readonly limits?: (given: PinOptions) => PinOptions;
  readonly unpin?: (world: World, watcher: EntityId, marker: EntityId) => void;
  /** Whom a tick tells as watched, and as unwatched. */
  readonly watched?: (changes: Changes) => Partial<Pick<Changes, 'watched' | 'unwatched'>>;
  readonly block?: (world: World, watcher: EntityId, marker: EntityId) => void;
}

class SpoiltWorld extends World {
  readonly #slip: Slip;

  constructor(options: WorldOptions, slip: Slip) {
    const interests = Object.entries({ default: {}, ...options.interests });
    const heard = interests.map(([name, interest]) => [name, slip.interest?.(interest) ?? interest]);
    super({ ...options, interests: Object.fromEntries(heard) });
    this.#slip = slip;
  }

  override move(id: EntityId, x: number, y: number, z?: number, options?: MoveOptions): void {
    super.move(id, x, y, z, this.#slip.move?.(options) ?? options);
  }

  override moveMany(...[ids, x, y, z, at, options]: Parameters<World['moveMany']>): void {
    super.moveMany(ids, x, y, z, at, this.#slip.move?.(options) ?? options);
  }

  override tick(): Changes {
    const changes = super.tick();
    const told = this.#slip.watched?.(changes) ?? {};
    return new Proxy(changes, {
      get(target, key) {
        const value = key in told ? told[key as keyof typeof told] : Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  override add(entity: EntityInit): EntityId {
    return super.add(this.#slip.entity?.(entity) ?? entity);
  }

  override addMany(init: Parameters<World['addMany']>[0], out?: Uint32Array): Uint32Array {
    const { x, y, z, ...traits } = init;
    const heard = this.#slip.entity?.(traits) ?? traits;
    return super.addMany(z === undefined ? { ...heard, x, y } : { ...heard, x, y, z }, out);
  }

  override update(id: EntityId, patch: EntityPatch): void {
    super.update(id, this.#slip.entity?.(patch) ?? patch);
  }

  override setInterest(name: string, interest: Interest): void {
    super.setInterest(name, this.#slip.interest?.(interest) ?? interest);
  }

  override pin(watcher: EntityId, marker: EntityId, reason = '', limits: PinOptions = {}): void {
    super.pin(watcher, marker, this.#slip.reason?.(reason) ?? reason, this.#slip.limits?.(limits) ?? limits);
  }

  override unpin(watcher: EntityId, marker: EntityId, reason = ''): void {
    super.unpin(watcher, marker, this.#slip.reason?.(reason) ?? reason);
    this.#slip.unpin?.(this, watcher, marker);
  }

  override block(watcher: EntityId, marker: EntityId): void {
    super.block(watcher, marker);
    this.#slip.block?.(this, watcher, marker);
  }
}

/** All markers that a tick names in lists of one kind. */
function markersOf(changes: Changes, kind: 'entered' | 'left'): Set<EntityId> {
  return new Set([...changes].flatMap((view) => [...view[kind]]));
}

/** Other terms of a group that is shown on terms. */
function withTerms(showGroup: Interest['showGroup'], terms: ShownGroups): NonNullable<Interest['showGroup']> {
  if (showGroup === undefined || typeof showGroup === 'boolean' || 'length' in showGroup)
    return showGroup ?? false;
  return { ...showGroup, ...terms };
}

type CreateWorld = (options: WorldOptions) => World;

const spoilt =
  (slip: Slip): CreateWorld =>
  (options) =>
    new SpoiltWorld(options, slip);

/** The same build without a bug. */
export const soundWorld: CreateWorld = spoilt({});

/** Every planted bug, by what it gets wrong. */
export const interestCanaries: Readonly<Record<string, CreateWorld>> = {
  'lets go at the reach, whatever the margin': spoilt({
    interest: ({ leaveMargin: _, ...rest }) => rest,
  }),
  'takes no notice of who is at rest': spoilt({
    entity: ({ watches: _, ...rest }) => rest as never,
  }),
  'never wakes whom it put to rest': spoilt({
    entity: (given) => (given.watches === true ? ({ ...given, watches: undefined } as never) : given),
  }),
  'gives one seat too many': spoilt({
    interest: ({ cap, ...rest }) => (cap === undefined ? rest : { ...rest, cap: cap + 1 }),
  }),
  "takes an interest's cap for everybody's": spoilt({
    entity: ({ cap: _, ...rest }) => rest as never,
  }),
  'has no bonus for who sits': spoilt({ interest: (given) => ({ ...given, incumbentBonus: 0 }) }),
  'counts the bonus twice': spoilt({
    interest: (given) => ({ ...given, incumbentBonus: 1 - (1 - (given.incumbentBonus ?? 0.15)) ** 2 }),
  }),
  'protects a young seat a tick too long': spoilt({
    interest: ({ minDwellTicks = 0, ...rest }) => ({
      ...rest,
      minDwellTicks: minDwellTicks && minDwellTicks + 1,
    }),
  }),
  'remembers a tick too long': spoilt({
    interest: ({ memoryTicks = 0, ...rest }) => ({ ...rest, memoryTicks: memoryTicks + 1 }),
  }),
  'forgets a tick too early': spoilt({
    interest: ({ memoryTicks = 0, ...rest }) => ({ ...rest, memoryTicks: Math.max(0, memoryTicks - 1) }),
  }),
  'lets linger a tick too long': spoilt({
    interest: ({ lingerTicks = 0, ...rest }) => ({ ...rest, lingerTicks: lingerTicks && lingerTicks + 1 }),
  }),
  'lets linger a tick too short': spoilt({
    interest: ({ lingerTicks = 0, ...rest }) => ({ ...rest, lingerTicks: Math.max(0, lingerTicks - 1) }),
  }),
  'ranks by distance alone': spoilt({ entity: ({ weight: _, ...rest }) => rest as never }),
  'asks nobody whether he may sit': spoilt({ interest: ({ admit: _, ...rest }) => rest }),
  'asks once about the volatile': spoilt({ entity: ({ volatile: _, ...rest }) => rest as never }),
  'takes everybody for near when it asks': spoilt({
    interest: ({ admit, ...rest }) => ({
      ...rest,
      ...(admit && { admit: (watcher, marker) => admit(watcher, marker, 0) }),
    }),
  }),
  'has quotas of one seat more': spoilt({
    interest: ({ quotas, ...rest }) => ({
      ...rest,
      ...(quotas && { quotas: quotas.map(({ layers, cap }) => ({ layers, cap: cap + 1 })) }),
    }),
  }),
  'lets one more enter than it may': spoilt({
    interest: ({ enterBudget, ...rest }) => ({
      ...rest,
      ...(enterBudget && { enterBudget: enterBudget + 1 }),
    }),
  }),
  'lets all enter at once': spoilt({ interest: ({ enterBudget: _, ...rest }) => rest }),
  'shows groups of every kind': spoilt({
    interest: (given) => (Array.isArray(given.showGroup) ? { ...given, showGroup: true } : given),
  }),
  'shows a group beyond its distance': spoilt({
    interest: ({ showGroup, ...rest }) => ({ ...rest, showGroup: withTerms(showGroup, { within: 1e12 }) }),
  }),
  'shows the cloaked of a group unasked': spoilt({
    interest: ({ showGroup, ...rest }) => ({
      ...rest,
      showGroup: withTerms(showGroup, { through: ['gain', 'layers'] }),
    }),
  }),
  'hides those of a group that are to be shown on any layer': spoilt({
    interest: ({ showGroup, ...rest }) => ({
      ...rest,
      showGroup: withTerms(showGroup, { through: ['gain'] }),
    }),
  }),
  'takes a teleport for a walk': spoilt({ move: () => ({}) }),
  'takes every move for a teleport': spoilt({ move: () => ({ teleport: true }) }),
  'asks for no consent': spoilt({ interest: (given) => ({ ...given, mutual: false }) }),
  'tells a tick too late': spoilt({
    interest: ({ updateRates, ...rest }) => ({
      ...rest,
      ...(updateRates && {
        updateRates: updateRates.map(([fraction, everyTicks]) => [fraction, Math.min(255, everyTicks + 1)]),
      }),
    }),
  }),
  'hides what one of two reasons holds': spoilt({ reason: () => 'any' }),
  'does not tell what only a removed watcher watched': spoilt({
    watched: (changes) => ({
      unwatched: changes.unwatched.filter((id) => markersOf(changes, 'left').has(id)),
    }),
  }),
  'tells those removed as unwatched': spoilt({
    watched: (changes) => {
      const gone = changes.removed.filter((id) => markersOf(changes, 'left').has(id));
      return { unwatched: Uint32Array.from([...changes.unwatched, ...gone]).sort() };
    },
  }),
  'tells of each new relation as if it were the first': spoilt({
    watched: (changes) => ({ watched: Uint32Array.from(markersOf(changes, 'entered')).sort() }),
  }),
  'tells of each lost relation as if it were the last': spoilt({
    watched: (changes) => {
      const left = [...markersOf(changes, 'left')].filter((id) => !changes.removed.includes(id));
      return { unwatched: Uint32Array.from(new Set([...changes.unwatched, ...left])).sort() };
    },
  }),
  'holds a limited pin at any distance': spoilt({ limits: ({ within: _, ...rest }) => rest }),
  'takes the boundary of a limited pin for outside': spoilt({
    limits: ({ within, ...rest }) => (within === undefined ? rest : { ...rest, within: within * (1 - 1e-6) }),
  }),
  'tells of a pinned marker as its interest says': spoilt({ limits: ({ everyTicks: _, ...rest }) => rest }),
  'lets go of what was pinned though the margin holds it': spoilt({
    // One who is blocked for a tick is held by nothing.
    unpin: (world, watcher, marker) => {
      if (!world.has(watcher) || !world.has(marker) || watcher === marker) return;
      if (!world.related(watcher, marker) || world.senses(watcher, marker) !== 0) return;
      world.block(watcher, marker);
      let undo = () => {};
      undo = world.on('leave', (one, other) => {
        if (one !== watcher || other !== marker) return;
        undo();
        world.unblock(watcher, marker);
      });
    },
  }),
  'blocks both ways': spoilt({
    block: (world, watcher, marker) => World.prototype.block.call(world, marker, watcher),
  }),
};
