import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectForge } from '../../../shared/forge/kinds/connect.ts';
import type { ConnectOptions } from '../../../shared/forge/kinds/connect.ts';
import type { UnsetStatus } from '../../../shared/forge/port-statuses.ts';
import type { Account } from '../../../shared/forge/port-facts.ts';
import type { Forge } from '../../../shared/forge/port.ts';
import { factsOf } from '../../../shared/forge/kinds/forge-kind.ts';
import { CommitSha, ForgeId } from '../../../shared/vocabulary/ids.ts';
import type { Fault } from '../../sim/forgejo/faults.ts';
import type { SimMergeRequest } from '../../sim/gitlab/world.ts';
import { type GitlabSim, type GitlabSimOptions, startGitlabSim } from '../../sim/gitlab/start.ts';
import { changed, DESCRIPTION, FILE, original, POSITIONS, TITLE } from './conformance-change.ts';
import { STEPS } from './conformance-steps.ts';
import type { ConformanceWorld, Operation, People } from './conformance-world.ts';
import { type ManualClock, manualClock } from './manual-clock.ts';

export type GitlabWorld = ConformanceWorld & {
  readonly sim: GitlabSim;
  readonly clock: ManualClock;
  /** Full path of the project. */
  readonly project: string;
  readonly unset: readonly UnsetStatus[];
  /** Moves the simulator's time. */
  readonly tick: (ms: number) => void;
};

const BOT = 'fixpoint';
const SIM = ForgeId.parse('sim');

const PATHS: Readonly<Record<Operation, { readonly method: string; readonly path: RegExp }>> = {
  read_change_request: { method: 'GET', path: /\/merge_requests\/\d+$/ },
  read_comments: { method: 'GET', path: /\/discussions/ },
  create_comment: { method: 'POST', path: /\/merge_requests\/\d+\/notes$/ },
  submit_review: { method: 'POST', path: /\/draft_notes\/bulk_publish$/ },
  write_status: { method: 'POST', path: /\/statuses\// },
};

const found = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error('the world has no such thing');
  return value;
};

type SimAccount = ReturnType<GitlabSim['createUser']>;

type Site = {
  readonly project: string;
  readonly owner: SimAccount;
  readonly author: SimAccount;
  readonly reader: SimAccount;
  readonly outsider: SimAccount;
  readonly bot: SimAccount;
};

/** Drafts are private: nobody can make one but their author, over the API. */
const startDraft = async (sim: GitlabSim, site: Site, wish: { as: Account; line: number; note: string }) => {
  const mr = sim.mergeRequestAt({ project: site.project, iid: 1 });
  const version = found(mr.versions.at(-1));
  const { token } = found([site.bot, site.author, site.owner].find(({ id }) => id === wish.as.id));
  const position = {
    position_type: 'text',
    base_sha: version.baseSha,
    start_sha: version.startSha,
    head_sha: version.headSha,
    old_path: FILE,
    new_path: FILE,
    new_line: wish.line,
  };
  const response = await fetch(`${sim.url}/api/v4/projects/${mr.project.id}/merge_requests/1/draft_notes`, {
    method: 'POST',
    headers: { 'private-token': token, 'content-type': 'application/json' },
    body: JSON.stringify({ note: wish.note, position }),
  });
  if (response.status !== 201) throw new Error(`no draft was made: ${await response.text()}`);
};

const peopleOf = (sim: GitlabSim, site: Site, tick: () => void): People => {
  const author = site.author.login;
  let { project } = site;
  const here = () => ({ project, iid: 1 });
  const threadOf = (body: string): string =>
    found(sim.mergeRequestAt(here()).notes.find((note) => note.body === body)).discussionId;
  return {
    comment: async (as, body) => void (await sim.comment({ ...here(), as: as.login, body })),
    inlineComment: async (as, newLine, body) => {
      await sim.startDiscussion({ ...here(), as: as.login, body, on: { path: FILE, newLine } });
    },
    answer: async (as, to, body) => {
      await sim.replyToDiscussion({ ...here(), as: as.login, discussion: threadOf(to), body });
    },
    resolve: (as, root) => sim.resolveDiscussion({ ...here(), as: as.login, discussion: threadOf(root) }),
    react: async (as, to, reaction) => {
      const note = found(sim.mergeRequestAt(here()).notes.find(({ body }) => body === to)).id;
      const name = { up: 'thumbsup', down: 'thumbsdown', eyes: 'eyes' }[reaction];
      await sim.award({ ...here(), as: as.login, note, name });
    },
    startDraft: (as, line, note) => startDraft(sim, { ...site, project }, { as, line, note }),
    retitle: (title) => sim.editMergeRequest({ ...here(), as: author, title }),
    describe: (description) => sim.editMergeRequest({ ...here(), as: author, description }),
    openIssue: async ({ title, text, secret = false, project: other }) =>
      sim.createIssue({
        project: other === undefined ? project : `${site.project.slice(0, site.project.indexOf('/'))}/${other}`,
        as: author,
        title,
        description: text,
        confidential: secret,
      }),
    runJob: async (sha, job) => {
      await sim.addPipelineNow({ project, sha, ref: 'feature', as: author, jobs: [job] });
    },
    askBot: () => sim.editMergeRequest({ ...here(), as: author, reviewers: [BOT] }),
    assign: (to) => sim.editMergeRequest({ ...here(), as: author, assignees: [to.login] }),
    approve: async (as) => void (await sim.approve({ ...here(), as: as.login })),
    // The default branch always is, and the suite asks for no other.
    protect: async () => {},
    close: () => sim.closeMergeRequest({ ...here(), as: author }),
    push: async () => {
      tick();
      const wish = { project, branch: 'feature', files: { 'later.txt': 'later\n' }, message: 'later', author };
      return CommitSha.parse(await sim.commitFiles(wish));
    },
    commit: async (files) => {
      tick();
      await sim.commitFiles({ project, branch: 'main', files, message: 'more', author });
    },
    deleteAccount: async (of) => sim.removeUser(of.login),
    renameProject: async (to) => {
      sim.renameProject(project, to);
      project = `${project.slice(0, project.lastIndexOf('/'))}/${to}`;
    },
    addProjects: async (names) => {
      const group = site.project.slice(0, site.project.indexOf('/'));
      for (const name of names) {
        await sim.createProject(`${group}/${name}`);
        sim.addMember(`${group}/${name}`, BOT, 20);
      }
      // May be seen by nobody but members of the group.
      await sim.createProject(`${group}/hidden`);
    },
    archiveProject: async (name) => sim.archiveProject(`${site.project.slice(0, site.project.indexOf('/'))}/${name}`),
    mayManageHooks: async (may) => sim.addMember(project, BOT, may ? 40 : 30),
    addHook: async (url, state) => {
      sim.setAutoDisable(true);
      const hook = sim.addProjectHook({ project, url, token: 'x'.repeat(24) });
      if (state === 'off') hook.recentFailures = 40;
    },
    openMore: async (count) => {
      const numbers: number[] = [];
      for (let index = 1; index <= count; index += 1) {
        tick();
        const branch = `more-${index}`;
        await sim.commitFiles({ project, branch, files: { [`${branch}.txt`]: 'x\n' }, message: branch, author });
        numbers.push((await sim.openMergeRequest({ project, sourceBranch: branch, title: branch, author })).iid);
      }
      return numbers;
    },
  };
};

const furnish = async (sim: GitlabSim, bot: SimAccount, name: string): Promise<Site> => {
  const [owner, author, reader, outsider] = ['owner', 'author', 'reader', 'outsider'].map((role) =>
    sim.createUser({ login: `${role}-${name}` }),
  );
  const project = `acme-${name}/team/shop`;
  const site = {
    project,
    owner: found(owner),
    author: found(author),
    reader: found(reader),
    outsider: found(outsider),
    bot,
  };
  sim.createGroup(`acme-${name}`);
  sim.createGroup(`acme-${name}/team`);
  await sim.createProject(project);
  sim.addMember(`acme-${name}`, site.owner.login, 50);
  sim.addMember(`acme-${name}/team`, site.author.login, 30);
  sim.addMember(project, site.reader.login, 20);
  sim.addMember(project, bot.login, 30);
  const commit = (branch: string, content: readonly string[], who: SimAccount): Promise<string> =>
    sim.commitFiles({
      project,
      branch,
      files: { [FILE]: `${content.join('\n')}\n` },
      message: branch,
      author: who.login,
    });
  await commit('main', original, site.owner);
  await commit('feature', changed, site.author);
  const wish = { project, sourceBranch: 'feature', title: TITLE, description: DESCRIPTION };
  await sim.openMergeRequest({ ...wish, author: site.author.login });
  return site;
};

const decidedOn = (mr: SimMergeRequest): ReturnType<ConformanceWorld['decided']> => [
  ...mr.approvals.map(({ user }) => ({ by: user.username, verdict: 'approved' as const })),
  ...[...mr.requestedChanges].map((user) => ({ by: user.username, verdict: 'changes_requested' as const })),
];

const accountOf = ({ id, login }: Account): Account => ({ id, login });

/** A simulated GitLab in which every test gets a project of its own. */
export type GitlabHall = {
  readonly sim: GitlabSim;
  open(totalMs?: number): Promise<GitlabWorld>;
  close(): Promise<void>;
};

export const startGitlabHall = async (more: Partial<GitlabSimOptions> = {}): Promise<GitlabHall> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'fixpoint-gitlab-'));
  let simNow = Date.parse('2026-03-01T10:00:00Z');
  const sim = await startGitlabSim({ dataDir, clock: () => simNow, ...more });
  const bot = sim.createUser({ login: BOT });
  const clock = manualClock();
  const unset: UnsetStatus[] = [];
  const signal = new AbortController().signal;
  const connect = (token: string, totalMs = 20_000): Promise<Forge> => {
    const baseUrl = more.publicUrl === undefined ? sim.url : `http://127.0.0.1:${sim.port}${new URL(sim.url).pathname}`;
    const options: ConnectOptions = { id: SIM, kind: 'gitlab', baseUrl, token, clock };
    const timeouts = { connectMs: 5_000, totalMs };
    return connectForge({ ...options, timeouts, onStatusUnset: (each) => void unset.push(each) }, signal);
  };
  const forge = await connect(bot.token);
  const lost = sim.createToken(BOT);
  const stranger = await connect(lost);
  sim.world.tokens.delete(lost);
  let opened = 0;

  const open = async (totalMs?: number): Promise<GitlabWorld> => {
    opened += 1;
    const site = await furnish(sim, bot, String(opened));
    const mr = sim.mergeRequestAt({ project: site.project, iid: 1 });
    const before = { violations: sim.violations.length, slept: clock.slept.length };
    const faults: Fault[] = [];
    unset.splice(0);
    const tick = (ms: number): void => {
      simNow += ms;
    };
    return {
      sim,
      clock,
      project: site.project,
      unset,
      tick,
      forge: totalMs === undefined ? forge : await connect(bot.token, totalMs),
      stranger,
      can: {
        reply: true,
        resolve: true,
        reviewBody: false,
        besideDraft: true,
        carryVerdict: false,
        voidByAsking: false,
        hideIssues: true,
        ciReports: factsOf('gitlab').ciArtifacts,
      },
      changeRequest: { forge: SIM, projectId: mr.project.id, number: 1 },
      projectPath: site.project,
      groupPath: site.project.slice(0, site.project.indexOf('/')),
      title: TITLE,
      description: DESCRIPTION,
      sourceBranch: 'feature',
      targetBranch: 'main',
      head: CommitSha.parse(mr.headSha),
      base: CommitSha.parse(found(mr.versions.at(-1)).baseSha),
      bot: accountOf(bot),
      author: accountOf(site.author),
      owner: accountOf(site.owner),
      reader: accountOf(site.reader),
      outsider: accountOf(site.outsider),
      positions: POSITIONS,
      people: peopleOf(sim, site, () => tick(60_000)),
      decided: () => decidedOn(mr),
      fail: (operation, failure, times = 1) =>
        void faults.push(sim.fault({ ...PATHS[operation], times }, STEPS[failure])),
      passTime: tick,
      requests: () => sim.requests.length,
      slept: () => clock.slept.slice(before.slept),
      hideOwn: () => sim.setReadLag(60_000),
      showOwn: () => tick(60_000),
      violations: () => sim.violations.slice(before.violations),
      close: async () => {
        sim.setReadLag(0);
        sim.setAutoDisable(false);
        for (const fault of faults) fault.remove();
        sim.world.projects.splice(0);
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
