/**
 * What a watcher sees is read from the rows that `updated` lists need, if there are any. It must be the same
 * as what a search finds, whatever happens between ticks, and whether ticks succeed or fail.
 */
import { expect, test } from 'vitest';
import { World } from '../../src/index.ts';

const STEPS = 60;
const PLACES = 40;

/** Numbers from 0 to 1, the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Life {
  readonly world: World;
  /** The present entities, the same in both lives. */
  readonly ids: number[];
  throws: boolean;
}

/** `keepsRows`: whether any watcher gets updates other than at rates. */
function bornWith(keepsRows: boolean): Life {
  const life: Life = {
    ids: [],
    throws: false,
    world: new World({
      interests: {
        plain: {},
        margin: { leaveMargin: 2 },
        rated: { updateRates: [[1, 3]] },
        asking: {
          admit: () => {
            if (life.throws) throw new Error('admit failed');
            return true;
          },
        },
      },
    }),
  };
  const { world, ids } = life;
  const at = randomOf(1);
  for (let i = 0; i < PLACES; i++) {
    const interest = i === 0 ? 'asking' : 'plain';
    ids.push(world.add({ x: 20 * at(), y: 20 * at(), range: 5, interest, updates: keepsRows && i % 7 > 0 }));
  }
  return life;
}

/** One random action between ticks: with the same numbers the same in both lives, except for `updates`. */
function act({ world, ids }: Life, random: () => number, keepsRows: boolean): void {
  const i = 1 + Math.floor((ids.length - 1) * random());
  const id = ids[i] as number;
  const what = random();
  const [x, y] = [20 * random(), 20 * random()];
  if (what < 0.5) world.move(id, x, y);
  else if (what < 0.6) world.update(id, { updates: keepsRows && x > 10 });
  else if (what < 0.75) world.update(id, { interest: x < 7 ? 'plain' : x < 14 ? 'margin' : 'rated' });
  else if (what < 0.85) world.update(id, { range: x < 5 ? 0 : 5 });
  else if (what < 0.92) {
    world.remove(id);
    ids[i] = world.add({ x, y, range: 5, interest: 'plain', updates: keepsRows });
  } else if (y < 10) world.pin(id, ids[0] as number);
  else world.unpin(id, ids[0] as number);
}

/** What each entity sees, as of the last tick. */
function sights({ world, ids }: Life): number[][] {
  return ids.map((id) => [...world.visibleTo(id)]);
}

test.each([2, 3, 4, 5, 6, 7, 8, 9])('a life with rows sees what one without sees, seed %d', (seed) => {
  const lives = [bornWith(true), bornWith(false)] as const;
  const choose = randomOf(seed);
  let seen = 0;
  for (let step = 0; step < STEPS; step++) {
    const stepSeed = Math.floor(2 ** 31 * choose());
    const actions = Math.floor(6 * choose());
    const fails = choose() < 0.3;
    const everybodyMoves = choose() < 0.3;
    for (const life of lives) {
      const random = randomOf(stepSeed);
      for (let i = 0; i < actions; i++) act(life, random, life === lives[0]);
      if (everybodyMoves) for (const id of life.ids) life.world.move(id, 20 * random(), 20 * random());
    }
    expect(sights(lives[0]), `seed ${seed}, before tick ${step}`).toEqual(sights(lives[1]));
    for (const life of lives) {
      life.world.touch(life.ids[0] as number);
      life.throws = fails;
      try {
        life.world.tick();
      } catch (error) {
        expect(String(error)).toContain('admit failed');
      }
      life.throws = false;
    }
    const [withRows, without] = [sights(lives[0]), sights(lives[1])];
    expect(withRows, `seed ${seed}, after tick ${step}`).toEqual(without);
    seen += withRows.flat().length;
  }
  expect(seen).toBeGreaterThan(STEPS * PLACES);
});
