/**
 * Rings, discs and lines over the crowd: ranges, relations, flashes, trails.
 *
 * Marks are few (thousands at most), so the CPU places them in pixels, from float64, and uploads them each frame: one buffer
 * and one instanced draw for rings and discs, one for lines. Both buffers are bounded; marks beyond the bound are not drawn.
 */
import type { Colour } from '../palette.ts';
import { createProgram, type Program } from './program.ts';

const RINGS_MAX = 16_384;
const LINES_MAX = 32_768;
/** For both kinds: four values of shape, four of tint, two of manner. */
const INSTANCE_FLOATS = 10;

const CORNERS = 'vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1));';

const RING_VERTEX = `
layout(location = 0) in vec4 shape;    // x, y, radius, line width, in pixels
layout(location = 1) in vec4 tint;     // colour, and the line's opacity
layout(location = 2) in vec2 manner;   // opacity of the inside, dashes around
uniform vec2 canvas;
out vec2 local;
flat out vec4 ringShape, ringTint;
flat out vec2 ringManner;
void main() {
  ${CORNERS}
  float reach = shape.z + shape.w + 1.0;
  local = (corner * 2.0 - 1.0) * reach;
  vec2 place = (shape.xy + local) / canvas * 2.0 - 1.0;
  gl_Position = vec4(place.x, -place.y, 0.0, 1.0);
  ringShape = shape; ringTint = tint; ringManner = manner;
}`;

const RING_FRAGMENT = `
in vec2 local;
flat in vec4 ringShape, ringTint;
flat in vec2 ringManner;
out vec4 colour;
void main() {
  float away = length(local);
  float on = clamp(ringShape.w * 0.5 - abs(away - ringShape.z) + 0.5, 0.0, 1.0);
  float within = clamp(ringShape.z - away + 0.5, 0.0, 1.0);
  if (ringManner.y > 0.0) {
    float turn = fract(atan(local.y, local.x) / 6.2831853 * ringManner.y);
    float arc = abs(turn - 0.5) * 6.2831853 * ringShape.z / ringManner.y;
    float dashArc = 0.29 * 6.2831853 * ringShape.z / ringManner.y;
    on *= clamp(dashArc - arc + 0.5, 0.0, 1.0);
  }
  float opacity = max(on * ringTint.a, within * ringManner.x);
  colour = vec4(ringTint.rgb * opacity, opacity);
}`;

const LINE_VERTEX = `
layout(location = 0) in vec4 ends;     // x1, y1, x2, y2, in pixels
layout(location = 1) in vec4 tint;     // colour, opacity
layout(location = 2) in vec2 manner;   // width, length of a dash and of the gap after it
uniform vec2 canvas;
out vec2 local;
flat out vec4 lineTint;
flat out vec3 lineManner;
void main() {
  ${CORNERS}
  vec2 along = ends.zw - ends.xy;
  float span = max(length(along), 1e-3);
  along /= span;
  vec2 across = vec2(-along.y, along.x);
  float reach = manner.x * 0.5 + 1.0;
  local = vec2(mix(0.0, span, corner.x), (corner.y * 2.0 - 1.0) * reach);
  vec2 place = (ends.xy + along * local.x + across * local.y) / canvas * 2.0 - 1.0;
  gl_Position = vec4(place.x, -place.y, 0.0, 1.0);
  lineTint = tint; lineManner = vec3(manner, span);
}`;

const LINE_FRAGMENT = `
in vec2 local;
flat in vec4 lineTint;
flat in vec3 lineManner;
out vec4 colour;
void main() {
  float on = clamp(lineManner.x * 0.5 - abs(local.y) + 0.5, 0.0, 1.0);
  if (lineManner.y > 0.0) {
    float turn = fract(local.x / (lineManner.y * 2.0));
    on *= clamp((0.5 - abs(turn - 0.25) * 2.0) * lineManner.y + 0.5, 0.0, 1.0);
  }
  float opacity = on * lineTint.a;
  colour = vec4(lineTint.rgb * opacity, opacity);
}`;

/** Instances of one kind of mark, collected during a frame. */
class MarkBatch {
  readonly #values: Float32Array;
  count = 0;

  constructor(max: number) {
    this.#values = new Float32Array(max * INSTANCE_FLOATS);
  }

  get values(): Float32Array {
    return this.#values.subarray(0, this.count * INSTANCE_FLOATS);
  }

  add(
    a: number,
    b: number,
    c: number,
    d: number,
    colour: Colour,
    opacity: number,
    e: number,
    f: number,
  ): void {
    const values = this.#values;
    const at = this.count * INSTANCE_FLOATS;
    if (at === values.length) return;
    this.count++;
    values[at] = a;
    values[at + 1] = b;
    values[at + 2] = c;
    values[at + 3] = d;
    values[at + 4] = colour[0];
    values[at + 5] = colour[1];
    values[at + 6] = colour[2];
    values[at + 7] = opacity;
    values[at + 8] = e;
    values[at + 9] = f;
  }
}

interface BatchProgram {
  readonly batch: MarkBatch;
  readonly program: Program;
  readonly buffer: WebGLBuffer;
  readonly vertexArray: WebGLVertexArrayObject;
}

export class Marks {
  readonly #gl: WebGL2RenderingContext;
  readonly #rings: BatchProgram;
  readonly #lines: BatchProgram;
  #ratio = 1;

  constructor(gl: WebGL2RenderingContext) {
    this.#gl = gl;
    const ringProgram = createProgram(gl, RING_VERTEX, RING_FRAGMENT);
    const lineProgram = createProgram(gl, LINE_VERTEX, LINE_FRAGMENT);
    this.#rings = this.#createBatch(new MarkBatch(RINGS_MAX), ringProgram);
    this.#lines = this.#createBatch(new MarkBatch(LINES_MAX), lineProgram);
  }

  /** Drops what was collected. All following lengths are CSS pixels of `ratio` canvas pixels each. */
  begin(ratio: number): void {
    this.#ratio = ratio;
    this.#rings.batch.count = 0;
    this.#lines.batch.count = 0;
  }

  /** `dashes` around the ring, 0 for a solid one; `inside` is the opacity of the disc within. */
  addRing(
    x: number,
    y: number,
    radius: number,
    width: number,
    colour: Colour,
    opacity: number,
    inside = 0,
    dashes = 0,
  ): void {
    const ratio = this.#ratio;
    this.#rings.batch.add(
      x * ratio,
      y * ratio,
      radius * ratio,
      width * ratio,
      colour,
      opacity,
      inside,
      dashes,
    );
  }

  /** A box around a point; `inside` is the opacity of its area, `dash` as in `addLine`. */
  addBox(
    x: number,
    y: number,
    halfWidth: number,
    halfHeight: number,
    width: number,
    colour: Colour,
    opacity: number,
    inside = 0,
    dash = 0,
  ): void {
    const [left, right, top, bottom] = [x - halfWidth, x + halfWidth, y - halfHeight, y + halfHeight];
    if (inside > 0) this.addLine(left, y, right, y, 2 * halfHeight, colour, inside);
    for (const side of [left, right]) this.addLine(side, top, side, bottom, width, colour, opacity, dash);
    for (const side of [top, bottom]) this.addLine(left, side, right, side, width, colour, opacity, dash);
  }

  addDisc(x: number, y: number, radius: number, colour: Colour, opacity: number): void {
    this.addRing(x, y, radius, 0, colour, 0, opacity);
  }

  addLine(
    x1: number,
    y1: number,
    x2: number,
    y2: number,
    width: number,
    colour: Colour,
    opacity: number,
    dash = 0,
  ): void {
    const ratio = this.#ratio;
    const batch = this.#lines.batch;
    batch.add(x1 * ratio, y1 * ratio, x2 * ratio, y2 * ratio, colour, opacity, width * ratio, dash * ratio);
  }

  /** Draws what was collected since `begin` or the last `draw`: lines first, rings over them. */
  draw(): void {
    const gl = this.#gl;
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    for (const { batch, program, buffer, vertexArray } of [this.#lines, this.#rings]) {
      if (batch.count === 0) continue;
      gl.useProgram(program.handle);
      gl.bindVertexArray(vertexArray);
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, batch.values, gl.STREAM_DRAW);
      gl.uniform2f(program.at.canvas ?? null, gl.drawingBufferWidth, gl.drawingBufferHeight);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, batch.count);
      batch.count = 0;
    }
    gl.bindVertexArray(null);
  }

  #createBatch(batch: MarkBatch, program: Program): BatchProgram {
    const gl = this.#gl;
    const buffer = gl.createBuffer();
    const vertexArray = gl.createVertexArray();
    gl.bindVertexArray(vertexArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    for (const [location, size, offset] of [
      [0, 4, 0],
      [1, 4, 16],
      [2, 2, 32],
    ] as const) {
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, size, gl.FLOAT, false, 40, offset);
      gl.vertexAttribDivisor(location, 1);
    }
    gl.bindVertexArray(null);
    return { batch, program, buffer, vertexArray };
  }
}
