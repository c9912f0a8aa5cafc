/**
 * What a verdict belongs to: head, target branch and merge base. Guard and poster have no git. They compare what the
 * forge tells in one look with what was reviewed; the tip of the target branch helps, because two commits have one
 * merge base for ever.
 */
import { z } from 'zod';
import type { ChangeRequestFacts } from '../../forge/port-facts.ts';
import { CommitSha } from '../../vocabulary/ids.ts';

/** Full name of a branch. */
export const BranchName = z.string().max(4096);

export const Input = z.object({
  head: CommitSha,
  /** The target branch. */
  target: BranchName,
  /** Its tip at the time of the look. */
  targetHead: CommitSha,
  /** The merge base; null when it was not known. */
  base: CommitSha.nullable(),
});
export type Input = z.output<typeof Input>;

/** A reviewed one: the base was computed from git. `otherBases`: where the histories have several merge bases. */
export type KnownInput = Input & { readonly otherBases?: readonly CommitSha[] | undefined };

type Looked = Pick<ChangeRequestFacts, 'head' | 'targetBranch' | 'targetHead' | 'mergeBase'>;

export const inputOf = ({ head, targetBranch, targetHead, mergeBase }: Looked): Input => ({
  head,
  target: targetBranch,
  targetHead,
  base: mergeBase,
});

/** Only the fields of an input, of whatever has them. */
export const inputIn = ({ head, target, targetHead, base }: Input): Input => ({ head, target, targetHead, base });

/** `unknown`: head and target branch are the same, but the merge base is not known, or is one of several. */
export type InputComparison = 'same' | 'other' | 'unknown';

export const compareInputs = (known: KnownInput, present: Input): InputComparison => {
  if (known.head !== present.head || known.target !== present.target) return 'other';
  if (known.targetHead === present.targetHead) return 'same';
  if (known.base === null || present.base === null) return 'unknown';
  const others = known.otherBases ?? [];
  // Of several merge bases a forge names any: only git can say which one counts.
  if (others.length > 0 && [known.base, ...others].includes(present.base)) return 'unknown';
  return known.base === present.base ? 'same' : 'other';
};

/** An unknown merge base is no new input. */
export const mayBeSameInput = (one: KnownInput, other: Input): boolean => compareInputs(one, other) !== 'other';

/** The last one that is exactly this input; undefined for none. */
export const findInput = <Known extends KnownInput>(known: readonly Known[], present: Input): Known | undefined =>
  known.findLast((each) => compareInputs(each, present) === 'same');

/** As markers name it, in which `base` is something else. */
export const inputMarker = ({ head, target, targetHead, base }: Input) => ({
  head,
  target,
  targetHead,
  mergeBase: base,
});

export const otherBasesOf = ({ otherBases = [] }: Pick<KnownInput, 'otherBases'>): Pick<KnownInput, 'otherBases'> =>
  otherBases.length === 0 ? {} : { otherBases };

/** For keys: the tip of the target branch is not part of it. */
export const inputKey = ({ head, target, base }: Pick<Input, 'head' | 'target' | 'base'>): string =>
  `${head} ${base ?? 'unknown'} ${target}`;
