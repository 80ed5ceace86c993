/**
 * The bar at the top: the title, the state and speed of the world, and the page's own controls.
 */
import type { Explorer } from '../explorer.ts';
import { seconds, whole } from '../figures.ts';
import { usePart } from '../store.ts';
import { Icon, Logo } from './icon.tsx';
import { IconButton } from './icon-button.tsx';
import { TimeControls } from './time-controls.tsx';

function WorldClock({ explorer }: { explorer: Explorer }) {
  const { store } = explorer;
  const tick = usePart(store, (state) => state.tick);
  const tickSeconds = usePart(store, (state) => state.greeting?.tickSeconds ?? 0);
  return (
    <span class="world-clock" title="World time and number of ticks">
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
  locked: 'no access',
} as const;

export function TopBar({ explorer }: { explorer: Explorer }) {
  const { store } = explorer;
  const title = usePart(store, (state) => state.greeting?.title ?? '');
  const connection = usePart(store, (state) => state.connection);
  const paused = usePart(store, (state) => state.paused);
  const theme = usePart(store, (state) => state.theme);
  const isPanelOpen = usePart(store, (state) => state.isPanelOpen);
  const isHelpOpen = usePart(store, (state) => state.isHelpOpen);
  const isRecording = usePart(store, (state) => state.greeting?.recording !== undefined);
  const isDriven = usePart(store, (state) => state.greeting?.isDriven ?? true);
  const pace = paused ? 'paused' : isRecording ? 'recording' : CONNECTION_WORDS.live;
  const liveness = connection === 'live' ? pace : CONNECTION_WORDS[connection];
  return (
    <header class="top-bar">
      <div class="name">
        <Logo />
        <h1>umwelt</h1>
        <span class="title">{title}</span>
      </div>
      {isRecording || !isDriven ? <span class="no-controls" /> : <TimeControls explorer={explorer} />}
      <div class="page-controls">
        {!isRecording && <WorldClock explorer={explorer} />}
        <span class={`liveness ${liveness.replaceAll(' ', '-')}`}>{liveness}</span>
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
