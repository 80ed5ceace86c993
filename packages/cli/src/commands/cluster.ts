/**
 * `umwelt cluster status`: the members of a world that several processes share, what each has, and whether ticks are marked.
 *
 * It asks one member and watches the log for a while. It does not join, and creates no world that does not exist.
 */
import { type ClusterStatus, clusterStatus, type MemberStatus, natsLog } from '@umwelt/cluster';
import { optionLines, type parseOptions, parseWithFile, readList, readNumber } from '../arguments.ts';
import { Mistake, oneLine } from '../faults.ts';
import { counted, fullCount } from '../numbers.ts';
import type { Terminal } from '../terminal.ts';
import type { Command } from './command.ts';

const OPTIONS = {
  servers: { value: 'URL,...', help: 'brokers, separated by commas (nats://127.0.0.1:4222)' },
  world: { value: 'NAME', help: 'name of the world; required' },
  seconds: { value: 'SECONDS', help: 'how long to watch the log (2)' },
  user: { value: 'NAME', help: 'user name, if the broker requires one' },
  password: {
    value: 'TEXT',
    help: `password of that user; better in the variable UMWELT_NATS_PASSWORD, which ps does not show`,
  },
  json: { help: 'prints JSON, for other programs' },
  help: { short: 'h', help: 'this text' },
} as const;

const PASSWORD_VARIABLE = 'UMWELT_NATS_PASSWORD';
const WAIT_MS = 5000;

export const cluster: Command = {
  name: 'cluster',
  help: `umwelt cluster status: the state of a world that several processes share

Usage: umwelt cluster status --world NAME [OPTIONS]

${optionLines(OPTIONS)}

One line per member: when it was last heard, what it owns and shows, how many of its calls were refused, and what it
wrote while the log was watched. Exit code 2 if no member answers.

Examples:
  umwelt cluster status --world prime
  umwelt cluster status --world prime --servers nats://one,nats://two,nats://three --seconds 10
  umwelt cluster status --world prime --json`,
  run: (words, terminal) => {
    const { files, given: options } = parseWithFile(words, OPTIONS);
    if (files[0] !== 'status') {
      const given = files[0] === undefined ? 'nothing' : `'${files[0]}'`;
      throw new Mistake(`expected umwelt cluster status, given ${given}; see --help`);
    }
    return showStatus(planOf(options), terminal);
  },
};

interface StatusPlan {
  readonly servers: readonly string[];
  readonly world: string;
  readonly watchMs: number;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly isJson: boolean;
}

function planOf(given: ReturnType<typeof parseOptions<typeof OPTIONS>>): StatusPlan {
  const { servers = 'nats://127.0.0.1:4222', world, seconds = '2', user, password, json } = given;
  if (world === undefined) throw new Mistake('--world NAME is missing; see --help');
  if (password !== undefined && user === undefined) throw new Mistake('--password needs --user NAME');
  return {
    servers: readList(servers),
    world,
    watchMs: 1000 * readNumber('--seconds', seconds, 0.1, 3600),
    user,
    password,
    isJson: json !== undefined,
  };
}

async function showStatus(plan: StatusPlan, { output, environment = {} }: Terminal): Promise<void> {
  const { servers, world, user, password = environment[PASSWORD_VARIABLE] ?? '' } = plan;
  const log = await natsLog({
    servers,
    world,
    create: false,
    connectMs: WAIT_MS,
    ...(user === undefined ? {} : { connection: { user, pass: password } }),
  });
  try {
    const status = await clusterStatus(log, { watchMs: plan.watchMs });
    if (status === undefined) {
      throw new Mistake(`no member of '${world}' answers: none is alive, or all are busy joining`);
    }
    output.write(`${plan.isJson ? JSON.stringify(status) : statusText(world, status)}\n`);
  } finally {
    await log.close();
  }
}

/** The status as a table. */
export function statusText(world: string, status: ClusterStatus): string {
  const { members, tick, tickMs, entities, orphans, lagMs, marks, watchedMs, longestGapMs, bytes } = status;
  const due = tickMs === 0 ? 0 : watchedMs / tickMs;
  const seconds = watchedMs / 1000;
  const head = [
    `world ${world}: tick ${fullCount(tick)}, ${counted(entities, 'entity', 'entities')}, ${fullCount(orphans)} without an owner`,
    `marks ${marks} of ${Math.round(due)} in ${seconds} s, at most ${longestGapMs} ms apart; log ${rate(bytes, seconds)}`,
    `answered by ${oneLine(status.answeredBy)}, ${lagMs} ms behind the log`,
  ];
  return [...head, ...upgradeLines(status), '', ...tableLines(members, seconds, status.silenceTicks)].join(
    '\n',
  );
}

/** While an upgrade is under way: which members keep the others from writing the later format. */
function upgradeLines({ format = 0, members }: ClusterStatus): string[] {
  const newestOf = ({ formats: [, newest] = [0, 0] }: MemberStatus) => newest;
  if (members.every((member) => newestOf(member) <= format)) return [];
  const old = members.filter((member) => newestOf(member) <= format).map(({ name }) => oneLine(name));
  return [`records of format ${format}, as long as these members read no later one: ${old.join(', ')}`];
}

function tableLines(members: readonly MemberStatus[], seconds: number, silenceTicks: number): string[] {
  const rows = members.map((member) => [
    oneLine(member.name),
    String(member.incarnation),
    member.adopts ? 'yes' : 'no',
    `${member.silentTicks} of ${silenceTicks}`,
    fullCount(member.owned),
    fullCount(member.shown),
    fullCount(member.refused),
    `${(member.records / seconds).toFixed(1)}/s`,
    rate(member.bytes, seconds),
  ]);
  const all = [
    ['member', 'since', 'adopts', 'silent ticks', 'owns', 'shows', 'refused', 'records', 'writes'],
    ...rows,
  ];
  const widths = (all[0] ?? []).map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}

function rate(bytes: number, seconds: number): string {
  const perSecond = bytes / seconds;
  if (perSecond < 1000) return `${Math.round(perSecond)} B/s`;
  if (perSecond < 1e6) return `${(perSecond / 1000).toFixed(1)} kB/s`;
  return `${(perSecond / 1e6).toFixed(1)} MB/s`;
}
