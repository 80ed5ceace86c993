/**
 * A node's counts as Prometheus metrics, in their own registry. Nodes always count; without this class nothing is exported.
 *
 * Values are read when scraped: a scrape costs O(slots) for what members own and show, and nothing in between.
 */
import { Counter, Gauge, Registry } from 'prom-client';
import { badOption } from '../log/bad-option.ts';
import { countsByCode } from '../status/world-standing.ts';
import { ClusterNode, participantOf } from './cluster-node.ts';
import { faultOfLog } from './join-options.ts';

/** Whether a node works, and the problem if it does not. */
export interface NodeHealth {
  /** True if it is a member, not far behind its log, which takes its records and keeps them long enough, marks come, and other nodes can ask it for its state. */
  readonly isHealthy: boolean;
  /** `undefined` while the node is healthy. */
  readonly problem: string | undefined;
}

/** Beyond this lag a node shows no frames. */
const LAG_MS_MAX = 1000;

/** A node's counts as Prometheus metrics, and its health. See docs/operations.md. */
export class NodeMetrics {
  /** Serve it with other registries or alone: `await metrics.registry.metrics()`. */
  readonly registry = new Registry();
  readonly #node: ClusterNode;

  /** Throws `BAD_OPTION`. */
  constructor(node: ClusterNode) {
    if (!(node instanceof ClusterNode)) throw badOption('node', node, 'a node, what joinWorld() resolves to');
    this.#node = node;
    this.#gauges();
    this.#counters();
    this.#memberMetrics();
  }

  /** For a load balancer or an orchestrator. Cost: O(1). */
  health(): NodeHealth {
    const { phase, replica, lagMs, lastFault, settings, silentFault, figures, environment } = participantOf(
      this.#node,
    );
    const logFault = faultOfLog(settings);
    const silentMs = figures.silentMs(environment.now());
    const { tickMs = 50 } = replica.members.settings ?? {};
    const why = [lastFault, logFault]
      .map((fault) => (fault === undefined ? '' : `: ${fault.message}`))
      .join('');
    const problem =
      phase !== 'live'
        ? `it is ${phase}${why}`
        : lagMs > LAG_MS_MAX
          ? `it is ${Math.round(lagMs)} ms behind the log`
          : silentMs > Math.max(2000, 10 * tickMs)
            ? `no tick was marked for ${Math.round(silentMs)} ms${why}`
            : lastFault !== undefined
              ? `the log does not take its record${why}`
              : logFault !== undefined
                ? `the log may lose what nodes need${why}`
                : silentFault && `no other node can join by it: ${silentFault.message}`;
    return { isHealthy: problem === undefined, problem };
  }

  #gauges(): void {
    const participant = () => participantOf(this.#node);
    this.#gauge('live', 'Whether the node is a member: 1, else 0', () => (this.#node.isLive ? 1 : 0));
    this.#gauge(
      'lag_seconds',
      'How long the log has had a record that is not applied yet',
      () => this.#node.lagMs / 1000,
    );
    this.#gauge('tick', 'Ticks that were marked', () => participant().replica.tick);
    this.#gauge('position', 'Position of the last record applied', () => participant().replica.position);
    this.#gauge(
      'tick_gap_seconds',
      'Longest time between two marks in the last 30 to 60 seconds, or since the last mark',
      () => participant().figures.longestGapMs(participant().environment.now()) / 1000,
    );
    this.#gauge('members', 'Members of the world', () => this.#node.members.length);
    this.#gauge('entities', 'Entities in the world', () => this.#node.world.size);
    this.#gauge('orphans', 'Entities without an owner', () => this.#countsOf().owned.get(0) ?? 0);
    this.#gauge(
      'pending_bytes',
      'Bytes of calls of this node that wait for the log',
      () => participant().outbox.bytes,
    );
    this.#gauge(
      'digest_tick',
      'Tick of the last digest that this node noted',
      () => participant().replica.noted.tick,
    );
    this.#gauge(
      'checkpoint_age_seconds',
      'Time since this node saved a checkpoint, or became the one that saves them; 0 while it is not',
      () => participant().keeper.ageMs / 1000,
    );
  }

  #counters(): void {
    const figures = () => participantOf(this.#node).figures;
    this.#counter('records_total', 'Records applied', () => figures().records);
    this.#counter('bytes_total', 'Bytes of records applied', () => figures().bytes);
    this.#counter(
      'strange_records_total',
      'Noise, and records that only a live member may write: forged or too late',
      () => figures().strangeRecords,
    );
    this.#counter('ticks_total', 'Ticks applied', () => figures().ticks);
    this.#counter(
      'apply_seconds_total',
      'Time spent applying records, ticks included',
      () => figures().applyMs / 1000,
    );
    this.#counter(
      'tick_seconds_total',
      'Time spent in ticks, listeners of the world and digests of the state included',
      () => figures().tickMs / 1000,
    );
    this.#counter(
      'differed_total',
      'How often the state of this node differed from that of two others',
      () => figures().differed,
    );
    this.#labelled(
      'checkpoints_total',
      'Checkpoints that this node saved, failed to save, or skipped for an older one when it joined, by outcome',
      'outcome',
      () => participantOf(this.#node).keeper.ended,
    );
    this.#labelled('questions_total', 'Questions to this node, by outcome', 'outcome', () => {
      const { answered = 0, refused = 0 } = participantOf(this.#node).settings.log.questions ?? {};
      return new Map(Object.entries({ answered, refused }));
    });
    this.#labelled('gone_total', 'Members that left, by reason', 'why', () => figures().goneBy);
  }

  #memberMetrics(): void {
    const members = () => participantOf(this.#node).figures.members;
    const sums = (what: 'records' | 'bytes') => () =>
      new Map([...members()].map(([name, figures]) => [name, figures[what]]));
    this.#labelled('member_records_total', 'Records of a member', 'member', sums('records'));
    this.#labelled('member_bytes_total', 'Bytes of its records', 'member', sums('bytes'));
    const byMember = (name: string, help: string, read: (code: number, index: number) => number) => {
      const node = this.#node;
      new Gauge({
        name: `umwelt_cluster_${name}`,
        help,
        labelNames: ['member'],
        registers: [this.registry],
        collect() {
          this.reset();
          const { members: all } = participantOf(node).replica;
          for (const [index, member] of all.live().entries()) {
            this.set({ member: member.name }, read(member.number + 1, index));
          }
        },
      });
    };
    byMember('member_owned', 'Entities that a member owns', (code) => this.#countsOf().owned.get(code) ?? 0);
    byMember('member_shown', 'Watchers that a member shows', (code) => this.#countsOf().shown.get(code) ?? 0);
    byMember(
      'member_refused',
      'Calls of a member that were refused since it came',
      (_, index) => this.#node.members[index]?.refused ?? 0,
    );
    byMember(
      'member_silent_ticks',
      'Ticks since its last record',
      (_, index) => this.#node.members[index]?.silentTicks ?? 0,
    );
  }

  /** Counts of one tick, so that what members own and show is counted once per scrape. */
  #countsOf(): ReturnType<typeof countsByCode> {
    const { replica } = participantOf(this.#node);
    if (this.#counted?.position !== replica.position) {
      this.#counted = { position: replica.position, counts: countsByCode(replica) };
    }
    return this.#counted.counts;
  }

  #counted: { readonly position: number; readonly counts: ReturnType<typeof countsByCode> } | undefined;

  #gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name: `umwelt_cluster_${name}`,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }

  #counter(name: string, help: string, read: () => number): void {
    this.#labelled(name, help, undefined, () => new Map([['', read()]]));
  }

  /** Sums that are counted elsewhere: the increase since the last scrape is added. A value that is no longer read is forgotten. */
  #labelled(
    name: string,
    help: string,
    label: string | undefined,
    read: () => ReadonlyMap<string, number>,
  ): void {
    const told = new Map<string, number>();
    new Counter({
      name: `umwelt_cluster_${name}`,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [this.registry],
      collect() {
        const sums = read();
        for (const value of told.keys()) {
          if (sums.has(value)) continue;
          told.delete(value);
          if (label !== undefined) this.remove({ [label]: value });
        }
        for (const [value, sum] of sums) {
          const more = sum - (told.get(value) ?? 0);
          told.set(value, sum);
          this.inc(label === undefined ? {} : { [label]: value }, Math.max(0, more));
        }
      },
    });
  }
}
