/**
 * `npm run fuzz -- endurance`: a thousand real clients for half an hour, whose connections are cut and stalled at random, on a server that
 * is stopped and killed: whether every mirror is right after each storm, and whether anything grows in memory.
 *
 * Exit codes: 1 where a mirror is wrong, somebody cannot come back or memory grows, 2 for a wrong argument. See endurance/endurance-run.ts.
 */
import { parseArgs } from 'node:util';
import { type EnduranceFigures, runEndurance, type Trends } from './endurance/endurance-run.ts';

const USAGE = `npm run fuzz -- endurance

  --minutes M   how long; default 30
  --clients N   default 1000
  --tick-ms T   from tick to tick; default 50
  --restarts N  of the server, in the first three fifths of the time; default 8
`;

function numberOf(text: string | undefined, usual: number, least: number, most: number): number | undefined {
  const value = text === undefined ? usual : Number(text);
  return value >= least && value <= most ? value : undefined;
}

function wordsOf(args: string[]) {
  const text = { type: 'string' } as const;
  const options = {
    minutes: text,
    clients: text,
    'tick-ms': text,
    restarts: text,
    help: { type: 'boolean', default: false },
  } as const;
  try {
    const { values } = parseArgs({ args, options, strict: true });
    const minutes = numberOf(values.minutes, 30, 0.1, 1440);
    const clients = numberOf(values.clients, 1000, 1, 4000);
    const tickMs = numberOf(values['tick-ms'], 50, 10, 1000);
    const restarts = numberOf(values.restarts, 8, 0, 1000);
    const isWhole = Number.isInteger(clients) && Number.isInteger(restarts);
    if (
      !isWhole ||
      minutes === undefined ||
      clients === undefined ||
      tickMs === undefined ||
      restarts === undefined
    )
      return undefined;
    return { help: values.help, minutes, clients, tickMs, restarts };
  } catch {
    return undefined;
  }
}

function trendLine({ who, rss, held }: Trends): string {
  const told = ({ meanBytes, bytesAMinute }: Trends['rss']): string =>
    `${(meanBytes / 1e6).toFixed(1)} MB, ${bytesAMinute < 0 ? '' : '+'}${(bytesAMinute / 1e6).toFixed(3)} MB a minute`;
  return `  ${who}, over ${Math.round(rss.seconds)} s: RSS ${told(rss)}; held ${told(held)}`;
}

function tell(figures: EnduranceFigures): void {
  const { seconds, status, saved, killed, calms, compared, comparedInTheEnd, wrong, trends, problems } =
    figures;
  print(
    `${Math.round(seconds)} s, ${status.frames} frames, ${status.cuts} cuts, ${status.stalls} stalls; servers: ${saved} stopped, ${killed} killed`,
  );
  print(`came back ${status.resumed} times with the session, ${status.begunAnew} times with a new one`);
  print(
    `${compared} mirrors compared in ${calms} calms, ${comparedInTheEnd} of them in the end, when nobody moved: ${wrong} wrong`,
  );
  for (const trend of trends) print(trendLine(trend));
  print(problems.length === 0 ? 'nothing found' : problems.join('\n'));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const words = wordsOf(process.argv.slice(2));
if (words === undefined) {
  process.stderr.write(`fuzz: endurance: wrong arguments; expected\n${USAGE}`);
  process.exitCode = 2;
} else if (words.help) process.stdout.write(USAGE);
else {
  const { minutes, ...plan } = words;
  const figures = await runEndurance({ ...plan, seconds: minutes * 60, tell: print });
  tell(figures);
  process.exitCode = figures.problems.length === 0 ? 0 : 1;
}
