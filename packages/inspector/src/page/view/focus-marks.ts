/**
 * Marks for the entity that is selected or hovered: its ranges, the markers it perceives and why, the markers that its cap
 * leaves without a seat, and the watchers that perceive it.
 *
 * Each sense has a colour and a line style: they are used for its range, for the line to each marker and for the ring around the
 * marker. A margin-held marker has a fainter line and a broken ring. A marker shown by a pin, a group or `always` has a dotted
 * line in the ink colour. A marker without a seat is hollow and has no line. Each watcher that perceives the entity has a
 * dashed ring in another colour, and a dashed line if the relation is not mutual. Related entities are drawn again over the
 * dimmed crowd. With hundreds of lines each gets fainter, so that a crowded place stays legible.
 *
 * At any zoom, the selected entity has a ring that is large enough to find.
 */
import type { Greeting } from '../../feed-message.ts';
import { type FocusFrame, HOLDS, type PerceivedList, type Seats } from '../../focus-frame.ts';
import type { Camera } from '../camera.ts';
import type { Between, Crowd } from '../crowd.ts';
import { type Colour, colourOf, kindColour, type Palette } from '../palette.ts';
import { type SenseStyle, senseStyle } from '../sense-style.ts';
import type { Marks } from './marks.ts';

/** Minimum radius of the ring around the selected entity and its four ticks, in CSS pixels. */
const FOUND_RADIUS = 15;
const TICK_PX = 7;
/** Strength of a margin-held marker's line, relative to a normal line. */
const HELD_STRENGTH = 0.45;
const FORCED_DASH = 2;
const MARGIN_HOLD = HOLDS.indexOf('margin');

export interface FocusStyle extends Pick<Greeting, 'rangeShape' | 'rangeRatio' | 'senses'> {
  palette: Palette;
  /** Radius of a point, in CSS pixels. */
  pointRadius: number;
  /** 1 for the selected, less for the hovered. */
  strength: number;
  colourOfIndex(index: number): Colour;
}

export class FocusMarks {
  readonly #marks: Marks;
  readonly #crowd: Crowd;
  readonly #place = new Float64Array(3);

  constructor(marks: Marks, crowd: Crowd) {
    this.#marks = marks;
    this.#crowd = crowd;
  }

  /** Drawn under the crowd: the range of each sense, the longest one filled, and the leave margin around it. */
  drawRange(focus: FocusFrame, between: Between, camera: Camera, style: FocusStyle): void {
    const index = this.#crowd.indexOf(focus.id);
    if (index < 0 || focus.range <= 0) return;
    this.#placeOf(index, between, camera);
    const [x, y] = this.#place as unknown as [number, number];
    const told = focus.ranges.map(({ sense, range }) => ({ sense: style.senses.indexOf(sense), range }));
    const ranges = told.length === 0 ? [{ sense: 0, range: focus.range }] : told;
    let filled = false;
    for (const { sense, range } of ranges) {
      if (!(range > 0)) continue;
      const isLongest: boolean = range === focus.range && !filled;
      filled ||= isLongest;
      const look = senseStyle(style.palette, sense);
      const inside = isLongest ? 0.07 * style.strength : 0;
      this.#drawOutline(x, y, range * camera.scale, look, 0.75 * style.strength, inside, style);
    }
    if (focus.margin <= 0) return;
    const look = { colour: style.palette.inkSoft, dash: 3 };
    this.#drawOutline(
      x,
      y,
      (focus.range + focus.margin) * camera.scale,
      look,
      0.4 * style.strength,
      0,
      style,
    );
  }

  #drawOutline(
    x: number,
    y: number,
    radius: number,
    { colour, dash }: SenseStyle,
    opacity: number,
    inside: number,
    { rangeShape, rangeRatio: [ratioX, ratioY] }: FocusStyle,
  ): void {
    const tint = colourOf(colour);
    if (rangeShape === 'box')
      this.#marks.addBox(x, y, radius * ratioX, radius * ratioY, 1.5, tint, opacity, inside, dash);
    else this.#marks.addRing(x, y, radius, 1.5, tint, opacity, inside, dashesAround(radius, dash));
  }

  /** Drawn over the crowd. */
  drawRelations(focus: FocusFrame, between: Between, camera: Camera, style: FocusStyle): void {
    const index = this.#crowd.indexOf(focus.id);
    if (index < 0) return;
    this.#placeOf(index, between, camera);
    const [x, y] = this.#place as unknown as [number, number];
    this.#drawOutranked(focus.seats, between, camera, style);
    this.#drawPerceives(focus.perceives, x, y, between, camera, style);
    this.#drawPerceivedBy(focus, x, y, between, camera, style);
    this.#marks.addDisc(x, y, style.pointRadius + 1, style.colourOfIndex(index), 1);
    this.#drawSelf(focus.role === 'selected', x, y, style);
  }

  /** Ticks around the ring of the selected entity, so that it can be found in a dense crowd and differs from other rings. */
  #drawSelf(isSelected: boolean, x: number, y: number, { palette, pointRadius, strength }: FocusStyle): void {
    const ink = colourOf(palette.ink);
    if (!isSelected) {
      this.#marks.addRing(x, y, pointRadius + 4, 2, ink, strength);
      return;
    }
    const radius = Math.max(FOUND_RADIUS, pointRadius + 8);
    const shade = colourOf(palette.ground);
    this.#marks.addRing(x, y, radius, 5, shade, 0.55);
    this.#marks.addRing(x, y, radius, 2, ink, 1);
    this.#marks.addRing(x, y, pointRadius + 3, 1.5, ink, 1);
    for (const [dx, dy] of [
      [1, 0],
      [-1, 0],
      [0, 1],
      [0, -1],
    ] as const) {
      const [near, far] = [radius, radius + TICK_PX];
      this.#marks.addLine(x + dx * near, y + dy * near, x + dx * far, y + dy * far, 2, ink, 1);
    }
  }

  /** A ring around the compared entity, and a line in the same ink from the selected one to it. */
  drawComparison(selectedId: number, id: number, between: Between, camera: Camera, style: FocusStyle): void {
    const [from, to] = [this.#crowd.indexOf(selectedId), this.#crowd.indexOf(id)];
    if (from < 0 || to < 0) return;
    const ink = colourOf(style.palette.ink);
    this.#placeOf(from, between, camera);
    const [x, y] = this.#place as unknown as [number, number];
    this.#placeOf(to, between, camera);
    const [otherX, otherY] = this.#place as unknown as [number, number];
    this.#marks.addLine(x, y, otherX, otherY, 1.4, ink, 0.9, 3);
    this.#marks.addDisc(otherX, otherY, style.pointRadius + 1, style.colourOfIndex(to), 1);
    this.#marks.addRing(otherX, otherY, style.pointRadius + 6, 2, ink, 1);
  }

  #drawPerceives(
    list: PerceivedList,
    x: number,
    y: number,
    between: Between,
    camera: Camera,
    style: FocusStyle,
  ): void {
    const { palette, pointRadius } = style;
    const opacity = style.strength * fading(list.ids.length, 0.5);
    const gap = gapAround(pointRadius);
    for (const [i, id] of list.ids.entries()) {
      const index = this.#crowd.indexOf(id);
      if (index < 0) continue;
      this.#placeOf(index, between, camera);
      const [otherX, otherY] = this.#place as unknown as [number, number];
      const isHeld = list.holds[i] === MARGIN_HOLD;
      const looks = sensesOf(list.senses[i] as number, palette);
      const strength = isHeld ? HELD_STRENGTH : 1;
      const [first] = looks as [SenseStyle];
      this.#marks.addLine(
        ...([x, y, otherX, otherY] as const),
        isHeld ? 0.9 : 1.1,
        colourOf(first.colour),
        opacity * strength,
        first.dash,
      );
      this.#marks.addDisc(otherX, otherY, pointRadius, style.colourOfIndex(index), 1);
      for (const [ring, look] of looks.entries()) {
        const radius = pointRadius + gap * (1 + ring * 0.9);
        const dashes = isHeld ? 5 : dashesAround(radius, Math.min(look.dash, 4));
        this.#marks.addRing(
          otherX,
          otherY,
          radius,
          1.2,
          colourOf(look.colour),
          0.9 * style.strength,
          0,
          dashes,
        );
      }
    }
  }

  /** Hollow: an outline in place of the disc. */
  #drawOutranked({ outranked }: Seats, between: Between, camera: Camera, style: FocusStyle): void {
    const hollow = colourOf(style.palette.ground);
    const edge = colourOf(style.palette.warning);
    for (const id of outranked) {
      const index = this.#crowd.indexOf(id);
      if (index < 0) continue;
      this.#placeOf(index, between, camera);
      const [x, y] = this.#place as unknown as [number, number];
      const radius = Math.max(3, style.pointRadius);
      this.#marks.addDisc(x, y, radius, hollow, 1);
      this.#marks.addRing(x, y, radius, 1.6, edge, style.strength);
    }
  }

  #drawPerceivedBy(
    focus: FocusFrame,
    x: number,
    y: number,
    between: Between,
    camera: Camera,
    style: FocusStyle,
  ): void {
    const colour = colourOf(style.palette.perceivedBy);
    const mutual = new Set(focus.perceives.ids);
    const opacity = style.strength * fading(focus.perceivedBy.ids.length, 0.55);
    for (const id of focus.perceivedBy.ids) {
      const index = this.#crowd.indexOf(id);
      if (index < 0) continue;
      this.#placeOf(index, between, camera);
      const [otherX, otherY] = this.#place as unknown as [number, number];
      if (!mutual.has(id)) {
        this.#marks.addLine(otherX, otherY, x, y, 1.1, colour, opacity, 4);
        this.#marks.addDisc(otherX, otherY, style.pointRadius, style.colourOfIndex(index), 1);
      }
      this.#marks.addRing(
        otherX,
        otherY,
        style.pointRadius + 2.3 * gapAround(style.pointRadius),
        1.4,
        colour,
        0.85 * style.strength,
        0,
        8,
      );
    }
  }

  #placeOf(index: number, between: Between, camera: Camera): void {
    this.#crowd.placeInto(index, between, this.#place);
    this.#place[0] = camera.screenX(this.#place[0] as number);
    this.#place[1] = camera.screenY(this.#place[1] as number);
  }
}

/** How the senses of a mask are drawn; an empty mask: shown by a rule other than a sense. */
function sensesOf(mask: number, palette: Palette): SenseStyle[] {
  const looks: SenseStyle[] = [];
  for (let s = 0; s < 8; s++) if ((mask & (1 << s)) !== 0) looks.push(senseStyle(palette, s));
  return looks.length === 0 ? [{ colour: palette.ink, dash: FORCED_DASH }] : looks;
}

/** Number of dashes around a ring, about as long as those of a line; 0: solid. */
function dashesAround(radius: number, dash: number): number {
  return dash === 0 ? 0 : Math.max(4, Math.round((2 * Math.PI * radius) / (2 * dash)));
}

/** Distance between a disc and the ring around it: rings of small points stay small. */
function gapAround(pointRadius: number): number {
  return Math.min(2.6, 0.9 + pointRadius * 0.4);
}

/** Opacity of each of `count` lines. */
function fading(count: number, opacity: number): number {
  return Math.max(0.06, opacity * Math.min(1, Math.sqrt(40 / Math.max(count, 1))));
}

/** Colours by kind; only the points are coloured by height. */
export function kindColourOf(crowd: Crowd, palette: Palette): (index: number) => Colour {
  return (index) => colourOf(kindColour(palette, crowd.kinds[index] ?? 0));
}
