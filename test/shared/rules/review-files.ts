import type { ChangedFile } from '../../../shared/rules/model/rule.ts';
import { reviewByRules, type RulesReview } from '../../../shared/rules/review-by-rules.ts';

/** The built-in rules over a change on which no thread is open. */
export const reviewFiles = async (files: readonly ChangedFile[], signal: AbortSignal): Promise<RulesReview> =>
  reviewByRules({ files, openThreads: [], headText: async () => null, moved: () => null, signal });
