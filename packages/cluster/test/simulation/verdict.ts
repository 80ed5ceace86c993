/**
 * What must hold of a cluster, whatever went wrong:
 *
 * - what each node reported to those that it shows is what the twin reports, at every tick that the log, or a branch of it
 *   that was lost, has a mark for
 * - the state of all is the twin's
 * - a plain model of authority, beside the twin, agrees on members, owners and places: see authority-model.ts
 * - what was sent came once at most; of live nodes, once
 * - when faults end, all live nodes are members, and marks go on
 */
import { AuthorityModel } from './authority-model.ts';
import type { Plan } from './plan.ts';
import { TICK_MS } from './process.ts';
import { chainOf, type NodeReport } from './report.ts';
import { grow, type Lineage, type Past, recordOf, Twin } from './twin.ts';

/** Simulated or real: how it stood at the end. */
export interface Survivor {
  readonly name: string;
  readonly participant: { readonly phase: string; readonly replica: { readonly tick: number } };
}

export interface Evidence {
  readonly plan: Plan;
  readonly records: readonly Uint8Array[];
  readonly branches: readonly Uint8Array[][];
  readonly reports: readonly NodeReport[];
  /** Those alive at the end. */
  readonly processes: readonly Survivor[];
  /** Nonces of messages that were sent; `undefined` where that is not known. */
  readonly sent: ReadonlySet<number> | undefined;
}

export interface Verdict {
  readonly problem: string | undefined;
  readonly ticks: number;
  readonly gives: number;
}

export function verdictOn(evidence: Evidence): Verdict {
  const past: Past = { plan: evidence.plan, branches: evidence.branches, ticks: new Map() };
  for (const branch of evidence.branches) grow(past, branch);
  const lineage = grow(past, evidence.records);
  const model = new AuthorityModel();
  const problem =
    reportProblem(evidence, past) ??
    endProblem(evidence, lineage) ??
    modelProblem(evidence, lineage, model) ??
    sentProblem(evidence, model);
  return { problem, ticks: lineage.twin.replica.tick, gives: model.gives };
}

function reportProblem({ reports }: Evidence, { ticks }: Past): string | undefined {
  for (const report of reports) {
    const { name, tick, chain, code, incarnation, hash, digest } = report;
    const twin = ticks.get(chain);
    if (twin === undefined) return `${name} marked tick ${tick} on a log that never was`;
    if (twin.tick !== tick) return `${name} counts tick ${tick}, the twin ${twin.tick}`;
    if (digest !== twin.digest) return `${name} has another state than the twin at tick ${tick}`;
    if (code !== 0 && twin.incarnations.get(code) !== incarnation) {
      return `${name} takes itself for a member at tick ${tick}, and is none: ${code} ${incarnation} ${[...twin.incarnations]}`;
    }
    if (code !== 0 && (twin.hashes.get(code) ?? 0) !== hash) {
      return `${name} reports something else than the twin at tick ${tick}`;
    }
  }
  return undefined;
}

function endProblem({ processes, reports, plan }: Evidence, { twin }: Lineage): string | undefined {
  const { replica } = twin;
  const last = reports.at(-1);
  if (last === undefined) return 'nobody reported anything';
  for (const { name, participant } of processes) {
    if (participant.phase !== 'live') return `${name} is ${participant.phase} long after all faults`;
    if (replica.members.liveByName(name) === undefined) return `${name} is no member long after all faults`;
  }
  const live = replica.members.live().map(({ name }) => name);
  const alive = new Set(processes.map(({ name }) => name));
  const ghost = live.find((name) => !alive.has(name));
  if (ghost !== undefined) return `${ghost} is a member long after it died`;
  const expected = (0.7 * (plan.durationMs > 0 ? 8000 : 0)) / TICK_MS;
  const calm = reports.filter(({ chain }) => chain === chainOf(replica)).length;
  void calm;
  const ends = processes.map(({ participant }) => participant.replica.tick);
  if (Math.max(...ends) - Math.min(...ends) > 4) return `replicas end at ticks ${ends.join(', ')}`;
  if (replica.tick < expected) return `only ${replica.tick} ticks were marked`;
  return undefined;
}

/** Walks the log once more, record by record, beside a model that knows nothing of replicas. */
function modelProblem({ plan }: Evidence, { steps }: Lineage, model: AuthorityModel): string | undefined {
  const added: (number | string)[] = [];
  const twin = new Twin(plan, new Map(), {
    added: (_member, _request, outcome) => void added.push(outcome),
    gone: (member, why) => model.noteGone(member.incarnation, why),
  });
  for (const { position, bytes, isBeginning } of steps) {
    added.length = 0;
    if (isBeginning) twin.replica.beginAt(position, bytes);
    else twin.replica.apply(position, bytes);
    const problem = model.apply(position, recordOf(bytes), added, twin.replica);
    if (problem !== undefined) return `at position ${position}: ${problem}`;
  }
  return undefined;
}

function sentProblem({ sent, plan }: Evidence, model: AuthorityModel): string | undefined {
  for (const [nonce, count] of model.heard) {
    if (count > 1) return `message ${nonce} came ${count} times`;
    if (sent !== undefined && !sent.has(nonce)) return `message ${nonce} was never sent`;
  }
  void plan;
  return undefined;
}
