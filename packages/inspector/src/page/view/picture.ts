/**
 * One frame of the world: ground, structure, range, trails, crowd, marks, in that order.
 *
 * Needs WebGL2; `createPicture` throws `GraphicsError` without it. After a lost context (the machine slept, the driver
 * restarted) drawing continues when the context returns.
 */
import type { Bounds, Greeting } from '../../feed-message.ts';
import type { FocusFrame } from '../../focus-frame.ts';
import type { StructureFrame } from '../../structure-frame.ts';
import type { Camera } from '../camera.ts';
import type { Between, Crowd } from '../crowd.ts';
import { type Colour, colourOf, type Palette } from '../palette.ts';
import { Density } from './density.ts';
import type { Flashes } from './flashes.ts';
import { FocusMarks, kindColourOf } from './focus-marks.ts';
import { drawGround } from './ground.ts';
import { Marks } from './marks.ts';
import { Points } from './points.ts';
import { GraphicsError } from './program.ts';
import { StructureShapes } from './structure-shapes.ts';
import type { Trails } from './trails.ts';

const RATIO_MAX = 2;
/** Strength of the ground's lines while a structure is drawn. */
const GROUND_UNDER_STRUCTURE = 0.25;
/** How much the crowd is dimmed while an entity is selected: the denser, the more. */
const DIMMED_CROWDED = 0.36;
const DIMMED_SPARSE = 0.6;
/** Number of consecutive slow frames after which the picture is simplified. */
const SLOW_FRAMES = 20;
const SLOW_FRAME_MS = 70;

export interface Scene extends Pick<Greeting, 'rangeShape' | 'rangeRatio' | 'senses'> {
  readonly crowd: Crowd;
  readonly between: Between;
  readonly camera: Camera;
  readonly bounds: Bounds;
  readonly palette: Palette;
  readonly isDark: boolean;
  readonly isByHeight: boolean;
  /** Undefined: none is shown. */
  readonly structure: StructureFrame | undefined;
  readonly selected: FocusFrame | undefined;
  readonly hovered: FocusFrame | undefined;
  /** Compared with the selected entity; 0: none. */
  readonly comparedId: number;
  readonly flashes: Flashes;
  readonly trails: Trails;
  readonly nowMs: number;
}

/** Canvas pixels per CSS pixel. */
export function pixelRatio(): number {
  return Math.min(RATIO_MAX, window.devicePixelRatio || 1);
}

/** Distance between neighbours on the screen, in CSS pixels, if all entities were spread evenly over the bounds. */
export function spacingPx({ crowd, bounds, camera }: Pick<Scene, 'crowd' | 'bounds' | 'camera'>): number {
  const area = Math.max((bounds.maxX - bounds.minX) * (bounds.maxY - bounds.minY), 1e-12);
  return Math.sqrt(area / Math.max(crowd.count, 1)) * camera.scale;
}

/** Diameter of a point in CSS pixels: small points in a crowd, discs large enough to click when there is room. */
export function pointSize(spacing: number): number {
  return 1.1 + 9.4 * (1 - Math.exp(-spacing / 34));
}

function dimmed(spacing: number): number {
  return DIMMED_CROWDED + (DIMMED_SPARSE - DIMMED_CROWDED) * Math.min(1, spacing / 60);
}

export class Picture {
  readonly #canvas: HTMLCanvasElement;
  readonly #gl: WebGL2RenderingContext;
  #layers: { points: Points; density: Density; marks: Marks; structure: StructureShapes } | undefined;
  #dim = 1;
  #lastMs = 0;
  #slowFrameCount = 0;

  constructor(canvas: HTMLCanvasElement) {
    const gl = canvas.getContext('webgl2', {
      alpha: false,
      antialias: false,
      powerPreference: 'high-performance',
    });
    if (gl === null) throw new GraphicsError('this browser offers no WebGL2');
    this.#canvas = canvas;
    this.#gl = gl;
    this.#build();
    canvas.addEventListener('webglcontextlost', (event) => {
      event.preventDefault();
      this.#layers = undefined;
    });
    canvas.addEventListener('webglcontextrestored', () => this.#build());
  }

  /** True while something is still fading, so that another frame is needed. */
  draw(scene: Scene): boolean {
    const layers = this.#layers;
    if (layers === undefined) return false;
    const { crowd, between, camera, palette, structure } = scene;
    this.#judgePace(scene.nowMs);
    const ratio = this.#fitCanvas();
    const gl = this.#gl;
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    const spacing = spacingPx(scene);
    const size = pointSize(spacing);
    const colourOfIndex = scene.isByHeight ? this.#heightColours(scene) : kindColourOf(crowd, palette);
    const { rangeShape, rangeRatio, senses } = scene;
    const pointRadius = size / 2;
    const style = { palette, pointRadius, strength: 1, colourOfIndex, rangeShape, rangeRatio, senses };

    layers.marks.begin(ratio);
    const lineStrength = palette.lineStrength * (structure === undefined ? 1 : GROUND_UNDER_STRUCTURE);
    drawGround(gl, layers.marks, camera, scene.bounds, { ...palette, lineStrength }, ratio);
    if (structure !== undefined) {
      layers.marks.draw();
      layers.structure.draw(structure, camera, palette, ratio);
    }
    const focusMarks = new FocusMarks(layers.marks, crowd);
    const isHoveringOther = scene.hovered !== undefined && scene.hovered.id !== scene.selected?.id;
    const hovered = isHoveringOther ? scene.hovered : undefined;
    if (scene.selected !== undefined) focusMarks.drawRange(scene.selected, between, camera, style);
    if (hovered !== undefined) focusMarks.drawRange(hovered, between, camera, { ...style, strength: 0.6 });
    const trailStrength = 0.5 * this.#dim * Math.min(1, Math.max(0, (spacing - 8) / 20));
    if (trailStrength > 0) {
      scene.trails.draw(
        layers.marks,
        crowd,
        between,
        camera,
        Math.max(1, size * 0.3),
        trailStrength,
        colourOfIndex,
      );
    }
    layers.marks.draw();

    const moved = this.#stepDim(scene.selected?.present === true ? dimmed(spacing) : 1);
    this.#drawCrowd(layers, scene, size, ratio, spacing);

    if (hovered !== undefined)
      focusMarks.drawRelations(hovered, between, camera, { ...style, strength: 0.55 });
    if (scene.selected !== undefined) focusMarks.drawRelations(scene.selected, between, camera, style);
    if (scene.selected !== undefined && scene.comparedId !== 0)
      focusMarks.drawComparison(scene.selected.id, scene.comparedId, between, camera, style);
    scene.flashes.draw(layers.marks, crowd, between, camera, palette, scene.nowMs);
    layers.marks.draw();
    return moved || !scene.flashes.isEmpty;
  }

  #drawCrowd(
    { points, density }: { points: Points; density: Density },
    { crowd, between, camera, palette, bounds, isByHeight, isDark }: Scene,
    size: number,
    ratio: number,
    spacing: number,
  ): void {
    const { minZ = 0, maxZ = 0 } = bounds;
    const crowding = 1 - Math.min(1, Math.max(0, (spacing - 3) / 8));
    const isPlain = this.#isSlow && crowding === 0;
    if (!isPlain) density.begin();
    points.draw(crowd, between, camera, {
      size: size * ratio,
      weight: isPlain ? this.#dim : density.unitWeight,
      isSummed: !isPlain,
      palette,
      heights: isByHeight ? { min: minZ, max: maxZ } : undefined,
      ratio,
    });
    if (isPlain) return;
    // Mean weight of a pixel of the world if entities were spread evenly: the reference for density.
    const meanWeight = (Math.PI * size * size) / 4 / (spacing * spacing);
    density.end({
      gain: 2.6 / (1 + meanWeight),
      meanWeight,
      crowding,
      glow: isDark ? 0.3 : 0.14,
      haziness: isDark ? 0.62 : 0.38,
      dim: this.#dim,
      palette,
    });
  }

  /** Without a graphics card the pass over every pixel takes most of the time: then halos are left out. */
  get #isSlow(): boolean {
    return this.#slowFrameCount >= SLOW_FRAMES;
  }

  #judgePace(nowMs: number): void {
    const elapsedMs = nowMs - this.#lastMs;
    this.#lastMs = nowMs;
    // A long wait is no slow frame: there was nothing to draw.
    if (this.#isSlow || elapsedMs > 400) return;
    this.#slowFrameCount = elapsedMs > SLOW_FRAME_MS ? this.#slowFrameCount + 1 : 0;
  }

  #heightColours({ crowd, between, bounds, palette }: Scene): (index: number) => Colour {
    const { minZ = 0, maxZ = 0 } = bounds;
    const ramp = palette.heights.map(colourOf);
    return (index) => {
      const z = between.to.positions[index * crowd.dimensions + 2] ?? 0;
      const height = Math.min(1, Math.max(0, (z - minZ) / Math.max(maxZ - minZ, 1e-6))) * (ramp.length - 1);
      const below = Math.min(Math.floor(height), ramp.length - 2);
      const low = ramp[below] as Colour;
      const high = ramp[below + 1] as Colour;
      const share = height - below;
      return [
        low[0] + (high[0] - low[0]) * share,
        low[1] + (high[1] - low[1]) * share,
        low[2] + (high[2] - low[2]) * share,
      ];
    };
  }

  #stepDim(goal: number): boolean {
    const rest = goal - this.#dim;
    this.#dim = Math.abs(rest) < 0.01 ? goal : this.#dim + rest * 0.2;
    return this.#dim !== goal;
  }

  #fitCanvas(): number {
    const ratio = pixelRatio();
    const width = Math.max(1, Math.round(this.#canvas.clientWidth * ratio));
    const height = Math.max(1, Math.round(this.#canvas.clientHeight * ratio));
    if (this.#canvas.width !== width || this.#canvas.height !== height) {
      this.#canvas.width = width;
      this.#canvas.height = height;
    }
    return ratio;
  }

  #build(): void {
    const gl = this.#gl;
    this.#layers = {
      points: new Points(gl),
      density: new Density(gl),
      marks: new Marks(gl),
      structure: new StructureShapes(gl),
    };
  }
}
