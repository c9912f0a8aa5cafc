/** The operator's page over a real Redis, with what guard and the reviewer would have stored. */
import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { createAttempts } from '../../../services/console/access/attempts.ts';
import { createLoginForge } from '../../../services/console/access/login-forge.ts';
import { createMemberSessions } from '../../../services/console/access/member-sessions.ts';
import { createPendingLogins } from '../../../services/console/access/pending-logins.ts';
import { type AccessDeps, createAccess } from '../../../services/console/access/visitors.ts';
import { openBoard } from '../../../services/console/bull-board/board.ts';
import { createConsole } from '../../../services/console/app.ts';
import { createLiveNow } from '../../../services/console/routes/live-now.ts';
import { readNow } from '../../../services/console/read/now.ts';
import { WHOLE_SIGHT } from '../../../services/console/access/sight.ts';
import type { PageSource } from '../../../services/console/read/source.ts';
import { type Config, loadConfig } from '../../../shared/config/load.ts';
import { secretValues } from '../../../shared/config/loaded/secret-values.ts';
import { createLogger, type Logger } from '../../../shared/logger.ts';
import { createQueues } from '../../../shared/queue/enqueue.ts';
import { Brief } from '../../../shared/rounds/model/brief.ts';
import { ReviewDraft } from '../../../shared/rounds/model/draft.ts';
import type { GuardState } from '../../../shared/rounds/model/state.ts';
import { createActivity } from '../../../shared/store/board/activity.ts';
import { createRunLog } from '../../../shared/store/board/run-log.ts';
import { createSessions } from '../../../shared/store/board/sessions.ts';
import {
  type ChangeRequestView,
  createChangeRequestViews,
  type ThreadView,
} from '../../../shared/store/board/views.ts';
import { createPauses } from '../../../shared/store/board/pauses.ts';
import { createDecisions } from '../../../shared/store/decisions.ts';
import { createDocumentStore } from '../../../shared/store/documents.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { connectRedis } from '../../../shared/store/redis.ts';
import { createSlots } from '../../../shared/store/slots.ts';
import { createProjectNames } from '../../../shared/store/spending/project-names.ts';
import { createRedactor } from '../../../shared/text/redact.ts';
import * as make from '../../shared/rounds/builders.ts';
import { makeSettings } from '../../support/settings.ts';

export const TOKENS = { read: randomBytes(24).toString('hex'), write: randomBytes(24).toString('hex') };

export const at = (number: number) => ({ forge: 'sim', projectId: 4, number });

export type ConsoleStage = {
  readonly app: FastifyInstance;
  readonly source: PageSource;
  readonly config: Config;
  /** What was logged. */
  readonly lines: string[];
  readonly clock: { nowMs: number };
  /** Logs a browser in and returns its cookie and the value of its forms. */
  readonly logIn: (token?: string) => Promise<{ readonly cookie: string; readonly csrf: string }>;
  readonly close: () => Promise<void>;
};

export type StageWish = {
  readonly redisUrl: string;
  readonly more?: string;
  readonly login?: (context: { readonly nowMs: () => number; readonly log: Logger }) => AccessDeps['login'];
};

/** Shows the button of the login, and never asks a forge. */
export const unusedLogin: NonNullable<StageWish['login']> = ({ nowMs, log }) => {
  const client = { id: 'sim', kind: 'forgejo', baseUrl: 'https://forge.example', clientId: 'console' } as const;
  const redirectUri = 'https://console.example/login/forge/callback';
  const forge = createLoginForge({ ...client, clientSecret: '', redirectUri }, nowMs);
  return { forge, members: createMemberSessions({ forge, nowMs, log }), pending: createPendingLogins(nowMs) };
};

const tomlOf = ({ redisUrl, more = '' }: StageWish): string => {
  const wish = {
    forgeUrl: 'http://forge.example',
    token: 'token-of-the-bot',
    projects: ['acme/shop'],
    dataDir: '/none',
  };
  const settings = makeSettings({
    ...wish,
    redisUrl,
    more: `[console]\nenabled = true\nport = 0\nwrite_token_env = "CONSOLE_WRITE_TOKEN"\n${more}`,
  });
  return settings.toml;
};

const configOf = (wish: StageWish): Config => {
  const { redisUrl } = wish;
  const env = { REDIS_URL: redisUrl, CONSOLE_TOKEN: TOKENS.read, CONSOLE_WRITE_TOKEN: TOKENS.write };
  const loaded = loadConfig({ text: tomlOf(wish), folder: '/', env, needs: ['redis', 'console'] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded.config;
};

export const openConsole = async (wish: StageWish): Promise<ConsoleStage> => {
  const config = configOf(wish);
  const redis = connectRedis(wish.redisUrl, 'producer');
  if (redis.status !== 'ready') await new Promise((resolve) => redis.once('ready', resolve));
  const clock = { nowMs: Date.now() };
  const lines: string[] = [];
  const log = createLogger({
    service: 'console',
    level: 'debug',
    to: { write: (line: string) => void lines.push(line) },
    secrets: secretValues(config.secrets),
  });
  const keys = createKeys(config.redis.prefix);
  const redact = createRedactor(secretValues(config.secrets));
  const nowMs = (): number => clock.nowMs;
  const queues = createQueues(redis, keys.queues, config.queues);
  const source: PageSource = {
    redis,
    keys,
    queues,
    config,
    settingsFile: { name: 'fixpoint.toml', text: tomlOf(wish) },
    clean: (text) => redact(text).text,
    nowMs,
    sight: WHOLE_SIGHT,
  };
  const live = createLiveNow(async (sight) => readNow({ ...source, sight }), { everyMs: 50 });
  const isSecure = config.console.publicUrl !== null;
  const access = createAccess({
    tokens: TOKENS,
    sessions: createSessions(redis, keys),
    attempts: createAttempts(nowMs),
    isSecure,
    login: wish.login?.({ nowMs, log }) ?? null,
  });
  const board = config.console.bullBoard ? await openBoard(source) : null;
  const app = await createConsole({ source, access, live, board, log, isSecure });
  const logIn = async (token = TOKENS.read) => {
    const { headers } = await app.inject({ method: 'POST', url: '/login', ...form({ token }) });
    const cookie = String(headers['set-cookie']).split(';')[0] ?? '';
    const { body } = await app.inject({ url: '/', headers: { cookie } });
    return { cookie, csrf: /name="csrf" value="([^"]+)"/.exec(body)?.[1] ?? '' };
  };
  const close = async (): Promise<void> => {
    live.close();
    await app.close();
    await queues.close();
    redis.disconnect();
  };
  return { app, source, config, lines, clock, logIn, close };
};

export const form = (fields: Readonly<Record<string, string>>) => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  payload: new URLSearchParams(fields).toString(),
});

export const viewOf = (number: number, patch: Partial<ChangeRequestView> = {}): ChangeRequestView => ({
  v: 1,
  changeRequest: at(number),
  atMs: Date.now() - 90_000,
  title: 'Charge the card only once',
  author: 'ann',
  sourceBranch: 'fix/charge-once',
  targetBranch: 'main',
  state: 'open',
  draft: false,
  head: make.sha('head'),
  webUrl: `https://forge.example/acme/shop/pulls/${number}`,
  summaryUrl: null,
  verdict: 'feedback',
  waits: null,
  reviews: [],
  threads: [],
  moreThreads: 0,
  handoffs: [],
  spent: null,
  ...patch,
});

export const threadView = (patch: Partial<ThreadView> = {}): ThreadView => ({
  id: 'F-001',
  title: 'The retry charges the card twice',
  severity: 'P1',
  blocking: true,
  state: 'open',
  stance: 'seeks_change',
  count: 1,
  review: 1,
  path: 'src/billing/charge.ts',
  line: 42,
  rule: null,
  webUrl: 'https://forge.example/acme/shop/pulls/7#note-1',
  ...patch,
});

export type Stored = {
  readonly view?: ChangeRequestView;
  readonly state?: Partial<GuardState>;
  readonly isWorking?: boolean;
};

/** Stores a change request as guard would. */
export const store = async ({ redis, keys, nowMs }: PageSource, number: number, stored: Stored): Promise<void> => {
  const { view, state, isWorking = false } = stored;
  if (view !== undefined) await createChangeRequestViews(redis, keys).save(view);
  if (state !== undefined)
    await redis.set(keys.ofChangeRequest(at(number), 'state'), JSON.stringify(make.state(state)));
  await createActivity(redis, keys).note(at(number), { isWorking, atMs: nowMs() - number });
};

const HEAD = make.sha('head');

/** One change request of each group, and one with a history. */
export const storeScene = async (source: PageSource): Promise<void> => {
  const { redis, keys } = source;
  const farMs = source.nowMs() + 600_000;
  const running = make.run({ review: 2, deadlineMs: farMs });
  await store(source, 7, {
    view: viewOf(7, {
      reviews: [{ review: 1, head: HEAD, verdict: 'feedback', complete: true, seenBy: 'model' }],
      threads: [
        threadView(),
        threadView({ id: 'F-002', title: 'An error is swallowed', severity: 'P2', blocking: false, state: 'resolved' }),
        threadView({ id: 'F-003', title: 'The file is never closed', rule: 'no-leaked-handle', webUrl: null, line: 7 }),
      ],
      handoffs: [{ review: 1, reason: 'a finding is escalated', atMs: source.nowMs() - 3_600_000 }],
    }),
    state: { running, slotHeld: true, granted: 1, runsUsed: 2, roundsUsed: 1 },
    isWorking: true,
  });
  await store(source, 8, {
    view: viewOf(8, { title: 'Split the parser', verdict: null, author: 'bob' }),
    state: { wanted: make.at(HEAD), runsUsed: 1 },
    isWorking: true,
  });
  await store(source, 9, {
    view: viewOf(9, { title: 'Upgrade the driver', verdict: null }),
    state: { quiet: { head: HEAD, untilMs: source.nowMs() + 20_000 } },
    isWorking: true,
  });
  await store(source, 10, {
    view: viewOf(10, { title: 'Cache the exchange rates', verdict: 'inconclusive' }),
    state: { running: make.run({ phase: 'waiting_ci', deadlineMs: farMs }) },
    isWorking: true,
  });
  await store(source, 11, {
    view: viewOf(11, { title: 'Rename a flag', verdict: 'lgtm', state: 'merged' }),
    state: {},
  });
  await createSlots(redis, keys).acquire(at(7), 1, 0);
  const run = { runId: running.runId, kind: 'review', review: 2, attempt: 1, head: HEAD } as const;
  await createRunLog(redis, keys).add(at(7), run, source.nowMs() - 60_000);
  await createDecisions(redis, keys).append(at(7), [
    {
      atMs: source.nowMs() - 90_000,
      effect: 'acquire_slot',
      reason: 'a new head is to be reviewed',
      head: HEAD,
      events: ['forge:pushed'],
    },
    { atMs: source.nowMs() - 60_000, effect: 'review', reason: 'the run was announced', head: HEAD, events: ['post'] },
  ]);
};

const LONG = 'acme/platform/a-service-with-a-name-that-nobody-would-choose-twice-but-somebody-did';

/** Texts that are as long as people make them, on every page; a paused project, and a run with a result. */
export const storeLongTexts = async (source: PageSource): Promise<void> => {
  const { redis, keys, nowMs, config } = source;
  const branch = `renovate/${'major-update-of-everything-'.repeat(4)}`;
  const title = 'Replace_the_generated_client_of_the_settlement_service_without_a_single_space_in_its_title';
  const runId = make.runId('long');
  const path = `src/${'deeply/nested/'.repeat(6)}charge.ts`;
  await store(source, 13, {
    view: viewOf(13, {
      title,
      author: 'a-bot-with-a-long-name-for-a-single-task[bot]',
      sourceBranch: branch,
      threads: [threadView({ title, path })],
    }),
    state: { quiet: { head: HEAD, untilMs: nowMs() + 20_000 } },
    isWorking: true,
  });
  const input = { head: HEAD, targetHead: make.sha('target'), targetBranch: 'main', sourceBranch: branch };
  const threads = { openThreads: [], closedThreads: [], previous: null };
  const run1 = { runId, review: 1, attempt: 1, stage: 'open' };
  const brief = Brief.parse({
    v: 1,
    changeRequest: at(13),
    ...input,
    ...threads,
    ...run1,
    title,
    description: '',
    author: 'ann',
    git: { url: 'https://forge.example/acme/shop.git', headRef: 'refs/pull/13/head' },
  });
  const omitted = [{ path, reason: 'it is generated' }];
  const coverage = { files: 2, reviewed: 1, omitted, complete: false };
  const findings = [make.finding({}, { title, path })];
  const draft = make.draft({ runId, head: HEAD, summary: `${title} ${title}`, findings, coverage });
  await createDocumentStore(redis, Brief).save(keys.ofRun(runId, 'brief'), brief);
  await createDocumentStore(redis, ReviewDraft).save(keys.ofRun(runId, 'draft'), draft);
  const run = { runId, kind: 'review', review: 1, attempt: 1, head: HEAD } as const;
  await createRunLog(redis, keys).add(at(13), run, nowMs() - 60_000);
  const paused = { forge: 'sim', projectId: 5 };
  await createProjectNames(redis, config.redis.prefix).save(paused, LONG);
  await createPauses(redis, keys).pause(paused, {
    atMs: nowMs(),
    by: `the operator's page, from ${'2001:db8:'.repeat(4)}1`,
  });
};

/** The path of the page of the run that `storeLongTexts` stores. */
export const RUN_PAGE = `/change-requests/sim/4/13/runs/${make.runId('long')}`;
