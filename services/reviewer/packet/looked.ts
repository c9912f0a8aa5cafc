import type { OmittedFile } from '../../../shared/vocabulary/coverage.ts';
import type { LineRange } from '../../../shared/rules/noise.ts';
import type { RulesReview } from '../../../shared/rules/review-by-rules.ts';

export type RulesLook = Pick<RulesReview, 'parsed' | 'scanned'> & Partial<Pick<RulesReview, 'failed' | 'readers'>>;

export type ModelLook = {
  /** Paths whose lines (in a later review: changed lines) did not fit the prompt, with the reason for each. */
  readonly notShown: ReadonlyMap<string, string>;
  /** Head lines, by path, that the reviewer itself read uncut and that were still in its conversation at the end. */
  readonly read: ReadonlyMap<string, readonly LineRange[]>;
};

export type Looked = { readonly rules: RulesLook; readonly model: ModelLook | null };

export const modelLook = (notShown: readonly OmittedFile[], read: ModelLook['read'] = new Map()): ModelLook => ({
  notShown: new Map(notShown.map(({ path, reason }) => [path, reason])),
  read,
});
