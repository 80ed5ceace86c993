/**
 * Pointer, wheel and fingers on the world: drag to pan; wheel and pinch to zoom about the pointer; click to select; drag an
 * entity where that is allowed; Shift-click or long press to explain the relation to the selected entity; hover for details.
 */
import type { Explorer } from './explorer.ts';

/** A press that moves less than this is a click, in CSS pixels. */
const CLICK_PX = 5;
/** Tolerance for fingers, which are less steady. */
const TAP_PX = 12;
/** A finger held this long on an entity explains it. */
const HOLD_MS = 500;
const WHEEL_LINE_PX = 16;

interface Finger {
  x: number;
  y: number;
  travelled: number;
  readonly slackPx: number;
  /** Timer until it counts as a long press. */
  hold: ReturnType<typeof setTimeout> | undefined;
  /** Its action has been done: it is no click any more. */
  isSpent: boolean;
  /** It drags an entity. */
  readonly isHolding: boolean;
}

export function listenToGestures(world: HTMLElement, explorer: Explorer): void {
  const fingers = new Map<number, Finger>();
  let hadTwo = false;

  const place = (event: MouseEvent) => {
    const box = world.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };

  world.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    world.setPointerCapture(event.pointerId);
    const isTouch = event.pointerType === 'touch';
    const { x, y } = place(event);
    const finger: Finger = {
      x,
      y,
      isHolding: fingers.size === 0 && explorer.hold(x, y, isTouch),
      travelled: 0,
      slackPx: isTouch ? TAP_PX : CLICK_PX,
      hold: undefined,
      isSpent: false,
    };
    fingers.set(event.pointerId, finger);
    hadTwo = fingers.size > 1;
    if (hadTwo) for (const { hold } of fingers.values()) clearTimeout(hold);
    else if (isTouch) finger.hold = setTimeout(() => hold(finger), HOLD_MS);
  });

  const hold = (finger: Finger) => {
    finger.isSpent = true;
    explorer.explainAt(finger.x, finger.y, true);
  };
  // Otherwise a long press would open a menu.
  world.addEventListener('contextmenu', (event) => {
    if (fingers.size > 0) event.preventDefault();
  });

  world.addEventListener('pointermove', (event) => {
    const { x, y } = place(event);
    const finger = fingers.get(event.pointerId);
    if (finger === undefined) {
      if (event.pointerType !== 'touch') explorer.pointAt({ x, y });
      return;
    }
    const dx = x - finger.x;
    const dy = y - finger.y;
    finger.travelled += Math.hypot(dx, dy);
    const other = [...fingers.values()].find((candidate) => candidate !== finger);
    if (other !== undefined) pinch(explorer, finger, other, x, y);
    else if (finger.travelled >= finger.slackPx && !finger.isSpent) {
      clearTimeout(finger.hold);
      explorer.pointAt(undefined);
      world.style.cursor = 'grabbing';
      if (finger.isHolding) explorer.holdAt(x, y);
      else explorer.dragBy(dx, dy);
    }
    finger.x = x;
    finger.y = y;
  });

  const end = (event: PointerEvent) => {
    const finger = fingers.get(event.pointerId);
    if (finger === undefined) return;
    fingers.delete(event.pointerId);
    clearTimeout(finger.hold);
    if (finger.isHolding) explorer.letDown();
    if (finger.travelled >= finger.slackPx) world.style.cursor = '';
    else if (!hadTwo && !finger.isSpent && event.type === 'pointerup') {
      const isTouch = event.pointerType === 'touch';
      if (event.shiftKey) explorer.explainAt(finger.x, finger.y, isTouch);
      else explorer.selectAt(finger.x, finger.y, isTouch);
    }
  };
  world.addEventListener('pointerup', end);
  world.addEventListener('pointercancel', end);
  world.addEventListener('pointerleave', () => explorer.pointAt(undefined));

  world.addEventListener('dblclick', (event) => {
    const { x, y } = place(event);
    explorer.zoomBy(2.5, x, y);
  });

  world.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const { x, y } = place(event);
      const deltaPx =
        event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * WHEEL_LINE_PX : event.deltaY;
      // A pinch on a trackpad arrives as a wheel event with the control key, in much smaller steps.
      const speed = event.ctrlKey ? 0.012 : 0.0018;
      explorer.zoomBy(Math.exp(-Math.max(-400, Math.min(400, deltaPx)) * speed), x, y);
    },
    { passive: false },
  );
}

/** One of two fingers moves to x, y: zooms and pans with both. */
function pinch(explorer: Explorer, finger: Finger, other: Finger, x: number, y: number): void {
  const before = Math.hypot(finger.x - other.x, finger.y - other.y);
  const after = Math.hypot(x - other.x, y - other.y);
  explorer.dragBy((x - finger.x) / 2, (y - finger.y) / 2);
  if (before > 0 && after > 0) explorer.zoomBy(after / before, (x + other.x) / 2, (y + other.y) / 2, true);
}
