import { type RuleFound, rulesFoundIn } from '../../shared/rounds/rules-told.ts';
import type { Run } from '../../shared/rounds/state.ts';
import type { GuardDeps } from './deps.ts';
import { loadDraft } from './load-draft.ts';

/** What the built-in rules found in a run that is given up: kept by the reviewer, or in a draft that broke the protocol. */
export const loadRulesFound = async (deps: GuardDeps, run: Run): Promise<readonly RuleFound[]> => {
  const found = await deps.rulesFound.load(deps.keys.ofRun(run.runId, 'rules'));
  if (found !== null) return found.findings;
  const draft = await loadDraft(deps, run);
  return rulesFoundIn((draft?.findings ?? []).map(({ claim }) => claim));
};
