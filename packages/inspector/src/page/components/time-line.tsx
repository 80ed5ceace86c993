/**
 * The time line of a recording, under the world: controls, a strip that shows where many pairs entered and left, a handle to
 * drag, and the present tick.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { churnBars, pairsAt } from '../churn-bars.ts';
import type { Explorer } from '../explorer.ts';
import { compact, moment, roundSeconds, seconds, whole } from '../figures.ts';
import { PALETTES, type Palette } from '../palette.ts';
import { usePart } from '../store.ts';
import { pixelRatio } from '../view/picture.ts';
import { TimeControls } from './time-controls.tsx';

const BAR_PX = 2;
const LABEL_PX = 90;
/** Step of the page keys, as a fraction of the recording. */
const PAGE_PART = 0.05;

interface Span {
  readonly firstTick: number;
  readonly lastTick: number;
}

function shareOf(tick: number, { firstTick, lastTick }: Span): number {
  return Math.min(1, Math.max(0, (tick - firstTick) / Math.max(1, lastTick - firstTick)));
}

function drawStrip(canvas: HTMLCanvasElement, explorer: Explorer, palette: Palette): void {
  const { strip } = explorer.store.state;
  const ratio = pixelRatio();
  const [width, height] = [canvas.clientWidth * ratio, canvas.clientHeight * ratio].map(Math.round) as [
    number,
    number,
  ];
  canvas.width = Math.max(1, width);
  canvas.height = Math.max(1, height);
  const context = canvas.getContext('2d');
  if (context === null || strip === undefined || strip.pairs.length === 0) return;
  const bars = churnBars(strip, Math.floor(width / (BAR_PX * ratio)));
  const step = width / bars.heights.length;
  const gap = step > 3 * ratio ? ratio : 0;
  for (let bar = 0; bar < bars.heights.length; bar++) {
    const x = Math.round(bar * step);
    const barWidth = Math.max(1, Math.round((bar + 1) * step) - x - gap);
    const isKnown = (bars.known[bar] as number) > 0;
    context.globalAlpha = isKnown ? 1 : 0.45;
    context.fillStyle = isKnown ? palette.accent : palette.inkFaint;
    const barHeight = Math.max(ratio, (bars.heights[bar] as number) * (height - 3 * ratio));
    context.fillRect(x, height - barHeight, barWidth, barHeight);
    if (bars.areCut[bar] !== 1) continue;
    context.fillStyle = palette.leave;
    context.fillRect(x, 0, barWidth, 2 * ratio);
  }
}

function Strip({ explorer }: { explorer: Explorer }) {
  const strip = usePart(explorer.store, (state) => state.strip);
  const theme = usePart(explorer.store, (state) => state.theme);
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    const draw = () => drawStrip(element, explorer, PALETTES[theme]);
    draw();
    const observer = new ResizeObserver(draw);
    observer.observe(element);
    return () => observer.disconnect();
  }, [strip, theme]);
  return <canvas class="strip" ref={canvas} />;
}

/** Times along the strip, at round seconds. */
function TimeLabels({ span, tickSeconds, width }: { span: Span; tickSeconds: number; width: number }) {
  const whole = (span.lastTick - span.firstTick) * tickSeconds;
  const step = roundSeconds((whole * LABEL_PX) / Math.max(width, 1));
  const times: number[] = [];
  for (let time = 0; time <= whole * 1.000001; time += step) times.push(time);
  return (
    <div class="times" aria-hidden="true">
      {times.map((time) => (
        <span
          key={time}
          class={time > whole * 0.96 ? 'last' : ''}
          style={{ left: `${(time / Math.max(whole, 1e-9)) * 100}%` }}
        >
          {step < 1 ? moment(time) : seconds(time)}
        </span>
      ))}
    </div>
  );
}

function Track({ explorer, span, tickSeconds }: { explorer: Explorer; span: Span; tickSeconds: number }) {
  const { store, timeLine } = explorer;
  const track = useRef<HTMLDivElement>(null);
  const toCome = useRef<HTMLElement>(null);
  const handle = useRef<HTMLElement>(null);
  const [pointed, point] = useState<number>();
  const [width, setWidth] = useState(0);
  const tick = usePart(store, (state) => state.seek?.tick ?? state.tick);
  const progress = usePart(store, (state) => state.seek?.progress);
  const strip = usePart(store, (state) => state.strip);
  const place = () => {
    const at = store.state.seek?.tick ?? explorer.intake.playhead.tick;
    const share = shareOf(at, span);
    if (handle.current !== null) handle.current.style.left = `${share * 100}%`;
    if (toCome.current !== null) toCome.current.style.left = `${share * 100}%`;
  };
  useEffect(() => {
    const element = track.current;
    explorer.afterDraw.add(place);
    const observer = new ResizeObserver(() => setWidth(element?.clientWidth ?? 0));
    if (element !== null) observer.observe(element);
    return () => {
      explorer.afterDraw.delete(place);
      observer.disconnect();
    };
  }, [span.firstTick, span.lastTick]);
  useEffect(place, [tick]);
  const tickAt = (event: PointerEvent): number => {
    const box = (track.current as HTMLElement).getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - box.left) / Math.max(1, box.width)));
    return Math.round(span.firstTick + share * (span.lastTick - span.firstTick));
  };
  const isDragging = (event: PointerEvent) => track.current?.hasPointerCapture(event.pointerId) === true;
  const end = (event: PointerEvent) => {
    if (!isDragging(event)) return;
    track.current?.releasePointerCapture(event.pointerId);
    timeLine.endDrag();
  };
  const time = (of: number) => moment((of - span.firstTick) * tickSeconds);
  const pairs = pointed === undefined || strip === undefined ? undefined : pairsAt(strip, pointed);
  return (
    <div class="track-box">
      <div
        class="track"
        ref={track}
        role="slider"
        tabIndex={0}
        aria-label="Tick of the recording"
        aria-valuemin={span.firstTick}
        aria-valuemax={span.lastTick}
        aria-valuenow={tick}
        aria-valuetext={`tick ${whole(tick)}, ${time(tick)}`}
        aria-busy={progress !== undefined}
        onKeyDown={(event) => {
          if (!event.ctrlKey && !event.metaKey && !event.altKey && seekByKey(explorer, span, event.key)) {
            event.preventDefault();
          }
        }}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          track.current?.setPointerCapture(event.pointerId);
          timeLine.beginDrag();
          timeLine.seek(tickAt(event));
        }}
        onPointerMove={(event) => {
          point(tickAt(event));
          if (isDragging(event)) timeLine.seek(tickAt(event));
        }}
        onPointerUp={end}
        onPointerCancel={end}
        onPointerLeave={() => point(undefined)}
      >
        <Strip explorer={explorer} />
        <i class="to-come" ref={toCome} />
        <i class="handle" ref={handle} data-busy={progress !== undefined && progress > 0} />
        {pointed !== undefined && (
          <div class="pointed" style={{ left: `${shareOf(pointed, span) * 100}%` }} aria-hidden="true">
            <span style={{ translate: `${-shareOf(pointed, span) * 100}% 0` }}>
              <b>{time(pointed)}</b> tick {whole(pointed)}
              {pairs !== undefined && ` · ${compact(pairs)} entered or left`}
            </span>
          </div>
        )}
      </div>
      <TimeLabels span={span} tickSeconds={tickSeconds} width={width} />
    </div>
  );
}

/** False for a key that the slider does not use. */
function seekByKey({ timeLine }: Explorer, { firstTick, lastTick }: Span, key: string): boolean {
  const page = Math.max(1, Math.round((lastTick - firstTick) * PAGE_PART));
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: -1,
    ArrowDown: -1,
    ArrowRight: 1,
    ArrowUp: 1,
    PageDown: -page,
    PageUp: page,
    Home: Number.NEGATIVE_INFINITY,
    End: Number.POSITIVE_INFINITY,
  };
  const step = steps[key];
  if (step === undefined) return false;
  if (Number.isFinite(step)) timeLine.seek(timeLine.tick + step);
  else timeLine.toEnd(step > 0 ? 1 : -1);
  return true;
}

function RecordingClock({
  explorer,
  span,
  tickSeconds,
}: {
  explorer: Explorer;
  span: Span;
  tickSeconds: number;
}) {
  const { store } = explorer;
  const tick = usePart(store, (state) => state.seek?.tick ?? state.tick);
  const progress = usePart(store, (state) => state.seek?.progress ?? 0);
  const isComplete = usePart(store, (state) => state.greeting?.recording?.isComplete ?? true);
  return (
    <div class="recording-clock">
      <div>
        <b>{moment((tick - span.firstTick) * tickSeconds)}</b>
        <span class="whole">of {moment((span.lastTick - span.firstTick) * tickSeconds)}</span>
      </div>
      <div class="ticks">
        tick <span data-figure="tick">{whole(tick)}</span>
        {progress > 0 ? (
          <em>
            <span class="whole"> on the way,</span> {Math.floor(progress * 100)} %
          </em>
        ) : (
          <>
            <span class="whole"> of {whole(span.lastTick)}</span>
            {!isComplete && <em title="The recording was cut short here"> cut short</em>}
          </>
        )}
      </div>
    </div>
  );
}

export function TimeLineBar({ explorer }: { explorer: Explorer }) {
  const span = usePart(explorer.store, (state) => state.greeting?.recording);
  const tickSeconds = usePart(explorer.store, (state) => state.greeting?.tickSeconds ?? 1);
  if (span === undefined) return null;
  return (
    <section class="time-line" aria-label="Recording">
      <TimeControls explorer={explorer} hasBack={true} />
      <Track explorer={explorer} span={span} tickSeconds={tickSeconds} />
      <RecordingClock explorer={explorer} span={span} tickSeconds={tickSeconds} />
    </section>
  );
}
