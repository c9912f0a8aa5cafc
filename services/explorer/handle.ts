import type { ExploreJob } from '../../shared/queue/contracts.ts';
import type { Handler } from '../../shared/queue/worker.ts';
import type { Brief } from '../../shared/rounds/brief.ts';
import type { Notes, Question } from '../../shared/rounds/question.ts';
import { StoredDocumentMissingError } from '../../shared/store/documents.ts';
import { createCheckout } from '../../shared/workspace/checkout.ts';
import { openHead } from '../../shared/workspace/open-head.ts';
import { renderWhoUses, whoUses } from '../../shared/workspace/who-uses.ts';
import type { ExplorerDeps } from './deps.ts';

const MAX_NOTES = 50_000;
const CUT = '\n\n(The notes were cut here.)\n';

export const createExploreHandler =
  (deps: ExplorerDeps): Handler<'explore'> =>
  async (job, { signal }) => {
    const [brief, question] = await Promise.all([deps.loadBrief(job.runId), deps.loadQuestion(job.questionId)]);
    if (brief === null) throw new StoredDocumentMissingError('the brief of the run');
    if (question === null) throw new StoredDocumentMissingError('the question of the exploration');
    const budget = AbortSignal.any([signal, AbortSignal.timeout(job.budget.maxRuntimeS * 1000)]);
    await deps.saveNotes(job.questionId, await explore(deps, { job, brief, question }, budget));
    return { kind: 'done' };
  };

type Exploration = { readonly job: ExploreJob; readonly brief: Brief; readonly question: Question };

/** One question about the tree at one head, answered on a checkout of its own without git data or credentials. */
const explore = async (
  deps: ExplorerDeps,
  { job, brief, question }: Exploration,
  signal: AbortSignal,
): Promise<Notes> => {
  const access = deps.mirrors.get(job.changeRequest.forge);
  if (access === undefined) return { v: 1, outcome: 'refused', text: 'The forge is not configured.' };
  const { git: source, targetBranch } = brief;
  const { changeRequest, head } = job;
  const request = { changeRequest, source, head, targetBranch, earlierHeads: [], evenIfMoved: true };
  const opened = await openHead(access, request, signal);
  if (opened.kind !== 'opened') return { v: 1, outcome: 'refused', text: 'The head is not there any more.' };
  try {
    const checkout = await createCheckout({ revisions: opened.revisions, folder: deps.checkoutFolder }, head, signal);
    try {
      return await answer(deps, { root: checkout.root, question }, signal);
    } finally {
      await checkout.dispose();
    }
  } finally {
    opened.revisions.close();
  }
};

const answer = async (
  deps: ExplorerDeps,
  { root, question }: { readonly root: string; readonly question: Question },
  signal: AbortSignal,
): Promise<Notes> => {
  const found = await whoUses(root, question.symbol, signal);
  if (found.kind === 'refused') return { v: 1, outcome: 'refused', text: found.reason };
  const { text } = deps.redact(renderWhoUses(found));
  return {
    v: 1,
    outcome: 'answered',
    text: text.length <= MAX_NOTES ? text : text.slice(0, MAX_NOTES - CUT.length) + CUT,
  };
};
