/** Contains all settings of `fixpoint.toml`, which uses snake_case. The conventions test compares them with `fixpoint.example.toml`. */
import { z } from 'zod';
import { ForgeVerdictPolicy } from '../vocabulary/forge-verdict.ts';
import { DEFAULT_PROJECT_IGNORES, ProjectIgnores } from '../vocabulary/ignores.ts';
import { Trigger } from '../vocabulary/trigger.ts';
import { Agent, ModelBudgets, TranscriptLimits } from './agent-settings.ts';
import { AnalyzerSettings } from './analyzer-settings.ts';
import { Author } from './author-settings.ts';
import { ConsoleSettings } from './console-settings.ts';
import { Forges } from './forge-settings.ts';
import { MessageSettings } from './message-settings.ts';
import { NotifySettings } from './notify-settings.ts';
import { projectSectionOf } from './project-section.ts';
import { RedisSettings } from './redis-settings.ts';
import { RuleSettings } from './rule-settings.ts';
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

/**
 * The secrets that sign the hidden markers in the bot's comments. During a rotation, the previous secret is still
 * accepted but no longer signs.
 */
const Marker = z.strictObject({
  secretEnv: EnvName.default('FIXPOINT_MARKER_SECRET'),
  previousSecretEnv: EnvName.nullable().default(null),
});

const Ingress = z
  .strictObject({
    host: Host.default('127.0.0.1'),
    port: Port.default(8080),
    /** GitLab sends at most 25 MiB, and disables a webhook whose requests are refused. */
    bodyLimitBytes: z.int().min(1024).max(67_108_864).default(26_214_400),
    /** Maximum total size of all bodies being read; if it is exceeded, the largest body is refused. */
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
  /** How long to wait for further pushes before a later head is reviewed. The first head is reviewed at once. */
  quietSeconds: z.int().min(0).max(3600).default(30),
  /** Maximum number of new non-blocking threads in one review. A blocking finding always gets a thread. */
  maxComments: z.int().min(0).max(200).default(20),
  /** An empty list of patterns, labels, authors or branches filters nothing. */
  includePaths: PathPatterns,
  excludePaths: PathPatterns,
  labels: NamePatterns,
  ignoreLabels: NamePatterns,
  authors: LoginPatterns,
  ignoreAuthors: LoginPatterns,
  targetBranches: BranchPatterns,
  /** Whether a verdict is also posted as an approval or a request for changes, which can affect merging. */
  forgeVerdict: ForgeVerdictPolicy.default('off'),
  /** The verdict for a change in a language without built-in rules, if no model is used. */
  unknownLanguages: z.enum(['inconclusive', 'pass']).default('inconclusive'),
  /** The verdict if all files are excluded, but not all of them by `exclude_paths` and `include_paths`. */
  onlyExcluded: z.enum(['inconclusive', 'pass']).default('inconclusive'),
  /** Which findings the `[[ignore]]` entries of a target branch may silence. They can never silence a P0 or a secret. */
  projectIgnores: ProjectIgnores.default(DEFAULT_PROJECT_IGNORES),
  /** Whether the summary says what the review and the change request have cost. */
  showCost: z.boolean().default(true),
  /**
   * If true, the commit status says why a change request is skipped, even if it would have no status. Such a status is
   * never a success.
   */
  announceSkips: z.boolean().default(false),
  /** Whether a model's P0, P1 and blocking P2 findings are verified before they are posted (`agent.verify_max`). */
  verify: z.boolean().default(true),
  /** Whether finders, each with one task, look at a large or risky change before the review. */
  finders: z.boolean().default(true),
  /** If true, everything is done except posting. */
  dryRun: z.boolean().default(false),
  /**
   * `auto`: `agent` if a model key is set, otherwise `rules`. `claude-code`: the CLI of `agent.claude_code`. `messages`:
   * the project's external reviewer of `[messages]`. The rules also run in addition to a model or an external reviewer.
   */
  runner: RunnerChoice.default('auto'),
});

/** True if the second list excludes everything that the first list includes, so that nothing is reviewed. */
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
    /**
     * Maximum number of runs of one change request. Superseded and failed runs count; silent reviews and carried heads
     * do not.
     */
    maxRuns: z.int().min(1).max(50).default(12),
    /** Maximum number of silent reviews of one change request. A review is silent if it asked for nothing. */
    maxSilent: z.int().min(1).max(100).default(50),
    /** Maximum number of heads of one change request whose verdict is carried over. */
    maxCarried: z.int().min(0).max(100).default(50),
    threadCount: z.int().min(2).max(4).default(2),
    attempts: z.int().min(1).max(5).default(2),
    duplicateThreshold: z.number().min(0).max(1).default(0.6),
    /** If false, the same change keeps its verdict when the target branch is newer. */
    reviewOnBaseChange: z.boolean().default(false),
  })
  .refine((rounds) => rounds.maxRuns >= rounds.max, {
    path: ['maxRuns'],
    message: 'expected at least rounds.max, because every round uses a run',
  });

const Gate = z.strictObject({
  waitForCi: z.boolean().default(true),
  /** Counted from the end of the review. After this time, the verdict is `inconclusive`. */
  ciDeadlineSeconds: z.int().min(1).max(86_400).default(1800),
  /** Counted from when a head is first seen. If no CI status appears within this time, none is required. */
  ciGraceS: z.int().min(0).max(3_600).default(60),
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
  /** Maximum time of waiting in queues and for explorers. This plus the running time is the deadline of a run. */
  maxWaitS: z.int().min(5).max(86_400).default(1200),
});

const Concurrency = z.int().min(1).max(64);

const Queues = z.strictObject({
  /** Number of parallel jobs per worker process. */
  concurrency: z
    .strictObject({
      guard: Concurrency.default(4),
      review: Concurrency.default(2),
      explore: Concurrency.default(4),
      post: Concurrency.default(4),
      fix: Concurrency.default(1),
      notify: Concurrency.default(4),
    })
    .prefault({}),
  lockMs: z.int().min(100).max(600_000).default(30_000),
  stalledMs: z.int().min(100).max(600_000).default(30_000),
  /** The first delay of the exponential backoff in every queue. */
  backoffMs: z.int().min(1).max(600_000).default(1000),
});

/** The git mirrors in `data_dir` of each machine. */
export const MirrorsConfig = z.strictObject({
  /** Gigabytes of 10⁹ bytes. If the mirrors together take more, those that were not used for the longest time are removed. */
  maxGb: z.number().min(0.001).max(1_000_000).default(50),
  unusedDays: z.int().min(1).max(3650).default(30),
  /** Time limit of one fetch or push. It includes the time that the server needs to prepare what it sends. */
  fetchTimeoutS: z.int().min(10).max(86_400).default(600),
});
export type MirrorsConfig = z.output<typeof MirrorsConfig>;

const Sweep = z.strictObject({
  intervalSeconds: z.int().min(5).max(86_400).default(300),
  /** Average rate for each forge. Requests that do not fit into an interval are sent in the next one. */
  requestsPerSecond: z.number().min(0.1).max(1000).default(5),
});

const MetricsSettings = z.strictObject({
  /** Whether metrics of reviews, findings and money name the project. Each project adds time series. */
  projectLabel: z.boolean().default(false),
});

/** Serves `/healthz`, `/readyz` and `/metrics` of the workers; the ingress has its own server. For ports, see `health-port.ts`. */
const Health = z.strictObject({
  enabled: z.boolean().default(true),
  host: Host.default('127.0.0.1'),
  portBase: z.int().min(1024).max(65_000).default(9750),
});

/** Who is mentioned if a person must decide and there are neither code owners nor reviewers. */
const Operators = z.strictObject({
  logins: Logins,
  /** Whether groups and teams in CODEOWNERS may be mentioned if it names no person. */
  mentionGroups: z.boolean().default(false),
});

const Log = z.strictObject({ level: z.enum(['debug', 'info', 'warn', 'error']).default('info') });

const MAX_SECTIONS = 100;

const ProjectSection = projectSectionOf({
  review: Review,
  rounds: Rounds,
  gate: Gate,
  limits: Limits,
  operators: Operators,
});
export type ProjectSection = z.output<typeof ProjectSection>;

export const SettingsFile = z.strictObject({
  /** A relative path is relative to the folder of the configuration file. */
  dataDir: FilePath.default('./.fixpoint-data'),
  redis: RedisSettings.prefault({}),
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
  mirrors: MirrorsConfig.prefault({}),
  health: Health.prefault({}),
  console: ConsoleSettings.prefault({}),
  metrics: MetricsSettings.prefault({}),
  messages: MessageSettings.prefault({}),
  validation: ValidationSettings.prefault({}),
  operators: Operators.prefault({}),
  analyzer: AnalyzerSettings,
  rules: RuleSettings.prefault({}),
  notify: NotifySettings,
  project: z.array(ProjectSection).max(MAX_SECTIONS).default([]),
  log: Log.prefault({}),
});
export type SettingsFile = z.output<typeof SettingsFile>;

/** Every setting except the forges, which have no default. */
export const DEFAULT_SETTINGS: Omit<SettingsFile, 'forge'> = SettingsFile.omit({ forge: true }).parse({});
