/**
 * What a person can do with the detector, as messages to the feed and as what the page then shows.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Greeting, PageMessage } from '../../src/feed-message.ts';
import { Camera } from '../../src/page/camera.ts';
import { DetectorControl } from '../../src/page/detector-control.ts';
import { type PageState, Store } from '../../src/page/store.ts';
import type { StructureFrame } from '../../src/structure-frame.ts';

const frameOf = (detector: string): StructureFrame => ({
  ...{ kind: 'structure', tick: 1, detector, window: { minX: 0, minY: 0, maxX: 1, maxY: 1 } },
  ...{ cells: new Float32Array(0), counts: new Uint32Array(0), lines: new Float32Array(0) },
  ...{ isCutShort: false, caption: 'Cells.', description: '' },
});

describe('the control of the detector', () => {
  let store: Store;
  let said: PageMessage[];
  let control: DetectorControl;

  beforeEach(() => {
    const greeting = { detectors: ['sweep', 'tower', 'quadtree'] } as Greeting;
    store = new Store({ greeting, detector: '', isStructureShown: false } as PageState);
    said = [];
    const camera = new Camera();
    control = new DetectorControl(store, camera, (message) => said.push(message));
    control.takeNews({ type: 'detector', name: 'sweep' });
  });

  it('goes through the detectors both ways, around, and does not wait for an answer', () => {
    for (const direction of [1, 1, 1, -1, -1] as const) control.chooseNext(direction);
    expect(said.map((message) => 'name' in message && message.name)).toEqual([
      'tower',
      'quadtree',
      'sweep',
      'quadtree',
      'tower',
    ]);
    expect(store.state.detector).toBe('sweep');
  });

  it('begins with the first or the last when the world has one that is not offered', () => {
    control.takeNews({ type: 'detector', name: 'of my own' });
    control.chooseNext(1);
    control.takeNews({ type: 'detector', name: 'of my own' });
    control.chooseNext(-1);
    expect(said).toEqual([
      { type: 'detector', name: 'sweep' },
      { type: 'detector', name: 'quadtree' },
    ]);
  });

  it('says nothing when there is nothing to choose', () => {
    store.set({ greeting: { detectors: [] as string[] } as Greeting });
    control.chooseNext(1);
    expect(said).toEqual([]);
  });

  it('asks for what is in sight while the structure is shown, once', () => {
    expect(control.advance(0)).toBe(false);
    control.toggleStructure();
    expect(control.advance(0)).toBe(false);
    expect(control.advance(1000)).toBe(false);
    control.toggleStructure();
    expect(control.advance(2000)).toBe(false);
    expect(said.map(({ type }) => type)).toEqual(['structure', 'structure']);
    expect(said[0]).toHaveProperty('window.minX');
    expect(said[1]).not.toHaveProperty('window');
  });

  it('asks again of a feed that knows nothing of it', () => {
    control.toggleStructure();
    control.advance(0);
    control.begin();
    control.advance(1);
    expect(said.length).toBe(2);
    expect(said[1]).toEqual(said[0]);
  });

  it('shows what comes, but nothing of another detector, and nothing unasked', () => {
    control.takeFrame(frameOf('sweep'));
    expect(store.state.structure).toBeUndefined();
    control.toggleStructure();
    control.takeFrame(frameOf('tower'));
    expect(store.state.structure).toBeUndefined();
    control.takeFrame(frameOf('sweep'));
    expect(store.state.structure?.detector).toBe('sweep');
    control.takeNews({ type: 'detector', name: 'tower' });
    expect(store.state.structure).toBeUndefined();
  });

  it('tells why a detector could not be had until another is asked for', () => {
    control.choose('tower');
    control.takeNews({ type: 'detector', name: 'sweep', refusal: 'not in this world' });
    expect(store.state).toMatchObject({ detector: 'sweep', detectorRefusal: 'not in this world' });
    expect(store.state.announcement).toBe('not in this world');
    control.choose('quadtree');
    expect(store.state.detectorRefusal).toBeUndefined();
  });
});
