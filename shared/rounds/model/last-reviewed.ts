/** The last round and whether it is about the present input. */
import { compareInputs, inputOf } from './input.ts';
import type { History, ReviewedInput } from './history.ts';

export const lastReviewed = ({ reviewed }: History): ReviewedInput | null =>
  reviewed.toSorted((one, other) => one.round - other.round).at(-1) ?? null;

/** Whether it is about what the forge shows now, for sure. */
export const isPresent = (entry: ReviewedInput | null, facts: Parameters<typeof inputOf>[0]): entry is ReviewedInput =>
  entry !== null && compareInputs(entry, inputOf(facts)) === 'same';
