/**
 * The controls that the player holds down: keys, or a finger on the picture, which acts as a joystick, and the two buttons.
 */
import type { Intent } from '../intent.ts';

/** Pixels from the joystick's centre to full deflection. */
export const STICK_RADIUS = 56;
const DIRECTIONS: Readonly<Record<string, readonly [dx: number, dy: number]>> = {
  KeyW: [0, -1],
  ArrowUp: [0, -1],
  KeyS: [0, 1],
  ArrowDown: [0, 1],
  KeyA: [-1, 0],
  ArrowLeft: [-1, 0],
  KeyD: [1, 0],
  ArrowRight: [1, 0],
};
const RUN = ['ShiftLeft', 'ShiftRight'];
const CLOAK = ['Space', 'KeyC'];

/** A steering finger, in pixels of the page. */
export interface Stick {
  readonly pointerId: number;
  readonly x: number;
  readonly y: number;
  dx: number;
  dy: number;
}

export class Controls {
  stick: Stick | undefined;
  /** Codes of pressed keys, and names of pressed buttons. */
  readonly #held = new Set<string>();

  constructor(canvas: HTMLElement, buttons: Readonly<Record<'run' | 'cloak', HTMLElement>>) {
    addEventListener('keydown', (event) => {
      if (event.target instanceof HTMLInputElement) return;
      if (event.code in DIRECTIONS || CLOAK.includes(event.code)) event.preventDefault();
      this.#held.add(event.code);
    });
    addEventListener('keyup', ({ code }) => this.#held.delete(code));
    // Without focus the page gets no keyup events.
    addEventListener('blur', () => this.#held.clear());
    addEventListener('contextmenu', (event) => event.preventDefault());
    canvas.addEventListener('pointerdown', (event) => this.#press(canvas, event));
    canvas.addEventListener('pointermove', (event) => this.#drag(event));
    for (const name of ['pointerup', 'pointercancel'] as const) {
      canvas.addEventListener(name, ({ pointerId }) => {
        if (this.stick?.pointerId === pointerId) this.stick = undefined;
      });
    }
    for (const [name, button] of Object.entries(buttons)) this.#hold(name, button);
  }

  get intent(): Intent {
    let [dx, dy] = this.stick === undefined ? [0, 0] : [this.stick.dx, this.stick.dy];
    for (const code of this.#held) {
      const [keyX, keyY] = DIRECTIONS[code] ?? [0, 0];
      dx += keyX;
      dy += keyY;
    }
    const length = Math.max(1, Math.hypot(dx, dy));
    const isHeld = (codes: readonly string[]): boolean => codes.some((code) => this.#held.has(code));
    return {
      dx: dx / length,
      dy: dy / length,
      runs: isHeld(RUN) || this.#held.has('run'),
      cloaks: isHeld(CLOAK) || this.#held.has('cloak'),
    };
  }

  #press(canvas: HTMLElement, { pointerId, pointerType, clientX, clientY }: PointerEvent): void {
    if (pointerType === 'mouse' || this.stick !== undefined) return;
    canvas.setPointerCapture(pointerId);
    this.stick = { pointerId, x: clientX, y: clientY, dx: 0, dy: 0 };
  }

  #drag({ pointerId, clientX, clientY }: PointerEvent): void {
    const { stick } = this;
    if (stick?.pointerId !== pointerId) return;
    const [dx, dy] = [(clientX - stick.x) / STICK_RADIUS, (clientY - stick.y) / STICK_RADIUS];
    const length = Math.max(1, Math.hypot(dx, dy));
    [stick.dx, stick.dy] = [dx / length, dy / length];
  }

  #hold(name: string, button: HTMLElement): void {
    const set = (isHeld: boolean): void => {
      if (isHeld) this.#held.add(name);
      else this.#held.delete(name);
      button.classList.toggle('held', isHeld);
    };
    button.addEventListener('pointerdown', ({ pointerId }) => {
      button.setPointerCapture(pointerId);
      set(true);
    });
    for (const end of ['pointerup', 'pointercancel'] as const) button.addEventListener(end, () => set(false));
  }
}
