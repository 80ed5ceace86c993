/**
 * What the pages name exists: every file and heading that they link to, and every command and option that they tell a reader
 * to type. The site's own test checks links on the site; here are also the pages that only the repository has.
 */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { openRepository } from '../checks/repository.ts';
import { headingAnchors } from '../reference/heading-anchors.ts';
import { root } from '../run-command.ts';

const repository = openRepository(root);
const pages = repository.files.filter((file) => file.endsWith('.md') && !file.startsWith('.changeset/'));
/** Commands of past versions are history. */
const guides = pages.filter((file) => !/CHANGELOG|^docs\/api\//.test(file));
const scripts = Object.keys(JSON.parse(repository.read('package.json')).scripts as object);

/** A page without its code, in which a bracket is no link. */
function prose(page: string): string {
  return repository
    .read(page)
    .replace(/^ *```.*?^ *```/gms, '')
    .replace(/`[^`\n]*`/g, (code) => (/\]\(/.test(code) ? '' : code));
}

function anchorsOf(page: string): string[] {
  const headings = [...prose(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').trim(),
  );
  return headingAnchors(headings);
}

/** The links of a page that lead nowhere. */
function deadLinks(page: string): string[] {
  const links = [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [file = '', anchor] = link.split('#');
    const there = file === '' ? page : path.posix.join(path.posix.dirname(page), file);
    if (!existsSync(path.join(root, there))) return true;
    return anchor !== undefined && there.endsWith('.md') && !anchorsOf(there).includes(anchor);
  });
}

interface Typed {
  readonly page: string;
  /** The program: an npm script, or `umwelt`. */
  readonly program: string;
  readonly words: readonly string[];
}

const FENCED = /^ *```([^\n]*)\n(.*?)^ *```/gms;
/** An npm script, or `umwelt` with a command, where a reader would type it; then its words. */
const COMMAND = /(?:^|[ =])(?:npm run ([a-z]+)|npm (start|test)|(?<!create )(umwelt)(?= [a-z]))((?: \S+)*)/;

/** The commands in code, without what explains them: it follows two spaces or a hash. */
function typedCommands(): Typed[] {
  return guides.flatMap((page) => {
    const text = repository.read(page);
    const blocks = [...text.matchAll(FENCED)].filter(([, kind = '']) => !/^(ts|html|python)/.test(kind));
    const spans = [...text.replace(FENCED, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
    const lines = [...blocks.flatMap(([, , code = '']) => code.split('\n')), ...spans];
    return lines.flatMap((line) => {
      const command = COMMAND.exec(line.replace(/ {2,}.*| # .*/s, ''));
      if (command === null) return [];
      const [, script, short, umwelt, rest = ''] = command;
      const words = rest.split(' ').filter((word) => word !== '' && word !== '--');
      return [{ page, program: script ?? short ?? umwelt ?? '', words }];
    });
  });
}

const helpTexts = new Map<string, Promise<string>>();
/** The output of `--help`, of a script from its sources. */
function helpOf(script: string, ...words: string[]): Promise<string> {
  const key = [script, ...words].join(' ');
  const known = helpTexts.get(key);
  if (known !== undefined) return known;
  const argv = ['--conditions=umwelt:source', script, ...words, '--help'];
  const help = promisify(execFile)(process.execPath, argv, { cwd: root }).then(({ stdout }) => stdout);
  helpTexts.set(key, help);
  return help;
}

const CLI = 'packages/cli/src/main.ts';
/** The npm scripts that are commands of `umwelt`. */
const CLI_COMMANDS = new Map(
  Object.entries({ start: 'play', record: 'record', replay: 'replay', compare: 'compare', serve: 'serve' }),
);

/** Whether a help lists the name first in a line. */
function lists(help: string, name: string): boolean {
  return new RegExp(`^ *${name} `, 'm').test(help);
}

/** The help that a command's options are in, or why there is no such command; undefined: its words are not options. */
async function helpFor({
  program,
  words: [name = '', ...others],
}: Typed): Promise<{ help?: string; fault?: string } | undefined> {
  const isName = /^\w[\w-]*$/.test(name) && name !== 'NAME';
  if (program === 'umwelt') {
    if (!lists(await helpOf(CLI), name)) return { fault: `no command ${name}` };
    return { help: await helpOf(CLI, name) };
  }
  if (!scripts.includes(program)) return { fault: `no script ${program}` };
  const command = CLI_COMMANDS.get(program);
  if (command !== undefined) return { help: await helpOf(CLI, command) };
  if (program === 'bench') {
    const help = await helpOf('bench/main.ts');
    const end = others.findIndex((word) => word.startsWith('-'));
    const suites = isName ? [name, ...others.slice(0, end < 0 ? undefined : end)] : [];
    const none = suites.find((suite) => !lists(help, suite));
    return none === undefined ? { help } : { fault: `no suite ${none}` };
  }
  if (program === 'fuzz') {
    const help = await helpOf('tools/fuzz.ts');
    if (!isName) return { help };
    if (!help.includes(`npm run fuzz -- ${name} `)) return { fault: `no target ${name}` };
    return { help: await helpOf('tools/fuzz.ts', name) };
  }
  if (program === 'example' && isName && !readdirSync(path.join(root, 'examples')).includes(name)) {
    return { fault: `no example ${name}` };
  }
  return undefined;
}

/** Why a command as a page has it cannot be typed; undefined: it can. */
async function faultOf(typed: Typed): Promise<string | undefined> {
  const { help, fault } = (await helpFor(typed)) ?? {};
  if (help === undefined) return fault;
  const options = typed.words.map((word) => /^--[a-z-]+/.exec(word)?.[0]);
  const unknown = options.find(
    (option) => option !== undefined && option !== '--help' && !new RegExp(`${option}(?![\\w-])`).test(help),
  );
  return unknown === undefined ? undefined : `no option ${unknown}`;
}

it("the command line's README says what umwelt play shows", async () => {
  const [, scenario] = /scenario from the list below \((\w+)\)/.exec(await helpOf(CLI, 'play')) ?? [];
  expect(repository.read('packages/cli/README.md')).toMatch(new RegExp(`umwelt play +a ${scenario} on `));
});

/** Members of public options types, as the reference has them, which it has from the types. */
function optionsIn(reference: string): { type: string; option: string }[] {
  const sections = repository.read(reference).split(/^### /m);
  return sections.flatMap((section) => {
    const [type = ''] = section.split('\n', 1);
    if (!/(Options|Limits|Init|^Interest)$/.test(type) || UNEXPLAINED.test(type)) return [];
    const members = [...section.matchAll(/^- `(?:readonly )?(\w+)\??[:(]/gm)];
    return members.map(([, option = '']) => ({ type, option }));
  });
}

/** These have no guide: suites for authors of detectors, whose reference is all there is to say. */
const UNEXPLAINED = /^(Suite|Model|Plain|Crowd|Reach|CrossList)/;
/** Packages with a guide. Scenarios have none: they are for tests and benches. */
const GUIDED = [
  'umwelt',
  'umwelt-client',
  'umwelt-cluster',
  'umwelt-colyseus',
  'umwelt-gateway',
  'umwelt-inspector',
];

describe.each(GUIDED)('the options of %s', (name) => {
  const prose = guides.map((page) => repository.read(page)).join('\n');

  it('are each named by a guide', () => {
    const options = optionsIn(`docs/api/${name}.md`);
    expect(options.length).toBeGreaterThan(5);
    const unnamed = options.filter(({ option }) => !new RegExp(`\\b${option}\\b`).test(prose));
    expect(unnamed).toEqual([]);
  });
});

it.each(pages)('%s links to nothing that is not there', (page) => {
  expect(deadLinks(page)).toEqual([]);
});

describe('commands in the pages', () => {
  const typed = typedCommands();

  it('are found', () => {
    expect(typed.length).toBeGreaterThan(150);
    for (const program of ['umwelt', 'bench', 'fuzz', 'example', 'start', 'serve']) {
      expect(typed.map((one) => one.program)).toContain(program);
    }
  });

  it('and their options exist', { timeout: 120_000 }, async () => {
    const faults: string[] = [];
    for (const one of typed) {
      const fault = await faultOf(one);
      if (fault !== undefined) faults.push(`${one.page}: ${one.program} ${one.words.join(' ')}: ${fault}`);
    }
    expect(faults).toEqual([]);
  });

  it('that do not exist are told', async () => {
    const page = 'a.md';
    expect(await faultOf({ page, program: 'serv', words: [] })).toBe('no script serv');
    expect(await faultOf({ page, program: 'umwelt', words: ['serve', '--rate', '0'] })).toBe(undefined);
    expect(await faultOf({ page, program: 'umwelt', words: ['serve', '--rat', '0'] })).toBe(
      'no option --rat',
    );
    expect(await faultOf({ page, program: 'umwelt', words: ['server'] })).toBe('no command server');
    expect(await faultOf({ page, program: 'bench', words: ['walkers', 'strollers'] })).toBe(
      'no suite strollers',
    );
    expect(await faultOf({ page, program: 'fuzz', words: ['frame'] })).toBe('no target frame');
    expect(await faultOf({ page, program: 'example', words: ['07-none'] })).toBe('no example 07-none');
  });
});
