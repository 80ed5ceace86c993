/**
 * The wood: ground, grass, stones and trees, the same for all players, computed from their coordinates alone.
 *
 * It is only scenery: it blocks no movement, and the server does not know it. The area in the player's light is drawn brighter.
 */
import { SIDE, SIGHT } from '../rules.ts';

const TUFT_CELL = 44;
const TREE_CELL = 170;

/** The visible part, in world units. */
export interface Camera {
  readonly x: number;
  readonly y: number;
  readonly halfWidth: number;
  readonly halfHeight: number;
}

export function drawWood(context: CanvasRenderingContext2D, camera: Camera): void {
  eachCell(camera, TUFT_CELL, (x, y, chance) => {
    const alpha = lightAt(camera, x, y);
    if (chance < 0.62) drawTuft(context, x, y, chance, alpha);
    else if (chance > 0.955) drawStone(context, x, y, chance, alpha);
  });
  eachCell(camera, TREE_CELL, (x, y, chance) => {
    if (Math.hypot(x, y) > 150 && chance < 0.72) drawTree(context, x, y, chance, lightAt(camera, x, y));
  });
  context.strokeStyle = 'rgb(150 170 210 / 25%)';
  context.lineWidth = 2;
  context.strokeRect(-SIDE / 2 - 14, -SIDE / 2 - 14, SIDE + 28, SIDE + 28);
}

/** 1 at the player, low beyond its range of sight. */
function lightAt({ x, y }: Camera, atX: number, atY: number): number {
  const part = Math.max(0, 1 - Math.hypot(atX - x, atY - y) / (SIGHT * 1.15));
  return 0.13 + 0.87 * Math.min(1, part * 1.6) ** 1.5;
}

function drawTuft(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  chance: number,
  alpha: number,
): void {
  context.strokeStyle = `rgb(${70 + chance * 40} ${118 + chance * 60} 96 / ${alpha * 0.6})`;
  context.lineWidth = 1.3;
  context.beginPath();
  for (let blade = -1; blade <= 1; blade++) {
    context.moveTo(x + blade * 2, y);
    context.quadraticCurveTo(x + blade * 2.5, y - 4, x + blade * 5, y - 6 - chance * 4);
  }
  context.stroke();
}

function drawStone(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  chance: number,
  alpha: number,
): void {
  const radius = 4 + (chance - 0.955) * 120;
  context.fillStyle = `rgb(98 110 134 / ${alpha * 0.6})`;
  context.beginPath();
  context.ellipse(x, y, radius, radius * 0.68, 0.3, 0, 2 * Math.PI);
  context.fill();
  context.fillStyle = `rgb(150 164 190 / ${alpha * 0.35})`;
  context.beginPath();
  context.ellipse(x - radius * 0.2, y - radius * 0.25, radius * 0.55, radius * 0.3, 0.3, 0, 2 * Math.PI);
  context.fill();
}

/** Crowns are opaque, darker without light: transparent leaves over each other would look like petals. */
function drawTree(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  chance: number,
  light: number,
): void {
  const radius = 22 + chance * 28;
  context.fillStyle = 'rgb(0 0 0 / 35%)';
  context.beginPath();
  context.ellipse(x + 5, y + 10, radius * 0.98, radius * 0.9, 0, 0, 2 * Math.PI);
  context.fill();
  const layers = [
    { leaves: 9, out: 0.62, size: 0.4, shade: 0.62 },
    { leaves: 7, out: 0.36, size: 0.42, shade: 0.82 },
    { leaves: 4, out: 0.14, size: 0.34, shade: 1.08 },
  ];
  for (const { leaves, out, size, shade } of layers) {
    const part = shade * (0.2 + 0.62 * light);
    context.fillStyle = `rgb(${10 + 30 * part} ${18 + 76 * part} ${24 + 56 * part})`;
    context.beginPath();
    for (let i = 0; i < leaves; i++) {
      const angle = chance * 40 + shade * 9 + (i * 2 * Math.PI) / leaves;
      // Lit from above: the upper layers are a little higher.
      const [leafX, leafY] = [
        x + Math.cos(angle) * radius * out,
        y - shade * 4 + Math.sin(angle) * radius * out,
      ];
      context.moveTo(leafX, leafY);
      context.arc(leafX, leafY, radius * size, 0, 2 * Math.PI);
    }
    context.fill();
  }
}

/** Visits the cells in view and a little beyond: a place within each cell, and a constant of the cell from 0 to 1. */
function eachCell(
  { x, y, halfWidth, halfHeight }: Camera,
  size: number,
  visit: (x: number, y: number, chance: number) => void,
): void {
  const most = SIDE / 2 / size;
  const [minX, maxX] = [
    Math.max(-most, (x - halfWidth) / size - 1),
    Math.min(most, (x + halfWidth) / size + 1),
  ];
  const [minY, maxY] = [
    Math.max(-most, (y - halfHeight) / size - 1),
    Math.min(most, (y + halfHeight) / size + 1),
  ];
  for (let j = Math.ceil(minY); j < maxY; j++) {
    for (let i = Math.ceil(minX); i < maxX; i++) {
      const chance = hashed(i, j, size);
      visit((i + hashed(j, i, size + 1)) * size, (j + hashed(i + 7, j, size)) * size, chance);
    }
  }
}

/** 0 to 1, always the same for the same three numbers. */
function hashed(i: number, j: number, salt: number): number {
  let hash = Math.imul(i, 374761393) ^ Math.imul(j, 668265263) ^ Math.imul(salt, 2246822519);
  hash = Math.imul(hash ^ (hash >>> 13), 1274126177);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
