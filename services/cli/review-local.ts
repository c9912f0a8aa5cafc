/** One review of a local range: no server, no forge, no credentials, nothing written to the repository. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AppError } from '../../shared/errors.ts';
import { gate, type GateResult } from '../../shared/rounds/gate.ts';
import { rebuildHistory } from '../../shared/rounds/history.ts';
import type { ReviewDraft } from '../../shared/rounds/draft.ts';
import type { Policy } from '../../shared/rounds/facts.ts';
import { judgeRound } from '../../shared/rounds/verdict.ts';
import { type CommitSha, RunId } from '../../shared/rounds/vocabulary.ts';
import { createRedactor } from '../../shared/text/redact.ts';
import { findGit } from '../../shared/workspace/git.ts';
import { type LocalRepository, openLocalRepository } from '../../shared/workspace/local.ts';
import { createRevisions } from '../../shared/workspace/revisions.ts';
import type { PacketLimits } from '../reviewer/packet.ts';
import { reviewOnce } from '../reviewer/review.ts';
import { NO_EXPLORERS } from '../reviewer/explorers.ts';
import type { Task } from '../reviewer/prompt.ts';
import type { Runner, RunScope } from '../reviewer/runner.ts';
import type { ReviewOutput } from './review-output.ts';

export type LocalReview = {
  readonly directory: string;
  /** Branch, tag, id or expression such as `HEAD~2`. The review starts at its merge base with `head`. */
  readonly base: string;
  readonly head: string;
  readonly runner: Runner;
  readonly searchPath: string;
  /** Contract: shows a step to a person; must not throw. */
  readonly onProgress: (step: string) => void;
  readonly signal: AbortSignal;
};

const LIMITS: PacketLimits = {
  maxFiles: 5_000,
  maxDiffBytes: 64 * 1024 * 1024,
  maxFileBytes: 1024 * 1024,
  includePaths: [],
  excludePaths: [],
};

/** The defaults of the server; a local review is always a first round. */
const ROUNDS: Pick<Policy, 'rounds'> = {
  rounds: { max: 3, maxRuns: 6, attempts: 2, threadCount: 2, duplicateThreshold: 0.6 },
};

export class RevisionUnknownError extends AppError {
  constructor(revision: string) {
    super({
      code: 'REVISION_UNKNOWN',
      message: `there is no commit named ${revision}`,
      disposition: { kind: 'fail' },
    });
  }
}

export const reviewLocal = async (review: LocalReview): Promise<ReviewOutput> => {
  const scratchFolder = await mkdtemp(path.join(tmpdir(), 'fixpoint-review-'));
  try {
    const gitPath = findGit(review.searchPath);
    const repository = await openLocalRepository(
      { directory: review.directory, gitPath, scratchFolder },
      review.signal,
    );
    return await reviewRange(review, repository);
  } finally {
    await rm(scratchFolder, { recursive: true, force: true });
  }
};

export class LocalReviewFailedError extends AppError {
  constructor(code: string) {
    super({
      code: 'LOCAL_REVIEW_FAILED',
      message: `the review did not come to its end: ${code}`,
      disposition: { kind: 'fail' },
      fields: { reason: code },
    });
  }
}

const RUN_ID = RunId.parse('0'.repeat(20));

const localTask = ({ base, head }: LocalReview): Task => ({
  title: `${base}..${head}`,
  description: '',
  author: '',
  targetBranch: base,
  round: 1,
  finalRound: false,
  closedThreads: [],
  comments: [],
  replies: new Map(),
  instructions: null,
  earlierNotes: null,
});

/** Nobody else pays and nobody supersedes. */
const localScope = (): RunScope => ({
  runId: RUN_ID,
  changeRequest: { forge: 'local', projectId: 1, number: 1 },
  maxTurns: 8,
  maxRuntimeS: 600,
  explorers: NO_EXPLORERS,
  isSuperseded: async () => false,
});

const reviewRange = async (review: LocalReview, repository: LocalRepository): Promise<ReviewOutput> => {
  const { runner, onProgress, signal } = review;
  const targetHead = await resolve(repository, review.base, signal);
  const head = await resolve(repository, review.head, signal);
  onProgress(`reviewing ${head.slice(0, 10)} against ${targetHead.slice(0, 10)} with ${runner.name}`);
  const revisions = createRevisions(repository.git);
  try {
    const result = await reviewOnce({
      identity: { runId: RUN_ID, round: 1, attempt: 1 },
      request: { head, targetHead, openThreads: [], previous: null },
      task: localTask(review),
      scope: localScope(),
      source: { revisions, limits: LIMITS, signal },
      runner,
      redact: createRedactor([]),
    });
    if (result.kind !== 'draft') throw new LocalReviewFailedError(result.kind === 'failed' ? result.code : result.kind);
    const { draft } = result;
    onProgress(`${draft.coverage.reviewed} of ${draft.coverage.files} changed files reviewed`);
    return outputOf(draft);
  } finally {
    revisions.close();
  }
};

const resolve = async (repository: LocalRepository, revision: string, signal: AbortSignal): Promise<CommitSha> => {
  const found = await repository.resolveRevision(revision, signal);
  if (found === null) throw new RevisionUnknownError(revision);
  return found;
};

const outputOf = (draft: ReviewDraft): ReviewOutput => {
  const history = rebuildHistory({ comments: [], key: 'local', botIds: new Set(), secrets: [] });
  const gated = gate(draft, history, ROUNDS);
  const { verdict, reasons } = judgeRound({
    coverage: draft.coverage,
    gated,
    currentHead: true,
    ledgerFull: false,
    exceeded: draft.exceeded,
  });
  return {
    verdict,
    summary: `${draft.summary} Verdict ${verdict}: ${reasons.join('; ')}.`,
    findings: findingsOf(gated),
    coverage: draft.coverage,
    spent: draft.spent,
  };
};

const findingsOf = (gated: GateResult): ReviewOutput['findings'] =>
  gated.accepted.map(({ id, finding: { claim } }) => ({
    id,
    severity: claim.severity,
    relation: claim.relation,
    path: claim.path,
    side: claim.side,
    startLine: claim.startLine,
    line: claim.line,
    title: claim.title,
    body: claim.body,
    evidence: claim.evidence,
    suggestion: claim.suggestion,
  }));
