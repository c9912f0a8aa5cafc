import { type ReviewDraft, silentDraft } from '../../shared/rounds/model/draft.ts';
import type { Run } from '../../shared/rounds/model/state.ts';
import type { GuardDeps } from './deps.ts';

/** Where no thread is answered nobody was asked, and the verdict alone is looked at again. */
export const loadDraft = async (
  { drafts, keys }: Pick<GuardDeps, 'drafts' | 'keys'>,
  run: Run,
): Promise<ReviewDraft | null> => {
  const draft = await drafts.load(keys.ofRun(run.runId, 'draft'));
  return draft ?? (run.talk?.threads.length === 0 ? silentDraft(run) : null);
};
