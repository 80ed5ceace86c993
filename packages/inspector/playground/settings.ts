/**
 * What a visitor has set in the playground, and the address by which it is shared: `#n=2000&sight=1.5&cap=12`.
 *
 * Only what differs from the defaults is in the address. The reader is total: whatever follows the `#`, it answers settings
 * within their bounds.
 */
import { detectorNames } from 'umwelt';

/** What a slider sets: its bounds, the step between two values, what it is at first. */
export interface Slider {
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly initial: number;
}

/** `cap` at its maximum is none. Sight, hearing and margin are parts of a usual range, `RANGE` world units. */
export const SLIDERS = {
  entities: { min: 100, max: 50_000, step: 100, initial: 2000 },
  sight: { min: 0, max: 3, step: 0.05, initial: 1 },
  hearing: { min: 0, max: 3, step: 0.05, initial: 0.7 },
  margin: { min: 0, max: 0.5, step: 0.05, initial: 0.1 },
  cap: { min: 1, max: 101, step: 1, initial: 24 },
} as const satisfies Record<string, Slider>;

export type SliderName = keyof typeof SLIDERS;
export type Settings = Record<SliderName, number> & {
  readonly detector: string;
  readonly isStructureShown: boolean;
};

/** A usual range of sight, world units. */
export const RANGE = 50;
export const NO_CAP = SLIDERS.cap.max;
/** Entities up to which looking at every pair leaves time to draw. */
export const BRUTE_FORCE_MAX = 3000;

const SHORT: Readonly<Record<SliderName, string>> = {
  entities: 'n',
  sight: 'sight',
  hearing: 'hearing',
  margin: 'margin',
  cap: 'cap',
};
const names = Object.keys(SLIDERS) as SliderName[];

export function readSettings(hash: string): Settings {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  const numbers = Object.fromEntries(names.map((name) => [name, readNumber(name, given.get(SHORT[name]))]));
  const detector = given.get('detector') ?? '';
  return feasible({
    ...(numbers as Record<SliderName, number>),
    detector: (detectorNames as readonly string[]).includes(detector) ? detector : 'sweep',
    isStructureShown: given.get('structure') === '1',
  });
}

/** The same settings, with another detector where looking at every pair would take too long. */
export function feasible(settings: Settings): Settings {
  const isTooMany = settings.detector === 'brute-force' && settings.entities > BRUTE_FORCE_MAX;
  return isTooMany ? { ...settings, detector: 'sweep' } : settings;
}

export function writeSettings(settings: Settings): string {
  const said = new URLSearchParams();
  for (const name of names) {
    if (settings[name] !== SLIDERS[name].initial) said.set(SHORT[name], String(settings[name]));
  }
  if (settings.detector !== 'sweep') said.set('detector', settings.detector);
  if (settings.isStructureShown) said.set('structure', '1');
  const text = said.toString();
  return text === '' ? '' : `#${text}`;
}

/** On the slider's steps and within its bounds; what is no number is what the slider is at first. */
function readNumber(name: SliderName, text: string | null): number {
  const { min, max, step, initial } = SLIDERS[name];
  const value = text === null || text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(value)) return initial;
  const stepped = Math.round((Math.min(max, Math.max(min, value)) - min) / step) * step + min;
  return Number(stepped.toFixed(4));
}
