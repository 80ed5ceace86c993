/**
 * The checks' view of the repository: its files by path, their text, and the form in which problems are reported.
 *
 * The files are those that git knows or would add, so generated and ignored files are left out. A test gives a check a
 * made-up repository instead.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A problem that a check found. `file` is relative to the repository; `line` counts from 1. */
export interface Problem {
  readonly file?: string;
  readonly line?: number;
  /** What is wrong and what was expected, in one line. */
  readonly message: string;
}

export interface Repository {
  /** The folder on disk; for a made-up repository, a name. */
  readonly root: string;
  /** Paths relative to the root, with forward slashes, ascending. */
  readonly files: readonly string[];
  /** The text of one of `files`. */
  read(file: string): string;
}

/** One check: its name in the report, and its function. */
export interface Check {
  readonly name: string;
  check(repository: Repository): readonly Problem[] | Promise<readonly Problem[]>;
}

/** A problem with its file and line, in the form that editors can jump to. */
export function describeProblem(problem: Problem): string {
  const place = [problem.file, problem.line].filter((part) => part !== undefined).join(':');
  return place === '' ? problem.message : `${place}: ${problem.message}`;
}

/** The repository on disk at `root`. */
export function openRepository(root: string): Repository {
  const texts = new Map<string, string>();
  const files = (filesByGit(root) ?? filesByWalking(root, '')).filter((file) =>
    existsSync(path.join(root, file)),
  );
  files.sort();
  return {
    root,
    files,
    read(file) {
      const text = texts.get(file) ?? readFileSync(path.join(root, file), 'utf8');
      texts.set(file, text);
      return text;
    },
  };
}

/** A made-up repository of the given texts by path. */
export function madeUpRepository(texts: Readonly<Record<string, string>>): Repository {
  return {
    root: 'made up',
    files: Object.keys(texts).sort(),
    read: (file) => texts[file] ?? '',
  };
}

const sourceName = /\.[cm]?[jt]sx?$/;

/** Whether a file is TypeScript or JavaScript, in any of their forms. */
export function isSource(file: string): boolean {
  return sourceName.test(file);
}

/** The files that the rules for style and imports cover, tests included. */
export function sourceFiles(repository: Repository): string[] {
  return repository.files.filter(isSource);
}

function filesByGit(root: string): string[] | undefined {
  const result = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  // A copy of the files inside another repository does not belong to that one.
  if (result.status !== 0 || !existsSync(path.join(root, '.git'))) return undefined;
  return result.stdout.split('\0').filter((file) => file !== '');
}

/** For an unpacked archive without git. Supports plain names and extensions in .gitignore; ours contains nothing else. */
function filesByWalking(root: string, folder: string): string[] {
  const ignored = readFileSync(path.join(root, '.gitignore'), 'utf8').split('\n').filter(Boolean);
  const isIgnored = (file: string): boolean =>
    ignored.some((rule) =>
      rule.startsWith('*')
        ? file.endsWith(rule.slice(1))
        : file === rule || `${path.basename(file)}/` === rule,
    );
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.name === '.git' || isIgnored(file)) return [];
    return entry.isDirectory() ? filesByWalking(root, file) : [file];
  });
}
