/**
 * A hostile repository on a real git server, with the real reviewer and author, each with a credential. A separate
 * listener counts connections.
 */
import { readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { pino } from 'pino';
import { fixOnce, type FixEnding } from '../../services/author/fix.ts';
import type { AuthorDeps } from '../../services/author/deps.ts';
import type { PacketLimits } from '../../services/reviewer/packet/packet.ts';
import { createReviewHandler } from '../../services/reviewer/handle.ts';
import { NO_EXPLORERS } from '../../services/reviewer/run/explorers.ts';
import { createRulesRunner } from '../../services/reviewer/runners/rules.ts';
import { Brief } from '../../shared/rounds/model/brief.ts';
import type { ReviewDraft } from '../../shared/rounds/model/draft.ts';
import type { InboxEvent } from '../../shared/rounds/model/events.ts';
import { FixBrief } from '../../shared/rounds/model/fix-brief.ts';
import { NOTHING_SPENT } from '../../shared/vocabulary/spent.ts';
import type { CommitSha } from '../../shared/vocabulary/ids.ts';
import { createRedactor } from '../../shared/text/redact.ts';
import { createCheckout } from '../../shared/workspace/tree/checkout.ts';
import type { MirrorAccess } from '../../shared/workspace/mirror/open-head.ts';
import { changeRequest, print, runId } from '../shared/rounds/builders.ts';
import { createRepository, GIT, never, type Repository, temporaryFolder } from '../shared/workspace/repository.ts';
import { jobContext, OF } from './file-forge.ts';
import { type GitHttpRequest, type GitHttpServer, serveGit } from './git-http.ts';

/** Built at run time, so that a search for it finds only leaks. */
export const TOKEN = ['canary', 'of', 'the', 'hostile', 'stage'].join('-');
const USERNAME = 'oauth2';
const BRANCH = 'feature';

export type Reviewed = { readonly draft: ReviewDraft | null; readonly told: readonly InboxEvent[] };

export type HostileStage = {
  readonly folder: string;
  readonly repository: Repository;
  readonly server: GitHttpServer;
  readonly listener: { readonly url: string; readonly calls: () => number };
  /** A file that exists only if planted code was executed. */
  readonly canary: string;
  readonly dataFolder: string;
  readonly mirrorDir: string;
  readonly logged: () => string;
  /** Calls `look` for every request before it is answered. */
  readonly onRequest: (look: (request: GitHttpRequest) => void) => void;
  /** From now on, the server answers that there is no repository. */
  readonly breakServer: () => void;
  readonly review: (range: Range, wish?: ReviewWish) => Promise<Reviewed>;
  readonly fix: (range: Range, onStep: (step: string) => void) => Promise<FixEnding>;
  readonly dispose: () => Promise<void>;
};

export type Range = { readonly base: CommitSha; readonly head: CommitSha };

export type ReviewWish = {
  readonly limits?: Partial<PacketLimits>;
  readonly onStep?: (step: string) => void;
  /** The head that guard expects. Default: the server's head. */
  readonly expected?: CommitSha;
};

const LIMITS: PacketLimits = {
  maxFiles: 1000,
  maxDiffBytes: 8_388_608,
  maxFileBytes: 1_048_576,
  includePaths: [],
  excludePaths: [],
};

export const startHostileStage = async (): Promise<HostileStage> => {
  const temporary = temporaryFolder();
  const folder = temporary.path;
  const repository = createRepository(path.join(folder, 'served', 'project'));
  let look: (request: GitHttpRequest) => void = () => {};
  let broken = false;
  const server = await serveGit({
    root: path.join(folder, 'served'),
    authorise: (request) => {
      look(request);
      if (request.username !== USERNAME || request.password !== TOKEN) return { kind: 'challenge' };
      return broken ? { kind: 'not_found' } : { kind: 'allow' };
    },
  });
  const listener = await listen();
  const lines: string[] = [];
  const ground: Ground = { folder, repository, url: `${server.url}/project/.git`, lines };
  return {
    folder,
    repository,
    server,
    listener,
    canary: path.join(folder, 'canary'),
    dataFolder: path.join(folder, 'data'),
    mirrorDir: path.join(folder, 'data', 'mirrors', `${OF.forge}.${OF.projectId}.git`),
    logged: () => lines.join(''),
    onRequest: (next) => {
      look = next;
    },
    breakServer: () => {
      broken = true;
    },
    review: async (range, wish = {}) => review(ground, range, wish),
    fix: async (range, onStep) => fix(ground, range, onStep),
    dispose: async () => {
      await listener.close();
      await server.close();
      temporary.dispose();
    },
  };
};

const listen = async () => {
  let calls = 0;
  const server = createServer((socket) => {
    calls += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the listener has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    calls: () => calls,
    close: async () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
      }),
  };
};

type Ground = {
  readonly folder: string;
  readonly repository: Repository;
  readonly url: string;
  readonly lines: string[];
};

const accessOf = ({ folder }: Ground): MirrorAccess => ({
  dataFolder: path.join(folder, 'data'),
  gitPath: GIT,
  credential: { username: USERNAME, password: TOKEN },
  allowProtocols: [],
  caFile: null,
  proxy: 'none',
  renameLikeness: 50,
});

const HEAD_REF = `refs/pull/${OF.number}/head`;

const publish = ({ repository }: Ground, { base, head }: Range): void => {
  repository.git('update-ref', 'refs/heads/main', base);
  repository.git('update-ref', `refs/heads/${BRANCH}`, head);
  repository.git('update-ref', HEAD_REF, head);
};

const review = async (ground: Ground, range: Range, wish: ReviewWish): Promise<Reviewed> => {
  publish(ground, range);
  const { base, head } = range;
  const told: InboxEvent[] = [];
  const drafts: ReviewDraft[] = [];
  const step = wish.onStep ?? (() => {});
  const rules = createRulesRunner();
  const run = runId('run');
  const expected = wish.expected ?? head;
  const handle = createReviewHandler({
    mirrors: new Map([[OF.forge, accessOf(ground)]]),
    limits: { ...LIMITS, ...wish.limits },
    runner: {
      name: 'rules',
      // Reads the tree as a model's tools would.
      run: async (input, signal) => {
        step('runner');
        const { revisions } = input;
        const folder = path.join(ground.folder, 'trees');
        const checkout = await createCheckout({ revisions, folder }, expected, signal);
        await checkout.dispose();
        return rules.run(input, signal);
      },
    },
    explorersOf: () => NO_EXPLORERS,
    redact: createRedactor([TOKEN]),
    loadBrief: async () => briefOf(ground, { base, head: expected }),
    saveDraft: async (draft) => void drafts.push(draft),
    loadNotes: async () => null,
    validate: async () => [],
    validationS: 0,
    analyses: { load: async () => null, save: async () => {} },
    saveRawText: async () => {},
    saveRulesFound: async () => {},
    wantedInput: async () => null,
    operatorRulesOf: () => '',
    isCurrent: async () => true,
    deliver: async (_of, event) => void told.push(event),
    nowMs: () => 0,
    checkpoint: step,
  });
  const log = pino({ level: 'debug' }, { write: (line: string) => void ground.lines.push(line) });
  const job = { v: 1 as const, changeRequest: OF, runId: run, head: expected, review: 1, attempt: 1 };
  const budget = { maxTurns: 8, maxRuntimeS: 600 };
  await handle({ ...job, mustFinish: false, budget }, { ...jobContext(never()), log });
  return { draft: drafts[0] ?? null, told };
};

const briefOf = ({ url }: Ground, { base, head }: Range): Brief =>
  Brief.parse({
    v: 1,
    changeRequest: OF,
    runId: runId('run'),
    head,
    targetHead: base,
    targetBranch: 'main',
    title: 'A change',
    description: '',
    author: 'ada',
    git: { url, headRef: HEAD_REF },
    review: 1,
    attempt: 1,
    stage: 'open',
    openThreads: [],
    closedThreads: [],
    previous: null,
  });

const fix = async (ground: Ground, range: Range, onStep: (step: string) => void): Promise<FixEnding> => {
  publish(ground, range);
  const { base, head } = range;
  const { folder, repository, url } = ground;
  const facts = changeRequest({ changeRequest: OF, head, targetHead: base, sourceBranch: BRANCH });
  const deps: AuthorDeps = {
    forges: new Map(),
    mayWork: true,
    agent: {
      name: 'told',
      work: async ({ root, paths }) => {
        onStep('work');
        const changes = paths
          .slice(0, 1)
          .map((name) => ({ kind: 'write' as const, path: name, content: Buffer.from('fixed\n') }));
        if (!statSync(root).isDirectory() || readdirSync(root).length === 0) throw new Error('the tree is empty');
        return {
          kind: 'done',
          work: { changes, addressed: ['F-001'], declines: [], summary: 'Fixed.', spent: NOTHING_SPENT },
        };
      },
    },
    rules: { protectedPaths: [], lockFiles: false, newFiles: true, maxFiles: 20, maxBytes: 10_000, secrets: [TOKEN] },
    validation: { validate: async () => [], canValidate: () => false, validationS: 0 },
    commit: { name: 'Fixpoint', email: 'fixpoint@localhost' },
    checkoutFolder: path.join(folder, 'trees'),
    scratchFolder: path.join(folder, 'scratch'),
    loadBrief: async () => null,
    loadReport: async () => null,
    saveReport: async () => {},
    loadWork: async () => null,
    saveWork: async () => {},
    isOrdered: async () => true,
    deliver: async () => {},
    nowMs: () => 0,
    checkpoint: onStep,
  };
  const brief = FixBrief.parse({
    v: 1,
    changeRequest: OF,
    runId: runId('fix'),
    head,
    base,
    review: 1,
    sourceBranch: BRANCH,
    targetBranch: 'main',
    targetHead: base,
    git: { url, headRef: HEAD_REF },
    findings: [
      {
        id: 'F-001',
        fingerprint: print('one'),
        severity: 'P1',
        title: 'A claim',
        text: 'Words.',
        rule: null,
        place: { path: 'a.txt', side: 'new', startLine: 1, line: 1 },
      },
    ],
    reviewedHeads: [head],
    seenTrees: [],
    requester: null,
    orderedAtMs: 1_700_000_000_000,
  });
  const forge = {
    read: {
      fetchChangeRequest: async () => facts,
      fetchBranch: async () => ({ isProtected: false, isDefault: false, head }),
      fetchPermission: async () => 'none' as const,
    },
    otherBots: { ignored: new Set<number>(), allowed: new Set<number>(), marks: null },
    access: accessOf(ground),
  };
  const limits = { maxTurns: 4, maxRuntimeMs: 20_000 };
  const log = { warn: () => {} };
  const ending = await fixOnce({ deps, forge, brief, limits, log, signal: never() });
  if (ending.kind === 'fixed' && repository.git('rev-parse', `refs/heads/${BRANCH}`) !== ending.pushed)
    throw new Error('what was pushed is not there');
  return ending;
};
