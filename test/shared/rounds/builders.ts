/** Plain values for the tests of the pure rounds. Every builder takes what matters and fills in the rest. */
import { createHash } from 'node:crypto';
import type { ChangeRequestFacts, ForgeComment } from '../../../shared/forge/port-facts.ts';
import type { CommitStatus } from '../../../shared/forge/port-statuses.ts';
import type { Carried } from '../../../shared/rounds/model/carried.ts';
import type { CheckedFinding, ReviewDraft } from '../../../shared/rounds/model/draft.ts';
import type { ForgeEvent, InboxEvent } from '../../../shared/rounds/model/events.ts';
import type { Policy } from '../../../shared/rounds/model/policy.ts';
import type { Facts, ReviewCommand } from '../../../shared/rounds/model/facts.ts';
import { rebuildHistory } from '../../../shared/rounds/memory/rebuild-history.ts';
import type { History, ReviewedInput, Thread } from '../../../shared/rounds/model/history.ts';
import type { Input } from '../../../shared/rounds/model/input.ts';
import { NOTHING_SPENT } from '../../../shared/vocabulary/spent.ts';
import type { ReevaluateRun, ReplyRun, ReviewRun, Run } from '../../../shared/rounds/model/run.ts';
import { emptyState, type GuardState } from '../../../shared/rounds/model/state.ts';
import { CommitSha, RunId } from '../../../shared/vocabulary/ids.ts';
import type { DraftFinding } from '../../../shared/vocabulary/finding.ts';

const shas = new Map<string, CommitSha>();

export const sha = (seed: string): CommitSha => {
  const made = shas.get(seed) ?? CommitSha.parse(createHash('sha1').update(seed).digest('hex'));
  shas.set(seed, made);
  return made;
};
export const runId = (seed: string): RunId => RunId.parse(createHash('sha1').update(seed).digest('hex').slice(0, 20));
export const print = (seed: string): string => createHash('sha256').update(seed).digest('hex').slice(0, 32);

/** That head, compared with the target branch of all builders. */
export const at = (head: CommitSha, patch: Partial<Input> = {}): Input => ({
  head,
  target: 'main',
  targetHead: sha('target'),
  base: sha('base'),
  ...patch,
});

/** As a summary's marker remembers it. */
export const reviewedAt = (head: CommitSha, patch: Partial<ReviewedInput> = {}): ReviewedInput => ({
  ...at(head),
  base: sha('base'),
  fingerprint: print('patch'),
  rules: print('rules'),
  review: 1,
  verdict: 'feedback',
  ...patch,
});

/** The verdict on that head, for the same patch on a newer base. */
export const carried = (reviewedHead: CommitSha): Carried => ({
  base: sha('base'),
  targetHead: sha('target'),
  patchFingerprint: print('patch'),
  reviewedHead,
  reviewedBase: sha('base'),
  reviewedTarget: 'main',
  rules: print('rules'),
  baseMoved: true,
});

export const BOT_ID = 900;
export const AUTHOR_ID = 7;
export const OTHER_BOT_ID = 910;
export const SECRET = 'x'.repeat(40);
export const KEY = 'main.1.5';
export const NOW = 1_000_000;

export const policy = (patch: Partial<Policy> = {}, rounds: Partial<Policy['rounds']> = {}): Policy => ({
  triggers: ['opened', 'pushed', 'reopened', 'ready', 'review_requested', 'mention'],
  reviewDrafts: false,
  quietMs: 0,
  forgeVerdict: 'off',
  filters: { labels: [], ignoreLabels: [], authors: [], ignoreAuthors: [], targetBranches: [] },
  rounds: {
    max: 3,
    maxRuns: 6,
    maxSilent: 4,
    maxCarried: 4,
    maxComments: 20,
    attempts: 2,
    threadCount: 2,
    duplicateThreshold: 0.6,
    ...rounds,
  },
  author: { enabled: false, projects: [], labels: [], authors: [], timeoutMs: 90_000 },
  reviewOnBaseChange: false,
  gate: { waitForCi: true, ciDeadlineMs: 1_800_000, ciGraceMs: 0, ignoreContexts: [] },
  runTimeoutMs: 60_000,
  postTimeoutMs: 30_000,
  ...patch,
});

export const changeRequest = (patch: Partial<ChangeRequestFacts> = {}): ChangeRequestFacts => ({
  changeRequest: { forge: 'main', projectId: 1, number: 5 },
  state: 'open',
  draft: false,
  title: 'Change',
  description: '',
  author: { id: AUTHOR_ID, login: 'author' },
  labels: [],
  head: sha('head'),
  targetHead: sha('target'),
  sourceBranch: 'feature',
  targetBranch: 'main',
  mergeBase: sha('base'),
  fromFork: false,
  reviewers: [],
  updatedAtMs: 0,
  webUrl: 'http://forge.example/5',
  ...patch,
});

export const history = (patch: Partial<History> = {}): History => ({
  ...rebuildHistory({ comments: [], key: KEY, botIds: new Set([BOT_ID]), secrets: [SECRET] }),
  ...patch,
});

export const facts = (patch: Partial<Facts> = {}): Facts => ({
  changeRequest: changeRequest(),
  history: history(),
  botIds: new Set([BOT_ID]),
  mention: 'fixpoint',
  otherBotIds: new Set([OTHER_BOT_ID]),
  requests: [],
  answers: [],
  orders: [],
  fix: null,
  draft: draft(),
  ci: null,
  seenCommands: { untilMs: 0, keys: [] },
  ...patch,
});

export const status = (state: CommitStatus['state'], patch: Partial<CommitStatus> = {}): CommitStatus => ({
  context: 'fixpoint',
  state,
  description: '',
  createdAtMs: 0,
  ...patch,
});

export const request = (patch: Partial<ReviewCommand> = {}): ReviewCommand => ({
  noteId: 4,
  kind: 'conversation',
  authorId: AUTHOR_ID,
  command: 'review',
  allowed: true,
  ...patch,
});

export const forgeEvent = (kind: ForgeEvent['kind'], patch: Partial<ForgeEvent> = {}): ForgeEvent => ({
  source: 'forge',
  id: `e-${kind}`,
  atMs: 0,
  kind,
  head: null,
  noteId: null,
  actorId: AUTHOR_ID,
  requestedReviewerId: null,
  ...patch,
});

export const runEvent = (
  of: Run,
  kind: 'drafted' | 'superseded' | 'failed' | 'overdue',
  code = 'BROKEN',
): InboxEvent => ({
  source: 'run',
  id: `${kind}-${of.runId}`,
  atMs: 0,
  kind,
  runId: of.runId,
  code: kind === 'failed' ? code : null,
});

export const postEvent = (of: Run, outcome: 'posted' | 'head_moved' | 'failed'): InboxEvent => ({
  source: 'post',
  id: `${outcome}-${of.planId}`,
  atMs: 0,
  runId: of.runId,
  planId: of.planId ?? '',
  outcome,
  code: outcome === 'failed' ? 'BROKEN' : null,
});

const runBase = () =>
  ({
    runId: runId('run'),
    ...at(sha('head')),
    review: 1,
    attempt: 1,
    phase: 'reviewing',
    planId: null,
    deadlineMs: NOW + 60_000,
  }) as const;

export const run = (patch: Partial<ReviewRun> = {}): ReviewRun => ({
  ...runBase(),
  kind: 'review',
  mustFinish: false,
  ...patch,
});

export const replyRun = (patch: Partial<ReplyRun> = {}): ReplyRun => ({
  ...runBase(),
  kind: 'reply',
  scope: { threads: ['F-001'], note: 50 },
  ...patch,
});

export const reevaluateRun = (patch: Partial<ReevaluateRun> = {}): ReevaluateRun => ({
  ...runBase(),
  kind: 'reevaluate',
  ...patch,
});

export const state = (patch: Partial<GuardState> = {}): GuardState => ({
  ...emptyState(),
  placed: { head: sha('head'), target: 'main' },
  firstSeen: { head: sha('head'), atMs: NOW },
  seenCommands: { untilMs: 0, keys: [] },
  ...patch,
});

export const claim = (patch: Partial<DraftFinding> = {}): DraftFinding => ({
  path: 'a.ts',
  side: 'new',
  startLine: 3,
  line: 3,
  severity: 'P1',
  relation: 'current_diff',
  title: 'The result is never awaited',
  body: 'The promise is dropped, so its failure is lost.',
  evidence: 'save(order);',
  suggestion: null,
  blocking: false,
  rule: null,
  ...patch,
});

export const finding = (patch: Partial<CheckedFinding> = {}, claimed: Partial<DraftFinding> = {}): CheckedFinding => {
  const made = claim(claimed);
  const line = { kind: 'added', oldLine: null, newLine: made.line, lineCodeOld: 0, lineCodeNew: made.line } as const;
  return {
    claim: made,
    fingerprint: print(`${made.path} ${made.title} ${made.evidence}`),
    position: { oldPath: made.path, newPath: made.path, side: 'new', start: line, end: line },
    unplaced: null,
    evidenced: true,
    onChangedHunk: true,
    ...patch,
  };
};

export const thread = (patch: Partial<Thread> = {}): Thread => {
  const made = finding();
  return {
    id: 'F-001',
    fingerprint: made.fingerprint,
    severity: 'P1',
    blocking: true,
    state: 'open',
    count: 0,
    stance: 'seeks_change',
    review: 1,
    place: made.claim,
    head: sha('head'),
    title: made.claim.title,
    rule: null,
    comment: null,
    ...patch,
  };
};

/** Every thread that a draft resolves may be resolved, unless a test says otherwise. */
export const resolvableBy = (answers: ReviewDraft['answers']): NonNullable<ReviewDraft['resolvable']> =>
  answers.map(({ findingId }) => ({ findingId, why: 'touched' }));

export const draft = (patch: Partial<ReviewDraft> = {}): ReviewDraft => ({
  v: 1,
  runId: runId('run'),
  head: sha('head'),
  base: sha('base'),
  targetHead: sha('target'),
  patchFingerprint: print('patch'),
  rules: print('rules'),
  review: 1,
  attempt: 1,
  summary: 'Looked at everything.',
  findings: [],
  answers: [],
  resolvable: resolvableBy(patch.answers ?? []),
  moved: [],
  coverage: { files: 1, reviewed: 1, omitted: [], complete: true },
  exceeded: null,
  validations: [],
  spent: NOTHING_SPENT,
  ...patch,
});

let nextCommentId = 1;

export const comment = (body: string, patch: Partial<ForgeComment> = {}): ForgeComment => {
  nextCommentId += 1;
  return {
    id: `${nextCommentId}`,
    kind: 'conversation',
    threadId: null,
    author: { id: BOT_ID, login: 'fixpoint' },
    body,
    createdAtMs: nextCommentId,
    updatedAtMs: nextCommentId,
    place: null,
    resolved: null,
    webUrl: '',
    ...patch,
  };
};
