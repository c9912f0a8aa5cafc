/** Runs one fix: check, work, decide, commit, check again, push. */
import { NOTHING_SPENT, type Spent } from '../../shared/vocabulary/spent.ts';
import type { CommitSha } from '../../shared/vocabulary/ids.ts';
import { createCheckout } from '../../shared/workspace/tree/checkout.ts';
import type { Mirror } from '../../shared/workspace/mirror/mirror.ts';
import { openHeadIn, openMirrorOf, roomFor } from '../../shared/workspace/mirror/open-head.ts';
import { createRevisions, type Revisions } from '../../shared/workspace/git/revisions.ts';
import type { FixOutcome, FixWork } from './change/agent.ts';
import { changeRequestFiles } from './change-request-files.ts';
import { commitMessage } from './change/commit-message.ts';
import type { Edit, EditRefusal } from './change/decide-change.ts';
import { WorkspaceMissingError } from './errors.ts';
import { type Fixing, type Opened, scratchPlace } from './fixing.ts';
import { judgeChange, newFilesOf } from './judge-change.ts';
import { fromStoredWork, toStoredWork } from './kept-work.ts';
import { type StopCode, whyNotFix } from './may-fix.ts';
import { reportOf, withSpent } from './report.ts';
import { seenTrees } from './change/seen-trees.ts';
import { brokenValidations, trialOf } from './trial.ts';
import { withScratch, writeCommit, writeTree } from './write-commit.ts';

export type FixEnding =
  | { readonly kind: 'fixed'; readonly pushed: CommitSha | null }
  | { readonly kind: 'stopped'; readonly code: StopCode; readonly refusals: readonly EditRefusal[] }
  | { readonly kind: 'failed'; readonly code: string };

const stop = (code: StopCode, refusals: readonly EditRefusal[] = []): FixEnding => ({
  kind: 'stopped',
  code,
  refusals,
});

export const fixOnce = async (fixing: Fixing): Promise<FixEnding> => {
  const { forge, brief, signal } = fixing;
  try {
    return await onMirror(fixing);
  } catch (error) {
    // The retry of the job then finds room.
    await roomFor(forge.access, brief.changeRequest)?.(error, signal);
    throw error;
  }
};

const onMirror = async (fixing: Fixing): Promise<FixEnding> => {
  const mirror = await openMirrorOf(fixing.forge.access, fixing.brief, fixing.signal);
  try {
    return await fixOn(fixing, mirror);
  } finally {
    await mirror.release();
  }
};

const fixOn = async (fixing: Fixing, mirror: Mirror): Promise<FixEnding> => {
  const { deps, forge, brief, signal } = fixing;
  const earlier = await deps.loadReport(brief.runId);
  if (earlier?.commit && (await isPushed(fixing, mirror, earlier.commit.sha))) {
    return { kind: 'fixed', pushed: earlier.commit.sha };
  }
  const refusal = await whyNotNow(fixing);
  if (refusal !== null) return stop(refusal);
  if (!deps.mayWork) return stop('NO_CAGE');
  deps.checkpoint('before-fetch');
  const opened = await openHeadIn(
    mirror,
    forge.access,
    {
      changeRequest: brief.changeRequest,
      source: brief.git,
      head: brief.head,
      targetBranch: brief.targetBranch,
      earlierHeads: [...brief.reviewedHeads, brief.base],
      evenIfMoved: false,
    },
    signal,
  );
  if (opened.kind === 'head_moved') return stop('HEAD_MOVED');
  if (opened.kind === 'missing') throw new WorkspaceMissingError(opened.what);
  try {
    return await fixOpened(fixing, mirror, opened.revisions);
  } finally {
    opened.revisions.close();
  }
};

/** When guard abandons an order, it hands the findings to a person, who does not expect a later push. */
const whyNotNow = async ({ deps, forge, brief, signal }: Fixing): Promise<StopCode | null> =>
  (await deps.isOrdered(brief.changeRequest, brief.runId)) ? whyNotFix(forge, brief, signal) : 'ORDER_LAPSED';

/**
 * True if the branch has the commit, also below commits that somebody has pushed since. An earlier attempt may have been
 * killed after its push; the fix must then not run again.
 */
const isPushed = async ({ forge, brief, signal }: Fixing, mirror: Mirror, commit: CommitSha): Promise<boolean> => {
  const { git: source, sourceBranch: branch } = brief;
  const { credential } = forge.access;
  const tip = await mirror.tipOf({ source, branch, credential }, signal);
  if (tip === null || tip === commit) return tip === commit;
  if (tip === brief.head) return false;
  const fetched = await mirror.fetchRef({ url: source.url, ref: `refs/heads/${branch}`, credential }, signal);
  return fetched.kind === 'fetched' && contains(mirror, { tip: fetched.commit, commit }, signal);
};

const contains = async (
  { git }: Mirror,
  { tip, commit }: { readonly tip: CommitSha; readonly commit: CommitSha },
  signal: AbortSignal,
): Promise<boolean> => {
  const revisions = createRevisions(git);
  try {
    return (await revisions.exists(commit, signal)) && (await revisions.isAncestor(commit, tip, signal));
  } finally {
    revisions.close();
  }
};

const fixOpened = async (fixing: Fixing, mirror: Mirror, revisions: Revisions): Promise<FixEnding> => {
  const { deps, brief, signal } = fixing;
  const files = await changeRequestFiles(revisions, brief, signal);
  if (files === 'too_many') return stop('CHANGE_REQUEST_TOO_LARGE');
  const opened = { mirror, revisions, files };
  const kept = await loadKept(fixing);
  if (kept !== null) return apply(fixing, opened, kept);
  deps.checkpoint('before-work');
  const outcome = await letWork(fixing, opened);
  const spent = await keepSpent(fixing, outcome);
  switch (outcome.kind) {
    case 'done':
      return apply(fixing, opened, { ...outcome.work, spent });
    case 'failed':
      return { kind: 'failed', code: outcome.code };
    case 'interrupted':
      throw outcome.error;
    default:
      return outcome satisfies never;
  }
};

const loadKept = async ({ deps, brief: { runId } }: Fixing): Promise<FixWork | null> => {
  const work = await deps.loadWork(runId);
  return work === null ? null : fromStoredWork(work, (await deps.loadReport(runId))?.spent ?? NOTHING_SPENT);
};

/** The cost is saved before anything else can fail, because the money is already spent and another execution adds to the total. */
const keepSpent = async ({ deps, brief }: Fixing, outcome: FixOutcome): Promise<Spent> => {
  const { spent } = outcome.kind === 'done' ? outcome.work : outcome;
  const report = withSpent(await deps.loadReport(brief.runId), brief, spent);
  await deps.saveReport(report);
  return report.spent;
};

const letWork = async (fixing: Fixing, opened: Opened): Promise<FixOutcome> => {
  const { deps, brief, limits, signal } = fixing;
  const { changeRequest, runId, head, review, findings } = brief;
  const { revisions, files } = opened;
  const checkout = await createCheckout({ revisions, folder: deps.checkoutFolder }, head, signal);
  try {
    const { root, absent } = checkout;
    const paths = [...files.keys()];
    const task = { changeRequest, runId, head, review, findings, root, absent, paths, limits };
    const means = { ...trialOf(fixing, opened), ...newFilesOf(fixing, opened) };
    return await deps.agent.work({ ...task, ...means }, signal);
  } finally {
    await checkout.dispose();
  }
};

/** Accepted work is stored at once: git, the validation and the forge can all fail, and a retry must not pay for it again. */
const apply = async (fixing: Fixing, opened: Opened, work: FixWork): Promise<FixEnding> => {
  const { deps, brief } = fixing;
  const decision = await judgeChange(fixing, opened, work.changes);
  switch (decision.kind) {
    case 'refused':
      return stop(decision.code, decision.refusals);
    case 'empty':
      return declineAll(fixing, work);
    case 'apply':
      await deps.saveWork(toStoredWork(brief.runId, work));
      return withScratch(scratchPlace(fixing, opened), async (scratch) =>
        commitAndPush(fixing, { ...opened, ...scratch, edits: decision.edits, work }),
      );
    default:
      return decision satisfies never;
  }
};

/** If nothing was changed, every finding needs a reason. Without reasons, the agent has done no work. */
const declineAll = async ({ deps, brief }: Fixing, work: FixWork): Promise<FixEnding> => {
  const declined = new Set(work.declines.map(({ findingId }) => findingId));
  if (!brief.findings.every(({ id }) => declined.has(id))) return stop('EMPTY_CHANGE');
  await deps.saveReport(reportOf(brief, work, { commit: null, touchedFiles: [] }));
  return { kind: 'fixed', pushed: null };
};

type Committing = Opened & {
  readonly git: Mirror['git'];
  readonly objectDirectory: string;
  readonly edits: readonly Edit[];
  readonly work: FixWork;
};

const commitAndPush = async (fixing: Fixing, committing: Committing): Promise<FixEnding> => {
  const { deps, brief, signal } = fixing;
  const { revisions, git, edits, work } = committing;
  const treeId = await revisions.treeOf(brief.head, signal);
  const tree = await writeTree({ git, objects: revisions.objects }, { treeId, edits }, signal);
  if (tree === treeId) return declineAll(fixing, work);
  if ((await seenTrees(revisions, brief, signal)).has(tree)) return stop('TREE_SEEN');
  const touchedFiles = edits.map(({ path }) => path);
  const draft = reportOf(brief, work, { commit: null, touchedFiles });
  const message = commitMessage(brief, draft.addressedFindingIds);
  const wish = { ...deps.commit, tree, parent: brief.head, message, atMs: brief.orderedAtMs };
  const sha = await writeCommit(git, wish, signal);
  const broken = await brokenValidations(fixing, { git, commit: sha });
  if (broken === null) return stop('ORDER_LAPSED');
  if (broken.length > 0) {
    await deps.saveReport({ ...draft, failedValidations: [...broken] });
    return stop('VALIDATION_FAILED');
  }
  await deps.saveReport({ ...draft, commit: { sha, tree } });
  const refusal = await whyNotNow(fixing);
  if (refusal !== null) return stop(refusal);
  deps.checkpoint('before-push');
  return push(fixing, committing, sha);
};

const push = async (fixing: Fixing, { mirror, objectDirectory }: Committing, sha: CommitSha): Promise<FixEnding> => {
  const { deps, forge, brief, signal } = fixing;
  const { credential } = forge.access;
  const wish = {
    source: brief.git,
    credential,
    branch: brief.sourceBranch,
    from: brief.head,
    to: sha,
    objectDirectory,
  };
  const result = await mirror.push(wish, signal);
  deps.checkpoint('after-push');
  switch (result) {
    case 'pushed':
      return { kind: 'fixed', pushed: sha };
    case 'moved':
      // Somebody may have pushed on top of the commit before its push was verified.
      return (await isPushed(fixing, mirror, sha)) ? { kind: 'fixed', pushed: sha } : stop('HEAD_MOVED');
    case 'refused':
      return stop('PUSH_REFUSED');
    default:
      return result satisfies never;
  }
};
