/**
 * Validates the options of a room's interest. Each mode has its own options, and an unknown option is an
 * error.
 */
import type { FramesOptions } from './frames-mode.ts';
import { badOption } from './interest-mode.ts';
import type { ViewOptions } from './view-mode.ts';

const GRACE_MS = 30_000;

/** Checked by type: a new option that is missing here does not compile. */
type Names<Options> = Readonly<Record<keyof Options, true>>;

const NAMES = {
  frames: {
    mode: true,
    graceMs: true,
    tickMs: true,
    appearance: true,
    limits: true,
    onInput: true,
    logger: true,
    clock: true,
    randomToken: true,
  } satisfies Names<FramesOptions>,
  view: { mode: true, graceMs: true, clock: true, onHide: true } satisfies Names<ViewOptions>,
};

/** Checks what no other check covers, and returns the grace time. Throws `BAD_OPTION`. */
export function checkOptions(options: FramesOptions | ViewOptions): number {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw badOption('options', options, 'the options are no object; expected one with a mode');
  const { mode, graceMs = GRACE_MS } = options;
  if (mode !== 'frames' && mode !== 'view') {
    throw badOption('mode', mode, `mode is ${told(mode)}; expected 'frames' or 'view'`);
  }
  for (const [name, value] of Object.entries(options)) {
    if (Object.hasOwn(NAMES[mode], name)) continue;
    const message = `${name} is no option of mode '${mode}'; expected ${Object.keys(NAMES[mode]).join(', ')}`;
    throw badOption(name, value, message);
  }
  if (!(typeof graceMs === 'number' && graceMs >= 0)) {
    throw badOption('graceMs', graceMs, `graceMs is ${told(graceMs)}; expected a number of 0 or more`);
  }
  const { clock } = options;
  // In mode 'frames' the gateway checks the rest of it.
  if (clock !== undefined && typeof clock?.now !== 'function')
    throw badOption('clock', clock, `clock is ${told(clock)}; expected an object with a function now`);
  if (options.mode !== 'frames') return graceMs;
  const { limits, onInput } = options;
  if (onInput !== undefined && typeof onInput !== 'function')
    throw badOption('onInput', onInput, `onInput is ${told(onInput)}; expected a function`);
  if (limits !== undefined && (typeof limits !== 'object' || limits === null || Array.isArray(limits)))
    throw badOption('limits', limits, `limits is ${told(limits)}; expected an object`);
  if (limits !== undefined && 'graceMs' in limits) {
    const { graceMs: value } = limits as { readonly graceMs?: unknown };
    throw badOption('limits.graceMs', value, 'limits.graceMs is given; expected graceMs beside limits');
  }
  return graceMs;
}

/** Describes a value in a few words; not every value can be converted to text. */
function told(value: unknown): string {
  if (typeof value === 'string') return `'${value.slice(0, 40)}'`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}
