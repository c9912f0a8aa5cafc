/** Runs the operator's validation commands on the exact commit that the edits produce. The commit's objects are temporary. */
import type { Trial } from '../../shared/agent/tools/validate.ts';
import type { ValidationResult } from '../../shared/rounds/model/validations.ts';
import type { CommitSha } from '../../shared/vocabulary/ids.ts';
import type { Git } from '../../shared/workspace/git/git.ts';
import { createRevisions } from '../../shared/workspace/git/revisions.ts';
import type { FixTask } from './change/agent.ts';
import type { AuthorFile, EditRefusal } from './change/decide-change.ts';
import { type Fixing, type Opened, scratchPlace } from './fixing.ts';
import { judgeChange } from './judge-change.ts';
import { withScratch, writeCommit, writeTree } from './write-commit.ts';

type Validated = {
  /** A git that can read the objects of the commit. */
  readonly git: Git;
  readonly commit: CommitSha;
  readonly only?: readonly string[];
};

const validateCommit = async (
  { deps, brief, signal }: Fixing,
  { git, commit, ...only }: Validated,
): Promise<readonly ValidationResult[] | null> => {
  const { changeRequest, runId } = brief;
  const isWanted = async (): Promise<boolean> => deps.isOrdered(changeRequest, runId);
  const revisions = createRevisions(git);
  try {
    const head = { revisions, head: commit, ...only, changeRequest, gitUrl: brief.git.url, isWanted };
    return await deps.validation.validate(head, signal);
  } finally {
    revisions.close();
  }
};

const namesOf = (results: readonly ValidationResult[], result: ValidationResult['result']): readonly string[] =>
  results.filter((each) => each.result === result).map(({ name }) => name);

/** Logs validations that could not run on the fix or on its head; the gate reports them again in the next review. */
const tellNotRun = ({ log }: Fixing, ...results: readonly ValidationResult[]): void => {
  const validations = [...new Set(namesOf(results, 'not_run'))];
  if (validations.length > 0) log.warn({ validations }, 'validation of a fix could not be run');
};

/** Returns the commands that pass on the head but not on the commit; null if the fix is no longer wanted. */
export const brokenValidations = async (
  fixing: Fixing,
  { git, commit }: Pick<Validated, 'git' | 'commit'>,
): Promise<readonly string[] | null> => {
  const after = await validateCommit(fixing, { git, commit });
  if (after === null) return null;
  const suspects = after.filter(({ result }) => result !== 'passed').map(({ name }) => name);
  if (suspects.length === 0) return [];
  const before = await validateCommit(fixing, { git, commit: fixing.brief.head, only: suspects });
  if (before === null) return null;
  tellNotRun(fixing, ...after, ...before);
  const passed = new Set(namesOf(before, 'passed'));
  return suspects.filter((name) => passed.has(name));
};

const refusedText = (refusals: readonly EditRefusal[]): string =>
  `these changes would not be pushed: ${refusals.map(({ path, reason }) => (path === '' ? reason : `${path}: ${reason}`)).join('; ')}`;

/** Runs the validation for the agent while it works. Absent if no command would run. */
export const trialOf = (fixing: Fixing, opened: Opened): Pick<FixTask, 'validate'> => {
  const { deps, brief } = fixing;
  if (!deps.validation.canValidate({ changeRequest: brief.changeRequest, gitUrl: brief.git.url })) return {};
  return { validate: async (changes, signal) => tryChanges({ ...fixing, signal }, opened, changes) };
};

const tryChanges = async (fixing: Fixing, opened: Opened, changes: readonly AuthorFile[]): Promise<Trial> => {
  const { deps, brief, signal } = fixing;
  const decision = await judgeChange(fixing, opened, changes);
  if (decision.kind === 'refused') return { kind: 'refused', reason: refusedText(decision.refusals) };
  const edits = decision.kind === 'apply' ? decision.edits : [];
  const results = await withScratch(scratchPlace(fixing, opened), async ({ git }) => {
    const { objects } = opened.revisions;
    const treeId = await opened.revisions.treeOf(brief.head, signal);
    const tree = await writeTree({ git, objects }, { treeId, edits }, signal);
    const wish = { ...deps.commit, tree, parent: brief.head, message: 'trial', atMs: brief.orderedAtMs };
    return validateCommit(fixing, { git, commit: await writeCommit(git, wish, signal) });
  });
  return results === null
    ? { kind: 'refused', reason: 'this fix is no longer wanted' }
    : { kind: 'validated', results };
};
