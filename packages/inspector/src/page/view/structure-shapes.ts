/**
 * A detector's structure under the crowd: cells as boxes filled by their counts, and lines, in one colour.
 *
 * Shapes are uploaded once per frame of the feed, as offsets from its window's corner; the shaders place them on the screen, so
 * panning over twenty thousand cells costs two draws and no upload. Edges are snapped to whole pixels, so that neighbours share
 * them. Cells that are too small for outlines keep their fill. An empty cell is only an outline. Lines get fainter the more of
 * the picture they cover, so that the crowd stays visible.
 */
import type { StructureFrame } from '../../structure-frame.ts';
import type { Camera } from '../camera.ts';
import { colourOf, type Palette } from '../palette.ts';
import { FILL_OPACITY, scaleTop, strengthOf } from '../structure-scale.ts';
import { createProgram, type Program } from './program.ts';

const OUTLINE_OPACITY = 0.34;
/** Sides in CSS pixels: below the first a cell has no outline, from the second on a full one. */
const OUTLINE_FADE_PX = [2.5, 9] as const;
/** Lines that cover this share of the picture have full strength; more lines get fainter, down to the minimum. */
const STRONG_LINES_SHARE = 0.03;
const LINE_OPACITY = { least: 0.05, most: 0.7 } as const;

const VIEW = `
uniform vec2 centre, origin, canvas;   // world offset in the middle, and where the middle is, in pixels
uniform float scale, ratio;            // pixels for a world unit, and for a CSS pixel
vec2 pixelOf(vec2 offset) { return origin + (offset - centre) * vec2(scale, -scale); }
vec4 clipOf(vec2 pixel) { vec2 place = pixel / canvas * 2.0 - 1.0; return vec4(place.x, -place.y, 0.0, 1.0); }
vec2 corner() { return vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)); }`;

const CELL_VERTEX = `
layout(location = 0) in vec4 box;
layout(location = 1) in float strength;
${VIEW}
out vec2 local;
flat out vec2 size;
flat out float fill;
void main() {
  vec2 one = pixelOf(box.xy), other = pixelOf(box.zw);
  vec2 low = floor(min(one, other)) + 0.5;
  size = floor(max(one, other)) + 0.5 - low;
  local = mix(vec2(-0.5 * ratio), size + 0.5 * ratio, corner());
  fill = strength > 0.0 ? mix(${FILL_OPACITY.least}, ${FILL_OPACITY.most}, strength) : 0.0;
  gl_Position = clipOf(low + local);
}`;

const CELL_FRAGMENT = `
uniform vec3 tint;
uniform float ratio;
in vec2 local;
flat in vec2 size;
flat in float fill;
out vec4 colour;
void main() {
  vec2 inside = min(local, size - local);
  float edge = clamp(0.5 * ratio - min(inside.x, inside.y) + 0.5, 0.0, 1.0);
  float room = smoothstep(${OUTLINE_FADE_PX[0].toFixed(1)}, ${OUTLINE_FADE_PX[1].toFixed(1)}, min(size.x, size.y) / ratio);
  float opacity = max(fill, edge * ${OUTLINE_OPACITY} * room);
  colour = vec4(tint * opacity, opacity);
}`;

const LINE_VERTEX = `
layout(location = 0) in vec4 ends;
${VIEW}
out float away;
void main() {
  vec2 one = pixelOf(ends.xy), other = pixelOf(ends.zw);
  vec2 along = other - one;
  float span = length(along);
  along = span > 0.0 ? along / span : vec2(1.0, 0.0);
  vec2 place = corner();
  away = (place.y * 2.0 - 1.0) * (0.5 * ratio + 1.0);
  gl_Position = clipOf(mix(one, other, place.x) + vec2(-along.y, along.x) * away);
}`;

const LINE_FRAGMENT = `
uniform vec3 tint;
uniform float ratio, opacity;
in float away;
out vec4 colour;
void main() {
  float on = clamp(0.5 * ratio - abs(away) + 0.5, 0.0, 1.0) * opacity;
  colour = vec4(tint * on, on);
}`;

export class StructureShapes {
  readonly #gl: WebGL2RenderingContext;
  readonly #cellProgram: Program;
  readonly #lineProgram: Program;
  readonly #cellArray: WebGLVertexArrayObject;
  readonly #lineArray: WebGLVertexArrayObject;
  readonly #boxes: WebGLBuffer;
  readonly #strengths: WebGLBuffer;
  readonly #ends: WebGLBuffer;
  #uploaded: StructureFrame | undefined;
  /** World units of line length per square world unit of the window. */
  #lineDensity = 0;

  constructor(gl: WebGL2RenderingContext) {
    this.#gl = gl;
    this.#cellProgram = createProgram(gl, CELL_VERTEX, CELL_FRAGMENT);
    this.#lineProgram = createProgram(gl, LINE_VERTEX, LINE_FRAGMENT);
    this.#boxes = gl.createBuffer();
    this.#strengths = gl.createBuffer();
    this.#ends = gl.createBuffer();
    this.#cellArray = this.#arrayOf([this.#boxes, 4], [this.#strengths, 1]);
    this.#lineArray = this.#arrayOf([this.#ends, 4]);
  }

  /** `ratio`: canvas pixels per CSS pixel. */
  draw(frame: StructureFrame, camera: Camera, palette: Palette, ratio: number): void {
    const gl = this.#gl;
    if (this.#uploaded !== frame) this.#upload(frame);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    for (const [program, vertexArray, count] of [
      [this.#cellProgram, this.#cellArray, frame.counts.length],
      [this.#lineProgram, this.#lineArray, frame.lines.length / 4],
    ] as const) {
      if (count === 0) continue;
      gl.useProgram(program.handle);
      gl.bindVertexArray(vertexArray);
      this.#setView(program, frame, camera, ratio);
      gl.uniform3fv(program.at.tint ?? null, colourOf(palette.structure));
      // A line is a CSS pixel wide.
      gl.uniform1f(program.at.opacity ?? null, lineOpacity(this.#lineDensity / camera.scale));
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
    }
    gl.bindVertexArray(null);
  }

  #setView({ at }: Program, { window }: StructureFrame, camera: Camera, ratio: number): void {
    const gl = this.#gl;
    gl.uniform2f(at.centre ?? null, camera.x - window.minX, camera.y - window.minY);
    gl.uniform2f(at.origin ?? null, camera.originX * ratio, camera.originY * ratio);
    gl.uniform2f(at.canvas ?? null, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.uniform1f(at.scale ?? null, camera.scale * ratio);
    gl.uniform1f(at.ratio ?? null, ratio);
  }

  #upload(frame: StructureFrame): void {
    const gl = this.#gl;
    const top = scaleTop(frame.counts);
    const strengths = Float32Array.from(frame.counts, (count) => strengthOf(count, top));
    for (const [buffer, values] of [
      [this.#boxes, frame.cells],
      [this.#strengths, strengths],
      [this.#ends, frame.lines],
    ] as const) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW);
    }
    this.#uploaded = frame;
    this.#lineDensity = lineDensity(frame);
  }

  /** One attribute per buffer, at successive locations, one value per instance. */
  #arrayOf(...attributes: [buffer: WebGLBuffer, size: number][]): WebGLVertexArrayObject {
    const gl = this.#gl;
    const vertexArray = gl.createVertexArray();
    gl.bindVertexArray(vertexArray);
    attributes.forEach(([buffer, size], location) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, size, gl.FLOAT, false, 0, 0);
      gl.vertexAttribDivisor(location, 1);
    });
    gl.bindVertexArray(null);
    return vertexArray;
  }
}

function lineDensity({ lines, window }: StructureFrame): number {
  let length = 0;
  for (let i = 0; i < lines.length; i += 4) {
    length += Math.hypot(
      (lines[i + 2] as number) - (lines[i] as number),
      (lines[i + 3] as number) - (lines[i + 1] as number),
    );
  }
  return length / Math.max((window.maxX - window.minX) * (window.maxY - window.minY), Number.MIN_VALUE);
}

/** `share`: part of the picture that lines cover. */
function lineOpacity(share: number): number {
  const strength = Math.min(1, Math.sqrt(STRONG_LINES_SHARE / Math.max(share, 1e-9)));
  return Math.max(LINE_OPACITY.least, LINE_OPACITY.most * strength);
}
