import { parseForgejo } from '../../shared/forge/forgejo/webhooks/parse-forgejo.ts';
import type { ForgejoSim } from '../sim/forgejo/start.ts';
import {
  type At,
  BOT,
  type Deeds,
  fileOf,
  NEVER_SENT,
  OWNER,
  readEvents,
  type SaidInside,
  START,
} from './trigger-deeds.ts';

const REPO = `${OWNER}/shop`;

const furnish = async (sim: ForgejoSim): Promise<Pick<Deeds, 'bot' | 'projectId'>> => {
  sim.createUser({ login: OWNER });
  const bot = sim.createUser({ login: BOT });
  const { id: projectId } = await sim.createRepo(OWNER, 'shop');
  sim.addCollaborator(REPO, BOT, 'write');
  await sim.commitFiles({ repo: REPO, ...START });
  sim.addWebhook({ repo: REPO, url: NEVER_SENT });
  sim.setDeliveryFilter(() => 'drop');
  return { bot, projectId };
};

const sayInside = async (sim: ForgejoSim, at: At, { where, body }: SaidInside): Promise<void> => {
  const here = { repo: REPO, ...at };
  const line = { path: 'first.js', line: 1 };
  if (where === 'the body of a review') {
    await sim.review({ ...here, event: 'COMMENT', body });
    return;
  }
  if (where === 'an inline comment of a review') {
    const comments = [{ ...line, body }];
    await sim.review({ ...here, event: 'COMMENT', body: 'See below.', comments });
    return;
  }
  await sim.review({ ...here, as: BOT, event: 'COMMENT', comments: [{ ...line, body: 'a finding' }] });
  const said = sim.pullAt(here).comments.find((comment) => comment.body === 'a finding');
  await sim.replyInline({ ...here, to: said?.id ?? 0, body });
};

/** Also for Gitea. */
export const onForgejo = async (sim: ForgejoSim): Promise<Deeds> => {
  const { bot, projectId } = await furnish(sim);
  const forks = new Map<string, string>();
  const homeOf = (login: string): string => forks.get(login) ?? REPO;
  return {
    url: sim.url,
    projectId,
    bot,
    join: async ({ login, level }) => {
      const account = sim.createUser({ login });
      if (level !== 'none') sim.addCollaborator(REPO, login, level);
      forks.set(login, `${(await sim.forkRepo(REPO, login)).owner.login}/shop`);
      return account;
    },
    push: async ({ branch, as }, name) => {
      const wish = { repo: homeOf(as), branch, files: fileOf(name), message: `${name}\n`, author: as };
      await sim.commitFiles(wish);
    },
    open: async ({ branch, as }) => {
      const wish = { repo: REPO, head: branch, title: `Change ${branch}`, author: as };
      const home = homeOf(as);
      return (await sim.openPullRequest(home === REPO ? wish : { ...wish, headRepo: home })).number;
    },
    say: async (at, body) => void sim.comment({ repo: REPO, ...at, body }),
    sayInside: async (at, said) => sayInside(sim, at, said),
    rename: async (at) => sim.editPullRequest({ repo: REPO, ...at, title: 'Renamed' }),
    ask: async (at) => sim.askReview({ repo: REPO, ...at, reviewer: BOT }),
    leave: (login) => sim.removeUser(login),
    events: readEvents(sim.deliveries, parseForgejo),
    violations: () => sim.violations,
    close: async () => sim.close(),
  };
};
