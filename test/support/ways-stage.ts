/**
 * One change request that is reviewed by a server and from the command line: the real services, with a Redis of their own
 * each, on a simulated forge. Ends with a search for secrets.
 */
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type OneProcess, startOneProcess } from '../../services/cli/one-process.ts';
import { type RemoteOptions, reviewAddress } from '../../services/cli/remote-review.ts';
import type { ReviewOutput } from '../../services/cli/review/review-output.ts';
import { readMarkers } from '../../shared/rounds/memory/marker.ts';
import type { MarkerPayload, SummaryMarker } from '../../shared/rounds/model/marker-payload.ts';
import type { ForgeKind } from '../../shared/forge/kinds/forge-kind.ts';
import { connectRedis } from '../../shared/store/redis.ts';
import type { FileMap } from '../sim/forgejo/git.ts';
import { failOnLeaks } from './fail-on-leaks.ts';
import { type FleetSim, type ForgeView, handsOn, startSim } from './fleet-forge.ts';
import { startRedis, type TestRedis } from './redis.ts';
import { makeSettings } from './settings.ts';
import { openStoryQueues } from './story-queues.ts';
import { eventually, type StageModel } from './story-world.ts';

const OWNER = 'shop-team';
const AUTHOR = 'author';
const BOT = 'fixpoint';

const TOKEN_ENV = { gitlab: 'GITLAB_TOKEN', forgejo: 'FORGEJO_TOKEN', gitea: 'GITEA_TOKEN' } as const;

export type Server = {
  readonly services: OneProcess;
  /** Resolves once no webhook and no job is in progress. */
  readonly calm: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

export type WaysStage = {
  readonly sim: FleetSim;
  readonly repo: string;
  readonly projectId: number;
  readonly tokens: { readonly read: string; readonly post: string };
  readonly markerSecret: string;
  readonly folder: string;
  readonly push: (branch: string, files: FileMap) => Promise<void>;
  readonly open: (branch: string, files: FileMap) => Promise<number>;
  readonly urlOf: (number: number) => string;
  readonly look: (number: number) => ForgeView;
  /** The markers of the bot's comments, each once. */
  readonly markers: (number: number) => readonly MarkerPayload[];
  /** Starts a server with an empty Redis of its own. */
  readonly serve: () => Promise<Server>;
  readonly review: (address: string, wish?: ReviewWish) => Promise<ReviewOutput>;
  /** What a process printed is searched, too. */
  readonly heard: (text: string) => void;
  readonly close: () => Promise<void>;
};

export type ReviewWish = Partial<RemoteOptions> & {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Contract: called with each line that the user sees. */
  readonly say?: (line: string) => unknown;
};

export type StageWish = { readonly kind: ForgeKind; readonly model?: StageModel };

/** Contract: the caller closes the stage, also when a test fails. */
export const startWaysStage = async ({ kind, model }: StageWish): Promise<WaysStage> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-ways-'));
  // The cage's account must reach the checkouts in this folder.
  await chmod(folder, 0o711);
  const sim = await startSim(kind, { dataDir: path.join(folder, 'forge') });
  const hands = handsOn(sim);
  const { repos, projectIds, tokens } = await hands.furnish({
    owner: OWNER,
    author: AUTHOR,
    bot: BOT,
    names: ['shop'],
  });
  const [repo = '', projectId = 0] = [repos[0], projectIds[0]];
  const markerSecret = randomBytes(32).toString('hex');
  const lines: string[] = [];
  const log = { write: (line: string): void => void lines.push(line) };
  const undo: (() => Promise<void>)[] = [];
  const redises: TestRedis[] = [];
  const modelEnv = model === undefined ? {} : { ANTHROPIC_API_KEY: model.apiKey, ANTHROPIC_BASE_URL: model.url };

  const commit = async (branch: string, files: FileMap, author: string): Promise<void> =>
    hands.commit({ repo, branch, files, message: `Change ${branch}\n`, author });
  const serve = async (): Promise<Server> => {
    const redis = await startRedis();
    redises.push(redis);
    const settings = makeSettings({
      kind,
      forgeUrl: sim.url,
      token: tokens.post,
      projects: [repo],
      dataDir: path.join(folder, `server-${redises.length}`),
      runner: model === undefined ? 'rules' : 'agent',
      more: '[sweep]\ninterval_seconds = 3600',
    });
    const services = await startOneProcess({
      settings: settings.toml,
      folder,
      env: { ...settings.env, ...modelEnv, FIXPOINT_MARKER_SECRET: markerSecret },
      connectRedis: () => connectRedis(redis.url, 'worker'),
      logTo: log,
      logLevel: 'debug',
    });
    const removeHook = hands.addWebhook({
      repo,
      url: `${services.ingressUrl}/webhooks/sim`,
      secret: settings.webhookSecret,
    });
    const own = connectRedis(redis.url, 'worker');
    const queues = openStoryQueues(own, 'fixpoint');
    const calm = async (): Promise<void> => {
      await sim.settled();
      await eventually('idle queues', queues.idle);
    };
    let stopped = false;
    const stop = async (): Promise<void> => {
      if (stopped) return;
      stopped = true;
      removeHook();
      await services.close();
      await queues.close();
      own.disconnect();
    };
    undo.push(stop);
    return { services, calm, stop };
  };

  const close = async (): Promise<void> => {
    try {
      for (const step of undo.toReversed()) await step();
      const secrets = [...Object.values(tokens), markerSecret, ...(model === undefined ? [] : [model.apiKey])];
      const modelRequests = model?.requests ?? [];
      const stores = redises.map(
        ({ url }) =>
          () =>
            connectRedis(url, 'worker'),
      );
      for (const connect of stores.length === 0 ? [null] : stores)
        await failOnLeaks({ sim, lines, connect, secrets, modelRequests });
    } finally {
      await sim.close();
      for (const redis of redises) await redis.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  };

  await commit('main', { 'README.md': '# Shop\n' }, OWNER);
  return {
    sim,
    repo,
    projectId,
    tokens,
    markerSecret,
    folder,
    push: async (branch, files) => commit(branch, files, AUTHOR),
    open: async (branch, files) => {
      await commit(branch, files, AUTHOR);
      return hands.open({ repo, branch, title: `Change ${branch}`, author: AUTHOR });
    },
    urlOf: (number) =>
      kind === 'gitlab' ? `${sim.url}/${repo}/-/merge_requests/${number}` : `${sim.url}/${repo}/pulls/${number}`,
    look: (number) => hands.look({ repo, number }),
    markers: (number) => markersIn(hands.look({ repo, number }), markerSecret),
    serve,
    review: async (address, { env = {}, say = () => {}, ...options } = {}) => {
      const token = options.post === true ? tokens.post : tokens.read;
      const tell = (line: string): void => {
        say(line);
        log.write(line);
      };
      const given = { PATH: process.env['PATH'], [TOKEN_ENV[kind]]: token, FIXPOINT_MARKER_SECRET: markerSecret };
      return reviewAddress(
        address,
        { mode: 'change', runner: 'auto', ...options },
        { env: { ...given, ...modelEnv, ...env }, signal: AbortSignal.timeout(120_000), say: tell, log },
      );
    },
    heard: log.write,
    close,
  };
};

const markersIn = ({ comments, reviews, inline }: ForgeView, secret: string): readonly MarkerPayload[] =>
  [...comments, ...reviews, ...inline, ...inline.flatMap(({ replies }) => replies)]
    .flatMap(({ body }) => readMarkers(body, [secret]))
    .flatMap((reading) => (reading.kind === 'valid' ? [reading.payload] : []));

/** @throws Error unless the change request has one summary */
export const summaryOf = (stage: WaysStage, number: number): SummaryMarker => {
  const found = stage.markers(number).filter((payload) => payload.kind === 'summary');
  const [summary] = found;
  if (summary === undefined || found.length > 1) throw new Error(`${found.length} summaries instead of one`);
  return summary;
};

/** Waits until the head has a final status, which is written last. */
export const settled = async (stage: WaysStage, number: number): Promise<void> =>
  eventually('a verdict', () => {
    const status = stage.look(number).headStatuses['fixpoint'];
    return status !== undefined && status !== 'pending' && status !== 'running';
  });
