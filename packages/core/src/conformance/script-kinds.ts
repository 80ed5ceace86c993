/** The kinds of operations in a random script: each has a weight in it, which is 0 in some scripts. */
import { INTEREST_KINDS, type InterestKind } from './interest-habits.ts';
import type { ScriptSize } from './script-size.ts';

/** Kinds that change a property. */
export const PROPERTIES = [
  'range',
  'gain',
  'minReach',
  'maxReach',
  'layers',
  'sees',
  'channel',
  'needs',
  'only',
  'onlyGroup',
  'marker',
  'updates',
  'watches',
] as const;

/** Kinds in every script. */
const KINDS = [
  'add',
  'addMany',
  'walk',
  'there and back',
  'moveMany',
  'updateMany',
  'teleport',
  ...PROPERTIES,
  'touch',
  'remove',
  'removeMany',
  'probe',
  'question',
  'restoreAtRest',
  'tick',
] as const;

/** Kinds in scripts with attachments. */
const ATTACHMENT_KINDS = ['attach', 'detach'] as const;

/** Kinds in scripts that use everything at once. */
const TOGETHER_KINDS = ['restore'] as const;

export type Kind =
  | (typeof KINDS)[number]
  | InterestKind
  | (typeof ATTACHMENT_KINDS)[number]
  | (typeof TOGETHER_KINDS)[number];

export function isOfInterest(kind: Kind): kind is InterestKind {
  return (INTEREST_KINDS as readonly string[]).includes(kind);
}

/** The kinds of scripts of a size. */
export function kindsOf({ interests, attachments, together }: ScriptSize): readonly Kind[] {
  return [
    ...KINDS,
    ...(interests ? INTEREST_KINDS : []),
    ...(attachments ? ATTACHMENT_KINDS : []),
    ...(together ? TOGETHER_KINDS : []),
  ];
}
