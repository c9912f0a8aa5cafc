/**
 * Every setting of `fixpoint.toml`, with its default and bounds. The file has the same names in snake_case; the
 * conventions test holds them against `fixpoint.example.toml`.
 */
import { z } from 'zod';
import { ForgeVerdictPolicy } from '../vocabulary/forge-verdict.ts';
import { Trigger } from '../vocabulary/trigger.ts';
import { Agent, ModelBudgets, TranscriptLimits } from './agent-settings.ts';
import { Author } from './author-settings.ts';
import { Forges } from './forge-settings.ts';
import { MessageSettings } from './message-settings.ts';
import { Sandbox } from './sandbox-settings.ts';
import { ValidationSettings } from './validation-settings.ts';
import {
  BranchPatterns,
  EnvName,
  FilePath,
  Host,
  LoginPatterns,
  Logins,
  NamePatterns,
  PathPatterns,
  Port,
} from './values.ts';

const Redis = z.strictObject({
  urlEnv: EnvName.default('REDIS_URL'),
  /** Keeps several installations apart on one Redis. */
  prefix: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'expected 1 to 32 lower-case letters, digits or "-"')
    .default('fixpoint'),
  /** Each of the three lets a Redis pass that can lose jobs or be written by anyone. */
  allowEviction: z.boolean().default(false),
  allowNoPersistence: z.boolean().default(false),
  allowNoPassword: z.boolean().default(false),
});

/** Signs the hidden markers in the bot's comments. The previous secret is accepted, never used, during rotation. */
const Marker = z.strictObject({
  secretEnv: EnvName.default('FIXPOINT_MARKER_SECRET'),
  previousSecretEnv: EnvName.nullable().default(null),
});

const Ingress = z
  .strictObject({
    host: Host.default('127.0.0.1'),
    port: Port.default(8080),
    /** GitLab sends at most 25 MiB, and switches off a hook that is refused. */
    bodyLimitBytes: z.int().min(1024).max(67_108_864).default(26_214_400),
    /** Of all bodies that are being read; past it the largest is refused. */
    maxBytesInFlight: z.int().min(1024).max(1_073_741_824).default(67_108_864),
    maxConnections: z.int().min(10).max(10_000).default(500),
  })
  .refine((ingress) => ingress.maxBytesInFlight >= ingress.bodyLimitBytes, {
    path: ['maxBytesInFlight'],
    message: 'expected at least ingress.body_limit_bytes, so that one body fits',
  });

export const RunnerChoice = z.enum(['auto', 'agent', 'claude-code', 'rules', 'messages']);
export type RunnerChoice = z.output<typeof RunnerChoice>;

const ReviewKeys = z.strictObject({
  triggers: z
    .array(Trigger)
    .max(20)
    .default([...Trigger.options]),
  drafts: z.boolean().default(false),
  /** How long a new head must stand still before it is reviewed. */
  quietSeconds: z.int().min(0).max(3600).default(30),
  /** Empty lists of patterns, labels, authors and branches filter nothing. */
  includePaths: PathPatterns,
  excludePaths: PathPatterns,
  labels: NamePatterns,
  ignoreLabels: NamePatterns,
  authors: LoginPatterns,
  ignoreAuthors: LoginPatterns,
  targetBranches: BranchPatterns,
  /** Whether a verdict is also an approval or a request for changes. Either can decide whether a change is merged. */
  forgeVerdict: ForgeVerdictPolicy.default('off'),
  /** Without a model: whether a change in a language that no built-in rule knows may pass. */
  unknownLanguages: z.enum(['inconclusive', 'pass']).default('inconclusive'),
  /** Whether a change may pass whose files are all excluded, and not all by `exclude_paths` and `include_paths`. */
  onlyExcluded: z.enum(['inconclusive', 'pass']).default('inconclusive'),
  /** Everything but posting. */
  dryRun: z.boolean().default(false),
  /**
   * `auto`: `agent` where a model key is set, else `rules`. `claude-code`: the CLI of `agent.claude_code`. `messages`:
   * the project's outside reviewer of `[messages]`. The rules also run beside a model and an outside reviewer.
   */
  runner: RunnerChoice.default('auto'),
});

/** Every value that the first list names is ruled out by the second: nothing would ever be reviewed. */
const leavesNothing = (wanted: readonly string[], ignored: readonly string[]): boolean =>
  ignored.includes('*') ||
  ignored.includes('**') ||
  (wanted.length > 0 && wanted.every((each) => ignored.includes(each)));

const leavesSome = (path: string, wanted: string, ignored: string) => ({
  path: [path],
  message: `expected a value that review.${wanted} includes and review.${ignored} does not exclude`,
});

const Review = ReviewKeys.refine(
  ({ labels, ignoreLabels }) => labels.length === 0 || !leavesNothing(labels, ignoreLabels),
  leavesSome('labels', 'labels', 'ignore_labels'),
)
  .refine(
    ({ authors, ignoreAuthors }) => !leavesNothing(authors, ignoreAuthors),
    leavesSome('authors', 'authors', 'ignore_authors'),
  )
  .refine(
    ({ includePaths, excludePaths }) => !leavesNothing(includePaths, excludePaths),
    leavesSome('includePaths', 'include_paths', 'exclude_paths'),
  );

export const Rounds = z
  .strictObject({
    max: z.int().min(1).max(9).default(3),
    /** Runs of one change request, with those that were superseded or failed. */
    maxRuns: z.int().min(1).max(50).default(6),
    threadCount: z.int().min(2).max(4).default(2),
    attempts: z.int().min(1).max(5).default(2),
    duplicateThreshold: z.number().min(0).max(1).default(0.6),
    /** Off: the same change on a newer target branch keeps its verdict. */
    reviewOnBaseChange: z.boolean().default(false),
  })
  .refine((rounds) => rounds.maxRuns >= rounds.max, {
    path: ['maxRuns'],
    message: 'expected at least rounds.max, because every round uses a run',
  });

/** What the CI of a head has to do with a pass. */
const Gate = z.strictObject({
  waitForCi: z.boolean().default(true),
  /** From the ready round on; past it there is no verdict. */
  ciDeadlineSeconds: z.int().min(1).max(86_400).default(1800),
  /** From when a head is first seen: so long CI may take to begin before none counts as passed. */
  ciGraceS: z.int().min(0).max(3_600).default(60),
  /** Patterns of jobs or contexts that do not count. */
  ignoreContexts: NamePatterns,
});

export const Limits = z.strictObject({
  runningPerProject: z.int().min(1).max(50).default(1),
  maxFiles: z.int().min(1).max(10_000).default(1000),
  maxDiffBytes: z.int().min(1024).max(67_108_864).default(8_388_608),
  maxFileBytes: z.int().min(1024).max(16_777_216).default(1_048_576),
});

const Budgets = z.strictObject({
  model: ModelBudgets.prefault({}),
  /** How long work may wait in queues and for explorers; with the running time it makes the deadline past which a run has failed. */
  maxWaitS: z.int().min(5).max(86_400).default(1200),
});

const Concurrency = z.int().min(1).max(64);

const Queues = z.strictObject({
  /** Jobs at once, per worker process. */
  concurrency: z
    .strictObject({
      guard: Concurrency.default(4),
      review: Concurrency.default(2),
      explore: Concurrency.default(4),
      post: Concurrency.default(4),
      fix: Concurrency.default(1),
    })
    .prefault({}),
  lockMs: z.int().min(100).max(600_000).default(30_000),
  stalledMs: z.int().min(100).max(600_000).default(30_000),
  /** First delay of the exponential back-off, of every queue. */
  backoffMs: z.int().min(1).max(600_000).default(1000),
});

const Sweep = z.strictObject({
  intervalSeconds: z.int().min(5).max(86_400).default(300),
  /** Of each forge, on average; what an interval has no room for goes on in the next one. */
  requestsPerSecond: z.number().min(0.1).max(1000).default(5),
});

/** `/healthz`, `/readyz` and `/metrics` of the workers; the ingress serves its own. Ports: see `health-port.ts`. */
const Health = z.strictObject({
  enabled: z.boolean().default(true),
  host: Host.default('127.0.0.1'),
  portBase: z.int().min(1024).max(65_000).default(9750),
});

/** Who is called when a person must decide, and neither code owners nor reviewers are there. */
const Operators = z.strictObject({
  logins: Logins,
  /** Whether groups and teams of CODEOWNERS may be mentioned where it names no person. */
  mentionGroups: z.boolean().default(false),
});

const Log = z.strictObject({ level: z.enum(['debug', 'info', 'warn', 'error']).default('info') });

export const SettingsFile = z.strictObject({
  /** Relative paths count from the folder of the configuration file. */
  dataDir: FilePath.default('./.fixpoint-data'),
  redis: Redis.prefault({}),
  marker: Marker.prefault({}),
  forge: Forges,
  ingress: Ingress.prefault({}),
  review: Review.prefault({}),
  rounds: Rounds.prefault({}),
  gate: Gate.prefault({}),
  limits: Limits.prefault({}),
  agent: Agent.prefault({}),
  author: Author.prefault({}),
  sandbox: Sandbox.prefault({}),
  budgets: Budgets.prefault({}),
  transcripts: TranscriptLimits.prefault({}),
  queues: Queues.prefault({}),
  sweep: Sweep.prefault({}),
  health: Health.prefault({}),
  messages: MessageSettings.prefault({}),
  validation: ValidationSettings.prefault({}),
  operators: Operators.prefault({}),
  log: Log.prefault({}),
});
export type SettingsFile = z.output<typeof SettingsFile>;
