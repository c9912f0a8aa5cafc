import type { FixBrief } from '../../shared/rounds/model/fix-brief.ts';
import type { Revisions } from '../../shared/workspace/git/revisions.ts';
import { compareTrees } from '../../shared/workspace/git/trees.ts';
import type { ChangeRequestFile } from './change/decide-change.ts';

/** A change request with more files gets no automatic fix. */
const MAX_FILES = 5_000;

const asText = (path: Buffer): string | null => {
  const text = path.toString('utf8');
  return Buffer.from(text, 'utf8').equals(path) ? text : null;
};

/** Returns the files that the change request adds or changes. Paths that are not UTF-8 are skipped, because no fix can name them. */
export const changeRequestFiles = async (
  revisions: Revisions,
  { base, head }: Pick<FixBrief, 'base' | 'head'>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ChangeRequestFile> | 'too_many'> => {
  const [before, after] = [await revisions.treeOf(base, signal), await revisions.treeOf(head, signal)];
  const changes = await compareTrees(revisions.objects, { before, after, maxChanges: MAX_FILES }, signal);
  if (changes === 'too_many') return 'too_many';
  return new Map(
    changes.flatMap(({ path, after: entry }) => {
      const text = asText(path);
      return text === null || entry === null || entry.kind === 'folder' ? [] : [[text, entry] as const];
    }),
  );
};
