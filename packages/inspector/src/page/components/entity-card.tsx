/**
 * The selected entity: kind, position, relations in both directions, and recent events.
 *
 * The two counts have the same marks as their entities in the world, so the card is also the picture's legend.
 */
import type { FocusFrame } from '../../focus-frame.ts';
import type { Explorer } from '../explorer.ts';
import { coordinate, whole } from '../figures.ts';
import { kindColour, PALETTES } from '../palette.ts';
import { absence, usePart } from '../store.ts';
import { Described } from './described.tsx';
import { EntityChip } from './entity-chip.tsx';
import { Explained } from './explanation.tsx';
import { Icon } from './icon.tsx';
import { IconButton } from './icon-button.tsx';
import { RecentEvents } from './recent-events.tsx';
import { SeatsTaken } from './seats.tsx';
import { Senses } from './senses.tsx';
import { Standing } from './standing.tsx';
import { useName } from './use-name.ts';

const NEIGHBOURS_SHOWN = 3;

/** The nearest markers that it perceives. */
function nearestPerceived(explorer: Explorer, focus: FocusFrame): number[] {
  const { crowd, playhead } = explorer.intake;
  const between = crowd.between(playhead.tick);
  const place = new Float64Array(3);
  const found: { id: number; distance: number }[] = [];
  for (const id of focus.perceives.ids) {
    const index = crowd.indexOf(id);
    if (index < 0) continue;
    crowd.placeInto(index, between, place);
    found.push({ id, distance: Math.hypot((place[0] as number) - focus.x, (place[1] as number) - focus.y) });
  }
  found.sort((a, b) => a.distance - b.distance);
  return found.slice(0, NEIGHBOURS_SHOWN).map(({ id }) => id);
}

function Facts({ focus, scale, hasHeight }: { focus: FocusFrame; scale: number; hasHeight: boolean }) {
  return (
    <dl class="facts">
      <div>
        <dt>Position</dt>
        <dd data-figure="position">
          {coordinate(focus.x, scale)}, {coordinate(focus.y, scale)}
          {hasHeight && `, ${coordinate(focus.z, scale)}`}
        </dd>
      </div>
      <div>
        <dt>Id</dt>
        <dd data-figure="id">{focus.id}</dd>
      </div>
    </dl>
  );
}

export function EntityCard({ explorer }: { explorer: Explorer }) {
  const { store } = explorer;
  const focus = usePart(store, (state) => state.selected);
  const kind = usePart(store, (state) => state.selectedKind);
  const greeting = usePart(store, (state) => state.greeting);
  const theme = usePart(store, (state) => state.theme);
  const scale = usePart(store, (state) => state.scale);
  const isFollowing = usePart(store, (state) => state.isFollowing);
  const name = useName(explorer, focus?.id ?? 0);
  if (focus === undefined || greeting === undefined) return null;
  const neighbours = nearestPerceived(explorer, focus);
  const kindName = greeting.kinds[kind] ?? `kind ${kind}`;
  return (
    <section class="card" aria-label={name}>
      <header>
        <i style={{ background: kindColour(PALETTES[theme], kind) }} />
        <h2>
          {name}
          {!name.startsWith(kindName) && <span> {kindName}</span>}
        </h2>
        <IconButton label="Go to it" keyHint="g" onPress={() => explorer.goToSelected()}>
          <Icon name="find" />
        </IconButton>
        <IconButton
          label="Follow"
          keyHint="t"
          pressed={isFollowing}
          onPress={() => explorer.toggleFollowing()}
        >
          <Icon name="follow" />
        </IconButton>
        <IconButton label="Deselect" keyHint="Esc" onPress={() => explorer.select(0)}>
          <Icon name="close" />
        </IconButton>
      </header>
      {focus.present ? (
        <>
          <div class="counts">
            <div class="perceives">
              <b data-figure="perceives">{whole(focus.perceives.total)}</b>
              <span>perceives</span>
            </div>
            <div class="perceived-by">
              <b data-figure="perceived-by">{whole(focus.perceivedBy.total)}</b>
              <span>perceived by</span>
            </div>
          </div>
          <Standing explorer={explorer} focus={focus} />
          <Senses explorer={explorer} focus={focus} />
          <SeatsTaken explorer={explorer} focus={focus} />
          {focus.perceives.total > focus.perceives.ids.length && (
            <p class="quiet">The first {whole(focus.perceives.ids.length)} are drawn.</p>
          )}
          {neighbours.length > 0 && (
            <div class="neighbours">
              <h3>Nearest perceived</h3>
              <div class="chips">
                {neighbours.map((id) => (
                  <EntityChip key={id} explorer={explorer} id={id} />
                ))}
              </div>
            </div>
          )}
          <Explained explorer={explorer} />
          <Facts focus={focus} scale={scale} hasHeight={greeting.bounds.minZ !== undefined} />
        </>
      ) : (
        <p class="quiet">{absence(store.state)}</p>
      )}
      <RecentEvents explorer={explorer} />
      <Described explorer={explorer} />
    </section>
  );
}
