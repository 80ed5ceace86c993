/**
 * How much a session may say: over all its connections, for else whoever comes back begins with a full account.
 *
 * Inputs have a rate of their own, beyond which they are dropped. Acknowledgements and pings never take from it: a player who
 * is told of much has as much to acknowledge. All together have one that is far beyond what a client of any kind sends.
 */
import { RateLimit } from '../bounds/rate-limit.ts';
import { type GatewayLimits, SAVED_SECONDS } from './limits.ts';

/** A client asks every few seconds. */
const PONGS_PER_SECOND = 10;

export class SessionRates {
  /** What is beyond is dropped. */
  readonly inputs: RateLimit;
  /** What is beyond ends the connection. */
  readonly messages: RateLimit;
  /** What is beyond is not answered. */
  readonly pongs: RateLimit;
  /** What is beyond has to come again. */
  readonly resumes: RateLimit;

  constructor(limits: GatewayLimits, nowMs: number) {
    const rateOf = (perSecond: number): RateLimit => new RateLimit(perSecond, SAVED_SECONDS, nowMs);
    this.inputs = rateOf(limits.inputsPerSecond);
    this.messages = rateOf(limits.messagesPerSecond);
    this.pongs = rateOf(PONGS_PER_SECOND);
    this.resumes = rateOf(limits.resumesPerSecond);
  }
}
