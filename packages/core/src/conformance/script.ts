/**
 * Random operation scripts.
 *
 * Problem: the bugs of an incremental structure hide in sequences of calls. Method: a seed determines a world
 * (dimensions, senses, range shape, cell size), a geography, and a weight for every kind of operation; about a third
 * of the weights are 0, so that each script lacks some operations and does others more often [swarm testing]. The
 * generator keeps an approximate list of positions, only to place other entities on their rims. Cost: microseconds an
 * operation. The same seed and sizes give the same script on every runtime.
 */
import { columnsOf, Geography, type Neighbour, type Place, sparseWeights } from './geography.ts';
import { INTEREST_KINDS, INTEREST_SHARES, InterestHabits, type InterestKind } from './interest-habits.ts';
import { leapingScript } from './leaping-crowds.ts';
import { withChangesOfMind } from './mishap-habits.ts';
import type { CrowdTraits, Key, Operation, Script } from './operations.ts';
import { withRenewedPins } from './pause-habits.ts';
import type { PlainInit, PlainOptions, PlainPatch } from './plain-interest.ts';
import { randomQuestion, randomTargets } from './question.ts';
import { Random } from './random.ts';
import { withReportsOnly } from './report-habits.ts';
import { isOfInterest, type Kind, kindsOf, PROPERTIES } from './script-kinds.ts';
import type { ScriptSize } from './script-size.ts';
import { withSpareElements } from './spare-habits.ts';
import { withTeleports } from './teleport-habits.ts';
import { rangeOf, TraitHabits } from './trait-habits.ts';
import { Trees } from './trees.ts';

const SENSES = ['sight', 'hearing', 'smell', 'touch', 'heat', 'current', 'echo', 'dread'];
const MOST_IN_A_CALL = 6;
/** The share of scripts that tick after almost every operation. */
const CALM = 0.3;
/** The same with interests: dwell, memory and rates take several ticks. */
const CALM_WITH_INTERESTS = 0.6;
/** With interests: how often a walk ends on an entity's rim, or at the end of a margin. */
const TO_THE_RIM = 0.25;
/** Ticks. */
const LONGEST_EXCURSION = 4;
/** The share of scripts that reuse slots, and the number of entities added and removed for that. */
const CHURNING = 0.05;
const CHURN_COUNT = 1100;
/** If everything is in use: the minimum frequency of each kind, and how much rarer a restored world is. */
const LEAST_TOGETHER = 0.5;
const RARELY_RESTORED = 0.1;
/**
 * By the seed: the share of the operations after which the run starts listening for 'watched'; never in some scripts.
 */
const LISTENING = [0, 0.4, Number.POSITIVE_INFINITY];
/**
 * With short-lived entities: the share removed in each tick, how often all are removed, and how often a world is
 * restored.
 */
const LEAVING = [0.1, 0.3, 0.5, 0.5, 0.8];
const EXTINCTION = 0.01;
const RESTORED = 0.01;

/** The script of a seed: a whole number, of which the low 32 bits count. */
export function createScript(seed: number, size: ScriptSize): Script {
  const { together = false } = size;
  const whole = together ? { ...size, interests: true, attachments: true } : size;
  const script = size.leaping ? leapingScript(seed, size) : new ScriptWriter(seed, whole).script();
  const renewed = whole.interests && !size.leaping ? withChangesOfMind(withRenewedPins(script)) : script;
  return withReportsOnly(withSpareElements(withTeleports(renewed, together)));
}

class ScriptWriter {
  readonly #seed: number;
  readonly #size: ScriptSize;
  readonly #random: Random;
  readonly #geography: Geography;
  readonly #options: PlainOptions;
  readonly #kinds: readonly Kind[];
  /** `undefined`: there are no rules. */
  readonly #habits: InterestHabits | undefined;
  readonly #senses: readonly string[];
  readonly #traits: TraitHabits;
  /** `undefined`: no entity is attached. */
  readonly #trees: Trees | undefined;
  readonly #present = new Map<Key, Neighbour>();
  readonly #operations: Operation[] = [];
  /** Entities that will return to a place, and after how many more ticks. */
  #excursions: { key: Key; place: Place; ticks: number }[] = [];
  #nextKey = 0;
  /** When the script starts listening for 'watched', and whether it has started. */
  readonly #listeningFrom: number;
  #isHeard = false;

  constructor(seed: number, size: ScriptSize) {
    this.#seed = seed;
    this.#size = size;
    const random = new Random(seed);
    this.#random = random;
    const isTogether = size.together === true;
    const listeningFrom = isTogether ? 0 : (LISTENING[(seed >>> 0) % LISTENING.length] as number);
    this.#listeningFrom = listeningFrom * size.operations;
    const dimensions = random.chance(0.6) ? 2 : 3;
    this.#geography = new Geography(random, dimensions);
    const senseCount = random.pick([1, 1, 1, 2, 3, 8]);
    this.#senses = SENSES.slice(0, senseCount);
    const shapes = dimensions === 2 ? (['circle', 'box'] as const) : (['circle', 'box', 'cylinder'] as const);
    const ratio = (): number => random.pick([1, 0.5, 2, 0.75, 0.7]);
    this.#options = {
      dimensions,
      senses: this.#senses,
      rangeShape: random.chance(0.5) ? 'circle' : random.pick(shapes),
      rangeRatio: dimensions === 2 ? [ratio(), ratio()] : [ratio(), ratio(), ratio()],
      ...(size.cells ? this.#geography.granularity() : this.#geography.cellSize()),
    };
    this.#habits = size.interests ? new InterestHabits(random, this.#geography, size) : undefined;
    this.#kinds = kindsOf(size);
    this.#trees = size.attachments ? new Trees(random, this.#geography) : undefined;
    if (this.#habits !== undefined) {
      this.#options = {
        ...this.#options,
        groups: this.#habits.groups,
        interests: this.#habits.interests(),
      };
    }
    this.#traits = new TraitHabits(random, this.#geography, this.#senses, this.#habits, isTogether);
  }

  script(): Script {
    const weights = sparseWeights(this.#random, this.#kinds.length);
    const weightOf = (kind: Kind) => this.#kinds.indexOf(kind);
    if (this.#size.together === true) {
      for (let i = 0; i < weights.length; i++) weights[i] ||= LEAST_TOGETHER;
      weights[weightOf('restore')] *= RARELY_RESTORED;
    }
    weights[weightOf('add')] ||= 0.3;
    weights[weightOf('tick')] = this.#random.between(0.2, 1.5);
    // Calm worlds, in which a tick has one or two changes in a stationary crowd.
    const calm = this.#habits === undefined ? CALM : CALM_WITH_INTERESTS;
    if (this.#random.chance(calm)) weights[weightOf('tick')] *= 6;
    weights[weightOf('probe')] *= 0.2;
    weights[weightOf('question')] *= 0.36;
    weights[weightOf('restoreAtRest')] *= 0.02;
    if (this.#habits !== undefined) {
      for (const kind of INTEREST_KINDS) weights[weightOf(kind)] *= INTEREST_SHARES[kind];
      if (this.#habits.hasMemory) weights[weightOf('excursion')] = 1.5;
    }
    if (this.#trees !== undefined) weights[weightOf('attach')] = this.#random.pick([0.3, 1, 2]);
    if (this.#traits.isPlain && this.#random.chance(0.8)) {
      for (const kind of PROPERTIES) weights[weightOf(kind)] = 0;
    }
    if (this.#size.turnover === true) return this.#turnOver(weights);
    // A churn costs as much as a hundred other operations; the third one reuses slots of the script itself.
    const churns = this.#random.chance(CHURNING) ? [0, 0.3, 0.6] : [];
    // Some scripts begin with a crowd, so that the rest happens in a full world.
    const crowds = this.#random.chance(0.5) ? this.#size.entities / MOST_IN_A_CALL : 0;
    for (let i = 0; i < crowds && this.#hasRoom; i++) this.#addMany();
    while (this.#hasRoom) {
      this.#listen();
      if (this.#operations.length >= churns[0] * this.#size.operations) {
        this.#churn();
        churns.shift();
      } else {
        this.#write(this.#kinds[this.#random.weighted(weights)]);
      }
    }
    return this.#ended();
  }

  /** Generation after generation; in half of the scripts a crowd takes the first slots before. */
  #turnOver(weights: readonly number[]): Script {
    const share = this.#random.pick(LEAVING);
    if (this.#random.chance(0.5)) this.#churn();
    while (this.#hasRoom) this.#generation(share, weights);
    return this.#ended();
  }

  /**
   * Whether more operations may follow; the listening operation is extra, so that all else is the same as without it.
   */
  get #hasRoom(): boolean {
    return this.#operations.length < this.#size.operations - 2 + Number(this.#isHeard);
  }

  #listen(): void {
    if (this.#isHeard || this.#operations.length < this.#listeningFrom) return;
    this.#isHeard = true;
    this.#operations.push({ kind: 'listen' });
  }

  #ended(): Script {
    this.#operations.push({ kind: 'tick' }, { kind: 'probe' });
    return { seed: this.#seed, options: this.#options, operations: this.#operations };
  }

  /** One tick: the oldest entities are removed, as many are added, some walk, and another operation may follow. */
  #generation(share: number, weights: readonly number[]): void {
    const random = this.#random;
    this.#listen();
    const keys = [...this.#present.keys()];
    const leaving = random.chance(EXTINCTION) ? keys : keys.slice(0, Math.ceil(keys.length * share));
    if (leaving.length > 0) this.#removeMany(leaving);
    this.#addMany(this.#size.entities - this.#present.size);
    if (this.#present.size > 0 && random.chance(0.8)) this.#moveMany();
    if (random.chance(0.4)) this.#write(this.#kinds[random.weighted(weights)]);
    if (random.chance(RESTORED)) this.#operations.push({ kind: 'restore' });
    this.#write('tick');
  }

  #write(kind: Kind): void {
    if (kind === 'tick' || kind === 'probe' || kind === 'restore') {
      this.#operations.push({ kind });
      if (kind === 'tick') this.#endExcursions();
    } else if (kind === 'restoreAtRest') {
      this.#restoreAtRest();
    } else if (kind === 'question') {
      const present = [...this.#present.values()];
      this.#operations.push(randomQuestion(this.#random, this.#geography, present, this.#senses));
    } else if (kind === 'add' || kind === 'addMany') {
      if (this.#present.size >= this.#size.entities) this.#remove();
      else if (kind === 'add') this.#add();
      else this.#addMany();
    } else if (this.#present.size === 0) {
      this.#add();
    } else if (kind === 'remove') {
      this.#remove();
    } else if (this.#habits !== undefined && isOfInterest(kind)) {
      this.#writeInterest(kind, this.#habits);
    } else {
      this.#writeToSomeone(kind);
    }
  }

  #writeToSomeone(kind: Kind): void {
    const key = this.#movable(kind, this.#someone());
    const here = this.#present.get(key) as Neighbour;
    switch (kind) {
      case 'walk':
        this.#move(key, this.#walkFrom(here));
        break;
      case 'teleport':
        this.#move(key, this.#place());
        break;
      case 'there and back': {
        const { x, y, z } = here;
        this.#move(key, this.#geography.place([]));
        this.#move(key, { x, y, z });
        break;
      }
      case 'moveMany':
        this.#moveMany();
        break;
      case 'updateMany':
        this.#operations.push({ kind, ...this.#traits.columnOf(this.#several()) });
        break;
      case 'touch':
        this.#operations.push({ kind, key });
        break;
      case 'attach': {
        const [child, parent] = [key, this.#someone()];
        this.#operations.push(this.#trees?.attach(child, parent) as Operation);
        break;
      }
      case 'detach': {
        const child = this.#trees?.someChild() ?? key;
        this.#operations.push({ kind, key: child });
        this.#trees?.detach(child);
        break;
      }
      case 'removeMany':
        this.#removeMany(this.#several());
        break;
      default: {
        const patch = kind === 'only' ? { only: this.#owner() } : this.#traits.patch(kind);
        here.range = Math.max(here.range, rangeOf(patch));
        this.#operations.push({ kind: 'update', key, patch });
      }
    }
  }

  #writeInterest(kind: InterestKind, habits: InterestHabits): void {
    const key = this.#someone();
    switch (kind) {
      case 'pin':
      case 'unpin':
      case 'block':
      case 'unblock':
        this.#tie(kind, habits);
        break;
      case 'setInterest':
        this.#operations.push(habits.change());
        break;
      case 'ban':
        this.#operations.push({ kind, key });
        break;
      case 'excursion':
        this.#excursion(key);
        break;
      case 'nap':
        this.#nap(key);
        break;
      case 'failingTick':
        this.#operations.push({ kind, calls: habits.callsBeforeMishap() });
        break;
      case 'attempt':
        this.#attempt(key, habits);
        break;
      case 'targets': {
        const present = [...this.#present.values()];
        this.#operations.push(randomTargets(this.#random, this.#geography, present, key, this.#senses));
        break;
      }
      default:
        this.#operations.push({ kind: 'update', key, patch: habits.patch(kind) });
    }
  }

  /** Restores a world with all entities at rest, then lets most of them watch again. */
  #restoreAtRest(): void {
    this.#operations.push({ kind: 'restoreAtRest' });
    for (const key of this.#present.keys()) {
      if (this.#random.chance(0.8)) this.#operations.push({ kind: 'update', key, patch: { watches: true } });
    }
  }

  /** Changes something, fails a tick, and changes it back: as if nothing had happened. */
  #attempt(key: Key, habits: InterestHabits): void {
    const random = this.#random;
    const patches: readonly (readonly [PlainPatch, PlainPatch])[] = [
      [{ interest: random.pick(habits.names) }, { interest: random.pick(habits.names) }],
      [{ updates: true }, { updates: false }],
      [habits.patch('cap'), habits.patch('cap')],
      [{ range: this.#traits.range() }, { range: this.#traits.range() }],
    ];
    const [first, second] = random.pick(patches);
    const tie = random.chance(0.3) ? { watcher: key, marker: this.#someone() } : undefined;
    this.#operations.push({ kind: 'update', key, patch: first });
    if (random.chance(0.7)) this.#operations.push({ kind: 'tick' });
    this.#operations.push({ kind: 'update', key, patch: second });
    const done = random.pick(['pin', 'block'] as const);
    if (random.chance(0.2)) this.#operations.push(habits.change());
    if (tie !== undefined && tie.marker !== key) this.#operations.push({ kind: done, ...tie });
    // Touches an entity, because otherwise `admit` would not be called.
    this.#operations.push({ kind: 'touch', key: this.#someone() });
    this.#operations.push({ kind: 'failingTick', calls: habits.callsBeforeMishap() });
    if (random.chance(0.8)) this.#operations.push({ kind: 'update', key, patch: first });
    if (tie !== undefined && tie.marker !== key) this.#operations.push({ kind: `un${done}`, ...tie });
    this.#operations.push({ kind: 'tick' });
  }

  /**
   * Puts an entity at rest for some ticks, most often for one: it perceives the same afterwards, and has forgotten
   * everything.
   */
  #nap(key: Key): void {
    this.#operations.push({ kind: 'update', key, patch: { watches: false } });
    const ticks = this.#random.pick([1, 1, 1, 2, 4]);
    for (let tick = 0; tick < ticks; tick++) this.#write('tick');
    this.#operations.push({ kind: 'update', key, patch: { watches: true } });
    if (this.#random.chance(0.7)) this.#write('tick');
  }

  /** Moves an entity out of most watchers' perception, and back after some ticks: a test of memory. */
  #excursion(key: Key): void {
    const { x, y, z } = this.#present.get(key) as Neighbour;
    this.#excursions.push({ key, place: { x, y, z }, ticks: this.#random.below(LONGEST_EXCURSION) + 1 });
    this.#move(key, this.#geography.awayFrom({ x, y, z }));
  }

  #endExcursions(): void {
    for (const excursion of this.#excursions) {
      if (--excursion.ticks === 0 && this.#present.has(excursion.key))
        this.#move(excursion.key, excursion.place);
    }
    this.#excursions = this.#excursions.filter(({ ticks }) => ticks > 0);
  }

  /** Pins and blocks between any two entities; an undo mostly takes back an earlier operation. */
  #tie(kind: 'pin' | 'unpin' | 'block' | 'unblock', habits: InterestHabits): void {
    const [watcher, marker] = [this.#someone(), this.#someone()];
    const done = kind === 'pin' || kind === 'unpin' ? 'pin' : 'block';
    const earlier = this.#operations.filter((operation) => operation.kind === done);
    const isUndone = kind === 'unpin' || kind === 'unblock';
    if (earlier.length > 0 && this.#random.chance(isUndone ? 0.8 : 0.5)) {
      const again = { ...this.#random.pick(earlier), kind } as Operation;
      // The same two for another reason.
      this.#operations.push(kind === 'pin' ? Object.assign(again, habits.pin()) : again);
    } else if (watcher !== marker) {
      const reason = kind === 'pin' ? habits.pin() : done === 'pin' ? habits.reason() : {};
      this.#operations.push({ kind, watcher, marker, ...reason } as Operation);
    }
  }

  /** Mostly an entity that may be moved: the root, if the chosen one is attached. Rejected moves are tested, too. */
  #movable(kind: Kind, key: Key): Key {
    const isMoved = kind === 'walk' || kind === 'teleport' || kind === 'there and back';
    return isMoved && this.#trees !== undefined && this.#random.chance(0.9) ? this.#trees.rootOf(key) : key;
  }

  #walkFrom(here: Neighbour): Place {
    if (this.#habits === undefined || !this.#random.chance(TO_THE_RIM)) return this.#geography.stepFrom(here);
    const margin = this.#random.pick([0, ...this.#habits.margins]);
    return this.#geography.rimOf(this.#random.pick([...this.#present.values()]), margin);
  }

  #add(): void {
    const place = this.#place();
    const init: PlainInit = { ...place, ...this.#newcomer() };
    if (this.#options.dimensions === 2) delete init.z;
    const key = this.#enrol(place, rangeOf(init));
    this.#operations.push({ kind: 'add', key, init });
  }

  #removeMany(keys: Key[]): void {
    for (const key of keys) {
      this.#present.delete(key);
      this.#trees?.remove(key);
    }
    this.#operations.push({ kind: 'removeMany', keys });
  }

  #addMany(exactly?: number): void {
    const traits = this.#newcomer();
    const count = exactly ?? this.#random.below(MOST_IN_A_CALL + 1);
    const places = Array.from({ length: count }, () => this.#place());
    const keys = places.map((place) => this.#enrol(place, rangeOf(traits)));
    this.#operations.push({ kind: 'addMany', keys, ...columnsOf(places), traits });
  }

  #moveMany(): void {
    const several = this.#several();
    const keys = this.#trees?.movable(several) ?? several;
    // A key named twice: the last position wins.
    if (this.#random.chance(0.3)) keys.push(keys[0]);
    const from = (key: Key) => this.#present.get(key) as Neighbour;
    const jumps = this.#random.chance(0.3);
    const places = keys.map((key) => (jumps ? this.#place() : this.#geography.stepFrom(from(key))));
    const operation: Operation = { kind: 'moveMany', keys, ...columnsOf(places) };
    if (this.#random.chance(0.4)) {
      operation.at = Array.from({ length: this.#random.below(keys.length) + 1 }, () =>
        this.#random.below(keys.length),
      );
    }
    for (const i of operation.at ?? keys.keys()) Object.assign(from(keys[i]), places[i]);
    this.#operations.push(operation);
  }

  #move(key: Key, place: Place): void {
    const { x, y, z } = place;
    Object.assign(this.#present.get(key) as Neighbour, place);
    this.#operations.push(
      this.#options.dimensions === 2 ? { kind: 'move', key, x, y } : { kind: 'move', key, x, y, z },
    );
  }

  #churn(): void {
    const { range: _range, ...traits } = this.#traits.draw();
    const step = this.#geography.step;
    this.#operations.push({ kind: 'churn', count: CHURN_COUNT, step, traits });
  }

  #remove(): void {
    const key = this.#someone();
    this.#present.delete(key);
    this.#trees?.remove(key);
    this.#operations.push({ kind: 'remove', key });
  }

  #enrol({ x, y, z }: Place, range: number): Key {
    const key = this.#nextKey++;
    this.#present.set(key, { x, y, z, range });
    return key;
  }

  #place(): Place {
    return this.#geography.place([...this.#present.values()]);
  }

  #someone(): Key {
    return this.#random.pick([...this.#present.keys()]);
  }

  #newcomer(): CrowdTraits {
    const traits = this.#traits.draw();
    if (this.#present.size > 0 && this.#traits.isForOne()) traits.only = this.#owner();
    return traits;
  }

  /** The watcher that something is for: mostly a present one, or a removed one, or any. */
  #owner(): Key | 'none' {
    if (this.#random.chance(0.2)) return 'none';
    return this.#random.chance(0.85) ? this.#someone() : this.#random.below(this.#nextKey);
  }

  #several(): Key[] {
    const share = MOST_IN_A_CALL / Math.max(MOST_IN_A_CALL, this.#present.size);
    const keys = [...this.#present.keys()].filter(() => this.#random.chance(share));
    return keys.length > 0 ? keys : [this.#someone()];
  }
}
