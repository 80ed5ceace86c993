// The candidates of the current watcher, in parallel columns: first those of its row, then newcomers. Part of seat-search.ts.
import * as words from '../layouts/seat-search';
import { column, floatAt, setFloat, setWord, wordAt } from './job';

/** Standing of a candidate. */
export const PROTECTED: u32 = words.PROTECTED;
export const SEATED: u32 = words.SEATED;
export const NEW: u32 = words.NEW;
/** Flags of a candidate that gets no seat. WAITS: only because of the enter budget. */
export const DROPPED: u32 = 4;
export const WAITS: u32 = 8;

export let slots: usize = 0;
export let ranks: usize = 0;
/** Squared distances; of whole rows with quotas, the numbers of their quotas. */
export let squares: usize = 0;
/** Two words each. For a candidate of the row: the new state and the former one. For a newcomer: its senses. */
export let states: usize = 0;
export let kinds: usize = 0;
export let count: u32 = 0;
/** The greatest rank in the row, of seats that dwell does not protect. */
export let worstSeated: f32 = 0;

export function openCandidates(job: usize): void {
  slots = column(job, words.CANDIDATE_SLOT);
  ranks = column(job, words.CANDIDATE_RANK);
  squares = column(job, words.CANDIDATE_SQUARE);
  states = column(job, words.CANDIDATE_STATE);
  kinds = column(job, words.CANDIDATE_KIND);
  clearCandidates();
}

export function clearCandidates(): void {
  count = 0;
  worstSeated = 0;
}

/** Keeps the first `total` candidates. */
export function keepCandidates(total: u32): void {
  count = total;
}

/** Adds a marker of the row that is still a candidate. */
@inline
export function addSeated(marker: u32, rank: f32, squared: f32, after: u32, before: u32, isProtected: bool): void {
  setWord(slots, count, marker);
  setFloat(ranks, count, rank);
  setFloat(squares, count, squared);
  store<u32>(states + (<usize>count << 3), after);
  store<u32>(states + (<usize>count << 3), before, 4);
  setWord(kinds, count, isProtected ? PROTECTED : SEATED);
  if (!isProtected && rank > worstSeated) worstSeated = rank;
  count++;
}

@inline
export function addNewcomer(marker: u32, rank: f32, squared: f32, senses: u32): void {
  setWord(slots, count, marker);
  setFloat(ranks, count, rank);
  setFloat(squares, count, squared);
  store<u32>(states + (<usize>count << 3), senses);
  setWord(kinds, count, NEW);
  count++;
}

/** As `addNewcomer`, for a marker that is in a whole row, or comes into it, without a seat. */
@inline
export function addUnseated(marker: u32, rank: f32, squared: f32, after: u32, before: u32): void {
  store<u32>(states + (<usize>count << 3), before, 4);
  addNewcomer(marker, rank, squared, after);
}

@inline
export function moveCandidate(from: u32, to: u32): void {
  setWord(slots, to, wordAt(slots, from));
  setFloat(ranks, to, floatAt(ranks, from));
  setFloat(squares, to, floatAt(squares, from));
  store<u64>(states + (<usize>to << 3), load<u64>(states + (<usize>from << 3)));
  setWord(kinds, to, wordAt(kinds, from));
}
