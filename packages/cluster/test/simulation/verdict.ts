/**
 * What must hold of a cluster, whatever went wrong:
 *
 * - what each node reported to those that it shows is what the twin reports, at every tick that the log, or a branch of it
 *   that was lost, has a mark for
 * - the state of all is the twin's
 * - a plain model of authority, beside the twin, agrees on members, owners and places: see authority-model.ts
 * - what was sent came once at most, and no add made two entities; of live nodes, what was sent came once
 * - when faults end, all live nodes are members, and marks go on
 * - a node of the earlier version is refused only where the world went on in the later format
 */
import { AuthorityModel } from './authority-model.ts';
import type { Sent } from './game.ts';
import { LATER, type Plan } from './plan.ts';
import { TICK_MS } from './process.ts';
import { type NodeReport, wholeOf } from './report.ts';
import { grow, type Lineage, type Past, recordOf, replicaOf } from './twin.ts';

/** All live nodes are members again so long after the last fault, and marks go on; looked at in the last moments. */
const RECOVERY_MS = 10_000;
const LAST_MS = 2000;

/** Simulated or real: how it stood at the end. */
export interface Survivor {
  readonly name: string;
  /** As in `Sent`. */
  readonly number?: number;
  readonly participant: { readonly phase: string; readonly replica: { readonly tick: number } };
}

export interface Evidence {
  readonly plan: Plan;
  readonly records: readonly Uint8Array[];
  readonly branches: readonly Uint8Array[][];
  readonly reports: readonly NodeReport[];
  /** Those alive at the end. */
  readonly processes: readonly Survivor[];
  /** How often a node of the earlier version could not join, or go on. Default 0. */
  readonly refused?: number;
  /** When it ended. Default: after the plan's calm. */
  readonly endMs?: number;
  /** By nonce; `undefined` where it is not known what was sent. */
  readonly sent: ReadonlyMap<number, Sent> | undefined;
}

export interface Verdict {
  readonly problem: string | undefined;
  readonly ticks: number;
  readonly gives: number;
  /** Of members' records, at the end. */
  readonly format: number;
}

export function verdictOn(evidence: Evidence): Verdict {
  const past: Past = {
    plan: evidence.plan,
    branches: evidence.branches,
    ticks: new Map(),
    formats: new Set(),
  };
  const branches = evidence.branches.map((branch) => grow(past, branch));
  const lineage = grow(past, evidence.records);
  const model = new AuthorityModel();
  const problem =
    reportProblem(evidence, past) ??
    originProblem(branches, lineage) ??
    endProblem(evidence, lineage) ??
    modelProblem(evidence, lineage, model) ??
    formatProblem(evidence, past) ??
    sentProblem(evidence, model);
  const { tick, members } = lineage.twin.replica;
  return { problem, ticks: tick, gives: model.gives, format: members.format };
}

function formatProblem({ refused = 0 }: Evidence, { formats }: Past): string | undefined {
  if (refused === 0 || formats.has(LATER[1])) return undefined;
  return 'a node of the earlier version was refused where all records are of its format';
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
    if (report.whole !== undefined && report.whole !== wholeOf(twin.hashes.values()))
      return `${name} reports something else than the twin at tick ${tick}`;
  }
  return undefined;
}

/** A world never gives way to one that began later, even where its log was emptied. */
function originProblem([first]: readonly Lineage[], { twin }: Lineage): string | undefined {
  if (first === undefined) return undefined;
  const origin = String(first.twin.replica.members.settings?.origin);
  const found = String(twin.replica.members.settings?.origin);
  return origin === found ? undefined : `the world began over: ${found}, expected ${origin}`;
}

/** Whether all who live are members again, and marks go on. */
function endProblem(
  { processes, reports, plan, endMs = plan.durationMs + plan.calmMs }: Evidence,
  { twin }: Lineage,
): string | undefined {
  if (plan.calmMs < RECOVERY_MS + LAST_MS) return undefined;
  for (const { name, participant } of processes) {
    if (participant.phase !== 'live') return `${name} is ${participant.phase} long after all faults`;
    if (twin.replica.members.liveByName(name) === undefined)
      return `${name} is no member long after all faults`;
  }
  const alive = new Set(processes.map(({ name }) => name));
  const ghost = twin.replica.members.live().find(({ name }) => !alive.has(name));
  if (ghost !== undefined) return `${ghost.name} is a member long after it died`;
  const ends = processes.map(({ participant }) => participant.replica.tick);
  if (Math.max(...ends) - Math.min(...ends) > 4) return `replicas end at ticks ${ends.join(', ')}`;
  // Real processes have no clock in common.
  if (reports.every(({ atMs }) => atMs === 0))
    return reports.length === 0 ? 'nobody reported anything' : undefined;
  const ticks = new Set(reports.filter(({ atMs }) => atMs > endMs - LAST_MS).map(({ tick }) => tick));
  const least = (0.8 * LAST_MS) / TICK_MS;
  return ticks.size < least ? `${ticks.size} ticks were marked in the last ${LAST_MS} ms` : undefined;
}

/**
 * Walks the log once more, record by record, beside a model that knows nothing of replicas. With views 'own' the replica that it is
 * compared with shows nobody, as that of a node that records only.
 */
function modelProblem({ plan }: Evidence, { steps }: Lineage, model: AuthorityModel): string | undefined {
  const added: (number | string)[] = [];
  const replica = replicaOf(plan, plan.views, {
    added: (_member, _request, outcome) => void added.push(outcome),
    gone: (member, why) => model.noteGone(member.incarnation, why),
  });
  for (const { position, bytes, isBeginning } of steps) {
    added.length = 0;
    if (isBeginning) replica.beginAt(position, bytes);
    else replica.apply(position, bytes);
    const problem = model.apply(position, recordOf(bytes), added, replica);
    if (problem !== undefined) return `at position ${position}: ${problem}`;
  }
  return undefined;
}

/** What was sent is said once; by those who lived all along, where the log lost nothing. */
function sentProblem(
  { sent, plan, processes }: Evidence,
  { said, born }: AuthorityModel,
): string | undefined {
  for (const [nonce, count] of born) {
    if (count > 1) return `the entity with state ${nonce} was added ${count} times`;
  }
  for (const [nonce, count] of said) {
    if (count > 1) return `message ${nonce} came ${count} times`;
    if (sent !== undefined && !sent.has(nonce)) return `message ${nonce} was never sent`;
  }
  const isLost = plan.faults.some(({ kind }) => kind === 'tail' || kind === 'trim');
  if (sent === undefined || isLost || plan.calmMs < RECOVERY_MS) return undefined;
  const alive = new Set(processes.map(({ number }) => number));
  for (const [nonce, { process, atMs }] of sent) {
    if (alive.has(process) && atMs < plan.durationMs && !said.has(nonce))
      return `message ${nonce} never came`;
  }
  return undefined;
}
