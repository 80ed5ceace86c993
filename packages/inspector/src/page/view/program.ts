/**
 * Shader programs, compiled and linked, with the locations of their uniforms by name.
 */

export class GraphicsError extends Error {
  override readonly name = 'GraphicsError';
}

export interface Program {
  readonly handle: WebGLProgram;
  /** Null for a uniform that the compiler found unused: setting it does nothing. */
  readonly at: Readonly<Record<string, WebGLUniformLocation | null>>;
}

/** Throws `GraphicsError` with the compiler's message. Cost: milliseconds, once. */
export function createProgram(gl: WebGL2RenderingContext, vertex: string, fragment: string): Program {
  const handle = gl.createProgram();
  for (const [type, source] of [
    [gl.VERTEX_SHADER, vertex],
    [gl.FRAGMENT_SHADER, fragment],
  ] as const) {
    const shader = gl.createShader(type);
    if (shader === null) throw new GraphicsError('the graphics context is lost');
    gl.shaderSource(shader, `#version 300 es\nprecision highp float;\n${source}`);
    gl.compileShader(shader);
    gl.attachShader(handle, shader);
  }
  gl.linkProgram(handle);
  if (gl.getProgramParameter(handle, gl.LINK_STATUS) !== true) {
    const shaders = gl.getAttachedShaders(handle) ?? [];
    const words = shaders.map((shader) => gl.getShaderInfoLog(shader) ?? '').join('');
    throw new GraphicsError(`${gl.getProgramInfoLog(handle) ?? ''} ${words}`.trim());
  }
  const at: Record<string, WebGLUniformLocation | null> = {};
  const uniformCount = gl.getProgramParameter(handle, gl.ACTIVE_UNIFORMS) as number;
  for (let i = 0; i < uniformCount; i++) {
    const name = gl.getActiveUniform(handle, i)?.name.replace('[0]', '');
    if (name !== undefined) at[name] = gl.getUniformLocation(handle, name);
  }
  return { handle, at };
}

/** A triangle that covers the canvas. */
export const COVERING_VERTEX = `
void main() {
  vec2 corner = vec2(float((gl_VertexID << 1) & 2), float(gl_VertexID & 2));
  gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}`;
