/** What a member answers to those that ask: see state-transfer.ts. */
import type { Replica } from '../state/replica.ts';
import { storeReplica } from '../state/stored-replica.ts';
import { writeStanding } from '../status/world-standing.ts';
import type { JoinSettings } from './join-options.ts';
import { writeSharedSettings } from './shared-settings.ts';
import type { Answers } from './state-transfer.ts';

/** The member's answers, each as of the time of the question. */
export function memberAnswers(member: {
  readonly settings: JoinSettings;
  readonly replica: Replica;
  readonly lagMs: number;
}): Answers {
  return {
    state: () => storeReplica(member.replica),
    standing: () => writeStanding(member.replica, member.lagMs),
    settings: () => writeSharedSettings(member.settings.shared),
  };
}
