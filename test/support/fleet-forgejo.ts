import type { ForgejoSim } from '../sim/forgejo/start.ts';
import type { ForgeHands, ForgeView, Furnished, Furnishing, PlaceOnForge } from './fleet-forge.ts';

/** Also for Gitea. */
export const forgejoHands = (sim: ForgejoSim): ForgeHands => ({
  furnish: async (wish) => furnish(sim, wish),
  commit: async (wish) => void (await sim.commitFiles(wish)),
  open: async ({ branch, ...wish }) => (await sim.openPullRequest({ ...wish, head: branch })).number,
  comment: async (wish) => void sim.comment(wish),
  addWebhook: (wish) => {
    const hook = sim.addWebhook(wish);
    return () => {
      hook.active = false;
    };
  },
  look: (at) => look(sim, at),
});

const furnish = async (sim: ForgejoSim, { owner, author, bot, names }: Furnishing): Promise<Furnished> => {
  sim.createUser({ login: owner });
  sim.createUser({ login: author });
  const post = sim.createUser({ login: bot }).token;
  const read = sim.createUser({ login: `${bot}-reader` }).token;
  const git = sim.createUser({ login: `${bot}-git` }).token;
  const repos = names.map((name) => `${owner}/${name}`);
  const projectIds: number[] = [];
  for (const name of names) projectIds.push((await sim.createRepo(owner, name, { private: true })).id);
  for (const repo of repos) {
    for (const login of [author, bot]) sim.addCollaborator(repo, login, 'write');
    for (const login of [`${bot}-reader`, `${bot}-git`]) sim.addCollaborator(repo, login, 'read');
  }
  return { repos, projectIds, tokens: { read, post, git } };
};

const look = (sim: ForgejoSim, at: PlaceOnForge): ForgeView => {
  const { comments, reviews, headStatuses } = sim.snapshot(at.repo, at.number);
  return {
    heads: sim.pullAt(at).heads,
    comments,
    reviews: reviews.map(({ author, body, state, inline }) => ({ author, body, state, said: inline.length })),
    inline: reviews.flatMap(({ inline }) => inline.map((each) => ({ ...each, replies: [] }))),
    unpublished: [],
    headStatuses,
  };
};
