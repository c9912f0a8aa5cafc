/** Audits a whole tree without a diff: any folder, no git, no forge, no writes to it. */
import { chmod, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CheckedFinding } from '../../../shared/rounds/model/draft.ts';
import { countLanguages, totalsOf } from '../../../shared/vocabulary/receipts.ts';
import { NOTHING_SPENT } from '../../../shared/vocabulary/spent.ts';
import type { DraftFinding } from '../../../shared/vocabulary/finding.ts';
import type { Coverage, OmittedFile } from '../../../shared/vocabulary/coverage.ts';
import { createRedactor, type Redactor } from '../../../shared/text/redact.ts';
import type { Cage } from '../../../shared/workspace/cage/cage.ts';
import { fingerprintOf } from '../../reviewer/check/fingerprints.ts';
import { mergeFindings } from '../../reviewer/rules/merge-rules.ts';
import { settleClaim, type SettledClaim } from '../../reviewer/check/settle-claim.ts';
import { withCode } from './code-frame.ts';
import { type CageSearch, findLocalCage } from './review-cage.ts';
import { type Audit, auditWithModel, type Audited } from './review-codebase-model.ts';
import { auditByRules } from './review-codebase-rules.ts';
import { orFailed, withoutModel } from './review-failure.ts';
import { nothingToReview } from './review-nothing.ts';
import type { Reviewed, ReviewOutput } from './review-output.ts';
import { outputOf, ROUNDS } from './review-result.ts';
import { type CodebaseReviewer, spentBy } from './local-runners.ts';
import { FOLDER_MODE } from '../../../shared/workspace/bash/take-objects.ts';
import { type AuditTree, layTree, readTreeText, TREE_LIMITS } from './review-tree.ts';
import { UsageError } from '../terminal/usage-error.ts';

export type CodebaseReview = {
  readonly directory: string;
  readonly reviewer: CodebaseReviewer;
  readonly cage: CageSearch;
  /** Contract: shows a step to the user; must not throw. */
  readonly onProgress: (step: string) => void;
  readonly signal: AbortSignal;
};

/**
 * With a model, only files that it or an explorer opened count as reviewed, so that unread files do not pass.
 * @throws UsageError when `directory` is not a folder; otherwise the errors of `reviewLocal`
 */
export const reviewCodebase = async (review: CodebaseReview): Promise<ReviewOutput> => {
  const from = path.resolve(review.directory);
  await requireFolder(from, review.directory);
  const scratch = await mkdtemp(path.join(tmpdir(), 'fixpoint-audit-'));
  try {
    const { reviewer, signal } = review;
    const cage = await findLocalCage(review.cage, { reviewer, folder: scratch }, signal);
    const root = await mkdtemp(path.join(scratch, 'tree-'));
    await chmod(root, FOLDER_MODE);
    const tree = await layTree({ from, root, limits: TREE_LIMITS }, signal);
    review.onProgress(`auditing ${tree.files.length} files with ${reviewer.kind}`);
    if (tree.files.length + tree.omitted.length === 0) return nothingToReview(codebaseBy(reviewer), emptyText(tree));
    const output = await auditTree({ ...review, cage, name: path.basename(from) }, tree);
    return await withCode(output, async (place) => readTreeText(tree, place.path), signal);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
};

const codebaseBy = ({ kind }: CodebaseReviewer): Reviewed => ({ mode: 'codebase', runner: kind, commits: null });

const emptyText = ({ excluded }: AuditTree): string =>
  excluded.length === 0
    ? 'the folder contains no file'
    : `the folder contains no source file (${excluded.length} others)`;

const requireFolder = async (folder: string, given: string): Promise<void> => {
  const found = await stat(folder).catch(() => null);
  if (found === null) throw new UsageError(`${given} does not exist`);
  if (!found.isDirectory()) throw new UsageError(`${given} is not a folder`);
};

type Named = Omit<CodebaseReview, 'cage'> & { readonly cage: Cage | null; readonly name: string };

const auditTree = async (review: Named, tree: AuditTree): Promise<ReviewOutput> => {
  const { reviewer, signal } = review;
  const startedAt = performance.now();
  const rules = await auditByRules(tree, signal);
  const wallMs = Math.round(performance.now() - startedAt);
  const redact = reviewer.kind === 'agent' ? reviewer.model.redact : createRedactor([]);
  const check = async (claims: readonly DraftFinding[]) => checkAll(claims, tree, redact);
  const byRules = {
    review: 1,
    answers: [],
    moved: [],
    exceeded: null,
    summary: summaryOf(tree, rules.findings.length),
    findings: await check(rules.findings),
    coverage: seenByRules(tree, rules),
    spent: { ...NOTHING_SPENT, turns: 1, wallMs },
  };
  if (reviewer.kind === 'rules') return outputOf(codebaseBy(reviewer), byRules);
  const faultOf = async (claim: DraftFinding) => (await settleIn(claim, tree, redact)).fault;
  const audit: Audit = { tree, model: reviewer.model, cage: review.cage, name: review.name, faultOf };
  const result = await orFailed(async () => auditWithModel(audit, signal), signal);
  const spent = await spentBy(reviewer);
  if (result.kind !== 'audited')
    return withoutModel(result, async (failure) => outputOf(codebaseBy(reviewer), { ...byRules, spent }, failure));
  const findings = mergeFindings(rules.findings, result.findings.map(asItStands), ROUNDS.duplicateThreshold);
  return outputOf(codebaseBy(reviewer), {
    ...byRules,
    summary: result.summary,
    findings: await check(findings),
    exceeded: result.exceeded,
    coverage: {
      ...coverageOf(tree, [...rules.omitted, ...leftOut(tree, result)], result.exceeded === null),
    },
    spent,
  });
};

/** A review by the rules alone reports the languages for which there are no rules. */
const seenByRules = (
  tree: AuditTree,
  { omitted, receipts, unknown }: Awaited<ReturnType<typeof auditByRules>>,
): Coverage => {
  const coverage = coverageOf(tree, omitted);
  return {
    ...coverage,
    reviewed: coverage.reviewed - unknown.length,
    receipts: totalsOf(receipts),
    ...(unknown.length === 0 ? {} : { unknownLanguages: countLanguages(unknown) }),
  };
};

const summaryOf = ({ files }: AuditTree, found: number): string =>
  `The built-in rules checked ${files.length} files and found ${found} problem${found === 1 ? '' : 's'}.`;

/** Without a diff, every line counts as part of the current change. */
const asItStands = (finding: DraftFinding): DraftFinding => ({ ...finding, relation: 'current_diff', side: 'new' });

/** Uses `outside_diff`, because there is no diff to check the place against. */
const settleIn = async (claim: DraftFinding, tree: AuditTree, redact: Redactor): Promise<SettledClaim> =>
  settleClaim(
    { ...claim, relation: 'outside_diff' },
    { diff: { files: [] }, headText: async (at) => readTreeText(tree, at), baseText: async () => null, redact },
  );

const checkAll = async (
  claims: readonly DraftFinding[],
  tree: AuditTree,
  redact: Redactor,
): Promise<CheckedFinding[]> => {
  const ordinals = new Map<string, number>();
  const checked: CheckedFinding[] = [];
  for (const claim of claims) {
    const settled = await settleIn(claim, tree, redact);
    const { evidenced } = settled;
    const found = { ...settled.claim, relation: claim.relation };
    const fingerprint = fingerprintOf(found, ordinals);
    checked.push({ claim: found, fingerprint, position: null, unplaced: null, evidenced, onChangedHunk: true });
  }
  return checked;
};

const leftOut = ({ files }: AuditTree, { omitted, opened }: Audited): readonly OmittedFile[] => {
  const named = new Set(omitted.map(({ path: at }) => at));
  const unopened = files.filter(({ path: at }) => !opened.has(at) && !named.has(at));
  return [...omitted, ...unopened.map(({ path: at }) => ({ path: at, reason: UNOPENED }))];
};

const UNOPENED = 'only the built-in rules checked it; no model opened it';

const coverageOf = (tree: AuditTree, missed: readonly OmittedFile[], toTheEnd = true): Coverage => {
  const missing = [...tree.omitted, ...missed];
  const paths = new Set(missing.map(({ path: at }) => at));
  return {
    files: tree.files.length + tree.omitted.length + tree.excluded.length,
    reviewed: tree.files.filter(({ path: at }) => !paths.has(at)).length,
    omitted: [...missing, ...tree.excluded],
    complete: missing.length === 0 && toTheEnd,
  };
};
