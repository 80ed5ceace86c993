/**
 * The selected entity's cap: how many seats are taken, and the markers without a seat, by place. Each is a button that explains why.
 */
import type { FocusFrame } from '../../focus-frame.ts';
import type { Explorer } from '../explorer.ts';
import { whole } from '../figures.ts';
import { useName } from './use-name.ts';

const SHOWN = 3;

function Outranked({ explorer, id, place }: { explorer: Explorer; id: number; place: number }) {
  const name = useName(explorer, id);
  return (
    <li>
      <button
        type="button"
        class="chip hollow"
        aria-label={`${whole(place)} ${name}: why no seat?`}
        onClick={() => explorer.explain(id)}
      >
        <i />
        <b>{whole(place)}</b> {name}
      </button>
    </li>
  );
}

export function SeatsTaken({ explorer, focus }: { explorer: Explorer; focus: FocusFrame }) {
  const { seats, seated, outrankedTotal, outranked, places } = focus.seats;
  // It has a cap, but nothing to give a seat to.
  const isIdle = focus.range <= 0 && focus.perceives.total === 0;
  if (seats === undefined || isIdle) return null;
  const share = seats === 0 ? 1 : Math.min(1, seated / seats);
  return (
    <div class="seats">
      <h3>Seats</h3>
      <div class="gauge" data-full={outrankedTotal > 0}>
        <i style={{ width: `${share * 100}%` }} />
      </div>
      <p>
        <b data-figure="seats">
          {whole(seated)} of {whole(seats)}
        </b>{' '}
        taken
        {outrankedTotal > 0 && (
          <>
            {' · '}
            <b class="cut" data-figure="outranked">
              {whole(outrankedTotal)}
            </b>{' '}
            cut by the cap
          </>
        )}
      </p>
      {outrankedTotal > 0 && (
        <ul class="chips">
          {[...outranked.subarray(0, SHOWN)].map((id, i) => (
            <Outranked key={id} explorer={explorer} id={id} place={places[i] as number} />
          ))}
        </ul>
      )}
    </div>
  );
}
