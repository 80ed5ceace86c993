/**
 * A player's input in three bytes: a direction with a length of at most 1, and the pressed buttons.
 */

export interface Intent {
  readonly dx: number;
  readonly dy: number;
  readonly runs: boolean;
  readonly cloaks: boolean;
}

export const NO_INTENT: Intent = { dx: 0, dy: 0, runs: false, cloaks: false };

const RUNS = 1;
const CLOAKS = 2;

export function writeIntent({ dx, dy, runs, cloaks }: Intent): Uint8Array<ArrayBuffer> {
  const held = (runs ? RUNS : 0) | (cloaks ? CLOAKS : 0);
  return Uint8Array.of(Math.round(dx * 127) & 0xff, Math.round(dy * 127) & 0xff, held);
}

/** The bytes are untrusted: undefined if they are no valid intent. */
export function readIntent(bytes: Uint8Array): Intent | undefined {
  const [x = 0, y = 0, held = 0] = bytes;
  if (bytes.length !== 3 || held > (RUNS | CLOAKS)) return undefined;
  const [dx, dy] = [signed(x) / 127, signed(y) / 127];
  const length = Math.max(1, Math.hypot(dx, dy));
  return { dx: dx / length, dy: dy / length, runs: (held & RUNS) !== 0, cloaks: (held & CLOAKS) !== 0 };
}

function signed(byte: number): number {
  return (byte << 24) >> 24;
}
