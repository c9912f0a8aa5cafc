import type { FindingId } from '../vocabulary/ids.ts';
import type { ReportedFix } from '../vocabulary/finding.ts';
import { analyzerOf } from '../vocabulary/analyzer.ts';
import { findHits } from './find-hits.ts';
import { judgeClaims, type RuleClaim } from './recheck.ts';
import { claimOf, type RuleThread, type RulesReviewInput, textsFor } from './review-by-rules.ts';

export type SettledRuleThread = RuleThread & {
  readonly rule: string;
  /** The thread's file at the hand-off, and which lines of that text were removed since; null if unknown. */
  readonly before: { readonly text: string; readonly removedLines: ReadonlySet<number> } | null;
};

export type SettledReview = {
  readonly fixed: readonly ReportedFix[];
  /** Threads whose rule still fires. No other report can mark them as fixed. */
  readonly standing: readonly FindingId[];
};

/**
 * A thread is fixed if, at the hand-off, its rule matched lines that have been removed since, and if the rule no longer
 * matches. An analyzer cannot be asked about the hand-off again, so its thread is fixed if its own line has been removed.
 * @throws RulesEngineMissingError, RulesEngineFailedError, RulesTimeoutError; the signal's reason if aborted.
 */
export const reviewSettled = async <Thread extends SettledRuleThread>(
  threads: readonly Thread[],
  input: Pick<RulesReviewInput<Thread>, 'analysis' | 'headText' | 'moved' | 'signal'>,
): Promise<SettledReview> => {
  const seen = threads.filter(({ side }) => side === 'new');
  if (seen.length === 0) return { fixed: [], standing: threads.map(({ findingId }) => findingId) };
  const claims: RuleClaim[] = [];
  for (const thread of seen) claims.push(await claimOf(thread, input));
  const report = await findHits(await textsFor(claims, { ...input, files: [] }), input.signal, input.analysis);
  const { rechecks } = judgeClaims(claims, report);
  const gone = seen.filter((_, index) => rechecks[index]?.kind !== 'still_there');
  const isChecked = (thread: Thread): boolean =>
    report.covers?.(thread.rule, claims[seen.indexOf(thread)]?.path ?? thread.path) === true;
  const fixed: ReportedFix[] = [];
  for (const thread of gone) {
    const { findingId, rule, path, before } = thread;
    if (analyzerOf(rule) !== null) {
      if (isChecked(thread) && before?.removedLines.has(thread.line) === true)
        fixed.push({ findingId, evidence: '', rule });
      continue;
    }
    const found = before === null ? [] : (await findHits([{ path, text: before.text }], input.signal)).hits;
    const wasThere = found
      .filter((hit) => hit.rule.id === rule)
      .some(({ startLine, endLine }) => hasAny(before?.removedLines, startLine, endLine));
    if (wasThere) fixed.push({ findingId, evidence: '', rule });
  }
  return { fixed, standing: threads.filter((thread) => !gone.includes(thread)).map(({ findingId }) => findingId) };
};

const hasAny = (lines: ReadonlySet<number> = new Set(), from: number, to: number): boolean =>
  [...lines].some((line) => line >= from && line <= to);
