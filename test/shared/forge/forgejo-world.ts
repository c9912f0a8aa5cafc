import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Position, PositionLine } from '../../../shared/diff/position.ts';
import { connectForge } from '../../../shared/forge/connect.ts';
import type { Account, Forge } from '../../../shared/forge/port.ts';
import { CommitSha, ForgeId } from '../../../shared/rounds/vocabulary.ts';
import type { FaultStep } from '../../sim/forgejo/faults.ts';
import { type ForgejoSim, startForgejoSim } from '../../sim/forgejo/start.ts';
import type { Flavour } from '../../sim/forgejo/traits.ts';
import type { ConformanceWorld, Failure, Operation, People } from './conformance-world.ts';
import { type ManualClock, manualClock } from './manual-clock.ts';

export type ForgejoWorld = ConformanceWorld & { readonly sim: ForgejoSim; readonly clock: ManualClock };

const REPO = 'acme/shop';
const FILE = 'app.txt';
const lines = (count: number, text: string): string[] =>
  Array.from({ length: count }, (_, index) => `${text} ${index + 1}`);
const original = lines(30, 'line');
/** Line 5 is replaced, line 20 is removed, three lines are added behind line 25. */
const changed = [
  ...original.slice(0, 4),
  'changed 5',
  ...original.slice(5, 19),
  ...original.slice(20, 25),
  ...lines(3, 'added'),
  ...original.slice(25),
];

const added = (newLine: number, oldBefore: number): PositionLine => ({
  kind: 'added',
  oldLine: null,
  newLine,
  lineCodeOld: oldBefore,
  lineCodeNew: newLine,
});
const removed = (oldLine: number, newBefore: number): PositionLine => ({
  kind: 'removed',
  oldLine,
  newLine: null,
  lineCodeOld: oldLine,
  lineCodeNew: newBefore,
});
const at = (side: Position['side'], start: PositionLine, end = start): Position => ({
  oldPath: FILE,
  newPath: FILE,
  side,
  start,
  end,
});

export const POSITIONS: ConformanceWorld['positions'] = {
  added: at('new', added(5, 5)),
  removed: at('old', removed(20, 19)),
  range: at('new', added(25, 26), added(27, 26)),
  // Behind the end of the old file.
  nowhere: at('old', removed(400, 1)),
};

const PATHS: Readonly<Record<Operation, { readonly method: string; readonly path: RegExp }>> = {
  read_change_request: { method: 'GET', path: /\/pulls\/\d+$/ },
  read_comments: { method: 'GET', path: /\/issues\/\d+\/comments/ },
  create_comment: { method: 'POST', path: /\/issues\/\d+\/comments$/ },
  submit_review: { method: 'POST', path: /\/pulls\/\d+\/reviews$/ },
  write_status: { method: 'POST', path: /\/statuses\// },
};

const STEPS: Readonly<Record<Failure, FaultStep>> = {
  rate_limited: { kind: 'status', status: 429, headers: { 'retry-after': '2' } },
  server_error: { kind: 'status', status: 500 },
  reset_before: { kind: 'reset' },
  reset_after: { kind: 'reset', when: 'after' },
  timeout_after: { kind: 'timeout', when: 'after' },
  truncated: { kind: 'truncate' },
};

const found = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error('the world has no such thing');
  return value;
};

const peopleOf = (sim: ForgejoSim, tick: () => void): People => {
  const here = { repo: REPO, number: 1 };
  const pull = () => sim.pullAt(currentPlace());
  let name = REPO;
  const currentPlace = () => ({ ...here, repo: name });
  const inlineWith = (body: string): number => found(pull().comments.find((comment) => comment.body === body)).id;
  const push = async (): Promise<CommitSha> => {
    tick();
    const wish = { repo: name, branch: 'feature', files: { 'later.txt': 'later\n' }, message: 'later', author: 'ann' };
    return CommitSha.parse(await sim.commitFiles(wish));
  };
  return {
    comment: async (as, body) => void sim.comment({ ...currentPlace(), as: as.login, body }),
    inlineComment: async (as, line, body) => {
      const comments = [{ path: FILE, line, body }];
      await sim.review({ ...currentPlace(), as: as.login, event: 'COMMENT', comments });
    },
    answer: async (as, to, body) =>
      void (await sim.replyInline({ ...currentPlace(), as: as.login, to: inlineWith(to), body })),
    resolve: async (as, root) =>
      sim.resolveThread({ ...currentPlace(), as: as.login, comment: inlineWith(root), resolved: true }),
    startDraft: async (as, line, body) => {
      const comments = [{ path: FILE, line, body }];
      await sim.review({ ...currentPlace(), as: as.login, event: 'PENDING', body: 'not yet', comments });
    },
    retitle: (title) => sim.editPullRequest({ ...currentPlace(), as: 'ann', title }),
    close: async () => sim.setState({ ...currentPlace(), as: 'ann' }, 'closed'),
    push,
    deleteAccount: async (of) => sim.removeUser(of.login),
    renameProject: async (to) => {
      pull().repo.name = to;
      name = `acme/${to}`;
    },
    openMore: async (count) => {
      const numbers: number[] = [];
      for (let index = 1; index <= count; index += 1) {
        tick();
        const branch = `more-${index}`;
        await sim.commitFiles({
          repo: REPO,
          branch,
          files: { [`${branch}.txt`]: 'x\n' },
          message: branch,
          author: 'ann',
        });
        numbers.push((await sim.openPullRequest({ repo: REPO, head: branch, title: branch, author: 'ann' })).number);
      }
      return numbers;
    },
  };
};

const furnish = async (
  sim: ForgejoSim,
): Promise<Record<'bot' | 'author' | 'owner' | 'reader' | 'outsider', Account & { token: string }>> => {
  const owner = sim.createUser({ login: 'acme' });
  const author = sim.createUser({ login: 'ann' });
  const bot = sim.createUser({ login: 'fixpoint' });
  const reader = sim.createUser({ login: 'rob' });
  const outsider = sim.createUser({ login: 'eve' });
  await sim.createRepo('acme', 'shop', { private: true });
  sim.addCollaborator(REPO, 'ann', 'write');
  sim.addCollaborator(REPO, 'rob', 'read');
  sim.addCollaborator(REPO, 'fixpoint', 'admin');
  await sim.commitFiles({
    repo: REPO,
    branch: 'main',
    files: { [FILE]: `${original.join('\n')}\n` },
    message: 'base',
    author: 'acme',
  });
  await sim.commitFiles({
    repo: REPO,
    branch: 'feature',
    files: { [FILE]: `${changed.join('\n')}\n` },
    message: 'change',
    author: 'ann',
  });
  await sim.openPullRequest({
    repo: REPO,
    head: 'feature',
    title: 'Change the app',
    body: 'Please review',
    author: 'ann',
  });
  return { owner, author, bot, reader, outsider };
};

const accountOf = ({ id, login }: Account): Account => ({ id, login });

export type WorldOptions = { readonly flavour: Flavour; readonly totalMs?: number; readonly maxPageSize?: number };

export const startForgejoWorld = async ({
  flavour,
  totalMs = 10_000,
  maxPageSize = 5,
}: WorldOptions): Promise<ForgejoWorld> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'fixpoint-forge-'));
  let simNow = Date.parse('2026-03-01T10:00:00Z');
  const sim = await startForgejoSim({ dataDir, flavour, maxPageSize, clock: () => simNow });
  const people = await furnish(sim);
  const clock = manualClock();
  const signal = new AbortController().signal;
  const connect = (token: string): Promise<Forge> => {
    const kind = flavour.startsWith('gitea') ? 'gitea' : 'forgejo';
    const timeouts = { connectMs: 2_000, totalMs };
    return connectForge({ id: ForgeId.parse('sim'), kind, baseUrl: sim.url, token, clock, timeouts }, signal);
  };
  const forge = await connect(people.bot.token);
  const lost = sim.createToken('eve');
  const stranger = await connect(lost);
  sim.world.tokens.delete(lost);
  const pull = sim.pullAt({ repo: REPO, number: 1 });
  return {
    sim,
    clock,
    forge,
    stranger,
    can: { reply: sim.traits.reviewComments || sim.traits.replies, resolve: sim.traits.resolve },
    changeRequest: { forge: ForgeId.parse('sim'), projectId: pull.repo.id, number: 1 },
    projectPath: REPO,
    title: 'Change the app',
    description: 'Please review',
    sourceBranch: 'feature',
    targetBranch: 'main',
    head: CommitSha.parse(pull.headSha),
    base: CommitSha.parse(pull.mergeBase),
    bot: accountOf(people.bot),
    author: accountOf(people.author),
    owner: accountOf(people.owner),
    reader: accountOf(people.reader),
    outsider: accountOf(people.outsider),
    positions: POSITIONS,
    people: peopleOf(sim, () => {
      simNow += 60_000;
    }),
    fail: (operation, failure, times = 1) => void sim.fault({ ...PATHS[operation], times }, STEPS[failure]),
    slept: () => clock.slept,
    hideOwn: () => sim.setReadLag(60_000),
    showOwn: () => {
      simNow += 60_000;
    },
    violations: () => sim.violations,
    close: async () => {
      await sim.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};
