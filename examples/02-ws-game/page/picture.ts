/**
 * Draws one frame: the wood around the player, and the entities of the client's mirror.
 *
 * Seen entities are drawn as what they are. An entity that is only heard is drawn as rings on the ground, or at the picture's rim if
 * it is farther away. An entity that has just left fades out. All is drawn some ticks in the past, as the client interpolates it,
 * except the own player: it reacts to the keys at once and is pulled towards the server's position.
 */
import type { Entity, UmweltClient } from '@umwelt/client';
import type { Intent } from '../intent.ts';
import { CLOAKED_SHARE, HEARING, KIND, PACE, SIGHT, SPEED } from '../rules.ts';
import { STICK_RADIUS, type Stick } from './controls.ts';
import {
  drawCircle,
  drawEmber,
  drawFire,
  drawGlow,
  drawPlayer,
  drawSteps,
  drawWarden,
  type Figure,
} from './figures.ts';
import { type Camera, drawWood } from './wood.ts';

export const KEEP_LEFT_MS = 700;
/** How much of the player's range of sight the smaller side of the picture shows. */
const VIEW = 1.25;
/** Rate per second at which the own figure is pulled to the server's position. */
const PULL = 5;
const JUMP = 120;
const RIM_PIXELS = 26;

interface Heading {
  x: number;
  y: number;
  angle: number;
}

export class Picture {
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  readonly #headings = new WeakMap<Entity, Heading>();
  #x = 0;
  #y = 0;
  #zoom = 1;
  #drawnMs: number | undefined;

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
    this.#context = canvas.getContext('2d')!;
  }

  /** @param nowMs of `performance.now()`, as for the client. */
  draw(client: UmweltClient, intent: Intent, stick: Stick | undefined, nowMs: number): void {
    const seconds = Math.min(0.1, (nowMs - (this.#drawnMs ?? nowMs)) / 1000);
    this.#drawnMs = nowMs;
    client.interpolate();
    const { own } = client;
    if (own !== undefined) this.#follow(own, intent, seconds);
    const camera = this.#open();
    drawWood(this.#context, camera);
    this.#drawSenses(own?.fields.cloaked === true);
    const time = nowMs / 1000;
    for (const entity of client.left.values()) {
      const alpha = 1 - (nowMs - (entity.leftMs ?? 0)) / KEEP_LEFT_MS;
      if (alpha > 0) this.#drawEntity(entity, this.#figureOf(entity, alpha), time);
    }
    for (const entity of client.entities.values()) {
      if (entity === own) continue;
      const figure = this.#figureOf(entity, 1);
      if (entity.fields.kind === undefined)
        drawSteps(this.#context, this.#inView(figure, camera), entity.fields.pace === PACE.running, time);
      else this.#drawEntity(entity, figure, time);
    }
    if (own !== undefined) this.#drawEntity(own, this.#ownFigure(own, intent), time, true);
    this.#drawWayHome(camera);
    if (stick !== undefined) this.#drawStick(stick);
  }
  /** Moves the own figure by the keys, and part of the way towards the server's position. */
  #follow({ x, y }: Entity, { dx, dy, runs, cloaks }: Intent, seconds: number): void {
    const step = SPEED[runs ? PACE.running : PACE.walking] * (cloaks ? CLOAKED_SHARE : 1) * seconds;
    this.#x += dx * step;
    this.#y += dy * step;
    const isFar = Math.hypot(x - this.#x, y - this.#y) > JUMP;
    const part = isFar ? 1 : 1 - Math.exp(-PULL * seconds);
    this.#x += (x - this.#x) * part;
    this.#y += (y - this.#y) * part;
  }

  /** Fits the picture to its window, with the own figure in the centre; drawing then uses world units. */
  #open(): Camera {
    const { clientWidth, clientHeight } = this.#canvas;
    const ratio = Math.min(2, devicePixelRatio);
    const [width, height] = [Math.round(clientWidth * ratio), Math.round(clientHeight * ratio)];
    if (this.#canvas.width !== width || this.#canvas.height !== height) {
      this.#canvas.width = width;
      this.#canvas.height = height;
    }
    this.#zoom = Math.min(clientWidth, clientHeight) / (2 * SIGHT * VIEW);
    const context = this.#context;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = '#0a1019';
    context.fillRect(0, 0, clientWidth, clientHeight);
    const scale = ratio * this.#zoom;
    context.setTransform(scale, 0, 0, scale, width / 2 - this.#x * scale, height / 2 - this.#y * scale);
    const [halfWidth, halfHeight] = [clientWidth / 2 / this.#zoom, clientHeight / 2 / this.#zoom];
    return { x: this.#x, y: this.#y, halfWidth, halfHeight };
  }

  /** The player's ranges of sight and hearing. */
  #drawSenses(isCloaked: boolean): void {
    const context = this.#context;
    const colour = isCloaked ? '150 130 250' : '170 205 190';
    drawGlow(context, this.#x, this.#y, SIGHT * 1.1, colour, 0.27);
    context.lineWidth = 1;
    context.strokeStyle = `rgb(${colour} / 28%)`;
    drawCircle(context, this.#x, this.#y, SIGHT);
    context.stroke();
    context.setLineDash([2, 8]);
    context.strokeStyle = 'rgb(125 211 252 / 26%)';
    drawCircle(context, this.#x, this.#y, HEARING);
    context.stroke();
    context.setLineDash([]);
  }

  #drawEntity({ fields }: Entity, figure: Figure, seconds: number, isOwn = false): void {
    const context = this.#context;
    if (fields.kind === KIND.fire) drawFire(context, figure.x, figure.y, seconds);
    else if (fields.kind === KIND.ember) drawEmber(context, figure, seconds);
    else if (fields.kind === KIND.warden) drawWarden(context, figure, Number(fields.mood ?? 0));
    else if (fields.kind === KIND.player) {
      drawPlayer(context, figure, {
        name: String(fields.name ?? ''),
        carried: Number(fields.carried ?? 0),
        isOwn,
        isCloaked: fields.cloaked === true,
      });
    }
  }

  #figureOf(entity: Entity, alpha: number): Figure {
    const { x, y } = entity.shown;
    return { x, y, facing: this.#headingOf(entity, x, y), alpha };
  }

  #ownFigure(own: Entity, { dx, dy }: Intent): Figure {
    const heading = this.#headings.get(own) ?? { x: 0, y: 0, angle: 0 };
    this.#headings.set(own, heading);
    if (dx !== 0 || dy !== 0) heading.angle = Math.atan2(dy, dx);
    return { x: this.#x, y: this.#y, facing: heading.angle, alpha: 1 };
  }

  /** Direction in which it looks: that of its last movement. */
  #headingOf(entity: Entity, x: number, y: number): number {
    const heading = this.#headings.get(entity);
    if (heading === undefined) {
      this.#headings.set(entity, { x, y, angle: Math.PI / 2 });
      return Math.PI / 2;
    }
    const [dx, dy] = [x - heading.x, y - heading.y];
    if (Math.hypot(dx, dy) < 1.5) return heading.angle;
    const turn = Math.atan2(dy, dx) - heading.angle;
    heading.angle += Math.atan2(Math.sin(turn), Math.cos(turn)) * 0.35;
    [heading.x, heading.y] = [x, y];
    return heading.angle;
  }

  /** The same figure, or moved to where the way to it leaves the picture. */
  #inView(figure: Figure, { x, y, halfWidth, halfHeight }: Camera): Figure {
    const rim = RIM_PIXELS / this.#zoom;
    const [dx, dy] = [figure.x - x, figure.y - y];
    const part = Math.min(1, (halfWidth - rim) / Math.abs(dx || 1), (halfHeight - rim) / Math.abs(dy || 1));
    return { ...figure, x: x + dx * part, y: y + dy * part };
  }

  /** An arrow to the fire, if the fire is outside the picture. */
  #drawWayHome({ x, y, halfWidth, halfHeight }: Camera): void {
    if (Math.abs(x) < halfWidth && Math.abs(y) < halfHeight) return;
    const context = this.#context;
    const angle = Math.atan2(-y, -x);
    const [atX, atY] = [x + Math.cos(angle) * SIGHT * 0.78, y + Math.sin(angle) * SIGHT * 0.78];
    drawGlow(context, atX, atY, 28, '255 150 60', 0.5);
    context.save();
    context.translate(atX, atY);
    context.rotate(angle);
    context.fillStyle = '#ffb454';
    context.beginPath();
    context.moveTo(10, 0);
    context.lineTo(-6, -7);
    context.lineTo(-2, 0);
    context.lineTo(-6, 7);
    context.fill();
    context.restore();
  }

  #drawStick({ x, y, dx, dy }: Stick): void {
    const context = this.#context;
    const ratio = Math.min(2, devicePixelRatio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.strokeStyle = 'rgb(232 237 248 / 30%)';
    context.lineWidth = 2;
    drawCircle(context, x, y, STICK_RADIUS);
    context.stroke();
    context.fillStyle = 'rgb(232 237 248 / 35%)';
    drawCircle(context, x + dx * STICK_RADIUS, y + dy * STICK_RADIUS, 24);
    context.fill();
  }
}
