/** A process that observes the world, and observes it again each time that it cannot go on. */
import { observedBy, observeIn, type WorldObserver } from '../../src/node/observe-world.ts';
import type { Replica } from '../../src/state/replica.ts';
import { channelOptions, worldOptions } from './game.ts';
import { LATER, type Plan } from './plan.ts';
import type { Endpoint, SimulatedBroker } from './simulated-broker.ts';
import type { VirtualTime } from './virtual-time.ts';

const AGAIN_MS = 300;

export class SimulatedObserver {
  /** How often it has begun. */
  begun = 0;
  readonly endpoint: Endpoint;
  readonly #time: VirtualTime;
  readonly #plan: Plan;
  readonly #ticked: (replica: Replica, isNew: boolean) => void;
  readonly #fault: (error: unknown) => void;
  #observer: WorldObserver | undefined;
  #ticks = 0;

  /** `ticked`: called after each tick. `isNew`: for the first two, in which shown watchers begin in its world. */
  constructor(
    { time, broker, plan }: { time: VirtualTime; broker: SimulatedBroker; plan: Plan },
    ticked: (replica: Replica, isNew: boolean) => void,
    fault: (error: unknown) => void,
  ) {
    this.#time = time;
    this.#plan = plan;
    this.#ticked = ticked;
    this.#fault = fault;
    this.endpoint = broker.connect((call) => call());
    void this.#begin();
  }

  stop(): void {
    this.#observer?.stop();
    this.endpoint.close();
  }

  async #begin(): Promise<void> {
    const plan = this.#plan;
    const channels = channelOptions(plan);
    this.#ticks = 0;
    this.#observer = undefined;
    const again = () => void this.#time.after(AGAIN_MS, () => void this.#begin());
    try {
      this.#observer = await observeIn(
        {
          log: this.endpoint,
          world: worldOptions(plan),
          ...(channels && { channels }),
          views: plan.views,
          ticked: () => {
            if (this.#observer !== undefined) this.#ticked(observedBy(this.#observer), this.#ticks++ < 2);
          },
          threw: this.#fault,
          ended: again,
        },
        { after: (milliseconds, call) => this.#time.after(milliseconds, call), formats: LATER },
      );
      this.begun++;
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === undefined || code === 'LOG_DOWN' || code === 'BAD_SNAPSHOT') again();
      else this.#fault(error);
    }
  }
}
