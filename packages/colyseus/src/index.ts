/** The public names of `@umwelt/colyseus` for a room; those for a client are in `client.ts`. */
export type { FramesOptions } from './frames-mode.ts';
export type { InterestRoom } from './interest-mode.ts';
export { RoomInterest, type RoomInterestOptions } from './room-interest.ts';
export type { HideReason, ViewOptions } from './view-mode.ts';
