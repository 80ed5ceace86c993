/**
 * Turns sums of weights into a picture in which one disc and ten thousand stacked discs are both legible.
 *
 * Points are added up in a half-float texture: colour times weight, and weight. A full-screen pass then takes the mean colour,
 * an opacity that saturates (a single disc is drawn fully, a hundred are drawn no stronger), and a shift towards the palette's
 * dense colour by the logarithm of the density relative to the world's mean. Where entities are too close to be told apart, a
 * haze of the surrounding density replaces the points: a crowd of a hundred thousand is a map with hot spots, not a blob. Haze
 * and halo use the texture's own mipmaps, at almost no cost.
 *
 * If half-float textures cannot be drawn to, byte textures are used, with fewer steps.
 */
import { colourOf, type Palette } from '../palette.ts';
import { COVERING_VERTEX, createProgram, GraphicsError, type Program } from './program.ts';

/** Bytes hold 0 to 1: with them this many stacked discs can be told apart. */
const BYTE_RANGE = 16;

/** The density field is read from mipmaps at an eighth and a sixteenth of the size; the reduction itself blurs it. */
const FIELD_LEVEL = 3;

const FRAGMENT = `
uniform sampler2D sums;
uniform vec2 pixel;
uniform float range, gain, meanWeight, crowding, glow, haziness, dim;
uniform vec3 dense;
out vec4 colour;

// The mean of several kinds' colours is dull: it gets some of its saturation back.
vec3 hue(vec4 sum) {
  vec3 mean = sum.rgb / max(sum.a, 1e-5);
  float grey = dot(mean, vec3(0.3, 0.59, 0.11));
  return clamp(grey + (mean - grey) * mix(1.0, 1.5, crowding), 0.0, 1.0);
}

void main() {
  vec2 place = gl_FragCoord.xy * pixel;
  vec4 field = textureLod(sums, place, ${FIELD_LEVEL.toFixed(1)});
  if (crowding > 0.0) field = mix(textureLod(sums, place, ${(FIELD_LEVEL + 1).toFixed(1)}), field, 0.6);
  vec4 sum = texelFetch(sums, ivec2(gl_FragCoord.xy), 0);
  if (field.a + sum.a < 1e-4) discard;
  field *= range;
  sum *= range;

  float times = field.a / meanWeight;   // how many times as dense as an even crowd
  float speck = (1.0 - exp(-sum.a * gain)) * mix(1.0, 1.0 - 0.7 * haziness, crowding);
  float haze = mix(glow * (1.0 - exp(-field.a * gain * 0.8)), haziness * (1.0 - exp(-0.5 * times * times)), crowding);
  float pileHeat = log2(max(sum.a, 1e-5) / (2.5 + 4.0 * meanWeight)) / 6.0;
  float fieldHeat = log2(max(times, 1e-3) / 1.15) / 5.0;
  float heat = clamp(mix(pileHeat, fieldHeat, crowding), 0.0, 1.0);
  vec3 hazeColour = mix(hue(field), dense, heat * 0.55);
  vec3 speckColour = mix(hue(sum), dense, heat * 0.75);
  colour = (vec4(hazeColour, 1.0) * haze * (1.0 - speck) + vec4(speckColour, 1.0) * speck) * dim;
}`;

export interface DensityStyle {
  /** Opacity of a pixel of weight w is 1 - exp(-w * gain). */
  gain: number;
  /** Weight of a pixel of the world if all entities were spread evenly over its bounds. */
  meanWeight: number;
  /** 0: entities can be told apart, and piles shift to the dense colour. 1: the surrounding density does. */
  crowding: number;
  /** Opacity of the halo around entities that can be told apart, 0 to 1. */
  glow: number;
  /** Maximum opacity of the haze where entities cannot be told apart, 0 to 1. */
  haziness: number;
  /** 1 is normal; lower values dim the crowd behind the marks. */
  dim: number;
  palette: Palette;
}

export class Density {
  readonly #gl: WebGL2RenderingContext;
  readonly #program: Program;
  readonly #frameBuffer: WebGLFramebuffer;
  readonly #texture: WebGLTexture;
  readonly #isHalfFloat: boolean;
  #width = 0;
  #height = 0;

  constructor(gl: WebGL2RenderingContext) {
    this.#gl = gl;
    this.#program = createProgram(gl, COVERING_VERTEX, FRAGMENT);
    this.#isHalfFloat =
      gl.getExtension('EXT_color_buffer_float') !== null ||
      gl.getExtension('EXT_color_buffer_half_float') !== null;
    this.#frameBuffer = gl.createFramebuffer();
    this.#texture = gl.createTexture();
  }

  /** Weight to draw one whole disc with. */
  get unitWeight(): number {
    return this.#isHalfFloat ? 1 : 1 / BYTE_RANGE;
  }

  /** Starts summing: from here on, drawing goes to the texture. */
  begin(): void {
    const gl = this.#gl;
    if (this.#width !== gl.drawingBufferWidth || this.#height !== gl.drawingBufferHeight) this.#resize();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.#frameBuffer);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
  }

  /** Switches back to the canvas and draws the picture over its contents. */
  end({ gain, meanWeight, crowding, glow, haziness, dim, palette }: DensityStyle): void {
    const gl = this.#gl;
    const { handle, at } = this.#program;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.#texture);
    gl.generateMipmap(gl.TEXTURE_2D);
    gl.useProgram(handle);
    gl.uniform1i(at.sums ?? null, 0);
    gl.uniform2f(at.pixel ?? null, 1 / this.#width, 1 / this.#height);
    gl.uniform1f(at.range ?? null, 1 / this.unitWeight);
    gl.uniform1f(at.gain ?? null, gain);
    gl.uniform1f(at.meanWeight ?? null, meanWeight);
    gl.uniform1f(at.crowding ?? null, crowding);
    gl.uniform1f(at.glow ?? null, glow);
    gl.uniform1f(at.haziness ?? null, haziness);
    gl.uniform1f(at.dim ?? null, dim);
    gl.uniform3fv(at.dense ?? null, colourOf(palette.dense));
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  #resize(): void {
    const gl = this.#gl;
    this.#width = gl.drawingBufferWidth;
    this.#height = gl.drawingBufferHeight;
    const [internal, type] = this.#isHalfFloat ? [gl.RGBA16F, gl.HALF_FLOAT] : [gl.RGBA8, gl.UNSIGNED_BYTE];
    gl.bindTexture(gl.TEXTURE_2D, this.#texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, internal, this.#width, this.#height, 0, gl.RGBA, type, null);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAX_LEVEL, FIELD_LEVEL + 1);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    gl.generateMipmap(gl.TEXTURE_2D);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.#frameBuffer);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, this.#texture, 0);
    if (gl.checkFramebufferStatus(gl.FRAMEBUFFER) !== gl.FRAMEBUFFER_COMPLETE) {
      throw new GraphicsError('the graphics card supports no suitable texture format to draw to');
    }
  }
}
