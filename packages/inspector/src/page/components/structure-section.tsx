/**
 * The world's detector: its name, the choice of another, and the key to the picture of its structure.
 */
import type { StructureFrame } from '../../structure-frame.ts';
import type { Explorer } from '../explorer.ts';
import { compact, whole } from '../figures.ts';
import { usePart } from '../store.ts';
import { FILL_OPACITY, scaleTop } from '../structure-scale.ts';

function DetectorChoice({ explorer }: { explorer: Explorer }) {
  const { store } = explorer;
  const detector = usePart(store, (state) => state.detector);
  const offered = usePart(store, (state) => state.greeting?.detectors);
  const refusal = usePart(store, (state) => state.detectorRefusal);
  if (offered === undefined) return null;
  // The world may have a detector that pages are not offered.
  const names = offered.includes(detector) ? offered : [detector, ...offered];
  return (
    <>
      <div class="choice">
        <label for="detector">Detector</label>
        {offered.length === 0 ? (
          <output id="detector" data-figure="detector">
            {detector}
          </output>
        ) : (
          <select
            id="detector"
            data-figure="detector"
            title="The algorithm that finds who perceives whom (d)"
            value={detector}
            onChange={(event) => explorer.detectorControl.choose(event.currentTarget.value)}
          >
            {names.map((name) => (
              <option key={name} value={name} disabled={!offered.includes(name)}>
                {name}
              </option>
            ))}
          </select>
        )}
      </div>
      {refusal !== undefined && <p class="refusal">{refusal}</p>}
    </>
  );
}

/** From the smallest to the largest count of a cell. */
function CountRamp({ frame }: { frame: StructureFrame }) {
  const opacity = (share: number) => `color-mix(in srgb, var(--structure) ${share * 100}%, transparent)`;
  const background = `linear-gradient(to right, ${opacity(FILL_OPACITY.least)}, ${opacity(FILL_OPACITY.most)})`;
  return (
    <div class="counts-ramp">
      <span>0</span>
      <i style={{ background }} />
      <span>{compact(scaleTop(frame.counts))}</span>
    </div>
  );
}

function StructureKey({ frame }: { frame: StructureFrame }) {
  const lineCount = frame.lines.length / 4;
  const shapes = [
    ...(frame.counts.length > 0 ? [`${whole(frame.counts.length)} cells`] : []),
    ...(lineCount > 0 ? [`${whole(lineCount)} lines`] : []),
  ];
  if (frame.caption === '') return <p class="quiet">{frame.detector} has no structure to draw.</p>;
  return (
    <>
      {frame.counts.length > 0 && <CountRamp frame={frame} />}
      <p class="caption">{frame.caption}</p>
      <p class="quiet" data-figure="shapes">
        {shapes.length === 0 ? 'None of it is in view.' : `${shapes.join(' and ')} in and around the view.`}
        {frame.isCutShort && ' There are more: zoom in to see all.'}
      </p>
    </>
  );
}

export function StructureSection({ explorer }: { explorer: Explorer }) {
  const { store } = explorer;
  const isShown = usePart(store, (state) => state.isStructureShown);
  const frame = usePart(store, (state) => state.structure);
  return (
    <section class="structure" aria-label="Detector">
      <DetectorChoice explorer={explorer} />
      <button
        type="button"
        class="toggle"
        role="switch"
        aria-checked={isShown}
        title="Show or hide the detector's structure (s)"
        onClick={() => explorer.toggleStructure()}
      >
        Structure
        <i aria-hidden="true" />
      </button>
      {isShown && frame === undefined && <p class="quiet">Loading.</p>}
      {frame !== undefined && <StructureKey frame={frame} />}
      {frame !== undefined && frame.description !== '' && (
        <details>
          <summary>More about the structure</summary>
          <pre>{frame.description}</pre>
        </details>
      )}
    </section>
  );
}
