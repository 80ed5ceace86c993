/** The import arrows: a planted wrong import is caught where it stands, and a right one is let through. */
import { describe, expect, it } from 'vitest';
import { arrowsCheck } from '../checks/arrows.ts';
import { describeProblem, madeUpRepository } from '../checks/repository.ts';

async function problems(texts: Record<string, string>): Promise<string[]> {
  return (await arrowsCheck.check(madeUpRepository(texts))).map(describeProblem);
}

describe('import arrows', () => {
  it('lets an upper layer of core import a lower one', async () => {
    const text =
      "import { UmweltError } from '../errors.ts';\nimport type { Heap } from '../kernels/heap.ts';\n";
    expect(await problems({ 'packages/core/src/detectors/sweep.ts': text })).toEqual([]);
  });

  it('catches a kernel that imports a detector, with its line', async () => {
    const text = "/** A kernel. */\n\nimport { sweep } from '../detectors/sweep.ts';\n";
    const found = await problems({ 'packages/core/src/kernels/scan.ts': text });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(
      /^packages\/core\/src\/kernels\/scan\.ts:3: imports '\.\.\/detectors\/sweep\.ts'/,
    );
  });

  it('catches a type import that goes up', async () => {
    const text = "import type { World } from '../world.ts';\n";
    expect(await problems({ 'packages/core/src/entities/store.ts': text })).toHaveLength(1);
  });

  it('catches an import spread over several lines, a re-export, a dynamic import and a worker', async () => {
    const up = '../interest/seats.ts';
    const forms = [
      `import {\n  first,\n  type Second,\n} from '${up}';\n`,
      `export { first } from '${up}';\n`,
      `export * from '${up}';\n`,
      `import '${up}';\n`,
      `export const late = () => import('${up}');\n`,
      `export const worker = new URL('${up}', import.meta.url);\n`,
    ];
    for (const text of forms) {
      expect(await problems({ 'packages/core/src/detectors/sweep.ts': text }), text).toHaveLength(1);
    }
  });

  it('catches a package that imports one above it by name', async () => {
    const text = "import { startInspector } from '@umwelt/inspector';\n";
    expect(await problems({ 'packages/scenarios/src/city.ts': text })).toHaveLength(1);
    expect(await problems({ 'packages/cli/src/main.ts': text })).toEqual([]);
  });

  it("catches a relative import into another package's sources", async () => {
    const text = "import { World } from '../../core/src/world.ts';\n";
    const found = await problems({ 'packages/scenarios/src/driver.ts': text });
    expect(found).toEqual([expect.stringContaining('import it by name')]);
  });

  it('keeps the page from importing the server', async () => {
    const text = "import { startFeed } from '../server/feed.ts';\n";
    expect(await problems({ 'packages/inspector/src/page/main.tsx': text })).toHaveLength(1);
    expect(await problems({ 'packages/inspector/src/index.ts': text.replace('../', './') })).toEqual([]);
  });

  it('does not take an example in a comment for an import', async () => {
    const text = "/**\n * For example:\nimport { World } from '../world.ts';\n */\nexport const one = 1;\n";
    expect(await problems({ 'packages/core/src/entities/store.ts': text })).toEqual([]);
  });

  it('asks for a row where there is none', async () => {
    expect(await problems({ 'packages/novelty/src/index.ts': '' })).toEqual([
      expect.stringContaining('lies in no row'),
    ]);
  });
});
