/**
 * An input is what a verdict applies to. Guard and the poster have no git, so they compare the input that the forge
 * reports with the reviewed one. Equal tips of the target branch are enough, because the same two commits have the same
 * merge base.
 */
import { z } from 'zod';
import type { ChangeRequestFacts } from '../../forge/port-facts.ts';
import { CommitSha } from '../../vocabulary/ids.ts';

export const BranchName = z.string().max(4096);

export const Input = z.object({
  head: CommitSha,
  target: BranchName,
  /** The tip of the target branch when the input was read. */
  targetHead: CommitSha,
  /** Null if the merge base is unknown. */
  base: CommitSha.nullable(),
});
export type Input = z.output<typeof Input>;

/** An input that was reviewed: git computed its merge base. `otherBases`: the other merge bases, if there are several. */
export type KnownInput = Input & { readonly otherBases?: readonly CommitSha[] | undefined };

type Looked = Pick<ChangeRequestFacts, 'head' | 'targetBranch' | 'targetHead' | 'mergeBase'>;

export const inputOf = ({ head, targetBranch, targetHead, mergeBase }: Looked): Input => ({
  head,
  target: targetBranch,
  targetHead,
  base: mergeBase,
});

export const inputIn = ({ head, target, targetHead, base }: Input): Input => ({ head, target, targetHead, base });

/** `unknown`: head and target branch are equal, but the merge base is unknown or is one of several. */
export type InputComparison = 'same' | 'other' | 'unknown';

export const compareInputs = (known: KnownInput, present: Input): InputComparison => {
  if (known.head !== present.head || known.target !== present.target) return 'other';
  if (known.targetHead === present.targetHead) return 'same';
  if (known.base === null || present.base === null) return 'unknown';
  const others = known.otherBases ?? [];
  // If there are several merge bases, a forge reports any one of them. Only git can tell which one counts.
  if (others.length > 0 && [known.base, ...others].includes(present.base)) return 'unknown';
  return known.base === present.base ? 'same' : 'other';
};

/** True unless the inputs certainly differ: an unknown merge base does not make an input new. */
export const mayBeSameInput = (one: KnownInput, other: Input): boolean => compareInputs(one, other) !== 'other';

export const findInput = <Known extends KnownInput>(known: readonly Known[], present: Input): Known | undefined =>
  known.findLast((each) => compareInputs(each, present) === 'same');

/** The input's fields under the names that markers use: in a marker, `base` means something else. */
export const inputMarker = ({ head, target, targetHead, base }: Input) => ({
  head,
  target,
  targetHead,
  mergeBase: base,
});

export const otherBasesOf = ({ otherBases = [] }: Pick<KnownInput, 'otherBases'>): Pick<KnownInput, 'otherBases'> =>
  otherBases.length === 0 ? {} : { otherBases };

/** A key that is equal for the same input. The tip of the target branch is not part of it. */
export const inputKey = ({ head, target, base }: Pick<Input, 'head' | 'target' | 'base'>): string =>
  `${head} ${base ?? 'unknown'} ${target}`;
