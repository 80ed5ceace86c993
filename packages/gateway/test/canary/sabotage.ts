/** Faults that are planted to see whether the canary finds them. */
import type { Sabotage } from './canary-run.ts';

/** As if a session kept the number of a body that was somebody else's by now. */
export const wrongWatcher: Sabotage = {
  tick({ world, gateway }, tick) {
    if (tick !== 40) return;
    const [session] = gateway.sessions;
    session?.attach(world.add({ x: 0, y: 0, range: { sight: 10, smell: 16 } }), session.own);
  },
};
