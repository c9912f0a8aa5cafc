import type { FixTask } from './change/agent.ts';
import { type ChangeDecision, type AuthorFile, decideChange } from './change/decide-change.ts';
import type { Fixing, Opened } from './fixing.ts';
import { headFolders } from './change/head-folders.ts';

export const judgeChange = async (
  { deps, brief, signal }: Fixing,
  { revisions, files }: Opened,
  changes: readonly AuthorFile[],
): Promise<ChangeDecision> => {
  const { rules } = deps;
  // A change with more files is refused anyway, so the remaining paths need not be read.
  const paths = changes.slice(0, rules.maxFiles).flatMap(({ path }) => (files.has(path) ? [] : [path]));
  const treeId = await revisions.treeOf(brief.head, signal);
  return decideChange(changes, {
    files,
    rules,
    folders: await headFolders(revisions.objects, { treeId, paths }, signal),
  });
};

const emptyFile = (path: string): AuthorFile => ({ kind: 'write', path, content: new Uint8Array() });

/** Checks for the agent while it works whether files can be added. Absent if the operator allows no new files. */
export const newFilesOf = (fixing: Fixing, opened: Opened): Pick<FixTask, 'whyNotNew'> => {
  if (!fixing.deps.rules.newFiles) return {};
  return {
    whyNotNew: async (path, others, signal) => {
      const changes = [...new Set([...others, path])].map(emptyFile);
      const decision = await judgeChange({ ...fixing, signal }, opened, changes);
      if (decision.kind !== 'refused') return null;
      if (decision.code === 'CHANGE_TOO_LARGE') return 'the change would have too many files';
      return decision.refusals.find((refusal) => refusal.path === path)?.reason ?? null;
    },
  };
};
