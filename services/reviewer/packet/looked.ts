/** What a runner tells about who looked at what. */
import type { OmittedFile } from '../../../shared/vocabulary/coverage.ts';
import type { LineRange } from '../../../shared/rules/parse-errors.ts';
import type { RulesReview } from '../../../shared/rules/review-by-rules.ts';

/** `parsed` and `scanned` as in `RulesReview`. */
export type RulesLook = Pick<RulesReview, 'parsed' | 'scanned'>;

export type ModelLook = {
  /** Paths whose lines, or what changed of them since the last complete review, did not fit the prompt, each with the reason. */
  readonly notShown: ReadonlyMap<string, string>;
  /** Lines of the head that the reviewer read itself, uncut, and that its conversation still held at the end. */
  readonly read: ReadonlyMap<string, readonly LineRange[]>;
};

/** `model`: null in a review without one. */
export type Looked = { readonly rules: RulesLook; readonly model: ModelLook | null };

export const modelLook = (notShown: readonly OmittedFile[], read: ModelLook['read'] = new Map()): ModelLook => ({
  notShown: new Map(notShown.map(({ path, reason }) => [path, reason])),
  read,
});
