/**
 * All keys in one table, used both for handling and for the help.
 *
 * A key that the focused element needs itself (Space on a button, arrows in a select or on a slider) is left to it. Tab goes from entity to
 * entity only while the user has selected one and the world has the focus; Escape deselects, and Tab then works as usual.
 */
import type { Greeting } from '../feed-message.ts';
import type { Explorer } from './explorer.ts';

const PAN_PX = 90;
const ZOOM = 1.45;

const OFFERED = {
  controls: ({ isDriven }: Greeting) => isDriven,
  recording: ({ recording }: Greeting) => recording !== undefined,
  detectors: ({ detectors }: Greeting) => detectors.length > 0,
  height: ({ bounds }: Greeting) => bounds.minZ !== undefined,
} as const;

interface Binding {
  /** Values of `KeyboardEvent.key`. */
  readonly keys: readonly string[];
  /** Labels in the help. */
  readonly shown: readonly string[];
  readonly meaning: string;
  /** What the world must offer, or the key does nothing and the help leaves it out. Default: nothing. */
  readonly needs?: keyof typeof OFFERED;
  run(explorer: Explorer, event: KeyboardEvent): void;
}

export interface BindingGroup {
  readonly title: string;
  readonly bindings: readonly Binding[];
}

const PAN: Readonly<Record<string, readonly [dx: number, dy: number]>> = {
  ArrowLeft: [-PAN_PX, 0],
  ArrowRight: [PAN_PX, 0],
  ArrowUp: [0, -PAN_PX],
  ArrowDown: [0, PAN_PX],
};

function pan(explorer: Explorer, event: KeyboardEvent): void {
  const [dx, dy] = PAN[event.key] ?? [0, 0];
  explorer.glideBy(dx, dy);
}

export const BINDINGS: readonly BindingGroup[] = [
  {
    title: 'Time',
    bindings: [
      {
        keys: [' '],
        shown: ['Space'],
        meaning: 'Play or pause',
        needs: 'controls',
        run: (explorer) => explorer.pace.togglePlay(),
      },
      {
        keys: ['.'],
        shown: ['.'],
        meaning: 'Pause and step one tick',
        needs: 'controls',
        run: (explorer) => explorer.pace.step(),
      },
      {
        keys: [','],
        shown: [','],
        meaning: 'Pause and step one tick back',
        needs: 'recording',
        run: (explorer) => explorer.pace.stepBack(),
      },
      {
        keys: ['Home', 'End'],
        shown: ['Home', 'End'],
        meaning: 'First, last tick',
        needs: 'recording',
        run: (explorer, event) => explorer.timeLine.toEnd(event.key === 'End' ? 1 : -1),
      },
      {
        keys: ['[', ']'],
        shown: ['[', ']'],
        meaning: 'Half, double speed',
        needs: 'controls',
        run: (explorer, event) => explorer.pace.changeSpeed(event.key === ']' ? 1 : -1),
      },
    ],
  },
  {
    title: 'View',
    bindings: [
      {
        keys: ['+', '=', '-', '_'],
        shown: ['+', '−'],
        meaning: 'Zoom in, out',
        run: (explorer, event) => explorer.zoomBy('+='.includes(event.key) ? ZOOM : 1 / ZOOM),
      },
      {
        keys: Object.keys(PAN),
        shown: ['←', '→', '↑', '↓'],
        meaning: 'Pan west, east, north, south',
        run: pan,
      },
      {
        keys: ['f', 'F', '0'],
        shown: ['f'],
        meaning: 'Show the whole world',
        run: (explorer) => explorer.fit(),
      },
    ],
  },
  {
    title: 'Entities',
    bindings: [
      {
        keys: ['n', 'N', 'p'],
        shown: ['n', 'p'],
        meaning: 'Next, previous watcher that moves',
        run: (explorer, event) => explorer.selectNext(event.key === 'n' ? 1 : -1, 'watchers'),
      },
      {
        keys: ['Tab'],
        shown: ['Tab'],
        meaning: 'Next entity, once you selected one',
        run: (explorer, event) => explorer.selectNext(event.shiftKey ? -1 : 1, 'anybody'),
      },
      {
        keys: ['g'],
        shown: ['g'],
        meaning: 'Go to the selected entity',
        run: (explorer) => explorer.goToSelected(),
      },
      {
        keys: ['t'],
        shown: ['t'],
        meaning: 'Follow the selected entity',
        run: (explorer) => explorer.toggleFollowing(),
      },
      {
        keys: ['e'],
        shown: ['e'],
        meaning: 'Why it is related to another, or not',
        run: (explorer) => explorer.explainNext(),
      },
      {
        keys: ['Escape'],
        shown: ['Esc'],
        meaning: 'Deselect; then Tab leaves the world',
        run: (explorer) => explorer.letGo(),
      },
    ],
  },
  {
    title: 'Detector',
    bindings: [
      {
        keys: ['d', 'D'],
        shown: ['d', 'D'],
        meaning: 'Next, previous detector',
        needs: 'detectors',
        run: (explorer, event) => explorer.detectorControl.chooseNext(event.key === 'd' ? 1 : -1),
      },
      {
        keys: ['s'],
        shown: ['s'],
        meaning: 'Show or hide its structure',
        run: (explorer) => explorer.toggleStructure(),
      },
    ],
  },
  {
    title: 'Page',
    bindings: [
      { keys: ['l'], shown: ['l'], meaning: 'Light or dark', run: (explorer) => explorer.toggleTheme() },
      {
        keys: ['h'],
        shown: ['h'],
        meaning: 'Colour by height or kind',
        needs: 'height',
        run: (explorer) => explorer.toggleHeights(),
      },
      { keys: ['b'], shown: ['b'], meaning: 'Side panel', run: (explorer) => explorer.togglePanel() },
      { keys: ['?'], shown: ['?'], meaning: 'This help', run: (explorer) => explorer.toggleHelp() },
    ],
  },
];

/** Keys that a slider handles itself when it has the focus. */
const KEYS_OF_SLIDER = new Set(['Home', 'End', ...Object.keys(PAN)]);

/** The same of a select element. */
const KEYS_OF_SELECT = new Set([' ', 'Enter', 'Escape', 'Tab', ...KEYS_OF_SLIDER]);

const BY_KEY = new Map<string, Binding>();
for (const { bindings } of BINDINGS) {
  for (const binding of bindings) for (const key of binding.keys) BY_KEY.set(key, binding);
}

/** Whether the key does something in the world of that greeting. */
export function isOffered({ needs }: Binding, greeting: Greeting | undefined): boolean {
  return needs === undefined || (greeting !== undefined && OFFERED[needs](greeting));
}

export function listenToKeys(explorer: Explorer, world: HTMLElement): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const binding = BY_KEY.get(event.key);
    if (binding === undefined) return;
    const { isHelpOpen, greeting } = explorer.store.state;
    if (!isOffered(binding, greeting)) return;
    if (isHelpOpen) {
      if (event.key !== 'Escape' && event.key !== '?') return;
      event.preventDefault();
      return explorer.toggleHelp();
    }
    const target = event.target as HTMLElement;
    if (event.key === ' ' && target.closest('button, a, summary, [role=button]') !== null) return;
    if (target.tagName === 'SELECT' && KEYS_OF_SELECT.has(event.key)) return;
    if (target.tagName === 'INPUT' && KEYS_OF_SLIDER.has(event.key)) return;
    if (event.key === 'Tab' && (target !== world || !explorer.isSelectedByUser)) return;
    event.preventDefault();
    binding.run(explorer, event);
  });
}
