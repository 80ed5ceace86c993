/**
 * The ground under the crowd: the world's bounds, and a grid of decimal steps.
 *
 * The strength of the lines of each power of ten grows with their spacing on the screen, so that zooming changes nothing
 * abruptly: a decade fades in between 12 and 120 pixels of spacing, and the next one is full by then. It takes some two hundred
 * lines and two clears; a shader would visit every pixel.
 */
import type { Bounds } from '../../feed-message.ts';
import type { Camera } from '../camera.ts';
import { type Colour, colourOf, type Palette } from '../palette.ts';
import type { Marks } from './marks.ts';

const FINEST_SPACING_PX = 12;
const WHOLE_SPACING_PX = 120;

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Clears the canvas to the colours inside and outside the world, and adds the lines. `ratio`: canvas pixels per CSS pixel. */
export function drawGround(
  gl: WebGL2RenderingContext,
  marks: Marks,
  camera: Camera,
  bounds: Bounds,
  palette: Palette,
  ratio: number,
): void {
  const box = {
    left: camera.screenX(bounds.minX),
    right: camera.screenX(bounds.maxX),
    top: camera.screenY(bounds.maxY),
    bottom: camera.screenY(bounds.minY),
  };
  clearTo(gl, colourOf(palette.beyond));
  gl.enable(gl.SCISSOR_TEST);
  const left = Math.round(clamp(box.left, 0, camera.width) * ratio);
  const right = Math.round(clamp(box.right, 0, camera.width) * ratio);
  const top = Math.round(clamp(box.top, 0, camera.height) * ratio);
  const bottom = Math.round(clamp(box.bottom, 0, camera.height) * ratio);
  gl.scissor(left, gl.drawingBufferHeight - bottom, right - left, bottom - top);
  clearTo(gl, colourOf(palette.ground));
  gl.disable(gl.SCISSOR_TEST);
  addGrid(marks, camera, palette);
  addEdge(marks, camera, box, palette);
}

function clearTo(gl: WebGL2RenderingContext, [red, green, blue]: Colour): void {
  gl.clearColor(red, green, blue, 1);
  gl.clear(gl.COLOR_BUFFER_BIT);
}

function addGrid(marks: Marks, camera: Camera, palette: Palette): void {
  const colour = colourOf(palette.line);
  // The finest decade whose lines are far enough apart to be seen.
  const finest = 10 ** Math.ceil(Math.log10(FINEST_SPACING_PX / camera.scale));
  for (let step = finest; step * camera.scale < 20 * Math.max(camera.width, camera.height); step *= 10) {
    const spacing = step * camera.scale;
    const share = (spacing - FINEST_SPACING_PX) / (WHOLE_SPACING_PX - FINEST_SPACING_PX);
    const opacity = palette.lineStrength * Math.min(1, share);
    // A line of the next decade is drawn with that decade.
    const isLast = share >= 1;
    if (opacity < 0.005) continue;
    for (let i = Math.ceil(camera.worldX(0) / step); i * step <= camera.worldX(camera.width); i++) {
      const x = Math.round(camera.screenX(i * step)) + 0.5;
      if (isLast || i % 10 !== 0) marks.addLine(x, 0, x, camera.height, 1, colour, opacity);
    }
    for (let i = Math.ceil(camera.worldY(camera.height) / step); i * step <= camera.worldY(0); i++) {
      const y = Math.round(camera.screenY(i * step)) + 0.5;
      if (isLast || i % 10 !== 0) marks.addLine(0, y, camera.width, y, 1, colour, opacity);
    }
    if (isLast) return;
  }
}

function addEdge(marks: Marks, camera: Camera, box: Box, palette: Palette): void {
  const colour = colourOf(palette.line);
  const opacity = palette.lineStrength * 1.8;
  // Ends far outside the canvas are moved near it, where float32 is exact.
  const left = clamp(box.left, -10, camera.width + 10);
  const right = clamp(box.right, -10, camera.width + 10);
  const top = clamp(box.top, -10, camera.height + 10);
  const bottom = clamp(box.bottom, -10, camera.height + 10);
  for (const x of [left, right]) marks.addLine(x, top, x, bottom, 1, colour, opacity);
  for (const y of [top, bottom]) marks.addLine(left, y, right, y, 1, colour, opacity);
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}
