/**
 * Which detectors a program has: all by name, or, in a bundle for browsers, the default and those that it imports.
 *
 * The bundle is tried in processes of its own, since a detector that was loaded once stays so.
 */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { nineGrid, quadtree, tower } from '../../src/detectors/index.ts';
import { detectorNames } from '../../src/detectors/registry.ts';
import * as everything from '../../src/index.ts';
import { World } from '../../src/index.ts';
import * as lean from '../../src/lean.ts';

const sources = new URL('../../src/', import.meta.url);

/** What a program prints that has the engine as a browser's bundle has it. `{lean}` and `{detectors}` are their addresses. */
function printed(program: string): string {
  const text = program
    .replace('{lean}', new URL('lean.ts', sources).href)
    .replace('{detectors}', new URL('detectors/index.ts', sources).href);
  return execFileSync(process.execPath, ['--input-type=module', '--eval', text], { encoding: 'utf8' });
}

describe('where all are loaded', () => {
  it.each(detectorNames)('%s will do by its name', (name) => {
    const world = new World({ detector: name });
    world.add({ x: 0, y: 0, range: 5 });
    expect(world.tick().viewCount).toBe(0);
    world.setDetector(name);
  });

  it('another name is told which there are', () => {
    expect(() => new World({ detector: 'octree' as 'tower' })).toThrow(
      expect.objectContaining({
        code: 'UNKNOWN_DETECTOR',
        message: `detector: 'octree' was given, expected one of ${detectorNames.join(', ')}`,
      }),
    );
  });

  it('both entry points have the same names', () => {
    expect(Object.keys(everything).sort()).toEqual(Object.keys(lean).sort());
  });
});

describe('a factory of umwelt/detectors', () => {
  it('does what its name does: cells, and snapshots', () => {
    const options = { granularity: 'cell', cellSize: 10 } as const;
    const worlds = [tower, 'tower' as const].map((detector) => new World({ ...options, detector }));
    const reports = worlds.map((world) => {
      world.add({ x: 1, y: 1, range: 5 });
      world.add({ x: 19, y: 1 });
      return world.tick().hash();
    });
    expect(reports[0]).toBe(reports[1]);
    const [first, second] = worlds.map((world) => world.snapshot());
    expect(first).toEqual(second);
    expect(() => worlds[0]!.setDetector(quadtree)).toThrow(expect.objectContaining({ code: 'UNSUPPORTED' }));
    expect(() => worlds[0]!.setDetector(nineGrid)).toThrow(expect.objectContaining({ code: 'UNSUPPORTED' }));
  });
});

describe('in a bundle for browsers', () => {
  it('the default is there, and a name that is not says what to import', () => {
    const said = printed(`
      import { World } from '{lean}';
      const world = new World();
      try { world.setDetector('cross-list'); } catch (error) { console.log(error.code, error.message); }
      try { world.setDetector('octree'); } catch (error) { console.log(error.code); }`);
    expect(said).toBe(
      "UNKNOWN_DETECTOR detector: 'cross-list' was given, expected one that is in this bundle (sweep, brute-force); " +
        "import { crossList } from 'umwelt/detectors' puts it there\nUNKNOWN_DETECTOR\n",
    );
  });

  it('a snapshot of a detector that is not there is restored with another, and else says what to import', () => {
    const bytes = (options: object) => Buffer.from(new World(options).snapshot()).toString('base64');
    const exact = bytes({ detector: 'tower' });
    const cells = bytes({ detector: 'tower', granularity: 'cell', cellSize: 10 });
    const said = printed(`
      import { World } from '{lean}';
      for (const text of ['${exact}', '${cells}']) {
        const bytes = Buffer.from(text, 'base64');
        try { World.restore(bytes); } catch (error) { console.log(error.code, error.message); }
      }
      console.log(World.restore(Buffer.from('${exact}', 'base64'), { detector: 'sweep' }).stats().detector);`);
    const missing =
      /UNKNOWN_DETECTOR detector: 'tower' was given.+import \{ tower \} from 'umwelt\/detectors'.*\n/;
    expect(said).toMatch(new RegExp(`^${missing.source}${missing.source}sweep\\n$`));
  });

  it('one that is imported can be handed over, and named from then on', () => {
    const said = printed(`
      import { World } from '{lean}';
      import { hotPair } from '{detectors}';
      const world = new World({ detector: hotPair });
      console.log(world.stats().detector, World.restore(world.snapshot()).stats().detector);
      console.log(new World({ detector: 'hot-pair' }).stats().detector);`);
    expect(said).toBe('hot-pair hot-pair\nhot-pair\n');
  });
});
