/**
 * The land from above: entities in the colour of the node that owns them, players with a ring in the colour of the node that shows
 * them, and around the viewer's own hero the client's mirror. Entities of a quiet node are grey: they stand still.
 */
import type { UmweltClient } from '@umwelt/client';
import type { Picture } from '../overview.ts';
import { LAND, SIGHT, TILE_SIZE } from '../rules.ts';
import { colourOf, STILL } from './colours.ts';

/** Time between two pictures, over which positions are interpolated. */
const PICTURE_MS = 100;
const FIELDS = 6;

interface Place {
  x: number;
  y: number;
  fromX: number;
  fromY: number;
}

export class LandPicture {
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  readonly #places = new Map<number, Place>();
  #picture: Picture | undefined;
  #arrivedMs = 0;
  #scale = 1;
  #left = 0;
  #top = 0;

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
    this.#context = canvas.getContext('2d') as CanvasRenderingContext2D;
  }

  take(picture: Picture, nowMs: number): void {
    const part = this.#partAt(nowMs);
    const { entities } = picture;
    for (let at = 0; at < entities.length; at += FIELDS) {
      const id = entities[at] ?? 0;
      const [x, y] = [(entities[at + 1] ?? 0) / 10, (entities[at + 2] ?? 0) / 10];
      const place = this.#places.get(id);
      if (place === undefined) this.#places.set(id, { x, y, fromX: x, fromY: y });
      else {
        place.fromX += (place.x - place.fromX) * part;
        place.fromY += (place.y - place.fromY) * part;
        place.x = x;
        place.y = y;
      }
    }
    this.#picture = picture;
    this.#arrivedMs = nowMs;
  }

  /** Position of a click on the land. */
  placeOf(event: MouseEvent): { x: number; y: number } {
    const box = this.#canvas.getBoundingClientRect();
    return {
      x: (event.clientX - box.left - this.#left) / this.#scale,
      y: (event.clientY - box.top - this.#top) / this.#scale,
    };
  }

  draw(client: UmweltClient, nowMs: number): void {
    this.#fit();
    const picture = this.#picture;
    if (picture === undefined) return;
    const { members, entities } = picture;
    const colours = members.map(({ name, isQuiet }) => (isQuiet ? STILL : colourOf(name)));
    const part = this.#partAt(nowMs);
    this.#drawTiles(entities, colours);
    this.#drawSight(client);
    const context = this.#context;
    for (let at = 0; at < entities.length; at += FIELDS) {
      const [id = 0, , , owner = -1, shower = -1, isPlayer = 0] = entities.slice(at, at + FIELDS);
      const place = this.#places.get(id);
      if (place === undefined) continue;
      // Entities in the client's mirror are drawn where the client has them.
      const seen = client.entities.get(id)?.shown;
      const x = seen?.x ?? place.fromX + (place.x - place.fromX) * part;
      const y = seen?.y ?? place.fromY + (place.y - place.fromY) * part;
      const isOwn = client.own?.id === id;
      context.fillStyle = colours[owner] ?? STILL;
      this.#disc(x, y, isPlayer === 1 ? 2.1 : 1.15);
      if (isPlayer !== 1) continue;
      context.strokeStyle = colours[shower] ?? STILL;
      context.lineWidth = 1.1;
      this.#ring(x, y, 3);
      context.fillStyle = isOwn ? '#fff' : '#b9c4d2';
      context.font = `${isOwn ? 'bold 4.4px' : '3.4px'} system-ui, sans-serif`;
      context.textAlign = 'center';
      context.fillText(isOwn ? 'You' : (picture.names[id] ?? ''), x, y - 5);
    }
  }

  /** Each tile in the colour of the node that owns most entities in it. */
  #drawTiles(entities: readonly number[], colours: readonly string[]): void {
    const context = this.#context;
    const columns = Math.ceil(LAND.width / TILE_SIZE);
    const counts = new Map<number, number[]>();
    for (let at = 0; at < entities.length; at += FIELDS) {
      const column = Math.floor((entities[at + 1] ?? 0) / 10 / TILE_SIZE);
      const row = Math.floor((entities[at + 2] ?? 0) / 10 / TILE_SIZE);
      const tile = Math.min(columns - 1, column) + columns * row;
      const count = counts.get(tile) ?? colours.map(() => 0);
      const owner = entities[at + 3] ?? -1;
      if (owner >= 0) count[owner] = (count[owner] ?? 0) + 1;
      counts.set(tile, count);
    }
    for (const [tile, count] of counts) {
      const most = count.indexOf(Math.max(...count));
      context.fillStyle = colours[most] ?? STILL;
      context.globalAlpha = 0.13;
      context.fillRect(
        (tile % columns) * TILE_SIZE + 0.3,
        Math.floor(tile / columns) * TILE_SIZE + 0.3,
        TILE_SIZE - 0.6,
        TILE_SIZE - 0.6,
      );
    }
    context.globalAlpha = 1;
  }

  /** The client's mirror, not the overview. */
  #drawSight(client: UmweltClient): void {
    const { own } = client;
    if (own === undefined) return;
    const context = this.#context;
    context.fillStyle = 'rgba(255, 255, 255, 0.05)';
    this.#disc(own.shown.x, own.shown.y, SIGHT);
    context.strokeStyle = 'rgba(255, 255, 255, 0.5)';
    context.lineWidth = 0.35;
    context.setLineDash([1.6, 1.6]);
    this.#ring(own.shown.x, own.shown.y, SIGHT);
    context.setLineDash([]);
    context.strokeStyle = 'rgba(255, 255, 255, 0.85)';
    for (const { shown, id } of client.entities.values())
      if (id !== own.id) this.#ring(shown.x, shown.y, 1.9);
  }

  #partAt(nowMs: number): number {
    return Math.min(1, (nowMs - this.#arrivedMs) / PICTURE_MS);
  }

  #disc(x: number, y: number, radius: number): void {
    this.#context.beginPath();
    this.#context.arc(x, y, radius, 0, 2 * Math.PI);
    this.#context.fill();
  }

  #ring(x: number, y: number, radius: number): void {
    this.#context.beginPath();
    this.#context.arc(x, y, radius, 0, 2 * Math.PI);
    this.#context.stroke();
  }

  /** The land, centred and as large as possible. */
  #fit(): void {
    const { clientWidth, clientHeight } = this.#canvas;
    const ratio = window.devicePixelRatio;
    this.#canvas.width = Math.round(clientWidth * ratio);
    this.#canvas.height = Math.round(clientHeight * ratio);
    this.#scale = Math.min(clientWidth / LAND.width, clientHeight / LAND.height);
    this.#left = (clientWidth - this.#scale * LAND.width) / 2;
    this.#top = (clientHeight - this.#scale * LAND.height) / 2;
    const scale = this.#scale * ratio;
    this.#context.setTransform(scale, 0, 0, scale, this.#left * ratio, this.#top * ratio);
  }
}
