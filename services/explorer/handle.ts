import type { ExploreJob } from '../../shared/queue/contracts.ts';
import type { Handler } from '../../shared/queue/worker.ts';
import type { Brief } from '../../shared/rounds/model/brief.ts';
import type { Notes, Question } from '../../shared/vocabulary/question.ts';
import type { CommitSha } from '../../shared/vocabulary/ids.ts';
import { NOTHING_SPENT } from '../../shared/vocabulary/spent.ts';
import { StoredDocumentMissingError } from '../../shared/store/documents.ts';
import { openTreeIn } from '../../shared/workspace/tree/caged-tree.ts';
import type { BashRunner } from '../../shared/workspace/bash/bash-runner.ts';
import { createCheckout } from '../../shared/workspace/tree/checkout.ts';
import { type BashHistory, type HistorySource, openHistory } from '../../shared/workspace/bash/history.ts';
import { type MirrorAccess, openHeadIn, openMirrorOf, roomFor } from '../../shared/workspace/mirror/open-head.ts';
import type { Mirror } from '../../shared/workspace/mirror/mirror.ts';
import { onSoundMirror } from '../../shared/workspace/mirror/sound-mirror.ts';
import type { Tree } from '../../shared/workspace/tree/tree.ts';
import type { Revisions } from '../../shared/workspace/git/revisions.ts';
import { renderWhoUses, whoUses } from '../../shared/workspace/tree/who-uses.ts';
import type { ExplorerDeps } from './deps.ts';
import { answerWithModel } from './answer-with-model.ts';
import { timeLimit } from '../../shared/time-limit.ts';

const MAX_NOTES = 50_000;
const CUT = '\n\n(The notes were cut here.)\n';

/** Time for fetching and checking out, in addition to the conversation's own time. */
const PREPARE_S = 120;

export const createExploreHandler =
  (deps: ExplorerDeps): Handler<'explore'> =>
  async (job, { signal, log }) => {
    if ((await deps.loadNotes(job.questionId)) !== null) return { kind: 'done' };
    const [brief, question] = await Promise.all([deps.loadBrief(job.runId), deps.loadQuestion(job.questionId)]);
    if (brief === null) throw new StoredDocumentMissingError('the brief of the run');
    if (question === null) throw new StoredDocumentMissingError('the question of the exploration');
    const budget = timeLimit((job.budget.maxRuntimeS + PREPARE_S) * 1000, signal);
    const access = deps.mirrors.get(job.changeRequest.forge);
    const exploration = { job, brief, question };
    const notes =
      access === undefined
        ? refused('The forge is not configured.')
        : await onSoundMirror(
            {
              open: async (opening) => openMirrorOf(access, job, opening),
              work: async (mirror) => explore(deps, { ...exploration, access, mirror }, budget),
              onDamaged: (err) => log.warn({ err }, 'the mirror of the project is damaged; fetching it again'),
              makeRoom: roomFor(access, job.changeRequest),
            },
            budget,
          );
    deps.checkpoint('before-notes');
    await deps.saveNotes(job.questionId, notes);
    deps.checkpoint('after-notes');
    return { kind: 'done' };
  };

/** Stores notes that tell the reviewer that an explorer was lost; existing notes are kept. */
export const reportLostExploration =
  (deps: Pick<ExplorerDeps, 'loadNotes' | 'saveNotes'>) =>
  async ({ questionId }: ExploreJob): Promise<void> => {
    if ((await deps.loadNotes(questionId)) === null) await deps.saveNotes(questionId, notes('failed', ''));
  };

const notes = (outcome: Notes['outcome'], text: string): Notes => ({ v: 1, outcome, text, spent: NOTHING_SPENT });

type Exploration = { readonly job: ExploreJob; readonly brief: Brief; readonly question: Question };

type OnMirror = Exploration & { readonly access: MirrorAccess; readonly mirror: Mirror };

const refused = (why: string): Notes => notes('refused', why);

const explore = async (deps: ExplorerDeps, exploration: OnMirror, signal: AbortSignal): Promise<Notes> => {
  const { job, brief, access, mirror } = exploration;
  const { git: source, targetBranch } = brief;
  const { changeRequest, head } = job;
  deps.checkpoint('before-fetch');
  const request = { changeRequest, source, head, targetBranch, earlierHeads: [], evenIfMoved: true };
  const opened = await openHeadIn(mirror, access, request, signal);
  if (opened.kind !== 'opened') return notes('refused', 'The head no longer exists.');
  try {
    const { revisions } = opened;
    const base = await findBase(revisions, { head, targetHead: brief.targetHead }, signal);
    const checkout = await createCheckout({ revisions, folder: deps.checkoutFolder }, head, signal);
    const tree = openTreeIn(deps.cage, checkout);
    const history = historyOf(deps, { revisions, workspace: checkout.root, head, base });
    try {
      return await answer(deps, { ...exploration, tree, bash: history?.run ?? null }, signal);
    } finally {
      await tree.close();
      await history?.close();
      await checkout.dispose();
    }
  } finally {
    opened.revisions.close();
  }
};

/** Returns null if there is no common history, or if the target head is no longer available. */
const findBase = async (
  revisions: Revisions,
  { head, targetHead }: Pick<Brief, 'head' | 'targetHead'>,
  signal: AbortSignal,
): Promise<CommitSha | null> =>
  (await revisions.exists(targetHead, signal)) ? revisions.mergeBase(head, targetHead, signal) : null;

type Place = Pick<HistorySource, 'workspace' | 'head' | 'base'> & { readonly revisions: Revisions };

const historyOf = ({ cage, checkoutFolder }: ExplorerDeps, { revisions, ...at }: Place): BashHistory | null =>
  cage === null ? null : openHistory(cage, { ...at, repository: revisions.repository, folder: checkoutFolder });

type Opened = Exploration & { readonly tree: Tree; readonly bash: BashRunner | null };

const answer = async (
  deps: ExplorerDeps,
  { job, brief, question, tree, bash }: Opened,
  signal: AbortSignal,
): Promise<Notes> => {
  if (question.kind === 'who_uses') return answerFromText(deps, { tree, symbol: question.symbol }, signal);
  const { questionId: id, changeRequest, runId, budget } = job;
  const isSuperseded = async (): Promise<boolean> => !(await deps.isCurrent(changeRequest, runId));
  const asking = { id, tree, bash, payer: { runId, changeRequest }, ...budget, isSuperseded };
  const models = deps.modelsOf?.(brief) ?? deps;
  const model = question.kind === 'verify' ? models.verifier : models.model;
  if (model === null) return notes('refused', 'No model is configured for this question.');
  return answerWithModel(model, { asking, question }, signal);
};

const answerFromText = async (
  deps: ExplorerDeps,
  { tree, symbol }: { readonly tree: Tree; readonly symbol: string },
  signal: AbortSignal,
): Promise<Notes> => {
  const found = await whoUses(tree, symbol, signal);
  if (found.kind === 'refused') return notes('refused', found.reason);
  const { text } = deps.redact(renderWhoUses(found));
  return notes('answered', text.length <= MAX_NOTES ? text : text.slice(0, MAX_NOTES - CUT.length) + CUT);
};
