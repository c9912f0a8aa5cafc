import { sendMail } from './mails.ts';
import { firePull, firePush, type PushedCommit } from './hook-payloads.ts';
import { mergeBase, type RefMap, resolveCommit, runGit } from './git.ts';
import { log, loseBase, loseHead, note, publishHead, setPullState } from './pulls.ts';
import { isStale } from './stale.ts';
import { fireHooks } from './webhooks.ts';
import { repoJson, userJson } from './represent.ts';
import type { SimPull, SimRepo, SimUser, World } from './world.ts';
import { fullName, record } from './world.ts';

const zero = '0'.repeat(40);

export type RefUpdate = { readonly branch: string; readonly before: string | null; readonly after: string | null };

export const refUpdates = (before: RefMap, after: RefMap): readonly RefUpdate[] =>
  [...new Set([...before.keys(), ...after.keys()])]
    .map((branch) => ({ branch, before: before.get(branch) ?? null, after: after.get(branch) ?? null }))
    .filter((update) => update.before !== update.after);

const newCommits = async (repo: SimRepo, update: RefUpdate): Promise<readonly PushedCommit[]> => {
  // Only webhooks contain the commits.
  if (update.after === null || repo.hooks.length === 0) return [];
  const range = update.before === null ? [update.after, '--max-count=1'] : [`${update.before}..${update.after}`];
  const out = await runGit(repo.gitDir, ['log', '--format=%H%x00%an%x00%ae%x00%B%x01', ...range, '--']);
  return out
    .split('\u0001')
    .map((entry) => entry.trimStart())
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [id = '', name = '', email = '', message = ''] = entry.split('\0');
      return { id, name, email, message };
    });
};

/**
 * A push that changes the diff makes all reviews stale, including comments and requests, except reviews of the new head
 * (MarkReviewsAsStale and MarkReviewsAsNotStale in models/issues/review.go).
 */
const markStale = async (pull: SimPull, before: string | null): Promise<void> => {
  const changed = before === null || (await isStale(pull, before));
  for (const review of pull.reviews) {
    if (changed) review.stale = true;
    if (review.commitId === pull.headSha) review.stale = false;
  }
};

/** The API shows the branch's tip in every state; all other effects happen only to open pull requests. */
const followHead = async (world: World, pull: SimPull, update: RefUpdate, pusher: SimUser): Promise<void> => {
  const { after } = update;
  if (after === null) return loseHead(world, pull, pusher);
  pull.headRef = update.branch;
  pull.headSha = after;
  pull.heads.push(after);
  if (pull.state === 'open') await synchronize(world, pull, { ...update, after }, pusher);
};

type Push = RefUpdate & { readonly after: string };

const synchronize = async (world: World, pull: SimPull, update: Push, pusher: SimUser): Promise<void> => {
  const { after } = update;
  await publishHead(pull);
  await markStale(pull, update.before);
  note({ world, pull }, 'pull_push', pusher, after);
  log({ world, pull }, pusher, 'pull.push', { before: update.before, after });
  sendMail(world, pull, 'mail.push', { by: pusher, body: '' });
  // The webhook is sent before the merge base is recomputed, so its merge base may be stale (forges.md 4.3).
  const more = world.traits.flavour === 'gitea-1.27' ? { before: update.before, after } : {};
  firePull(world, pull, { event: 'pull_request_sync', action: 'synchronized', sender: pusher, more });
  pull.mergeBase = await mergeBase(pull.repo.gitDir, pull.baseSha, pull.headSha);
};

const followBase = async (pull: SimPull): Promise<void> => {
  const tip = await resolveCommit(pull.repo.gitDir, `refs/heads/${pull.baseRef}`);
  if (tip === null) return;
  pull.baseSha = tip;
  pull.mergeBase = await mergeBase(pull.repo.gitDir, tip, pull.refSha);
};

const deleteBase = async (world: World, pull: SimPull, pusher: SimUser): Promise<void> => {
  if (!world.traits.closesWithBase) return loseBase(world, pull, pusher);
  setPullState(world, pull, 'closed', pusher);
};

const tellBranch = (world: World, repo: SimRepo, update: RefUpdate, pusher: SimUser): void => {
  const event = update.before === null ? 'create' : 'delete';
  if (update.before !== null && update.after !== null) return;
  fireHooks(world, repo, event, {
    ref: update.branch,
    ref_type: 'branch',
    ...(event === 'create' ? { sha: update.after } : { pusher_type: 'user' }),
    repository: repoJson(world, repo, repo.owner),
    sender: userJson(world, pusher),
  });
};

/** Sends one push event per ref and one `synchronized` per open pull request of the branch; none for closed ones. */
export const applyPush = async (
  world: World,
  repo: SimRepo,
  updates: readonly RefUpdate[],
  pusher: SimUser,
): Promise<void> => {
  for (const update of updates) {
    const ref = `refs/heads/${update.branch}`;
    if (update.before === null) repo.branchesSince.set(update.branch, world.clock());
    const detail = { branch: update.branch, before: update.before, after: update.after };
    record(world, { actor: pusher.login, kind: 'git.push', repo: fullName(repo), number: null, detail });
    const commits = await newCommits(repo, update);
    firePush(world, repo, { ref, before: update.before ?? zero, after: update.after ?? zero, commits, pusher });
    tellBranch(world, repo, update, pusher);
    for (const pull of world.repos.flatMap((other) => other.pulls)) {
      if (pull.headRepo === repo && pull.headBranch === update.branch) await followHead(world, pull, update, pusher);
      if (pull.repo === repo && pull.baseRef === update.branch) pull.hasBase = update.after !== null;
      if (pull.state !== 'open' || pull.repo !== repo || pull.baseRef !== update.branch) continue;
      if (update.after !== null) await followBase(pull);
      else await deleteBase(world, pull, pusher);
    }
  }
};
