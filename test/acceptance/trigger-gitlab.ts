import { parseGitlab } from '../../shared/forge/gitlab/webhooks/parse-gitlab.ts';
import type { GitlabSim } from '../sim/gitlab/start.ts';
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

const PROJECT = 'group/shop';

const furnish = async (sim: GitlabSim): Promise<Pick<Deeds, 'bot' | 'projectId'>> => {
  sim.createUser({ login: OWNER });
  sim.createGroup('group');
  const { id: projectId } = await sim.createProject(PROJECT, { visibility: 'public' });
  sim.addMember(PROJECT, OWNER, 50);
  const bot = sim.createUser({ login: BOT });
  sim.addMember(PROJECT, BOT, 30);
  await sim.commitFiles({ project: PROJECT, ...START });
  sim.addProjectHook({ project: PROJECT, url: NEVER_SENT });
  sim.setDeliveryFilter(() => 'drop');
  return { bot, projectId };
};

const LEVELS = { none: null, read: 20, write: 30 } as const;

const sayInside = async (sim: GitlabSim, { number, as }: At, { where, body }: SaidInside): Promise<void> => {
  const here = { project: PROJECT, iid: number, as };
  const on = { path: 'first.js', newLine: 1 };
  if (where === 'the body of a review') await sim.startDiscussion({ ...here, body });
  else if (where === 'an inline comment of a review') await sim.startDiscussion({ ...here, body, on });
  else {
    const discussion = await sim.startDiscussion({ ...here, as: BOT, body: 'a finding', on });
    await sim.replyToDiscussion({ ...here, discussion, body });
  }
};

export const onGitlab = async (sim: GitlabSim): Promise<Deeds> => {
  const project = PROJECT;
  const { bot, projectId } = await furnish(sim);
  const forks = new Map<string, string>();
  const homeOf = (login: string): string => forks.get(login) ?? project;
  return {
    url: sim.url,
    projectId,
    bot,
    join: async ({ login, level, marked = false }) => {
      const number = LEVELS[level];
      if (marked && number !== null) return sim.createProjectAccessToken(project, { level: number });
      const account = sim.createUser({ login });
      if (number !== null) sim.addMember(project, login, number);
      if (level !== 'write') {
        await sim.forkProject(project, login);
        forks.set(login, `${login}/shop`);
      }
      return account;
    },
    push: async ({ branch, as }, name) => {
      const wish = { project: homeOf(as), branch, files: fileOf(name), message: `${name}\n`, author: as };
      await sim.commitFiles(wish);
    },
    open: async ({ branch, as }) => {
      const wish = { project, sourceBranch: branch, title: `Change ${branch}`, author: as };
      const home = homeOf(as);
      return (await sim.openMergeRequest(home === project ? wish : { ...wish, sourceProject: home })).iid;
    },
    say: async ({ number, as }, body) => void (await sim.comment({ project, iid: number, as, body })),
    sayInside: async (at, said) => sayInside(sim, at, said),
    rename: async ({ number, as }) => sim.editMergeRequest({ project, iid: number, as, title: 'Renamed' }),
    ask: async ({ number, as }) => sim.editMergeRequest({ project, iid: number, as, reviewers: [BOT] }),
    leave: (login) => sim.removeUser(login),
    events: readEvents(sim.deliveries, parseGitlab),
    violations: () => sim.violations,
    close: async () => sim.close(),
  };
};
