import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectForge } from '../../../shared/forge/kinds/connect.ts';
import type { Account } from '../../../shared/forge/port-facts.ts';
import type { Forge } from '../../../shared/forge/port.ts';
import type { ForgeVerdict } from '../../../shared/vocabulary/forge-verdict.ts';
import { factsOf } from '../../../shared/forge/kinds/forge-kind.ts';
import { CommitSha, ForgeId } from '../../../shared/vocabulary/ids.ts';
import type { Fault } from '../../sim/forgejo/faults.ts';
import { latestReviews } from '../../sim/forgejo/pull-facts.ts';
import { type ForgejoSim, startForgejoSim } from '../../sim/forgejo/start.ts';
import type { SimPull } from '../../sim/forgejo/world.ts';
import type { Flavour } from '../../sim/forgejo/traits.ts';
import { BEHIND_NEW, changed, DESCRIPTION, FILE, original, POSITIONS, TITLE } from './conformance-change.ts';
import { STEPS } from './conformance-steps.ts';
import type { ConformanceWorld, Operation, People } from './conformance-world.ts';
import { type ManualClock, manualClock } from './manual-clock.ts';

export type ForgejoWorld = ConformanceWorld & { readonly sim: ForgejoSim; readonly clock: ManualClock };

const BOT = 'fixpoint';
const SIM = ForgeId.parse('sim');

const PATHS: Readonly<Record<Operation, { readonly method: string; readonly path: RegExp }>> = {
  read_change_request: { method: 'GET', path: /\/pulls\/\d+$/ },
  read_comments: { method: 'GET', path: /\/issues\/\d+\/comments/ },
  create_comment: { method: 'POST', path: /\/issues\/\d+\/comments$/ },
  submit_review: { method: 'POST', path: /\/pulls\/\d+\/reviews$/ },
  write_status: { method: 'POST', path: /\/statuses\// },
};

const found = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error('the world has no such thing');
  return value;
};

type SimAccount = ReturnType<ForgejoSim['createUser']>;

/** One project with one change request and the people around it; many of them live in one simulated forge. */
type Site = {
  readonly repo: string;
  readonly owner: SimAccount;
  readonly author: SimAccount;
  readonly reader: SimAccount;
  readonly outsider: SimAccount;
};

const peopleOf = (sim: ForgejoSim, site: Site, tick: () => void): People => {
  const author = site.author.login;
  let repo = site.repo;
  const here = () => ({ repo, number: 1 });
  const pull = () => sim.pullAt(here());
  const inlineWith = (body: string): number => found(pull().comments.find((comment) => comment.body === body)).id;
  const inline = (path: string, line: number, body: string) => [{ path, line, body }];
  return {
    comment: async (as, body) => void sim.comment({ ...here(), as: as.login, body }),
    inlineComment: async (as, line, body) => {
      await sim.review({ ...here(), as: as.login, event: 'COMMENT', comments: inline(FILE, line, body) });
    },
    answer: async (as, to, body) => {
      await sim.replyInline({ ...here(), as: as.login, to: inlineWith(to), body });
    },
    resolve: async (as, root) => {
      sim.resolveThread({ ...here(), as: as.login, comment: inlineWith(root), resolved: true });
    },
    react: async (as, to, reaction) => {
      const content = { up: '+1', down: '-1', eyes: 'eyes' }[reaction];
      sim.react({ ...here(), as: as.login, comment: inlineWith(to), content });
    },
    startDraft: async (as, line, body) => {
      const comments = inline(FILE, line, body);
      await sim.review({ ...here(), as: as.login, event: 'PENDING', body: 'not yet', comments });
    },
    retitle: (title) => sim.editPullRequest({ ...here(), as: author, title }),
    describe: (body) => sim.editPullRequest({ ...here(), as: author, body }),
    openIssue: async ({ title, text, project }) =>
      sim.createIssue({
        repo: project === undefined ? repo : `${site.owner.login}/${project}`,
        as: author,
        title,
        body: text,
      }),
    runJob: async () => {
      throw new Error('it serves no reports of CI jobs');
    },
    askBot: async () => sim.askReview({ ...here(), as: author, reviewer: BOT }),
    assign: async (to) => sim.assign({ ...here(), as: author, to: to.login }),
    approve: async (as) => {
      await sim.review({ ...here(), as: as.login, event: 'APPROVED', body: 'fine' });
    },
    protect: async (branch) => void pull().repo.protectedBranches.add(branch),
    close: async () => sim.setState({ ...here(), as: author }, 'closed'),
    push: async () => {
      tick();
      const wish = { repo, branch: 'feature', files: { 'later.txt': 'later\n' }, message: 'later', author };
      return CommitSha.parse(await sim.commitFiles(wish));
    },
    commit: async (files) => {
      tick();
      await sim.commitFiles({ repo, branch: 'main', files, message: 'more', author });
    },
    deleteAccount: async (of) => sim.removeUser(of.login),
    renameProject: async (to) => {
      const renamed = pull().repo;
      renamed.name = to;
      repo = `${renamed.owner.login}/${to}`;
    },
    addProjects: async (names) => {
      for (const name of names) {
        await sim.createRepo(site.owner.login, name, { private: true });
        sim.addCollaborator(`${site.owner.login}/${name}`, BOT, 'read');
      }
      // May be seen by nobody but its owner.
      await sim.createRepo(site.owner.login, 'hidden', { private: true });
    },
    archiveProject: async (name) => sim.archiveRepo(`${site.owner.login}/${name}`),
    mayManageHooks: async (may) => sim.addCollaborator(repo, BOT, may ? 'admin' : 'write'),
    addHook: async (url, state) => {
      sim.addWebhook({ repo, url }).active = state === 'working';
    },
    openMore: async (count) => {
      const numbers: number[] = [];
      for (let index = 1; index <= count; index += 1) {
        tick();
        const branch = `more-${index}`;
        await sim.commitFiles({ repo, branch, files: { [`${branch}.txt`]: 'x\n' }, message: branch, author });
        numbers.push((await sim.openPullRequest({ repo, head: branch, title: branch, author })).number);
      }
      return numbers;
    },
  };
};

const furnish = async (sim: ForgejoSim, name: string): Promise<Site> => {
  const [owner, author, reader, outsider] = ['acme', 'author', 'reader', 'outsider'].map((login) =>
    sim.createUser({ login: `${login}-${name}` }),
  );
  const site = {
    repo: `acme-${name}/shop`,
    owner: found(owner),
    author: found(author),
    reader: found(reader),
    outsider: found(outsider),
  };
  const { repo } = site;
  await sim.createRepo(site.owner.login, 'shop', { private: true });
  sim.addCollaborator(repo, site.author.login, 'write');
  sim.addCollaborator(repo, site.reader.login, 'read');
  sim.addCollaborator(repo, BOT, 'admin');
  const commit = (branch: string, content: readonly string[], who: SimAccount): Promise<string> =>
    sim.commitFiles({ repo, branch, files: { [FILE]: `${content.join('\n')}\n` }, message: branch, author: who.login });
  await commit('main', original, site.owner);
  await commit('feature', changed, site.author);
  await sim.openPullRequest({ repo, head: 'feature', title: TITLE, body: DESCRIPTION, author: site.author.login });
  return site;
};

const VERDICTS: Readonly<Record<string, ForgeVerdict>> = { APPROVED: 'approved', REQUEST_CHANGES: 'changes_requested' };

/** The newest of each account, unless it was dismissed or is a question for another one. */
const decidedOn = (pull: SimPull): ReturnType<ConformanceWorld['decided']> =>
  [...latestReviews(pull).values()].flatMap(({ author, state, dismissed }) => {
    const verdict = VERDICTS[state];
    return dismissed || verdict === undefined ? [] : [{ by: author.login, verdict }];
  });

const accountOf = ({ id, login }: Account): Account => ({ id, login });

/** A simulated forge in which every test gets a project of its own: starting one costs more than most tests. */
export type ForgejoHall = {
  readonly sim: ForgejoSim;
  open(totalMs?: number): Promise<ForgejoWorld>;
  close(): Promise<void>;
};

export const startForgejoHall = async (flavour: Flavour): Promise<ForgejoHall> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'fixpoint-forge-'));
  let simNow = Date.parse('2026-03-01T10:00:00Z');
  const sim = await startForgejoSim({ dataDir, flavour, maxPageSize: 5, clock: () => simNow });
  const bot = sim.createUser({ login: BOT });
  const clock = manualClock();
  const signal = new AbortController().signal;
  const connect = (token: string, totalMs = 20_000): Promise<Forge> => {
    const kind = flavour.startsWith('gitea') ? 'gitea' : 'forgejo';
    const timeouts = { connectMs: 5_000, totalMs };
    return connectForge({ id: SIM, kind, baseUrl: sim.url, token, clock, timeouts }, signal);
  };
  const forge = await connect(bot.token);
  const lost = sim.createToken(BOT);
  const stranger = await connect(lost);
  sim.world.tokens.delete(lost);
  let opened = 0;

  const open = async (totalMs?: number): Promise<ForgejoWorld> => {
    opened += 1;
    const site = await furnish(sim, String(opened));
    const pull = sim.pullAt({ repo: site.repo, number: 1 });
    const before = { violations: sim.violations.length, slept: clock.slept.length };
    const faults: Fault[] = [];
    return {
      sim,
      clock,
      forge: totalMs === undefined ? forge : await connect(bot.token, totalMs),
      stranger,
      can: {
        reply: sim.traits.reviewComments || sim.traits.replies,
        resolve: sim.traits.resolve,
        reviewBody: true,
        besideDraft: false,
        carryVerdict: true,
        voidByAsking: true,
        hideIssues: false,
        ciReports: factsOf('forgejo').ciArtifacts || factsOf('gitea').ciArtifacts,
      },
      changeRequest: { forge: SIM, projectId: pull.repo.id, number: 1 },
      projectPath: site.repo,
      groupPath: site.owner.login,
      title: TITLE,
      description: DESCRIPTION,
      sourceBranch: 'feature',
      targetBranch: 'main',
      head: CommitSha.parse(pull.headSha),
      base: CommitSha.parse(pull.mergeBase),
      bot: accountOf(bot),
      author: accountOf(site.author),
      owner: accountOf(site.owner),
      reader: accountOf(site.reader),
      outsider: accountOf(site.outsider),
      positions: sim.traits.storesBlamedLine ? POSITIONS : { ...POSITIONS, nowhere: BEHIND_NEW },
      people: peopleOf(sim, site, () => {
        simNow += 60_000;
      }),
      decided: () => decidedOn(pull),
      fail: (operation, failure, times = 1) =>
        void faults.push(sim.fault({ ...PATHS[operation], times }, STEPS[failure])),
      passTime: (ms) => {
        simNow += ms;
      },
      requests: () => sim.requests.length,
      slept: () => clock.slept.slice(before.slept),
      hideOwn: () => sim.setReadLag(60_000),
      showOwn: () => {
        simNow += 60_000;
      },
      violations: () => sim.violations.slice(before.violations),
      close: async () => {
        sim.setReadLag(0);
        for (const fault of faults) fault.remove();
        sim.world.repos.splice(0);
      },
    };
  };

  return {
    sim,
    open,
    close: async () => {
      await sim.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};
