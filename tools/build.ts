/**
 * Builds the named parts, or everything: the WebAssembly kernels, the packages' dist folders, the page.
 *
 *   node tools/build.ts [kernels] [packages] [page]
 *
 * A part that is up to date is skipped. The packages need the kernels' generated files, so the order is fixed.
 */
import { buildPackages } from './build-packages.ts';
import { buildPage } from './build-page.ts';
import { buildWasm, CompilerMissing } from './build-wasm.ts';

const parts = new Map<string, () => string | undefined>([
  ['kernels', buildWasm],
  ['packages', buildPackages],
  ['page', buildPage],
]);

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !parts.has(name));
if (unknown !== undefined) {
  process.stderr.write(`umwelt: expected ${[...parts.keys()].join(', ')}; got '${unknown}'\n`);
  process.exit(2);
}
for (const [name, build] of parts) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  try {
    const line = build();
    if (line !== undefined) process.stdout.write(`umwelt: ${line}\n`);
  } catch (error) {
    process.stderr.write(`umwelt: ${error instanceof Error ? error.message : String(error)}\n`);
    // The caller can install the rest and start the build again.
    process.exit(error instanceof CompilerMissing ? 3 : 1);
  }
}
