/** The poster's own code with a simulated forge, and a plan of three findings, one notice and a summary. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import type { PosterDeps, PosterForge } from '../../services/poster/deps.ts';
import { post, type PostOutcome } from '../../services/poster/post.ts';
import { connectForge } from '../../shared/forge/kinds/connect.ts';
import { createMetrics } from '../../shared/metrics.ts';
import type { PostPlan } from '../../shared/rounds/model/posting/post-plan.ts';
import { NOTHING_SPENT } from '../../shared/vocabulary/spent.ts';
import { type ChangeRequest, changeRequestKey, CommitSha, FindingId, ForgeId } from '../../shared/vocabulary/ids.ts';
import type { MarkerPayload } from '../../shared/rounds/model/marker-payload.ts';
import { mayHoldSummary, readMarkers } from '../../shared/rounds/memory/marker.ts';
import { print, runId } from '../shared/rounds/builders.ts';
import { type ForgejoSim, startForgejoSim } from '../sim/forgejo/start.ts';
import { failOnLeaks } from '../support/fail-on-leaks.ts';
import { FREE_PLACE } from '../services/poster/free-place.ts';
import { callDeps, NO_OWNERS } from '../services/poster/calls-fixture.ts';

export const REPO = 'team/shop';
const SECRET = 'm'.repeat(40);
const LINES = [1, 2, 3];

export type PosterBench = {
  readonly sim: ForgejoSim;
  readonly open: (author?: string) => Promise<number>;
  readonly post: (number: number, how?: Posting) => Promise<PostOutcome>;
  /** Posting keys in the markers on the change request, sorted. */
  readonly said: (number: number) => readonly string[];
  /** Fails when the log or a request contains a secret. */
  readonly close: () => Promise<void>;
};

export type Posting = {
  /** Contract: wraps every call of the forge and may delay it. */
  readonly around?: Around;
  /** What the poster keeps in Redis for a plan. Without it, each call knows only what it reads from the forge. */
  readonly memory?: Set<string>;
  /** The bot's verdict to set on the forge. Default: null. */
  readonly verdict?: PostPlan['forgeVerdict'];
  /** Posts although the head has changed. */
  readonly allowStale?: boolean;
  /** Contract: called with the name of every step; may throw to simulate a kill. */
  readonly checkpoint?: (step: string) => void;
};

export type Around = <Result>(call: () => Promise<Result>) => Promise<Result>;

const straight: Around = async (call) => call();

type BenchOptions = {
  readonly maxPageSize?: number;
  /** Time limit of one call. Short only where the forge never answers, because a loaded machine may look the same. */
  readonly totalMs?: number;
};

export const openPosterBench = async (options: BenchOptions = {}): Promise<PosterBench> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-poster-'));
  // Only waiting advances this clock, so that waiting takes no real time.
  let nowMs = Date.now();
  const sim = await startForgejoSim({ ...options, dataDir: folder, clock: () => nowMs });
  sim.createUser({ login: 'team' });
  const bot = sim.createUser({ login: 'fixpoint' });
  const repo = await sim.createRepo('team', 'shop');
  sim.addCollaborator(REPO, 'fixpoint', 'write');
  const commit = async (branch: string, files: Record<string, string>): Promise<string> =>
    sim.commitFiles({ repo: REPO, branch, files, message: `${branch}\n`, author: 'team' });
  await commit('main', { 'README.md': '# Shop\n' });
  const head = await commit('change', { 'a.js': 'one();\ntwo();\nthree();\n' });
  const forge = await connectForge(
    {
      id: ForgeId.parse('sim'),
      kind: 'forgejo',
      baseUrl: sim.url,
      token: bot.token,
      timeouts: { connectMs: 5_000, totalMs: options.totalMs ?? 1_500 },
      isEdited: mayHoldSummary,
    },
    AbortSignal.timeout(10_000),
  );
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line) => void lines.push(line) });
  log.info({ forge: sim.url }, 'the bench is open');
  let opened = 0;
  const posterForge = (around: Around): PosterForge => ({
    calls: NO_OWNERS,
    read: wrap(forge.read, around),
    write: wrap(forge.write, around),
    threads: forge.threads,
    resolving: forge.resolving,
    botIds: new Set([bot.id]),
    selfId: bot.id,
    sanitizing: { forgeBaseUrl: sim.url, maxLength: 60_000, secrets: [] },
    rangedSuggestions: false,
    sigil: '#',
    maxTargetUrl: 255,
    keepsStatuses: true,
    reviewBody: true,
  });
  return {
    sim,
    open: async (author = 'team') => {
      opened += 1;
      const branch = `change-${opened}`;
      await sim.moveBranch({ repo: REPO, branch, to: head, as: 'team' });
      const pull = await sim.openPullRequest({ repo: REPO, head: branch, title: `Change ${opened}`, author });
      return pull.number;
    },
    post: async (number, how = {}) => {
      const { around = straight, memory = new Set<string>(), verdict = null, allowStale = false } = how;
      const of: ChangeRequest = { forge: ForgeId.parse('sim'), projectId: repo.id, number };
      const { baseSha, headRef } = sim.pullAt({ repo: REPO, number });
      const heads = { head: CommitSha.parse(head), base: CommitSha.parse(baseSha), branch: headRef };
      const plan = { ...planFor(of, heads), forgeVerdict: verdict, allowStale };
      const { checkpoint = () => {} } = how;
      const deps = { ...posterDeps(memory, async (ms) => void (nowMs += ms)), checkpoint };
      return post({
        deps,
        forge: posterForge(around),
        plan,
        log,
        signal: AbortSignal.timeout(60_000),
      });
    },
    said: (number) => {
      const { comments, reviews } = sim.snapshot(REPO, number);
      const inline = reviews.flatMap((review) => review.inline);
      const bodies = [...comments, ...reviews, ...inline].map(({ body }) => body);
      // The body of a review that holds no summary only says that the review is ours.
      return bodies
        .flatMap(keysIn)
        .filter((key) => !key.startsWith('answer'))
        .toSorted();
    },
    close: async () => {
      await sim.close();
      await rm(folder, { recursive: true, force: true });
      await failOnLeaks({ sim, lines, connect: null, secrets: [SECRET, bot.token] });
    },
  };
};

/** Wraps every method of a forge with `around`. */
const wrap = <Methods extends object>(methods: Methods, around: Around): Methods => {
  const entries = Object.entries(methods).map(([name, method]) => [
    name,
    // Safe cast: the ports contain only functions that return promises.
    async (...all: readonly unknown[]) =>
      around(async () => (method as (...rest: readonly unknown[]) => Promise<unknown>)(...all)),
  ]);
  return Object.fromEntries(entries) as Methods;
};

const keysIn = (body: string): readonly string[] =>
  readMarkers(body, [SECRET]).flatMap((reading) => (reading.kind === 'valid' ? [nameOf(reading.payload)] : []));

const nameOf = (payload: MarkerPayload): string =>
  payload.kind === 'finding' ? `finding ${payload.line}` : payload.kind;

/** Everything once, in the format of `PosterBench.said`. */
export const ONCE = ['finding 1', 'finding 2', 'finding 3', 'notice', 'summary'];

const posterDeps = (memory: Set<string>, sleep: PosterDeps['sleep']): PosterDeps => ({
  forges: new Map(),
  markerSecrets: [SECRET],
  ...callDeps(),
  dryRun: false,
  statusContext: 'fixpoint',
  ...FREE_PLACE,
  loadPlan: async () => null,
  readings: { hand: async () => {}, drop: async () => {}, takeLook: async () => null },
  seen: {
    load: async () => new Set(memory),
    add: async (_planId, keys) => {
      for (const key of keys) memory.add(key);
    },
  },
  deliver: async () => {},
  underLease: async () => null,
  metrics: createMetrics({ service: 'poster', processMetrics: false }),
  nowMs: () => 0,
  sleep,
  checkpoint: () => {},
});

type ReviewPlan = Parameters<typeof post>[0]['plan'];

type Place = { readonly head: CommitSha; readonly base: CommitSha; readonly branch: string };

const planFor = (of: ChangeRequest, { head, base, branch }: Place): ReviewPlan => {
  const common = { cr: changeRequestKey(of), review: 1, attempt: 1, run: runId('bench'), head };
  return {
    v: 1,
    planId: 'bench-plan-review',
    kind: 'review',
    changeRequest: of,
    runId: runId('bench'),
    head,
    target: 'main',
    mergeBase: base,
    base,
    targetHead: base,
    sourceBranch: branch,
    allowStale: false,
    inline: LINES.map((line) => plannedFinding(line, { ...common, base })),
    replies: [],
    closures: [],
    reactions: [],
    announcement: null,
    reviewText: 'Three findings.',
    summary: {
      text: 'Three findings.',
      marker: {
        ...common,
        target: 'main',
        targetHead: base,
        mergeBase: base,
        kind: 'summary',
        phase: 'posted',
        base,
        until: null,
        runs: 1,
        superseded: 0,
        verdict: 'feedback',
        reviewed: [
          {
            head,
            base,
            target: 'main',
            targetHead: base,
            rules: print('rules'),
            fingerprint: print('patch'),
            review: 1,
            verdict: 'feedback',
          },
        ],
        ledger: [],
        spent: NOTHING_SPENT,
        nextId: 3,
      },
    },
    notices: [{ marker: { ...common, kind: 'notice', verdict: 'feedback' }, text: 'The verdict.', mention: false }],
    status: { state: 'failure', description: 'needs work' },
    forgeVerdict: null,
  };
};

type FindingCommon = Pick<
  Extract<MarkerPayload, { kind: 'finding' }>,
  'cr' | 'review' | 'attempt' | 'run' | 'head' | 'base'
>;

const plannedFinding = (line: number, common: FindingCommon): PostPlan['inline'][number] => {
  const at = { kind: 'added', oldLine: null, newLine: line, lineCodeOld: 0, lineCodeNew: line } as const;
  return {
    marker: {
      ...common,
      kind: 'finding',
      id: FindingId.parse(`F-00${line}`),
      fp: print(`finding ${line}`),
      count: 0,
      stance: 'seeks_change',
      severity: 'P1',
      blocking: true,
      state: 'open',
      path: 'a.js',
      side: 'new',
      startLine: line,
      line,
      title: `Finding ${line}`,
      rule: null,
      patch: null,
    },
    text: `Finding ${line} in words.`,
    suggestion: null,
    position: { oldPath: 'a.js', newPath: 'a.js', side: 'new', start: at, end: at },
  };
};
