/**
 * The crowd as points, added up into a texture of weights from which `Density` makes the picture.
 *
 * Each tick's positions are uploaded once, as they came over the wire. The vertex shader interpolates between two ticks, so a
 * frame in between costs no upload. The size of a point follows from the free space per entity on the screen: discs that can
 * be told apart when zoomed in, small points that add up to a density when zoomed out. Watchers are discs; entities without a
 * range are smaller and hollow.
 *
 * Memory on the graphics card: three ticks of positions, and a byte per entity.
 */
import type { Camera } from '../camera.ts';
import type { Between, Crowd, CrowdTick } from '../crowd.ts';
import { colourOf, kindColour, type Palette } from '../palette.ts';
import { createProgram, type Program } from './program.ts';

const KIND_COLOURS = 8;
const HEIGHT_COLOURS = 5;
const WATCHER_BIT = 128;

const VERTEX = `
layout(location = 0) in vec3 before;
layout(location = 1) in vec3 after;
layout(location = 2) in uint look;
uniform float progress, jumpDistance, size, weight;
uniform vec2 centre, unit, origin;   // unit: clip space for a world unit
uniform vec3 kindColours[${KIND_COLOURS}];
uniform vec3 heightColours[${HEIGHT_COLOURS}];
uniform vec2 heights;                // lowest, and 1 / (highest - lowest); the latter 0 colours by kind
out vec3 colour;
out float strength, diameter, hollow;

void main() {
  vec3 way = after - before;
  float share = abs(way.x) + abs(way.y) > jumpDistance ? step(0.5, progress) : progress;
  vec2 place = (before.xy - centre) + way.xy * share;
  gl_Position = vec4(origin + place * unit, 0.0, 1.0);
  bool watches = (look & ${WATCHER_BIT}u) != 0u;
  colour = kindColours[look & ${KIND_COLOURS - 1}u];
  if (heights.y > 0.0) {
    float height = clamp((after.z - heights.x) * heights.y, 0.0, 1.0) * ${(HEIGHT_COLOURS - 1).toFixed(1)};
    int below = min(int(height), ${HEIGHT_COLOURS - 2});
    colour = mix(heightColours[below], heightColours[below + 1], height - float(below));
  }
  float wanted = watches ? size : size * 0.8;
  diameter = max(wanted, 1.6);
  strength = weight * (wanted * wanted) / (diameter * diameter);
  hollow = watches ? 0.0 : smoothstep(5.0, 9.0, diameter);
  gl_PointSize = diameter + 2.0;
}`;

const FRAGMENT = `
in vec3 colour;
in float strength, diameter, hollow;
out vec4 sum;
void main() {
  float radius = diameter * 0.5;
  float away = length(gl_PointCoord - 0.5) * (diameter + 2.0);
  float covered = clamp(radius - away + 0.5, 0.0, 1.0);
  covered *= 1.0 - hollow * 0.8 * clamp(radius * 0.55 - away + 0.5, 0.0, 1.0);
  float part = covered * strength;
  sum = vec4(colour * part, part);
}`;

interface Uploaded {
  readonly buffer: WebGLBuffer;
  revision: number;
}

export interface PointStyle {
  /** Diameter of a watcher's disc, in canvas pixels. */
  size: number;
  /** Weight of one disc in the sum; when blended directly, its opacity. */
  weight: number;
  /** Summed up for `Density`, or blended directly. */
  isSummed: boolean;
  palette: Palette;
  /** Lowest and highest z, to colour by height; undefined to colour by kind. */
  heights: { min: number; max: number } | undefined;
  /** Canvas pixels per CSS pixel. */
  ratio: number;
}

export class Points {
  readonly #gl: WebGL2RenderingContext;
  readonly #program: Program;
  readonly #vertexArray: WebGLVertexArrayObject;
  readonly #ticks: Uploaded[] = [];
  readonly #looks: Uploaded;

  constructor(gl: WebGL2RenderingContext) {
    this.#gl = gl;
    this.#program = createProgram(gl, VERTEX, FRAGMENT);
    this.#vertexArray = gl.createVertexArray();
    for (let i = 0; i < 3; i++) this.#ticks.push({ buffer: gl.createBuffer(), revision: -1 });
    this.#looks = { buffer: gl.createBuffer(), revision: -1 };
  }

  /** Draws all entities into the bound frame buffer. */
  draw(crowd: Crowd, between: Between, camera: Camera, style: PointStyle): void {
    if (crowd.count === 0) return;
    const gl = this.#gl;
    gl.bindVertexArray(this.#vertexArray);
    this.#bindTick(0, between.from, between.to, crowd.dimensions);
    this.#bindTick(1, between.to, between.from, crowd.dimensions);
    this.#bindLooks(crowd);
    gl.useProgram(this.#program.handle);
    this.#setView(camera, style.ratio);
    this.#setStyle(style);
    const { at } = this.#program;
    gl.uniform1f(at.progress ?? null, between.progress);
    gl.uniform1f(at.jumpDistance ?? null, crowd.jumpDistance);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, style.isSummed ? gl.ONE : gl.ONE_MINUS_SRC_ALPHA);
    gl.drawArrays(gl.POINTS, 0, crowd.count);
    gl.bindVertexArray(null);
  }

  /** Binds a tick's positions; if they are new, uploads them over positions that are no longer used. */
  #bindTick(location: number, tick: CrowdTick, other: CrowdTick, dimensions: number): void {
    const gl = this.#gl;
    let slot = this.#ticks.find((uploaded) => uploaded.revision === tick.revision);
    if (slot === undefined) {
      const free = this.#ticks.filter((uploaded) => uploaded.revision !== other.revision);
      slot = free.reduce((oldest, uploaded) => (uploaded.revision < oldest.revision ? uploaded : oldest));
      slot.revision = tick.revision;
      gl.bindBuffer(gl.ARRAY_BUFFER, slot.buffer);
      gl.bufferData(gl.ARRAY_BUFFER, tick.positions, gl.DYNAMIC_DRAW);
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, slot.buffer);
    gl.enableVertexAttribArray(location);
    gl.vertexAttribPointer(location, dimensions, gl.FLOAT, false, 0, 0);
  }

  #bindLooks(crowd: Crowd): void {
    const gl = this.#gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.#looks.buffer);
    if (this.#looks.revision !== crowd.populationRevision) {
      this.#looks.revision = crowd.populationRevision;
      const looks = new Uint8Array(crowd.count);
      for (let i = 0; i < looks.length; i++) {
        looks[i] = ((crowd.kinds[i] as number) % KIND_COLOURS) | (crowd.watchers[i] === 1 ? WATCHER_BIT : 0);
      }
      gl.bufferData(gl.ARRAY_BUFFER, looks, gl.DYNAMIC_DRAW);
    }
    gl.enableVertexAttribArray(2);
    gl.vertexAttribIPointer(2, 1, gl.UNSIGNED_BYTE, 0, 0);
  }

  #setView(camera: Camera, ratio: number): void {
    const gl = this.#gl;
    const { at } = this.#program;
    const width = gl.drawingBufferWidth;
    const height = gl.drawingBufferHeight;
    gl.uniform2f(at.centre ?? null, camera.x, camera.y);
    gl.uniform2f(at.unit ?? null, (2 * camera.scale * ratio) / width, (2 * camera.scale * ratio) / height);
    gl.uniform2f(
      at.origin ?? null,
      (2 * camera.originX * ratio) / width - 1,
      1 - (2 * camera.originY * ratio) / height,
    );
  }

  #setStyle({ size, weight, palette, heights }: PointStyle): void {
    const gl = this.#gl;
    const { at } = this.#program;
    gl.uniform1f(at.size ?? null, size);
    gl.uniform1f(at.weight ?? null, weight);
    const kindColours = Array.from({ length: KIND_COLOURS }, (_, kind) =>
      colourOf(kindColour(palette, kind)),
    ).flat();
    gl.uniform3fv(at.kindColours ?? null, kindColours);
    gl.uniform3fv(at.heightColours ?? null, palette.heights.flatMap(colourOf));
    if (heights === undefined) gl.uniform2f(at.heights ?? null, 0, 0);
    else gl.uniform2f(at.heights ?? null, heights.min, 1 / Math.max(heights.max - heights.min, 1e-6));
  }
}
