/**
 * The slim bar at the top: whose world, whether it goes on and how fast, how the page looks.
 */
import type { ComponentChildren } from 'preact';
import type { Explorer } from '../explorer.ts';
import { seconds, whole } from '../figures.ts';
import { usePart } from '../store.ts';
import { Icon, Logo } from './icon.tsx';

interface ButtonProps {
  label: string;
  keyHint?: string;
  pressed?: boolean;
  class?: string;
  onPress(): void;
  children: ComponentChildren;
}

export function IconButton({ label, keyHint, pressed, class: extra = '', onPress, children }: ButtonProps) {
  const title = keyHint === undefined ? label : `${label} (${keyHint})`;
  return (
    <button
      type="button"
      class={`icon-button ${extra}`}
      aria-label={label}
      aria-pressed={pressed}
      title={title}
      onClick={onPress}
    >
      {children}
    </button>
  );
}

function TimeControls({ explorer }: { explorer: Explorer }) {
  const { store } = explorer;
  const paused = usePart(store, (state) => state.paused);
  const speed = usePart(store, (state) => state.speed);
  return (
    <fieldset class="time-controls" aria-label="Time">
      <IconButton
        label={paused ? 'Play' : 'Pause'}
        keyHint="Space"
        class="primary"
        onPress={() => explorer.togglePlay()}
      >
        <Icon name={paused ? 'play' : 'pause'} />
      </IconButton>
      <IconButton label="One tick" keyHint="." onPress={() => explorer.step()}>
        <Icon name="step" />
      </IconButton>
      <span class="divider" />
      <IconButton label="Half as fast" keyHint="[" onPress={() => explorer.changeSpeed(-1)}>
        <Icon name="slower" />
      </IconButton>
      <output class="speed" aria-label="Speed">
        {speedText(speed)}
      </output>
      <IconButton label="Twice as fast" keyHint="]" onPress={() => explorer.changeSpeed(1)}>
        <Icon name="faster" />
      </IconButton>
    </fieldset>
  );
}

function speedText(speed: number): string {
  if (speed >= 1) return `${Number(speed.toFixed(speed < 10 ? 2 : 0))}×`;
  const inverse = 1 / speed;
  return Number.isInteger(inverse) ? `1/${inverse}×` : `${speed.toFixed(2)}×`;
}

function WorldClock({ explorer }: { explorer: Explorer }) {
  const { store } = explorer;
  const tick = usePart(store, (state) => state.tick);
  const tickSeconds = usePart(store, (state) => state.greeting?.tickSeconds ?? 0);
  return (
    <span class="world-clock" title="World time, and ticks done">
      <b>{seconds(tick * tickSeconds)}</b>
      <span>tick {whole(tick)}</span>
    </span>
  );
}

const CONNECTION_WORDS = {
  connecting: 'connecting',
  live: 'live',
  lost: 'reconnecting',
  foreign: 'another version',
} as const;

export function TopBar({ explorer }: { explorer: Explorer }) {
  const { store } = explorer;
  const title = usePart(store, (state) => state.greeting?.title ?? '');
  const connection = usePart(store, (state) => state.connection);
  const paused = usePart(store, (state) => state.paused);
  const theme = usePart(store, (state) => state.theme);
  const isPanelOpen = usePart(store, (state) => state.isPanelOpen);
  const isHelpOpen = usePart(store, (state) => state.isHelpOpen);
  const liveness = connection === 'live' && paused ? 'paused' : CONNECTION_WORDS[connection];
  return (
    <header class="top-bar">
      <div class="name">
        <Logo />
        <h1>umwelt</h1>
        <span class="title">{title}</span>
      </div>
      <TimeControls explorer={explorer} />
      <div class="page-controls">
        <WorldClock explorer={explorer} />
        <span class={`liveness ${liveness.replace(' ', '-')}`}>{liveness}</span>
        <IconButton
          label={theme === 'dark' ? 'Light' : 'Dark'}
          keyHint="l"
          onPress={() => explorer.toggleTheme()}
        >
          <Icon name={theme === 'dark' ? 'sun' : 'moon'} />
        </IconButton>
        <IconButton
          label="Side panel"
          keyHint="b"
          pressed={isPanelOpen}
          onPress={() => explorer.togglePanel()}
        >
          <Icon name="panel" />
        </IconButton>
        <IconButton label="Help" keyHint="?" pressed={isHelpOpen} onPress={() => explorer.toggleHelp()}>
          <Icon name="help" />
        </IconButton>
      </div>
    </header>
  );
}
