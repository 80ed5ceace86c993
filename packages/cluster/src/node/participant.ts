/**
 * A node's membership, from joining to leaving:
 *
 *   away -> copying (the state of any member) -> following (applies) -> live -> leaving -> away
 *                        ^------- checking <- lost ---------------------+  |
 *                                                  fenced: gone by the log -> following
 *
 * It holds the replica, applies the log to it, sends the node's hello and its calls, marks ticks in its turn, answers
 * joining nodes, and recovers its place after the connection broke. holdings.ts turns that into events for users.
 */
import type { Changes, EntityId, UmweltError, UmweltErrorCode } from 'umwelt';
import type { Calls } from '../records/calls.ts';
import type { Hello } from '../records/record.ts';
import type { GoneReason } from '../state/events.ts';
import { codeOf, type HelloRefusal, type Member } from '../state/members.ts';
import { isOutvoted, Replica } from '../state/replica.ts';
import { anyState, checkedState } from './any-state.ts';
import { beginAnew, isYounger, patienceAheadMs } from './beginning-anew.ts';
import { CallsUnderWay } from './calls-under-way.ts';
import { CheckpointKeeper } from './checkpoint-keeper.ts';
import type { Environment } from './environment.ts';
import { HeldRecords } from './held-records.ts';
import type { Holdings } from './holdings.ts';
import { faultOf, faultOfFormat, isFinal, noStateGoesOn } from './join-faults.ts';
import type { JoinSettings } from './join-options.ts';
import { LagGauge } from './lag-gauge.ts';
import { memberAnswers } from './member-answers.ts';
import { NodeFigures } from './node-figures.ts';
import type { Outbox } from './outbox.ts';
import { OwnHello } from './own-hello.ts';
import { SoleState } from './sole-state.ts';
import { Speech } from './speech.ts';
import { helloRecord, markRecord, nextRecord } from './spoken-records.ts';
import { answerQuestions, askForState } from './state-transfer.ts';
import { isCutOff, isTailKept } from './tail-check.ts';
import { Ticker } from './ticker.ts';

export type Phase = 'copying' | 'checking' | 'ahead' | 'following' | 'live' | 'leaving' | 'away';

/** Delay between attempts that a log refused. */
const RETRY_MS = 200;
/** A node sends its hello when it is behind by no more than this. */
const CAUGHT_UP_MS = 1000;
const LOOK_MS = 10;

export class Participant {
  phase: Phase = 'away';
  #lastFault: Error | undefined;
  /** Why the log refused a mark of this node, until the next tick. */
  #markFault: Error | undefined;
  /** Why nobody can ask this node; `undefined` if they can. */
  silentFault: Error | undefined;
  replica: Replica;
  self: Member | undefined;
  readonly settings: JoinSettings;
  readonly environment: Environment;
  readonly #holdings: Holdings;
  readonly outbox: Outbox;
  readonly figures = new NodeFigures();
  readonly keeper: CheckpointKeeper;
  readonly #speech: Speech;
  readonly #ticker: Ticker;
  readonly #lag: LagGauge;
  readonly #held: HeldRecords;
  readonly #sole = new SoleState(() => this.replica);
  /** Changes with each phase, so that pending work of an earlier phase ends. */
  #epoch = 0;
  #isHalted = false;
  #hasJoined = false;
  #stopFollowing: () => void = () => {};
  #stopAnswering: () => void = () => {};
  readonly #hello = new OwnHello();
  readonly #calls: CallsUnderWay;

  constructor(settings: JoinSettings, environment: Environment, holdings: Holdings, outbox: Outbox) {
    this.settings = settings;
    this.environment = environment;
    this.#holdings = holdings;
    this.outbox = outbox;
    this.#calls = new CallsUnderWay(outbox, holdings);
    this.replica = new Replica(this.#replicaOptions());
    const { log } = settings;
    this.#speech = new Speech(log, environment, () => this.replica.position);
    this.#ticker = new Ticker(
      environment,
      () => this.#place(),
      () => this.#mark(),
    );
    this.#lag = new LagGauge(log, environment, () => this.replica.position);
    this.keeper = new CheckpointKeeper(settings, environment, (error) =>
      holdings.listeners.emit('checkpointFailed', error),
    );
    this.#held = new HeldRecords(environment, (position, bytes) => this.#apply(position, bytes));
  }

  /** Milliseconds for which the log has had a record that is not applied yet; 0 if the node is up to date. */
  get lagMs(): number {
    return this.#lag.milliseconds;
  }

  get isLagging(): boolean {
    return this.lagMs > CAUGHT_UP_MS;
  }

  get isMember(): boolean {
    return this.self !== undefined && (this.phase === 'live' || this.phase === 'leaving');
  }

  /** Why the last attempt to join or to write failed: what the log, the checkpoints or a state threw. */
  get lastFault(): Error | undefined {
    return this.#lastFault ?? this.#speech.fault ?? this.#markFault;
  }

  /** Copies a state and goes on from it. Retries if that state cannot be used. */
  enter(): void {
    const epoch = this.#begin('copying');
    this.#fence();
    const untilMs = this.environment.now() + this.settings.patienceMs / 3;
    const insists = () => this.environment.now() < untilMs;
    this.#retry(epoch, async () => {
      const former = this.#lastFault;
      const waits = (fault: Error | undefined) => {
        if (epoch === this.#epoch) this.#lastFault = former ?? fault;
      };
      const found = await anyState(this.settings, this.#replicaOptions(), { insists, waits });
      const { replica } = found;
      if (epoch !== this.#epoch) return;
      const isCut = found.isAhead || (await isCutOff(this.settings.log, replica.position));
      if (epoch !== this.#epoch) return;
      this.#take(replica);
      if (isCut) this.#findWay(this.#begin('ahead'));
      else await this.#follow(epoch);
      this.keeper.skipped(found.skippedCount);
    });
  }

  /** Sends what waits, and bye. */
  leave(): void {
    this.outbox.close();
    if (this.#hasSuccessor) this.#leaveLog();
    // Else it leaves once it is a member that follows the log.
    if (!this.isMember) return;
    this.phase = 'leaving';
    this.#say();
  }

  /** Stops at once without a record, as a crash would, and for good: a listener may halt the node in the middle of a phase. */
  halt(): void {
    this.#begin('away');
    this.#isHalted = true;
    this.self = undefined;
    this.#hello.drop();
    this.replica.selfCode = 0;
    this.#speech.stop();
    this.#lag.stop();
    this.figures.pause(this.environment.now());
  }

  /** Sends waiting calls, unless a record is in flight. */
  #say(): void {
    const { self } = this;
    if (self === undefined || this.#speech.isBusy || !this.isMember) return;
    const parcel = this.#calls.take(this.replica.members.format);
    const isLast = this.phase === 'leaving' && parcel.isEmpty;
    this.#speech.say(nextRecord(self, this.replica, parcel, () => isLast && !this.#sole.isNeeded));
  }

  #mark(): void {
    const { self, replica } = this;
    const isLast = this.phase === 'leaving' && this.#calls.areNone && !this.#sole.isNeeded;
    if (self === undefined || this.isLagging || isLast) return;
    this.settings.log.append(markRecord(self, replica)).catch((error: unknown) => {
      this.#markFault = error instanceof Error ? error : undefined;
    });
  }

  /** Number of live members older than this one; -1 if this node is not a member. */
  #place(): number {
    return this.replica.members.live().findIndex(({ incarnation }) => incarnation === this.self?.incarnation);
  }

  /** Starts a phase: all that the last phase waits for is cancelled. Returns its epoch, which is none once the node is halted. */
  #begin(phase: Phase): number {
    if (this.#isHalted) return -1;
    this.phase = phase;
    this.#stopFollowing();
    this.#stopFollowing = () => {};
    this.#stopAnswering();
    this.#stopAnswering = () => {};
    this.#held.drop();
    this.#ticker.stop();
    this.#speech.pause();
    return ++this.#epoch;
  }

  /** Retries until it succeeds or another phase has started. */
  #retry(epoch: number, attempt: () => Promise<void>): void {
    if (epoch !== this.#epoch) return;
    attempt().then(
      () => {
        if (epoch === this.#epoch) this.#lastFault = undefined;
      },
      (error: unknown) => {
        if (epoch !== this.#epoch) return;
        if (isFinal(error)) return this.#fail(error);
        this.#lastFault = error instanceof Error ? error : undefined;
        this.environment.after(RETRY_MS, () => this.#retry(epoch, attempt));
      },
    );
  }

  /** This node is no longer a member: its entities have other owners. Calls that did not count are sent again. */
  #fence(): void {
    this.#speech.stop();
    const { self } = this;
    if (self === undefined) return;
    this.self = undefined;
    this.#hello.end();
    this.replica.selfCode = 0;
    this.#calls.disown(self);
    this.#holdings.fenced();
  }

  #replicaOptions() {
    return {
      world: this.settings.world,
      channels: this.settings.channels,
      views: this.settings.views,
      rules: this.environment.rules,
      formats: this.environment.formats,
      events: {
        ...this.#holdings.events,
        record: (...record: Parameters<NodeFigures['record']>) => this.figures.record(...record),
        hello: (hello: Hello, outcome: Member | HelloRefusal) => {
          this.#holdings.events.hello?.(hello, outcome);
          if (this.#hello.isUnderWay(hello.nonce)) this.#greeted(outcome);
          else if (this.#hasSuccessor && this.#speech.isBusy) this.#greetAgain();
        },
        gone: (member: Member, why: GoneReason) => this.#gone(member, why),
        format: () => this.#formatRose(),
        calls: (member: Member, seq: number, calls: Calls) => {
          if (member.incarnation === this.self?.incarnation) this.#heard(calls);
          else if (this.#calls.isOfFormer(member)) this.#calls.countedOfFormer(seq);
        },
        added: (member: Member, request: number, outcome: EntityId | UmweltErrorCode) => {
          if (member.incarnation === this.self?.incarnation || this.#calls.isOfFormer(member))
            this.#holdings.added(request, outcome);
        },
        ticking: () => this.figures.ticking(this.environment.now()),
        tick: (changes: Changes) => this.#ticked(changes),
        // The log continues from another node's state: that state must be copied.
        anew: () => this.#findWay(this.#begin('ahead')),
      },
    };
  }

  /** A record of this node that is under way does not count any more. */
  #formatRose(): void {
    const fault = faultOfFormat(this.replica);
    if (fault !== undefined && !this.#isHalted) this.#fail(fault);
    else if (this.isMember) this.#speech.resume();
  }

  #take(replica: Replica): void {
    const former = this.replica;
    this.replica = replica;
    this.#sole.end();
    if (former.world !== replica.world) void former.world.dispose();
    this.#holdings.copied(replica);
    this.#calls.judge(replica.members);
    this.outbox.keepMessages((id) => replica.table.isSame(id, former.table));
  }

  async #follow(epoch: number): Promise<void> {
    if (epoch !== this.#epoch) return;
    this.phase = 'following';
    const stop = await this.settings.log.follow(
      this.replica.position + 1,
      (position, bytes) => {
        if (epoch === this.#epoch && !this.#held.take(position, bytes)) this.#apply(position, bytes);
      },
      () => {
        if (epoch === this.#epoch) this.#check();
      },
    );
    if (epoch !== this.#epoch) {
      stop();
      return;
    }
    this.#stopFollowing = stop;
    this.#lag.start();
    this.figures.pause(this.environment.now());
    if (this.self !== undefined) this.#becomeLive();
    else this.#greet(epoch);
  }

  #apply(position: number, bytes: Uint8Array): void {
    const expected = this.replica.position + 1;
    if (position < expected) return;
    // The log no longer keeps the next record. If that is so for all nodes, one of their states is all that is left.
    if (position > expected) {
      this.#findWay(this.#begin('ahead'));
      return;
    }
    const startMs = this.environment.now();
    this.replica.apply(position, bytes);
    this.figures.applyMs += this.environment.now() - startMs;
  }

  /** Sends the hello once the end of the log is near. */
  #greet(epoch: number): void {
    const { log } = this.settings;
    this.#retry(epoch, async () => {
      const from = this.environment.now();
      const end = (await log.last?.()) ?? 0;
      const look = () => {
        if (epoch !== this.#epoch || this.self !== undefined) return;
        if (this.#hasSuccessor && this.#holdings.isLeaving) this.#leaveLog();
        else if (this.replica.position < end || this.#hasSuccessor) this.environment.after(LOOK_MS, look);
        else if (this.environment.now() - from > CAUGHT_UP_MS) this.#greet(epoch);
        else this.#sayHello();
      };
      look();
    });
  }

  /** A hello on its way may yet be read: it is this node's while the nonce is the same. */
  #greetAgain(milliseconds = 0): void {
    this.#speech.stop();
    const epoch = this.#epoch;
    this.environment.after(milliseconds, () => this.#greet(epoch));
  }

  #sayHello(): void {
    const { formats, tick } = this.replica;
    const nonce = this.#hello.nonce(() => this.environment.nonce());
    this.#speech.say(helloRecord(this.settings, { nonce, formats, tick }));
  }

  #greeted(outcome: Member | HelloRefusal): void {
    if (typeof outcome === 'string') {
      // An earlier hello was seen already.
      if (this.self !== undefined) return;
      const fault = faultOf(outcome, this.replica, this.#hasJoined);
      if (fault !== undefined) this.#fail(fault);
      else {
        // The state that it copied has this hello: the member of that name is this node.
        if (outcome === 'known') this.#hello.end();
        else this.#hello.drop();
        // A node that was a member waits for room: its own number is free only from the next mark on.
        this.#greetAgain(outcome === 'full' ? RETRY_MS : 0);
      }
      return;
    }
    this.#speech.stop();
    if (!this.#hasJoined) this.#held.hold();
    this.#hasJoined = true;
    this.self = outcome;
    this.replica.selfCode = codeOf(outcome);
    this.#becomeLive();
    this.#holdings.joined();
  }

  #becomeLive(): void {
    this.phase = this.#holdings.isLeaving ? 'leaving' : 'live';
    this.#stopAnswering();
    this.silentFault = undefined;
    this.#stopAnswering = answerQuestions(this.settings.log, memberAnswers(this), (reason) => {
      this.silentFault = reason;
    });
    this.#ticker.next(this.replica.members.settings?.tickMs ?? this.settings.tickMs);
    this.#speech.resume();
  }

  #gone(member: Member, why: GoneReason): void {
    this.figures.gone(member, why);
    this.#holdings.events.gone?.(member, why);
    if (this.#calls.isOfFormer(member)) this.#calls.settle();
    if (member.incarnation !== this.self?.incarnation) return;
    if (why === 'bye' || this.#holdings.isLeaving) {
      this.#fence();
      this.#leaveLog();
      return;
    }
    this.#ticker.stop();
    this.#stopAnswering();
    this.#fence();
    if (this.#isHalted) return;
    this.#calls.settle();
    this.phase = 'following';
    this.#greet(this.#epoch);
  }

  /** This node's record of calls counted. */
  #heard(calls: Calls): void {
    this.#speech.stop();
    this.#calls.counted(calls);
    // While others need its state, a node that leaves writes only as often as all do.
    const isLeaving = this.phase === 'leaving' && !this.#sole.isNeeded;
    if (isLeaving || !this.outbox.isEmpty) this.environment.after(0, () => this.#say());
  }

  #ticked(changes: Changes): void {
    if (this.#isHalted) return;
    this.#markFault = undefined;
    this.figures.ticked(this.environment.now());
    this.#ticker.next(this.replica.members.settings?.tickMs ?? this.settings.tickMs);
    const epoch = this.#epoch;
    this.#holdings.ticked(changes, this.isMember, this.isLagging);
    if (epoch !== this.#epoch) return;
    if (this.self !== undefined && isOutvoted(this.replica)) {
      this.figures.differed++;
      this.#holdings.outvoted();
      this.enter();
      return;
    }
    this.#say();
    this.keeper.ticked(this.replica, this.isMember && this.#place() === 0);
  }

  /** The connection broke: before going on, check that the log is still the one whose records were applied. */
  #check(): void {
    this.#goOn(this.#begin('checking'));
  }

  /** Follows if the log still holds what was applied, which may change from one attempt to the next. */
  #goOn(epoch: number): void {
    this.#retry(epoch, async () => {
      const isKept =
        !this.environment.checksTail || (await isTailKept(this.settings.log, this.replica.recent));
      if (epoch !== this.#epoch) return;
      if (isKept) await this.#follow(epoch);
      else this.#findWay(this.#begin('ahead'));
    });
  }

  /** The log lost records that were applied here: copy the state of a node that is not ahead or, if all are, offer this node's. */
  #findWay(epoch: number): void {
    this.#lastFault = noStateGoesOn();
    beginAnew(this.settings.log, this.environment, this.replica, {
      patienceMs: patienceAheadMs(this.replica, this.settings, this.self !== undefined),
      copyFrom: async () => {
        const asked = await askForState(this.settings.log);
        const replica = asked && (await checkedState(asked, this.settings, this.#replicaOptions()));
        if (epoch !== this.#epoch || replica === undefined) return 'none';
        if (isYounger(replica, this.replica)) return 'younger';
        const next = this.#begin('copying');
        this.#fence();
        this.#take(replica);
        this.#goOn(next);
        return 'taken';
      },
      unread: (error, isFinal) => {
        if (isFinal) this.#fail(error);
        else this.#lastFault = error;
      },
      isOver: () => epoch !== this.#epoch,
      won: (position, bytes) => {
        this.replica.beginAt(position, bytes);
        this.#sole.begin();
        // Only this node has this state, and the log alone does not lead to it.
        this.keeper.save(this.replica);
        this.#check();
      },
    });
  }

  /**
   * Two nodes of one name, each of which comes back at once, would replace each other for ever: one that was a member waits until
   * the other is gone, also if that one joined when this one was gone already. Its own former membership is no other.
   */
  get #hasSuccessor(): boolean {
    if (!this.#hasJoined || this.self !== undefined) return false;
    const member = this.replica.members.liveByName(this.settings.name);
    return member !== undefined && this.#hello.isOthers(member.nonce);
  }

  #leaveLog(): void {
    this.halt();
    this.#holdings.left();
  }

  #fail(error: UmweltError): void {
    this.halt();
    this.#holdings.failed(error);
  }
}
