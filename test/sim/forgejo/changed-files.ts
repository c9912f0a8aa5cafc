import { runGit } from './git.ts';
import { repoUrl } from './represent.ts';
import type { SimPull, World } from './world.ts';

// Differs from GitHub's "modified" and "removed" (forges.md 5.2).
const words: Readonly<Record<string, string>> = { A: 'added', M: 'changed', D: 'deleted', R: 'renamed', C: 'copied' };

type Change = { readonly status: string; readonly path: string; readonly previous: string | null };

const readNameStatus = (out: string): readonly Change[] => {
  const fields = out.split('\0').filter((field) => field !== '');
  const changes: Change[] = [];
  for (let at = 0; at < fields.length; ) {
    const letter = (fields[at] ?? '').slice(0, 1);
    const moved = letter === 'R' || letter === 'C';
    const path = fields[at + (moved ? 2 : 1)] ?? '';
    changes.push({ status: words[letter] ?? 'unchanged', path, previous: moved ? (fields[at + 1] ?? null) : null });
    at += moved ? 3 : 2;
  }
  return changes;
};

type Counts = { readonly additions: number; readonly deletions: number };

const countLines = async (pull: SimPull, change: Change): Promise<Counts> => {
  const paths = [change.path, ...(change.previous === null ? [] : [change.previous])].map(
    (path) => `:(literal)${path}`,
  );
  const args = ['diff', '-M', '--numstat', pull.mergeBase, pull.refSha, '--', ...paths];
  const [added = '0', removed = '0'] = (await runGit(pull.repo.gitDir, args)).split('\t');
  return { additions: Number(added) || 0, deletions: Number(removed) || 0 };
};

/** Names and counts without patches; `previous_filename` only for renames (forges.md 5.2). */
export const changedFiles = async (world: World, pull: SimPull): Promise<readonly Record<string, unknown>[]> => {
  const out = await runGit(pull.repo.gitDir, ['diff', '-M', '-z', '--name-status', pull.mergeBase, pull.refSha]);
  const list: Record<string, unknown>[] = [];
  for (const change of readNameStatus(out)) {
    const { additions, deletions } = await countLines(pull, change);
    const path = change.path.split('/').map(encodeURIComponent).join('/');
    list.push({
      filename: change.path,
      ...(change.status === 'renamed' ? { previous_filename: change.previous } : {}),
      status: change.status,
      additions,
      deletions,
      changes: additions + deletions,
      html_url: `${repoUrl(world, pull.repo)}/src/commit/${pull.refSha}/${path}`,
      raw_url: `${repoUrl(world, pull.repo)}/raw/commit/${pull.refSha}/${path}`,
      contents_url: `${world.publicUrl}/api/v1/repos/${pull.repo.owner.login}/${pull.repo.name}/contents/${path}?ref=${pull.refSha}`,
    });
  }
  return list;
};
