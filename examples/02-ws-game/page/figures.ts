/**
 * Draws the entities: players, wardens, embers, the fire, and entities that are only heard.
 */
import { FIRE_RADIUS, MOOD } from '../rules.ts';

export interface Figure {
  readonly x: number;
  readonly y: number;
  /** Direction in which it looks, in radians. */
  readonly facing: number;
  /** 0 to 1; below 1 for an entity that has just left the view. */
  readonly alpha: number;
}

const WARDEN_SIGHT = 170;
const MOOD_COLOURS = ['142 163 196', '255 200 87', '255 92 78'] as const;

/** A light that is added to the picture. */
export function drawGlow(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  radius: number,
  colour: string,
  alpha: number,
): void {
  const gradient = context.createRadialGradient(x, y, 0, x, y, radius);
  gradient.addColorStop(0, `rgb(${colour} / ${alpha})`);
  gradient.addColorStop(0.4, `rgb(${colour} / ${alpha * 0.35})`);
  gradient.addColorStop(1, `rgb(${colour} / 0)`);
  context.globalCompositeOperation = 'lighter';
  context.fillStyle = gradient;
  context.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
  context.globalCompositeOperation = 'source-over';
}

export function drawFire(context: CanvasRenderingContext2D, x: number, y: number, seconds: number): void {
  const flicker = 0.9 + 0.1 * Math.sin(seconds * 9) * Math.sin(seconds * 5.3);
  drawGlow(context, x, y, FIRE_RADIUS * 2.3 * flicker, '255 150 60', 0.55);
  context.strokeStyle = 'rgb(255 190 110 / 35%)';
  context.setLineDash([3, 9]);
  context.lineWidth = 1.5;
  drawCircle(context, x, y, FIRE_RADIUS);
  context.stroke();
  context.setLineDash([]);
  context.strokeStyle = '#4a2f20';
  context.lineWidth = 7;
  context.lineCap = 'round';
  for (const angle of [0.4, 1.45, 2.5]) {
    context.beginPath();
    context.moveTo(x - Math.cos(angle) * 19, y + 4 - Math.sin(angle) * 9);
    context.lineTo(x + Math.cos(angle) * 19, y + 4 + Math.sin(angle) * 9);
    context.stroke();
  }
  for (const [size, colour] of [
    [26, '#ff7a2f'],
    [18, '#ffb454'],
    [10, '#fff0c2'],
  ] as const) {
    const sway = Math.sin(seconds * 6 + size) * size * 0.16;
    const tip = size * (1.25 + 0.18 * Math.sin(seconds * 11 + size));
    context.fillStyle = colour;
    context.beginPath();
    context.moveTo(x - size * 0.55, y);
    context.bezierCurveTo(x - size * 0.7, y - size * 0.7, x + sway - 2, y - size * 0.7, x + sway, y - tip);
    context.bezierCurveTo(x + sway + 3, y - size * 0.7, x + size * 0.7, y - size * 0.6, x + size * 0.55, y);
    context.quadraticCurveTo(x, y + size * 0.4, x - size * 0.55, y);
    context.fill();
  }
}

export function drawEmber(context: CanvasRenderingContext2D, { x, y, alpha }: Figure, seconds: number): void {
  const glow = 0.75 + 0.25 * Math.sin(seconds * 3 + x);
  drawGlow(context, x, y, 26, '255 150 50', 0.75 * glow * alpha);
  context.fillStyle = `rgb(255 222 160 / ${alpha})`;
  drawCircle(context, x, y, 3.2);
  context.fill();
}

export function drawWarden(context: CanvasRenderingContext2D, figure: Figure, mood: number): void {
  const { x, y, facing, alpha } = figure;
  const colour = MOOD_COLOURS[mood] ?? MOOD_COLOURS[0];
  // Its range of sight, which players must avoid.
  const isRoused = mood !== MOOD.calm;
  drawGlow(context, x, y, WARDEN_SIGHT, colour, (isRoused ? 0.2 : 0.1) * alpha);
  context.strokeStyle = `rgb(${colour} / ${(isRoused ? 0.4 : 0.14) * alpha})`;
  context.lineWidth = isRoused ? 1.4 : 1;
  drawCircle(context, x, y, WARDEN_SIGHT);
  context.stroke();
  drawGlow(context, x, y, 46, colour, 0.5 * alpha);
  drawBody(context, figure, 12, `rgb(28 32 46 / ${alpha})`, `rgb(${colour} / ${alpha})`);
  const [lampX, lampY] = [x + Math.cos(facing) * 15, y + Math.sin(facing) * 15];
  context.fillStyle = `rgb(${colour} / ${alpha})`;
  drawCircle(context, lampX, lampY, 4);
  context.fill();
  if (!isRoused) return;
  context.font = '700 19px system-ui, sans-serif';
  context.textAlign = 'center';
  context.fillText(mood === MOOD.chasing ? '!' : '?', x, y - 22);
}

export interface Person {
  readonly name: string;
  readonly carried: number;
  readonly isOwn: boolean;
  readonly isCloaked: boolean;
}

export function drawPlayer(context: CanvasRenderingContext2D, figure: Figure, person: Person): void {
  const { x, y } = figure;
  const alpha = figure.alpha * (person.isCloaked ? 0.4 : 1);
  const hue = hueOf(person.name);
  if (person.carried > 0)
    drawGlow(context, x, y, 24 + 2 * Math.min(12, person.carried), '255 160 60', 0.4 * alpha);
  const edge = person.isOwn ? `rgb(255 255 255 / ${alpha})` : `hsl(${hue} 70% 82% / ${alpha})`;
  drawBody(context, { ...figure, alpha }, 10, `hsl(${hue} 62% 58% / ${alpha})`, edge);
  if (person.isCloaked) {
    context.strokeStyle = 'rgb(167 139 250 / 85%)';
    context.setLineDash([4, 5]);
    context.lineWidth = 1.6;
    drawCircle(context, x, y, 17);
    context.stroke();
    context.setLineDash([]);
  }
  context.font = '600 12px system-ui, sans-serif';
  context.textAlign = 'center';
  context.fillStyle = `rgb(232 237 248 / ${person.isOwn ? 0.75 * alpha : alpha})`;
  context.fillText(person.name, x, y - 19);
}

/** An entity that is only heard: spreading rings. */
export function drawSteps(
  context: CanvasRenderingContext2D,
  { x, y, alpha }: Figure,
  loud: boolean,
  seconds: number,
): void {
  const reach = loud ? 44 : 24;
  for (let ring = 0; ring < 3; ring++) {
    const part = (seconds * (loud ? 1.1 : 0.7) + ring / 3) % 1;
    context.strokeStyle = `rgb(125 211 252 / ${(1 - part) ** 1.5 * 0.95 * alpha})`;
    context.lineWidth = 2.4 * (1 - part) + 0.6;
    drawCircle(context, x, y, 4 + part * reach);
    context.stroke();
  }
  context.fillStyle = `rgb(125 211 252 / ${0.9 * alpha})`;
  drawCircle(context, x, y, 2.6);
  context.fill();
}

/** Seen from above: shoulders, and two eyes in the direction in which it looks. */
function drawBody(
  context: CanvasRenderingContext2D,
  { x, y, facing, alpha }: Figure,
  radius: number,
  fill: string,
  edge: string,
): void {
  context.fillStyle = `rgb(0 0 0 / ${0.35 * alpha})`;
  context.beginPath();
  context.ellipse(x + 2, y + 4, radius * 1.05, radius * 0.95, 0, 0, 2 * Math.PI);
  context.fill();
  context.fillStyle = fill;
  context.strokeStyle = edge;
  context.lineWidth = 2;
  drawCircle(context, x, y, radius);
  context.fill();
  context.stroke();
  for (const side of [-0.55, 0.55]) {
    context.fillStyle = `rgb(255 255 255 / ${alpha})`;
    drawCircle(
      context,
      x + Math.cos(facing + side) * radius * 0.58,
      y + Math.sin(facing + side) * radius * 0.58,
      radius * 0.2,
    );
    context.fill();
  }
}

export function drawCircle(context: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
}

/** The colour of the player with that name. */
export function playerColour(name: string): string {
  return `hsl(${hueOf(name)} 62% 58%)`;
}

/** A hue for a name, different from those of embers and wardens. */
function hueOf(name: string): number {
  let hash = 7;
  for (const character of name) hash = Math.imul(hash, 31) + (character.codePointAt(0) ?? 0);
  return 130 + (Math.abs(hash) % 190);
}
