/**
 * The options of a room's interest, checked: each mode has its own, and one that it does not know is a mistake, not a wish.
 */
import type { FramesOptions } from './frames-mode.ts';
import { badOption } from './interest-mode.ts';
import type { ViewOptions } from './view-mode.ts';

const GRACE_MS = 30_000;

/** Complete by type: a new option that is missing here does not compile. */
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

/** Checks what no other check sees, and answers the grace time. Throws `BAD_OPTION`. */
export function checkOptions(options: FramesOptions | ViewOptions): number {
  const { mode, graceMs = GRACE_MS } = options;
  if (mode !== 'frames' && mode !== 'view') {
    throw badOption('mode', mode, `mode is ${String(mode)}; expected 'frames' or 'view'`);
  }
  for (const [name, value] of Object.entries(options)) {
    if (Object.hasOwn(NAMES[mode], name)) continue;
    const message = `${name} is no option of mode '${mode}'; expected ${Object.keys(NAMES[mode]).join(', ')}`;
    throw badOption(name, value, message);
  }
  if (!(graceMs >= 0)) {
    throw badOption('graceMs', graceMs, `graceMs is ${graceMs}; expected a number of 0 or more`);
  }
  if (options.mode === 'frames' && options.limits !== undefined && 'graceMs' in options.limits) {
    const { graceMs: value } = options.limits as { readonly graceMs?: unknown };
    throw badOption('limits.graceMs', value, 'limits.graceMs is given; expected graceMs beside limits');
  }
  return graceMs;
}
