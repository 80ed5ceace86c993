/**
 * Pointer, wheel and fingers on the world: drag to pan, wheel and pinch to zoom about where they are, click to
 * select, with Shift to ask why it is related to the selected or not, rest to look closer.
 */
import type { Explorer } from './explorer.ts';

/** A press that moves less than this is a click, in CSS pixels. */
const CLICK_PX = 5;
const WHEEL_LINE_PX = 16;

interface Finger {
  x: number;
  y: number;
  travelled: number;
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
    fingers.set(event.pointerId, { ...place(event), travelled: 0 });
    hadTwo = fingers.size > 1 || (hadTwo && fingers.size > 0);
    if (fingers.size === 1) hadTwo = false;
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
    else if (finger.travelled >= CLICK_PX) {
      explorer.pointAt(undefined);
      world.style.cursor = 'grabbing';
      explorer.dragBy(dx, dy);
    }
    finger.x = x;
    finger.y = y;
  });

  const end = (event: PointerEvent) => {
    const finger = fingers.get(event.pointerId);
    if (finger === undefined) return;
    fingers.delete(event.pointerId);
    if (finger.travelled >= CLICK_PX) world.style.cursor = '';
    else if (!hadTwo && event.type === 'pointerup') {
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
      // A pinch on a trackpad comes as a wheel with the control key, in much smaller steps.
      const speed = event.ctrlKey ? 0.012 : 0.0018;
      explorer.zoomBy(Math.exp(-Math.max(-400, Math.min(400, deltaPx)) * speed), x, y);
    },
    { passive: false },
  );
}

/** One of two fingers goes to x, y: what lies between them goes with them. */
function pinch(explorer: Explorer, finger: Finger, other: Finger, x: number, y: number): void {
  const before = Math.hypot(finger.x - other.x, finger.y - other.y);
  const after = Math.hypot(x - other.x, y - other.y);
  explorer.dragBy((x - finger.x) / 2, (y - finger.y) / 2);
  if (before > 0 && after > 0) explorer.zoomBy(after / before, (x + other.x) / 2, (y + other.y) / 2, true);
}
