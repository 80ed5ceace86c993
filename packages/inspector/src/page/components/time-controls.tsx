/** Play, pause, step and speed: in the bar for a live world, on the time line for a recording. */
import type { Explorer } from '../explorer.ts';
import { usePart } from '../store.ts';
import { Icon } from './icon.tsx';
import { IconButton } from './icon-button.tsx';

/** `hasBack`: stepping back is possible, as in a recording. */
export function TimeControls({ explorer, hasBack = false }: { explorer: Explorer; hasBack?: boolean }) {
  const { store } = explorer;
  const paused = usePart(store, (state) => state.paused);
  const speed = usePart(store, (state) => state.speed);
  return (
    <fieldset class="time-controls" aria-label="Time">
      {hasBack && (
        <IconButton label="One tick back" keyHint="," onPress={() => explorer.pace.stepBack()}>
          <Icon name="step-back" />
        </IconButton>
      )}
      <IconButton
        label={paused ? 'Play' : 'Pause'}
        keyHint="Space"
        class="primary"
        onPress={() => explorer.pace.togglePlay()}
      >
        <Icon name={paused ? 'play' : 'pause'} />
      </IconButton>
      <IconButton label="One tick" keyHint="." onPress={() => explorer.pace.step()}>
        <Icon name="step" />
      </IconButton>
      <span class="divider" />
      <IconButton label="Half as fast" keyHint="[" onPress={() => explorer.pace.changeSpeed(-1)}>
        <Icon name="slower" />
      </IconButton>
      <output class="speed" aria-label="Speed">
        {speedText(speed)}
      </output>
      <IconButton label="Twice as fast" keyHint="]" onPress={() => explorer.pace.changeSpeed(1)}>
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
