/** The part of the digest that comes from keys, kept bytes and fields. */
import { expect, it } from 'vitest';
import { EntityTable } from '../../src/state/entity-table.ts';

const idAt = (slot: number): number => slot * 1024 + 1;

function tableOf(count: number): EntityTable {
  const table = new EntityTable();
  for (let slot = 0; slot < count; slot++) {
    table.add(idAt(slot), 1, `hero ${slot}`);
    table.keep(idAt(slot), Uint8Array.of(slot, 7));
    table.setFields(idAt(slot), { health: slot, name: 'orc' });
  }
  return table;
}

/** The halves of the sum. */
function sumOf(table: EntityTable): [low: number, high: number] {
  const { low, high } = table.keptSum.of(table);
  return [low, high];
}

it('only the entities that have changed since the last digest are mixed', () => {
  const table = tableOf(1000);
  expect(table.keptSum.changedCount).toBe(1000);
  sumOf(table);
  expect(table.keptSum.changedCount).toBe(0);
  table.keep(idAt(3), Uint8Array.of(1));
  table.setFields(idAt(3), { health: 2 });
  table.setFields(idAt(700), { health: 2 });
  table.add(idAt(1000), 1, '');
  table.remove(idAt(1000));
  expect(table.keptSum.changedCount).toBe(2);
});

it('the sum is that of the present state, whatever it was before', () => {
  const table = tableOf(2);
  expect(sumOf(table)).toEqual([1770171918, 113806082]);
  table.keep(idAt(0), Uint8Array.of(9));
  table.setFields(idAt(1), { health: 100, shield: true });
  table.remove(idAt(0));
  expect(sumOf(table)).toEqual([-1330567112, 397848263]);
  table.add(idAt(0), 1, 'hero 0');
  table.keep(idAt(0), Uint8Array.of(0, 7));
  table.setFields(idAt(0), { health: 0, name: 'orc' });
  table.remove(idAt(1));
  table.add(idAt(1), 1, 'hero 1');
  table.keep(idAt(1), Uint8Array.of(1, 7));
  table.setFields(idAt(1), { health: 1, name: 'orc' });
  expect(sumOf(table)).toEqual([1770171918, 113806082]);
  table.dropKept(idAt(0));
  table.dropKept(idAt(1));
  expect(sumOf(table)).toEqual([-87216328, -487697585]);
  table.remove(idAt(0));
  table.remove(idAt(1));
  expect(sumOf(table)).toEqual([0, 0]);
});

it('an entity beyond all slots, in a forged state, changes nothing', () => {
  const table = tableOf(2);
  table.keep(idAt(100_000), Uint8Array.of(1));
  expect(sumOf(table)).toEqual(sumOf(tableOf(2)));
});
