/** Names: asked for once and together, kept, and never more than there is room for. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { PageMessage } from '../../src/feed-message.ts';
import { Crowd } from '../../src/page/crowd.ts';
import { Names } from '../../src/page/names.ts';
import { firstState, Store } from '../../src/page/store.ts';

let sent: PageMessage[];
let store: Store;
let names: Names;

function begin(hasNames: boolean): void {
  sent = [];
  store = new Store({ ...firstState('dark'), greeting: { hasNames, kinds: ['player'] } as never });
  const crowd = new Crowd();
  const ids = Uint32Array.of(1025);
  crowd.takePopulation({
    ...{ kind: 'population', tick: 1, populationVersion: 1, ids },
    ...{ kinds: new Uint8Array(1), watchers: new Uint8Array(1) },
  });
  names = new Names(store, crowd, (message) => sent.push(message));
}

beforeEach(() => {
  vi.useFakeTimers();
  begin(true);
});
afterEach(() => void vi.useRealTimers());

it('kind and id stand for one that has none, and for one that is not known yet', () => {
  expect(names.of(1025)).toBe('player 1025');
  expect(names.of(2049)).toBe('entity 2049');
});

it('those shown together are asked for together, and once', () => {
  for (let i = 0; i < 3; i++) for (let id = 1; id <= 20; id++) names.of(id);
  vi.runAllTimers();
  expect(sent.map((message) => message.type === 'names' && message.ids.length)).toEqual([16, 4]);
});

it('one that has come is what is shown, and tells the elements', () => {
  const before = store.state.namesRevision;
  names.of(1025);
  names.take({ type: 'names', names: [[1025, 'Mira Okafor']] });
  expect(names.of(1025)).toBe('Mira Okafor');
  expect(store.state.namesRevision).toBeGreaterThan(before);
});

it('where entities have no names of their own nothing is asked', () => {
  begin(false);
  names.of(1025);
  vi.runAllTimers();
  expect(sent).toEqual([]);
});

it('the oldest give way, and are asked for anew', () => {
  names.take({ type: 'names', names: [[7, 'the first']] });
  for (let id = 100; id < 100 + 4096; id++) names.take({ type: 'names', names: [[id, 'x']] });
  expect(names.of(7)).toBe('entity 7');
  vi.runAllTimers();
  expect(sent).toEqual([{ type: 'names', ids: [7] }]);
});

it('another feed has other names', () => {
  names.take({ type: 'names', names: [[1025, 'Mira Okafor']] });
  names.begin();
  expect(names.of(1025)).toBe('player 1025');
});
