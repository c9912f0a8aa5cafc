/** All services in one process with one simulated forge of any kind, for tests of verdicts on the forge. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { startOneProcess } from '../../services/cli/one-process.ts';
import type { ForgeKind } from '../../shared/forge/kinds/forge-kind.ts';
import { createDecisions, type DecisionRecord } from '../../shared/store/decisions.ts';
import { createKeys } from '../../shared/store/keys.ts';
import { connectRedis } from '../../shared/store/redis.ts';
import { stripMarkers } from '../../shared/rounds/memory/marker.ts';
import { findRepo } from '../sim/forgejo/find.ts';
import { findProject } from '../sim/gitlab/find.ts';
import { failOnLeaks } from '../support/fail-on-leaks.ts';
import { type FleetSim, type ForgeView, handsOn, startSim } from '../support/fleet-forge.ts';
import { startRedis } from '../support/redis.ts';
import { makeSettings } from '../support/settings.ts';
import { openStoryQueues } from '../support/story-queues.ts';
import { eventually } from '../support/story-world.ts';

const [OWNER, AUTHOR, BOT] = ['shop-team', 'author', 'fixpoint'];

export type VerdictStage = {
  readonly sim: FleetSim;
  readonly bot: string;
  readonly markerSecret: string;
  readonly push: (branch: string, content: string) => Promise<void>;
  readonly open: (branch: string, content: string) => Promise<number>;
  /** `merged` by the owner; `closed` and `reopened` by the author. */
  readonly end: (number: number, how: 'merged' | 'closed' | 'reopened') => Promise<void>;
  /** Makes the bot a reviewer: GitLab requires that of an account that requests changes. */
  readonly askBot: (number: number) => Promise<void>;
  /** The newest head's status, once it is final and no job is active. */
  readonly statusOf: (number: number) => Promise<string>;
  /** Description of the bot's newest status at the newest head. */
  readonly descriptionOf: (number: number) => string;
  readonly summaryOf: (number: number) => string;
  readonly look: (number: number) => ForgeView;
  /** The bot's reviews and approvals on the forge that count. */
  readonly decided: (number: number) => readonly string[];
  /** Runs the task during a reviewer's next fetch. */
  readonly meanwhile: (task: () => Promise<void>) => void;
  readonly repo: string;
  /** Results of the reviewers' runs so far, oldest first. */
  readonly outcomes: () => readonly string[];
  /** Log records with this message, oldest first. */
  readonly logged: (message: string) => readonly Record<string, unknown>[];
  readonly decisions: (number: number) => Promise<readonly DecisionRecord[]>;
  /** Resolves once guard has recorded a decision with a matching reason. */
  readonly decidedOn: (number: number, reason: RegExp) => Promise<void>;
  /** Resolves once no webhook is in progress and no job is waiting or active. */
  readonly calm: () => Promise<void>;
  /** Runs a sweep immediately. */
  readonly sweep: () => Promise<void>;
  /** Number of passing statuses that the bot has set on any commit. */
  readonly passes: () => number;
  readonly wipe: () => Promise<void>;
  readonly redis: Redis;
  /** Fails on a leaked secret, a request outside the forge's API, or a quick action. */
  readonly close: () => Promise<void>;
};

type Ends = Pick<VerdictStage, 'end' | 'askBot' | 'decided'>;

const endsOn = (sim: FleetSim, repo: string): Ends => {
  if (!('traits' in sim)) {
    const at = (iid: number, as = AUTHOR) => ({ project: repo, iid, as });
    return {
      end: async (number, how) => {
        if (how === 'merged') await sim.mergeMergeRequest(at(number));
        else await (how === 'closed' ? sim.closeMergeRequest(at(number)) : sim.reopenMergeRequest(at(number)));
      },
      askBot: (number) => sim.editMergeRequest({ ...at(number), reviewers: [BOT] }),
      decided: (number) => {
        const mr = sim.mergeRequestAt(at(number));
        return [...mr.approvals.map(() => 'approved'), ...[...mr.requestedChanges].map(() => 'changes_requested')];
      },
    };
  }
  const at = (number: number, as = AUTHOR) => ({ repo, number, as });
  return {
    end: async (number, how) => {
      if (how === 'merged') await sim.merge(at(number, OWNER));
      else sim.setState(at(number), how === 'closed' ? 'closed' : 'open');
    },
    askBot: async () => {},
    decided: (number) => {
      const given = sim
        .pullAt(at(number))
        .reviews.filter(({ state }) => ['APPROVED', 'REQUEST_CHANGES'].includes(state));
      const newest = given.findLast(({ dismissed }) => !dismissed);
      return newest === undefined ? [] : [newest.state === 'APPROVED' ? 'approved' : 'changes_requested'];
    },
  };
};

const RunEnded = z.object({ msg: z.literal('run ended'), outcome: z.string() });

const LogRecord = z.looseObject({ msg: z.string().optional() });

const WAITING: ReadonlySet<string | undefined> = new Set([undefined, 'pending', 'running']);

/** The forge's git directory and id of a repository. */
export const homeOf = (sim: FleetSim, repo: string): { readonly id: number; readonly gitDir: string } =>
  'traits' in sim ? findRepo(sim.world, repo) : findProject(sim.world, repo);

/** `more`: additional TOML tables. */
export const startVerdictStage = async (kind: ForgeKind, review: string, more = ''): Promise<VerdictStage> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-verdict-'));
  // The cage's account must reach the checkouts in this folder.
  await chmod(folder, 0o711);
  const redis = await startRedis();
  const sim = await startSim(kind, { dataDir: path.join(folder, 'forge') });
  const hands = handsOn(sim);
  const furnished = await hands.furnish({ owner: OWNER, author: AUTHOR, bot: BOT, names: ['shop'] });
  const [repo = ''] = furnished.repos;
  const made = makeSettings({
    kind,
    forgeUrl: sim.url,
    token: furnished.tokens.post,
    projects: [repo],
    dataDir: path.join(folder, 'data'),
    more: `[sweep]\ninterval_seconds = 3600\n[queues]\nbackoff_ms = 100\n${more}`,
  });
  const lines: string[] = [];
  const services = await startOneProcess({
    settings: made.toml.replace('[review]\n', `[review]\n${review}\n`),
    folder,
    env: made.env,
    connectRedis: () => connectRedis(redis.url, 'worker'),
    logTo: { write: (line) => void lines.push(line) },
    logLevel: 'debug',
  });
  hands.addWebhook({ repo, url: `${services.ingressUrl}/webhooks/sim`, secret: made.webhookSecret });
  await hands.commit({ repo, branch: 'main', files: { 'README.md': '# Shop\n' }, message: 'Begin\n', author: OWNER });
  const watch = connectRedis(redis.url, 'worker');
  const queues = openStoryQueues(watch, 'fixpoint');
  const push: VerdictStage['push'] = async (branch, content) =>
    hands.commit({ repo, branch, files: { [`${branch}.js`]: content }, message: `Change ${branch}\n`, author: AUTHOR });
  const look: VerdictStage['look'] = (number) => hands.look({ repo, number });
  const calm = async (): Promise<void> => {
    await sim.settled();
    await eventually('idle queues', queues.idle);
  };
  const decisions: VerdictStage['decisions'] = async (number) =>
    createDecisions(watch, createKeys('fixpoint')).list({ forge: 'sim', projectId: homeOf(sim, repo).id, number });
  return {
    sim,
    bot: BOT,
    markerSecret: made.markerSecret,
    push,
    calm,
    decisions,
    decidedOn: async (number, reason) =>
      eventually(`a decision: ${reason.source}`, async () =>
        (await decisions(number)).some((each) => reason.test(each.reason)),
      ),
    sweep: async () => {
      await queues.addSweep();
      await calm();
    },
    passes: () =>
      sim.requests.filter(
        ({ method, path: at, body }) =>
          method === 'POST' &&
          at.includes('/statuses/') &&
          /"?state"?[:=]\s*"?success/.test(decodeURIComponent(body + at)),
      ).length,
    ...endsOn(sim, repo),
    open: async (branch, content) => {
      await push(branch, content);
      return hands.open({ repo, branch, title: `Change ${branch}`, author: AUTHOR });
    },
    statusOf: async (number) => {
      const status = (): string | undefined => look(number).headStatuses['fixpoint'];
      await sim.until(() => !WAITING.has(status()), 60_000);
      await calm();
      return status() ?? 'none';
    },
    descriptionOf: (number) => {
      const { head, statuses } = sim.snapshot(repo, number);
      return statuses.findLast(({ sha }) => sha === head)?.description ?? '';
    },
    summaryOf: (number) => {
      const { comments, reviews } = look(number);
      const said = [...comments, ...reviews].filter(
        ({ author, body }) => author === BOT && body.includes('<summary>Commands</summary>'),
      );
      if (said.length !== 1) throw new Error(`${said.length} summaries instead of one`);
      return stripMarkers(said[0]?.body ?? '');
    },
    look,
    repo,
    outcomes: () => lines.flatMap((line) => RunEnded.safeParse(JSON.parse(line)).data?.outcome ?? []),
    logged: (message) =>
      lines.flatMap((line) => {
        const record = LogRecord.parse(JSON.parse(line));
        return record.msg === message ? [record] : [];
      }),
    wipe: async () => void (await watch.flushall()),
    redis: watch,
    meanwhile: (task) => void sim.fault({ path: 'git-upload-pack' }, { kind: 'meanwhile', task }),
    close: async () => {
      const secrets = [furnished.tokens.post, made.webhookSecret, made.markerSecret];
      try {
        await calm();
        await failOnLeaks({ sim, lines, connect: () => connectRedis(redis.url, 'worker'), secrets });
      } finally {
        await services.close();
        await queues.close();
        watch.disconnect();
        await sim.close();
        await redis.stop();
        await rm(folder, { recursive: true, force: true, maxRetries: 3 });
      }
    },
  };
};
