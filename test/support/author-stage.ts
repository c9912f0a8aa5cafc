/** All services in one process with the author enabled, with a simulated forge and a real Redis. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type OneProcess, startOneProcess } from '../../services/cli/one-process.ts';
import type { ForgeKind } from '../../shared/forge/kinds/forge-kind.ts';
import { createQueues, type Queues } from '../../shared/queue/enqueue.ts';
import { createKeys } from '../../shared/store/keys.ts';
import { connectRedis } from '../../shared/store/redis.ts';
import type { MarkerPayload } from '../../shared/rounds/model/marker-payload.ts';
import { readMarkers } from '../../shared/rounds/memory/marker.ts';
import { findRepo } from '../sim/forgejo/find.ts';
import { type FileMap, runGit } from '../sim/forgejo/git.ts';
import { findProject } from '../sim/gitlab/find.ts';
import { failOnLeaks } from './fail-on-leaks.ts';
import { type FleetSim, type ForgeHands, type ForgeView, handsOn, startSim } from './fleet-forge.ts';
import { startRedis, type TestRedis } from './redis.ts';
import { makeSettings, type Settings } from './settings.ts';
import { openStoryQueues, type StoryQueues } from './story-queues.ts';
import { eventually, type StageModel } from './story-world.ts';

const PEOPLE = { owner: 'shop-team', author: 'author', bot: 'fixpoint' } as const;
const PREFIX = 'fixpoint';

export type AuthorStage = {
  readonly repo: string;
  readonly hands: ForgeHands;
  readonly commit: (branch: string, files: FileMap) => Promise<void>;
  readonly open: (branch: string, files: FileMap) => Promise<number>;
  readonly say: (number: number, body: string) => Promise<void>;
  readonly look: (number: number) => ForgeView;
  readonly markers: (number: number) => readonly MarkerPayload[];
  readonly bodies: (number: number) => readonly string[];
  /** Pauses or resumes the author's queue. */
  readonly holdFixes: (hold: boolean) => Promise<void>;
  readonly waitingFixes: () => Promise<number>;
  readonly calm: () => Promise<void>;
  /** Runs a sweep immediately. */
  readonly sweep: () => Promise<void>;
  readonly git: (...args: readonly string[]) => Promise<string>;
  readonly close: () => Promise<void>;
};

type Ground = {
  readonly folder: string;
  readonly redis: TestRedis;
  readonly sim: FleetSim;
  readonly settings: Settings;
  readonly services: OneProcess;
  readonly queues: Queues;
  readonly story: StoryQueues;
  readonly lines: readonly string[];
  readonly disconnect: () => void;
};

const layGround = async (
  kind: ForgeKind,
  author: string,
  model: StageModel | null,
): Promise<{ ground: Ground; repo: string }> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-author-stage-'));
  // The cage's account must reach the checkouts in this folder.
  await chmod(folder, 0o711);
  const [redis, sim] = await Promise.all([startRedis(), startSim(kind, { dataDir: path.join(folder, 'forge') })]);
  const { repos, tokens } = await handsOn(sim).furnish({ ...PEOPLE, names: ['shop'] });
  const [repo = ''] = repos;
  const made = makeSettings({
    kind,
    forgeUrl: sim.url,
    token: tokens.post,
    projects: [repo],
    dataDir: path.join(folder, 'data'),
    redisPrefix: PREFIX,
    more: `[sweep]\ninterval_seconds = 3600\n[queues]\nbackoff_ms = 100\n${author}`,
  });
  const modelEnv = model === null ? {} : { ANTHROPIC_API_KEY: model.apiKey, ANTHROPIC_BASE_URL: model.url };
  const settings = { ...made, env: { ...made.env, ...modelEnv } };
  const lines: string[] = [];
  const services = await startOneProcess({
    settings: settings.toml,
    folder,
    env: settings.env,
    connectRedis: () => connectRedis(redis.url, 'worker'),
    logTo: { write: (line) => void lines.push(line) },
    logLevel: 'debug',
  });
  handsOn(sim).addWebhook({ repo, url: `${services.ingressUrl}/webhooks/sim`, secret: settings.webhookSecret });
  const connection = connectRedis(redis.url, 'worker');
  const queues = createQueues(connection, createKeys(PREFIX).queues);
  const story = openStoryQueues(connection, PREFIX);
  return {
    repo,
    ground: { folder, redis, sim, settings, services, queues, story, lines, disconnect: () => connection.disconnect() },
  };
};

const gitDirOf = (sim: FleetSim, repo: string): string =>
  ('traits' in sim ? findRepo(sim.world, repo) : findProject(sim.world, repo)).gitDir;

const takeDown = async (ground: Ground, model: StageModel | null): Promise<void> => {
  const { folder, redis, sim, settings, services, queues, story, lines, disconnect } = ground;
  await sim.settled();
  await services.close();
  const { SIM_TOKEN: token = '', ANTHROPIC_API_KEY: modelKey } = settings.env;
  const secrets = [token, settings.webhookSecret, settings.markerSecret, ...(modelKey === undefined ? [] : [modelKey])];
  try {
    const connect = () => connectRedis(redis.url, 'worker');
    await failOnLeaks({ sim, lines, connect, secrets, modelRequests: model?.requests ?? [] });
  } finally {
    await queues.close();
    await story.close();
    disconnect();
    await sim.close();
    await redis.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
};

/**
 * `model`: for the reviewer, and for the author if it uses a model; the caller closes it. Contract: the caller closes the
 * stage, also when a test fails; closing fails when a secret leaked.
 */
export const startAuthorStage = async (
  kind: ForgeKind,
  author: string,
  model: StageModel | null = null,
): Promise<AuthorStage> => {
  const { ground, repo } = await layGround(kind, author, model);
  const { sim, queues, story, settings } = ground;
  const hands = handsOn(sim);
  const commit: AuthorStage['commit'] = async (branch, files) =>
    hands.commit({ repo, branch, files, message: `Change ${branch}\n`, author: PEOPLE.author });
  const calm = async (): Promise<void> => {
    await sim.settled();
    await eventually('idle queues', story.idle);
  };
  const look: AuthorStage['look'] = (number) => hands.look({ repo, number });
  const bodies: AuthorStage['bodies'] = (number) => {
    const { comments, reviews, inline } = look(number);
    return [...comments, ...reviews, ...inline, ...inline.flatMap(({ replies }) => replies)]
      .filter(({ author: by }) => by === PEOPLE.bot)
      .map(({ body }) => body);
  };
  return {
    repo,
    hands,
    commit,
    look,
    bodies,
    open: async (branch, files) => {
      await commit(branch, files);
      return hands.open({ repo, branch, title: `Change ${branch}`, author: PEOPLE.author });
    },
    say: async (number, body) => hands.comment({ repo, number, as: PEOPLE.author, body }),
    markers: (number) =>
      bodies(number)
        .flatMap((body) => readMarkers(body, [settings.markerSecret]))
        .flatMap((reading) => (reading.kind === 'valid' ? [reading.payload] : [])),
    holdFixes: async (hold) => (hold ? queues.queue('fix').pause() : queues.queue('fix').resume()),
    waitingFixes: async () => queues.queue('fix').getJobCountByTypes('wait', 'prioritized'),
    calm,
    sweep: async () => {
      await story.addSweep();
      await calm();
    },
    git: async (...args) => runGit(gitDirOf(sim, repo), args),
    close: async () => takeDown(ground, model),
  };
};
