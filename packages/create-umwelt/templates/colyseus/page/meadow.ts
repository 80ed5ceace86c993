/** Draws what the player perceives, with the player in the centre, and sends where it walks. */
import type { UmweltClient } from '@umwelt/client';
import type { appearance } from '../appearance.ts';

/** Per world unit. */
const PIXELS = 8;
/** Of the picture's width: how near its centre it must be held to hide. */
const OWN_DOT = 0.08;
const canvas = document.querySelector('canvas')!;
const seen = document.querySelector('#seen')!;
const pen = canvas.getContext('2d')!;
pen.font = '18px sans-serif'; // a phone shows the picture smaller, and the names can still be read

/** `?name=Ada` in the address, or a random name. */
export const ownName =
  new URLSearchParams(location.search).get('name') ?? `Shepherd ${Math.floor(Math.random() * 1000)}`;

type Client = UmweltClient<typeof appearance>;

/** `client` returns the player's client: a player that joins again has another. */
export function show(client: () => Client): void {
  const keys = new Set<string>();
  const axis = (less: string, more: string) => Number(keys.has(more)) - Number(keys.has(less));
  /** While a finger or the mouse holds the picture: its last event. */
  let held: PointerEvent | undefined;
  const steps = () => {
    const hides = Number(keys.has(' '));
    if (held === undefined) return [axis('ArrowLeft', 'ArrowRight'), axis('ArrowUp', 'ArrowDown'), hides];
    const x = held.offsetX / canvas.clientWidth - 0.5;
    const y = held.offsetY / canvas.clientHeight - 0.5;
    const distance = Math.hypot(x, y);
    if (distance < OWN_DOT) return [0, 0, 1];
    // Rounded, a direction of length 1 is one of eight.
    return [Math.round(x / distance), Math.round(y / distance), hides];
  };
  const tell = () => client().sendInput(Uint8Array.from(steps()));
  addEventListener('keydown', (event) => {
    const { key, repeat } = event;
    // Otherwise these keys would scroll the page.
    if (key === ' ' || key.startsWith('Arrow')) event.preventDefault();
    if (repeat) return;
    keys.add(key);
    tell();
  });
  addEventListener('keyup', ({ key }) => {
    keys.delete(key);
    tell();
  });
  const hold = (event: PointerEvent) => {
    const before = String(steps());
    held = event.buttons === 1 ? event : undefined;
    // So that the picture hears of the release outside it, too.
    if (held !== undefined) canvas.setPointerCapture(event.pointerId);
    if (String(steps()) !== before) tell();
  };
  for (const type of ['pointerdown', 'pointermove', 'pointerup', 'pointercancel'] as const) {
    canvas.addEventListener(type, hold);
  }
  // Without the focus, the page is not told that a key was released.
  addEventListener('blur', () => {
    keys.clear();
    held = undefined;
    tell();
  });
  // The server stops a player that it does not hear: nobody with a broken connection walks on.
  setInterval(() => (keys.size > 0 || held !== undefined) && tell(), 250);
  const draw = () => {
    requestAnimationFrame(draw);
    client().interpolate();
    drawAll(client());
  };
  draw();
}

function drawAll({ own, entities, state }: Client): void {
  pen.clearRect(0, 0, canvas.width, canvas.height);
  if (state !== 'open') seen.textContent = 'Connecting';
  if (own === undefined) return;
  let others = 0;
  for (const entity of entities.values()) {
    const x = canvas.width / 2 + (entity.shown.x - own.shown.x) * PIXELS;
    const y = canvas.height / 2 + (entity.shown.y - own.shown.y) * PIXELS;
    const isPlayer = entity.fields.kind === 'player';
    if (isPlayer && entity !== own) others++;
    pen.fillStyle = entity === own ? '#c2452d' : isPlayer ? '#2d5fc2' : '#ffffff';
    pen.beginPath();
    pen.arc(x, y, isPlayer ? 8 : 5, 0, 2 * Math.PI);
    pen.fill();
    if (isPlayer) pen.fillText(entity.fields.name, x + 12, y + 6);
  }
  if (state === 'open') seen.textContent = `In sight: players ${others}, sheep ${entities.size - 1 - others}`;
}
