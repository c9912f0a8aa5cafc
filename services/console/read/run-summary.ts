import { ReviewDraft } from '../../../shared/rounds/model/draft.ts';
import { createDocumentStore } from '../../../shared/store/documents.ts';
import { receiptLines } from '../../../shared/vocabulary/receipts.ts';
import { exceededText } from '../../../shared/vocabulary/exceeded.ts';
import type { Severity } from '../../../shared/vocabulary/finding.ts';
import type { Spent } from '../../../shared/vocabulary/spent.ts';
import type { PageSource } from './source.ts';

/** What a run handed to guard. Null if it has not (yet), or if its draft has expired. */
export type RunSummary = {
  readonly runner: string | null;
  readonly model: string | null;
  readonly summary: string;
  readonly findings: readonly { readonly severity: Severity; readonly title: string; readonly where: string }[];
  readonly answers: readonly { readonly id: string; readonly action: string }[];
  readonly files: { readonly all: number; readonly reviewed: number };
  readonly omitted: readonly { readonly path: string; readonly reason: string }[];
  /** Who looked at how many lines, in words. */
  readonly receipts: readonly string[];
  readonly exceeded: string | null;
  readonly spent: Spent;
} | null;

const MAX_OMITTED = 50;

export const summaryOf = async ({ redis, keys, clean }: PageSource, runId: string): Promise<RunSummary> => {
  const draft = await createDocumentStore(redis, ReviewDraft).load(keys.ofRun(runId, 'draft'));
  if (draft === null) return null;
  const { runner, model, summary, findings, answers, coverage, exceeded, spent } = draft;
  return {
    runner: runner ?? null,
    model: model === undefined ? null : clean(model),
    summary: clean(summary),
    findings: findings.map(({ claim }) => ({
      severity: claim.severity,
      title: clean(claim.title),
      where: clean(`${claim.path}:${claim.line}`),
    })),
    answers: answers.map(({ findingId, action }) => ({ id: findingId, action })),
    files: { all: coverage.files, reviewed: coverage.reviewed },
    omitted: coverage.omitted
      .slice(0, MAX_OMITTED)
      .map(({ path, reason }) => ({ path: clean(path), reason: clean(reason) })),
    receipts: receiptLines(coverage.receipts ?? []),
    exceeded: exceeded === null ? null : exceededText(exceeded),
    spent,
  };
};
