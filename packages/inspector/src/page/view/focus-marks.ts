/**
 * What is drawn for the entity that is selected or hovered over: its range, whom it perceives, who perceives it.
 *
 * A line to each marker it perceives, whole and in one colour; around each watcher that perceives it a dashed ring
 * in another, and a dashed line where that is not mutual. Both are told apart by form as well as by colour. Those
 * related are drawn again over the dimmed crowd. With hundreds of lines each gets fainter, so that a crowded
 * place stays a picture.
 */

import type { Greeting } from '../../feed-message.ts';
import type { FocusFrame, FocusList } from '../../focus-frame.ts';
import type { Camera } from '../camera.ts';
import type { Between, Crowd } from '../crowd.ts';
import { type Colour, colourOf, kindColour, type Palette } from '../palette.ts';
import type { Marks } from './marks.ts';

export interface FocusStyle extends Pick<Greeting, 'rangeShape' | 'rangeRatio'> {
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

  /** Lies under the crowd: the longest range filled, those in other senses as outlines. */
  drawRange(focus: FocusFrame, between: Between, camera: Camera, style: FocusStyle): void {
    const index = this.#crowd.indexOf(focus.id);
    if (index < 0 || focus.range <= 0) return;
    this.#placeOf(index, between, camera);
    const colour = colourOf(style.palette.perceives);
    const [x, y] = this.#place as unknown as [number, number];
    const [ratioX, ratioY] = style.rangeRatio;
    const others = focus.ranges.map(({ range }) => range).filter((range) => range > 0 && range < focus.range);
    for (const range of new Set([focus.range, ...others])) {
      const isLongest = range === focus.range;
      const radius = range * camera.scale;
      const opacity = (isLongest ? 0.75 : 0.45) * style.strength;
      const inside = isLongest ? 0.07 * style.strength : 0;
      if (style.rangeShape === 'box')
        this.#marks.addBox(x, y, radius * ratioX, radius * ratioY, 1.5, colour, opacity, inside);
      else this.#marks.addRing(x, y, radius, 1.5, colour, opacity, inside);
    }
  }

  /** Lies over the crowd. */
  drawRelations(focus: FocusFrame, between: Between, camera: Camera, style: FocusStyle): void {
    const index = this.#crowd.indexOf(focus.id);
    if (index < 0) return;
    this.#placeOf(index, between, camera);
    const [x, y] = this.#place as unknown as [number, number];
    const { palette, pointRadius, strength } = style;
    const perceives = colourOf(palette.perceives);
    const perceivedBy = colourOf(palette.perceivedBy);
    this.#drawPerceives(focus.perceives, x, y, between, camera, style, perceives);
    this.#drawPerceivedBy(focus, x, y, between, camera, style, perceivedBy);
    const ink = colourOf(palette.ink);
    this.#marks.addDisc(x, y, pointRadius + 1, style.colourOfIndex(index), 1);
    this.#marks.addRing(x, y, pointRadius + 4, 2, ink, strength);
  }

  /** A ring around the one held against the selected, and a line of the same ink between the two. */
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
    list: FocusList,
    x: number,
    y: number,
    between: Between,
    camera: Camera,
    style: FocusStyle,
    colour: Colour,
  ): void {
    const opacity = style.strength * fading(list.ids.length, 0.5);
    for (const id of list.ids) {
      const index = this.#crowd.indexOf(id);
      if (index < 0) continue;
      this.#placeOf(index, between, camera);
      const [otherX, otherY] = this.#place as unknown as [number, number];
      this.#marks.addLine(x, y, otherX, otherY, 1.1, colour, opacity);
      this.#marks.addDisc(otherX, otherY, style.pointRadius, style.colourOfIndex(index), 1);
      this.#marks.addRing(
        otherX,
        otherY,
        style.pointRadius + gapAround(style.pointRadius),
        1.2,
        colour,
        0.9 * style.strength,
      );
    }
  }

  #drawPerceivedBy(
    focus: FocusFrame,
    x: number,
    y: number,
    between: Between,
    camera: Camera,
    style: FocusStyle,
    colour: Colour,
  ): void {
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

/** Between a disc and the ring around it: the rings of specks stay small. */
function gapAround(pointRadius: number): number {
  return Math.min(2.6, 0.9 + pointRadius * 0.4);
}

/** Opacity of each of `count` lines. */
function fading(count: number, opacity: number): number {
  return Math.max(0.06, opacity * Math.min(1, Math.sqrt(40 / Math.max(count, 1))));
}

/** Colours by kind; heights are for the points alone to tell. */
export function kindColourOf(crowd: Crowd, palette: Palette): (index: number) => Colour {
  return (index) => colourOf(kindColour(palette, crowd.kinds[index] ?? 0));
}
