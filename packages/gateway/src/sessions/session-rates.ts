/**
 * The rate limits of a session. They cover all its connections: otherwise every reconnection would start with
 * a full bucket.
 *
 * Inputs have a rate of their own; inputs beyond it are dropped. Acknowledgements and pings do not count
 * against it, because a client that receives much has much to acknowledge. All messages together have a rate
 * far above what any well-behaved client sends.
 */
import { RateLimit } from '../bounds/rate-limit.ts';
import { type GatewayLimits, SAVED_SECONDS } from './limits.ts';

/** A client pings every few seconds. */
const PONGS_PER_SECOND = 10;

export class SessionRates {
  /** Inputs beyond it are dropped. */
  readonly inputs: RateLimit;
  /** Messages beyond it close the connection. */
  readonly messages: RateLimit;
  /** Pings beyond it are not answered. */
  readonly pongs: RateLimit;
  /** A reconnection beyond it is refused; the client retries later. */
  readonly resumes: RateLimit;

  constructor(limits: GatewayLimits, nowMs: number) {
    const rateOf = (perSecond: number): RateLimit => new RateLimit(perSecond, SAVED_SECONDS, nowMs);
    this.inputs = rateOf(limits.inputsPerSecond);
    this.messages = rateOf(limits.messagesPerSecond);
    this.pongs = rateOf(PONGS_PER_SECOND);
    this.resumes = rateOf(limits.resumesPerSecond);
  }
}
