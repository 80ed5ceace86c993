/**
 * Why the selected entity is related to the compared one or not, in both directions: a sentence and its figures.
 */
import { useEffect, useRef } from 'preact/hooks';
import type { Answer } from '../../explanation-news.ts';
import type { Explorer } from '../explorer.ts';
import { measured, whole } from '../figures.ts';
import { absence, usePart } from '../store.ts';
import { EntityChip } from './entity-chip.tsx';
import { Icon } from './icon.tsx';
import { IconButton } from './icon-button.tsx';
import { useName } from './use-name.ts';

function figuresOf(answer: Answer): [name: string, value: string][] {
  const { distance, reach, margin, seats, place, rank, lastSeatedRank, weight } = answer;
  const figures: [string, string | undefined][] = [
    ['Distance', measured(distance)],
    ['Reach', reach > 0 ? measured(reach) : undefined],
    ['Margin', margin > 0 ? measured(margin) : undefined],
    ['Place', place === undefined ? undefined : `${whole(place)} of ${whole(seats ?? 0)}`],
    ['Rank', rank === undefined ? undefined : measured(rank)],
    ['Last seated', lastSeatedRank === undefined ? undefined : measured(lastSeatedRank)],
    ['Weight', weight === undefined ? undefined : measured(weight)],
  ];
  return figures.filter((figure): figure is [string, string] => figure[1] !== undefined);
}

function Direction({
  explorer,
  answer,
  from,
  to,
}: {
  explorer: Explorer;
  answer: Answer;
  from: number;
  to: number;
}) {
  const [fromName, toName] = [useName(explorer, from), useName(explorer, to)];
  return (
    <div class={answer.related ? 'direction is-related' : 'direction'} data-rule={answer.rule}>
      <h4>
        {fromName} → {toName}
      </h4>
      <p>{answer.sentence}</p>
      <dl>
        {figuresOf(answer).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** How to start a comparison: a button that works with every pointer, and the quicker ways. */
function AskWhy({ explorer }: { explorer: Explorer }) {
  const isPicking = usePart(explorer.store, (state) => state.isPickingOther);
  const isTouch = matchMedia('(pointer: coarse)').matches;
  return (
    <div class="ask-why">
      <button
        type="button"
        class="chip"
        aria-pressed={isPicking}
        onClick={() => explorer.togglePickingOther()}
      >
        Why related, or not?
      </button>
      <span class="quiet" aria-live="polite">
        {isPicking ? (
          `${isTouch ? 'Tap' : 'Click'} another entity.`
        ) : isTouch ? (
          'Or hold a finger on an entity.'
        ) : (
          <>
            Shift-click, or <kbd>e</kbd>
          </>
        )}
      </span>
    </div>
  );
}

export function Explained({ explorer }: { explorer: Explorer }) {
  const { store } = explorer;
  const id = usePart(store, (state) => state.comparedId);
  const news = usePart(store, (state) => state.explanation);
  const section = useRef<HTMLElement>(null);
  const answeredId = news?.to ?? 0;
  useEffect(() => {
    // It may have been asked for in the world, while the panel shows another part of the card.
    if (answeredId === id) section.current?.scrollIntoView({ block: 'nearest' });
  }, [id, answeredId]);
  if (id === 0) return <AskWhy explorer={explorer} />;
  return (
    <section class="explained" ref={section} aria-label={`Why related to ${explorer.names.of(id)}`}>
      <header>
        <h3>Relation to</h3>
        <EntityChip explorer={explorer} id={id} />
        <IconButton label="Close the explanation" keyHint="Esc" onPress={() => explorer.explain(0)}>
          <Icon name="close" />
        </IconButton>
      </header>
      {news !== undefined && news.forth === undefined && <p class="quiet">{absence(explorer.store.state)}</p>}
      {news?.forth !== undefined && (
        <Direction explorer={explorer} answer={news.forth} from={news.from} to={news.to} />
      )}
      {news?.back !== undefined && (
        <Direction explorer={explorer} answer={news.back} from={news.to} to={news.from} />
      )}
    </section>
  );
}
