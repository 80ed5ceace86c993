/** What scenario mmo promises: mounts and pets go with their players, and who sees what is as the rules of such games have it. */
import { World } from 'umwelt';
import { describe, expect, it } from 'vitest';
import { createMmo, type MmoOptions, type Simulation, WorldDriver } from '../src/index.ts';

interface Stage {
  readonly simulation: Simulation;
  readonly world: World;
  readonly driver: WorldDriver;
  play(ticks: number): void;
}

function stage(options: MmoOptions): Stage {
  const simulation = createMmo(options);
  const world = new World(simulation.worldOptions);
  const driver = new WorldDriver(simulation, world);
  const play = (ticks: number) => {
    for (let i = 0; i < ticks; i++) {
      driver.step();
      world.tick();
    }
  };
  play(1);
  return { simulation, world, driver, play };
}

function actorsOf({ simulation }: Stage, kind: string): number[] {
  return Array.from(simulation.kind.keys()).filter(
    (actor) => simulation.kinds[simulation.kind[actor]!] === kind && simulation.present[actor] === 1,
  );
}

/** By actor: whom it is shown. */
function shownTo({ world, driver }: Stage, actor: number): number[] {
  return [...world.visibleTo(driver.idOf(actor))].map((id) => driver.actorOf(id));
}

const saidOf = ({ simulation }: Stage, actor: number) => simulation.initFor?.(actor) ?? {};
const channelOf = (played: Stage, actor: number) => saidOf(played, actor).channel;
const ownerOf = (played: Stage, actor: number) => (saidOf(played, actor).group as { owner: number }).owner;
const isCloaked = ({ simulation }: Stage, actor: number) => simulation.patchFor?.(actor)?.gain !== 1;

const SMALL: MmoOptions = { entities: 1500, players: 200, seed: 4, speed: 30 };

describe('mmo', () => {
  it('has as many players, and people and beasts, as were asked for, and things for the rest', () => {
    const played = stage({ entities: 1000, players: 60, npcs: 300 });
    expect(actorsOf(played, 'player').length).toBe(60);
    const npcs = ['villager', 'merchant', 'guard', 'critter', 'beast', 'boss'];
    expect(npcs.reduce((sum, kind) => sum + actorsOf(played, kind).length, 0)).toBe(300);
    const things = ['tree', 'chest', 'loot'].map((kind) => actorsOf(played, kind).length);
    expect(things.every((count) => count > 0)).toBe(true);
    expect(things.reduce((sum, count) => sum + count) + 60 + 300 + 20 + 15).toBe(1000);
  });

  it('has mounts that come and go, and pets that stay, each attached to its player', () => {
    const played = stage(SMALL);
    const { simulation, world, driver } = played;
    expect(actorsOf(played, 'mount')).toEqual([]);
    played.play(300);
    const mounts = actorsOf(played, 'mount');
    expect(mounts.length).toBeGreaterThan(10);
    for (const carried of [...mounts, ...actorsOf(played, 'pet')]) {
      const player = simulation.parentOf?.(carried) ?? -1;
      expect(world.parentOf(driver.idOf(carried))).toBe(driver.idOf(player));
      expect(shownTo(played, player)).toContain(carried);
    }
    played.play(300);
    expect(actorsOf(played, 'mount')).not.toEqual(mounts);
  });

  it('shows loot to its owner alone', () => {
    const played = stage({ ...SMALL, perceived: 400 });
    played.play(50);
    let shown = 0;
    for (const player of actorsOf(played, 'player')) {
      const loot = shownTo(played, player).filter((actor) => actorsOf(played, 'loot').includes(actor));
      for (const actor of loot) expect(ownerOf(played, actor)).toBe(ownerOf(played, player));
      shown += loot.length;
    }
    expect(shown).toBeGreaterThan(0);
  });

  it('parts dungeons from the open world, with all who are in them', () => {
    const played = stage(SMALL);
    played.play(400);
    const players = actorsOf(played, 'player');
    const inside = players.filter((player) => channelOf(played, player) !== 1);
    expect(inside.length).toBeGreaterThan(5);
    for (const player of players) {
      for (const actor of shownTo(played, player))
        expect(channelOf(played, actor)).toBe(channelOf(played, player));
    }
  });

  it('shows a party to each other wherever they are', () => {
    const played = stage({ ...SMALL, perceived: 5 });
    const players = actorsOf(played, 'player');
    played.play(1);
    for (const player of players.slice(0, 5)) {
      const fellows = players.slice(0, 5).filter((other) => other !== player);
      const together = fellows.filter((other) => channelOf(played, other) === channelOf(played, player));
      expect(shownTo(played, player)).toEqual(expect.arrayContaining(together));
    }
  });

  it('has each kind seen from as far as its kind is, and those who cloak from less', () => {
    const played = stage({ ...SMALL, perceived: 200 });
    const { simulation } = played;
    const farthest = (ticks: number) => {
      const far = new Map<string, number>();
      for (let tick = 0; tick < ticks; tick++) {
        played.play(1);
        for (const player of actorsOf(played, 'player').slice(0, 40)) {
          for (const actor of shownTo(played, player)) {
            const kind = simulation.kinds[simulation.kind[actor]!]!;
            const [dx, dy] = [simulation.x, simulation.y].map((axis) => axis[actor]! - axis[player]!);
            far.set(kind, Math.max(far.get(kind) ?? 0, Math.hypot(dx!, dy!)));
          }
        }
      }
      return far;
    };
    const far = farthest(20);
    // A range of 50, and a margin of 2.5.
    const bounds = { critter: 12.5, chest: 20, villager: 30, beast: 37.5, tree: 50, boss: 75 };
    for (const [kind, most] of Object.entries(bounds)) {
      expect(far.get(kind), kind).toBeLessThanOrEqual(most + 2.5);
      expect(far.get(kind), kind).toBeGreaterThan(most * 0.6);
    }
    const cloaked = actorsOf(played, 'player').filter((actor) => isCloaked(played, actor));
    played.play(400);
    const later = actorsOf(played, 'player').filter((actor) => isCloaked(played, actor));
    expect(later.length).toBeGreaterThan(cloaked.length);
  });
});
