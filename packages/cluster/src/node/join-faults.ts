/** Why a node cannot join: which errors end it, and which only end an attempt. */
import { UmweltError } from 'umwelt';
import { canRead, formatsText } from '../records/formats.ts';
import { type HelloRefusal, MEMBERS_MAX } from '../state/members.ts';
import type { Replica } from '../state/replica.ts';

export function differs(): UmweltError {
  return new UmweltError(
    'SETTINGS_DIFFER',
    'the world has other settings than this node was given, expected the same world options, interests, channels and views on all nodes; a world keeps its settings in its log and checkpoints',
  );
}

const NAMED_MAX = 8;

/** Why a node or an observer cannot go on with what the members write; `undefined` if it reads that. */
export function faultOfFormat({ formats, members }: Replica): UmweltError | undefined {
  const { format } = members;
  if (canRead(formats, format)) return undefined;
  const live = members.live();
  const named = live.slice(0, NAMED_MAX).map((member) => `${member.name} ${formatsText(member.formats)}`);
  const more = live.length > NAMED_MAX ? ` and ${live.length - NAMED_MAX} more` : '';
  const theirs = live.length === 0 ? 'no member is left' : `the members read: ${named.join(', ')}${more}`;
  return new UmweltError(
    'UNSUPPORTED',
    `this node reads records of format ${formatsText(formats)}, expected format ${format}, in which the members of this world write; ${theirs}. Start the version of @umwelt/cluster that they have`,
    { value: format },
  );
}

/** Not final: the member copies the state of another one, or lets the log continue from its own. */
export function aheadOfLog(): never {
  throw new UmweltError(
    'LOG_DOWN',
    'a member answers with a state that does not go with the log: the log has lost its newest records, or keeps too few of them',
  );
}

/** Not final: members that have the state that goes with the log may only be slower to come back. */
export function notOfThisLog(): never {
  throw new UmweltError(
    'BAD_SNAPSHOT',
    'no member answers, and the newest checkpoint is not of this log: the log has other records where it ended. Remove the checkpoint or the log',
  );
}

/** Not final, as above. */
export function ofAnotherLog(name: string | undefined, log: string | undefined): never {
  throw new UmweltError(
    'BAD_SNAPSHOT',
    `no member answers, and the newest checkpoint is of the log ${name}, expected one of ${log}: each world needs a store of its own. Remove the checkpoint to begin without it`,
    { field: 'checkpoints', value: name },
  );
}

/** Not final: the node asks again, and lets the log continue from its own state if nobody marks ticks. */
export function noStateGoesOn(): UmweltError {
  return new UmweltError(
    'LOG_DOWN',
    'the log does not have the records that come next, and no member answers with a state that goes with it',
  );
}

/** Why a node whose hello was refused cannot join; `undefined` if it may say hello again. One that was a member waits for room. */
export function faultOf(
  refusal: HelloRefusal,
  replica: Replica,
  wasMember: boolean,
): UmweltError | undefined {
  if (refusal === 'settings') return differs();
  if (refusal === 'format') return faultOfFormat(replica);
  if (refusal !== 'full' || wasMember) return undefined;
  return new UmweltError('CAPACITY', `the world has ${MEMBERS_MAX} members already`);
}

/** Whether another attempt would fail in the same way. */
export function isFinal(error: unknown): error is UmweltError {
  return (
    error instanceof UmweltError &&
    (error.code === 'SETTINGS_DIFFER' ||
      error.code === 'UNKNOWN_INTEREST' ||
      error.code === 'UNKNOWN_DETECTOR' ||
      error.code === 'UNSUPPORTED')
  );
}
