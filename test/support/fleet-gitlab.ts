import type { Snapshot } from '../sim/gitlab/snapshot.ts';
import type { GitlabSim } from '../sim/gitlab/start.ts';
import type { ForgeHands, ForgeView, Furnished, Furnishing, PlaceOnForge } from './fleet-forge.ts';

const REPORTER = 20;
const DEVELOPER = 30;

export const gitlabHands = (sim: GitlabSim): ForgeHands => ({
  furnish: async (wish) => furnish(sim, wish),
  commit: async ({ repo, ...wish }) => void (await sim.commitFiles({ ...wish, project: repo })),
  open: async ({ repo, branch, title, author }) => {
    const { iid } = await sim.openMergeRequest({ project: repo, sourceBranch: branch, title, author });
    return iid;
  },
  comment: async ({ repo, number, as, body }) => void (await sim.comment({ project: repo, iid: number, as, body })),
  addWebhook: ({ repo, url, secret }) => {
    const hook = sim.addProjectHook({ project: repo, url, token: secret });
    return () => void hook.owner.hooks.splice(hook.owner.hooks.indexOf(hook), 1);
  },
  look: (at) => look(sim, at),
});

const furnish = async (sim: GitlabSim, { owner, author, bot, names }: Furnishing): Promise<Furnished> => {
  sim.createUser({ login: owner });
  sim.createUser({ login: author });
  const post = sim.createUser({ login: bot }).token;
  const read = sim.createUser({ login: `${bot}-reader` }).token;
  const git = sim.createUser({ login: `${bot}-git` }).token;
  const repos = names.map((name) => `${owner}/${name}`);
  const projectIds: number[] = [];
  for (const repo of repos) {
    projectIds.push((await sim.createProject(repo)).id);
    for (const login of [author, bot]) sim.addMember(repo, login, DEVELOPER);
    for (const login of [`${bot}-reader`, `${bot}-git`]) sim.addMember(repo, login, REPORTER);
  }
  return { repos, projectIds, tokens: { read, post, git } };
};

const look = (sim: GitlabSim, { repo, number }: PlaceOnForge): ForgeView => {
  const { comments, threads, drafts, headStatuses } = sim.snapshot(repo, number);
  const whole = threads.filter(({ place }) => place === null).flatMap(({ notes }) => notes);
  return {
    heads: sim.mergeRequestAt({ project: repo, iid: number }).versions.map(({ headSha }) => headSha),
    comments: [...comments.map(({ author, body }) => ({ author, body })), ...whole],
    reviews: [],
    inline: threads.flatMap(toInline),
    unpublished: drafts,
    headStatuses,
  };
};

const toInline = ({ place, notes, resolved }: Snapshot['threads'][number]): ForgeView['inline'] => {
  const line = place?.newLine ?? place?.oldLine ?? null;
  const [first, ...replies] = notes;
  if (place === null || line === null || first === undefined) return [];
  return [{ ...first, path: place.path, side: place.newLine === null ? 'old' : 'new', line, resolved, replies }];
};
