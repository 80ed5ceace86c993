/**
 * Users' build tools, tried on packed packages: compilers, bundlers, and arethetypeswrong, which checks for a tarball
 * whether each compiler finds the types that match the code that each runtime runs.
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { root } from './run-command.ts';
import { toolsFolder } from './runtimes.ts';

/** A compiler by name, and its folder. */
export const compilers = [
  { compiler: 'TypeScript 7', place: path.join(root, 'node_modules/typescript') },
  { compiler: 'TypeScript 5.9', place: path.join(toolsFolder, 'typescript59') },
] as const;

/** How a compiler resolves packages, and the module format for it. */
export const resolutions = [
  { resolution: 'nodenext', module: 'NodeNext' },
  { resolution: 'bundler', module: 'ESNext' },
] as const;

/** The errors of the compiler in `place` for all scripts in a user's folder, in the strictest project; '' for none. */
export async function typeErrors(
  place: string,
  folder: string,
  { resolution, module }: (typeof resolutions)[number],
): Promise<string> {
  const options = {
    target: 'ES2023',
    module,
    moduleResolution: resolution,
    lib: ['ES2024', 'DOM', 'DOM.Iterable', 'ESNext.Disposable'],
    types: ['node'],
    typeRoots: [path.join(root, 'node_modules/@types')],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noImplicitOverride: true,
    skipLibCheck: true,
    noEmit: true,
  };
  const project = path.join(folder, 'tsconfig.json');
  writeFileSync(project, JSON.stringify({ compilerOptions: options, include: ['*.ts'] }));
  const words = [path.join(place, 'bin/tsc'), '-p', project];
  return promisify(execFile)(process.execPath, words, { cwd: folder }).then(
    ({ stdout }) => stdout,
    (error: { stdout?: string; message: string }) => error.stdout || error.message,
  );
}

/** A bundler and its target platform, which decides the export conditions. */
export const bundlers = [
  { bundler: 'vite', platform: 'browser' },
  { bundler: 'esbuild', platform: 'browser' },
  { bundler: 'esbuild', platform: 'node' },
] as const;

/** The script that a bundler makes from a user's script. */
export async function bundled(
  { bundler, platform }: (typeof bundlers)[number],
  script: string,
): Promise<string> {
  if (bundler === 'vite') {
    const { build } = await import('vite');
    const built = await build({
      root: path.dirname(script),
      configFile: false,
      logLevel: 'error',
      build: { write: false, rolldownOptions: { input: script } },
    });
    if (!('output' in built)) throw new Error('vite built more than one thing');
    return built.output[0].code;
  }
  const esbuild = (await import(
    pathToFileURL(path.join(toolsFolder, 'esbuild/lib/main.js')).href
  )) as Esbuild;
  const options = {
    entryPoints: [script],
    bundle: true,
    minify: true,
    format: 'esm',
    platform,
    write: false,
  };
  const { outputFiles, warnings } = await esbuild.build(options);
  if (warnings.length > 0) throw new Error(`esbuild warns: ${JSON.stringify(warnings)}`);
  return outputFiles[0]?.text ?? '';
}

interface Esbuild {
  build(options: object): Promise<{ outputFiles: { text: string }[]; warnings: object[] }>;
}

/**
 * The problems that arethetypeswrong finds in a tarball, a line each. Problems of every ESM-only package are left out: `require` gets an
 * ES module, and compilers that do not support `exports` (`moduleResolution: 'node10'`) find nothing.
 */
export async function wrongTypes(tarball: string): Promise<readonly string[]> {
  const place = path.join(toolsFolder, '@arethetypeswrong/core/dist/index.js');
  const attw = (await import(pathToFileURL(place).href)) as Attw;
  const checked = await attw.checkPackage(attw.createPackageFromTarballData(readFileSync(tarball)));
  if (checked.types === false) return ['brings no types'];
  return (checked.problems ?? [])
    .filter(({ kind, resolutionKind }) => kind !== 'CJSResolvesToESM' && resolutionKind !== 'node10')
    .map(({ kind, entrypoint, resolutionKind }) => `${kind}: ${entrypoint} by ${resolutionKind}`);
}

interface Attw {
  createPackageFromTarballData(bytes: Uint8Array): object;
  checkPackage(found: object): Promise<{
    types: object | false;
    problems?: readonly { kind: string; entrypoint?: string; resolutionKind?: string }[];
  }>;
}
