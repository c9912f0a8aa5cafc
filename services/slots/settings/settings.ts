/** All settings of `fixpoint loop`, from flags and `loop.toml`. */
import { z } from 'zod';
import { DEFAULT_STOP_MARKER } from './stop-marker.ts';

export const PROVIDERS = ['codex', 'claude', 'copilot', 'command', 'messages'] as const;

/**
 * `codex`, `claude`, `copilot`: the program of that name. `command`: any program that reads its prompt from standard
 * input and prints its answer to standard output. `messages`: a program that reads and prints the protocol's YAML.
 */
export const Provider = z
  .string()
  .transform((name) => name.trim().toLowerCase())
  .pipe(z.enum(PROVIDERS));
export type Provider = z.output<typeof Provider>;

/** A string is split at white space, without quoting and without a shell. A list may hold words with spaces. */
const CommandLine = z
  .union([z.string(), z.array(z.string().min(1)).min(1)], {
    error: 'expected a command, as text or as a list of words',
  })
  .transform((line) => (typeof line === 'string' ? line.split(/\s+/).filter((word) => word !== '') : line));

const Blankable = z.string().trim().max(4_000);

/** The id is passed to `bd` as an argument, so it must not look like a flag. */
const BeadId = z
  .string()
  .trim()
  .regex(/^(?:\w[\w.-]{0,199})?$/, 'expected the id of a bead');

const Fields = {
  provider: Provider,
  model: Blankable,
  command: CommandLine,
  /** Each of these three defaults to the implementer's value or, if the provider differs, to that provider's default. */
  reviewerProvider: Provider,
  reviewerModel: Blankable,
  reviewerCommand: CommandLine,
  reasoningEffort: z.enum(['low', 'medium', 'high']),
  /**
   * Lets implementer and fixer run any command without asking. If false, the agents' own program limits them to the
   * work tree.
   */
  yolo: z.boolean(),
  iterations: z.int().min(1).max(10_000),
  parallel: z.int().min(1).max(32),
  pauseMs: z.int().min(0).max(3_600_000),
  reviewEnabled: z.boolean(),
  reviewMaxFixAttempts: z.int().min(0).max(100),
  stopWhenNotConverging: z.boolean(),
  developerPromptPath: Blankable,
  reviewerPromptPath: Blankable,
  /** Older name of `developerPromptPath`. The newer name takes precedence. */
  promptPath: Blankable,
  /** `bd`: the loop fails unless `bd` can list tasks. `auto`: if `bd` cannot, each agent chooses a task itself. */
  taskSource: z.enum(['auto', 'bd']),
  /** With `top-level`, only ready tasks below one bead are processed. */
  taskMode: z.enum(['auto', 'top-level']),
  topLevelTask: BeadId,
  /** Time limit of one agent run, in seconds. */
  agentTimeout: z.int().min(1).max(86_400),
  stopMarkers: z.array(z.string().trim().min(3).max(100)).max(10),
  logDir: Blankable,
  preview: z.int().min(0).max(50),
  view: z.enum(['auto', 'ink', 'ansi', 'lines']),
  theme: z.enum(['default', 'mono']),
  showRaw: z.boolean(),
} as const;

const All = z.strictObject(Fields);

/** Settings from one source: every key is optional, unknown keys are errors. */
export const LoopSettingsPart = All.partial();
export type LoopSettingsPart = z.output<typeof LoopSettingsPart>;

const AGENT_KEYS = {
  provider: true,
  model: true,
  command: true,
  reviewerProvider: true,
  reviewerModel: true,
  reviewerCommand: true,
} as const;
const AgentKeys = All.pick(AGENT_KEYS).partial();
type AgentKeys = z.output<typeof AgentKeys>;

const Rest = All.omit(AGENT_KEYS).extend({ reasoningEffort: Fields.reasoningEffort.nullable() });

const DEFAULT_PROVIDER: Provider = 'codex';

export const DEFAULTS: z.input<typeof Rest> = {
  reasoningEffort: null,
  yolo: false,
  iterations: 50,
  parallel: 1,
  pauseMs: 0,
  reviewEnabled: false,
  reviewMaxFixAttempts: 5,
  stopWhenNotConverging: true,
  developerPromptPath: '',
  reviewerPromptPath: '',
  promptPath: '',
  taskSource: 'auto',
  taskMode: 'auto',
  topLevelTask: '',
  agentTimeout: 3_600,
  stopMarkers: [DEFAULT_STOP_MARKER],
  logDir: '',
  preview: 3,
  view: 'auto',
  theme: 'default',
  showRaw: false,
};

export type AgentChoice = {
  readonly provider: Provider;
  /** When empty, the provider's own default is used. */
  readonly model: string;
  /** When empty, the provider's name is looked up on PATH. */
  readonly command: readonly string[];
};

export type LoopSettings = z.output<typeof Rest> & {
  readonly developer: AgentChoice;
  readonly reviewer: AgentChoice;
};

const isSet = (value: unknown): boolean =>
  value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);

const withoutBlanks = (part: LoopSettingsPart): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(part).filter(([, value]) => isSet(value)));

const NO_COMMAND: readonly string[] = [];

const developerOf = ({ provider, model = '', command }: AgentKeys): AgentChoice => ({
  // A command without a provider means the provider `command`.
  provider: provider ?? (command === undefined ? DEFAULT_PROVIDER : 'command'),
  model,
  command: command ?? NO_COMMAND,
});

const reviewerOf = (keys: AgentKeys, developer: AgentChoice): AgentChoice => {
  const provider = keys.reviewerProvider ?? (keys.reviewerCommand === undefined ? developer.provider : 'command');
  const own = provider === developer.provider ? developer : { model: '', command: NO_COMMAND };
  return { provider, model: keys.reviewerModel ?? own.model, command: keys.reviewerCommand ?? own.command };
};

const NEEDS_COMMAND: readonly Provider[] = ['command', 'messages'];

const problemsOf = (key: 'command' | 'reviewerCommand', { provider, command }: AgentChoice): readonly string[] =>
  NEEDS_COMMAND.includes(provider) && command.length === 0 ? [`${key}: required for the provider "${provider}"`] : [];

type TaskScope = { readonly taskMode: 'auto' | 'top-level'; readonly topLevelTask: string };

/** A bead without a mode means `top-level`. With the mode `auto`, the bead is ignored. */
const scopeOf = ({ taskMode, topLevelTask = '' }: LoopSettingsPart): TaskScope => {
  const mode = taskMode ?? (topLevelTask === '' ? 'auto' : 'top-level');
  return { taskMode: mode, topLevelTask: mode === 'auto' ? '' : topLevelTask };
};

const problemsOfScope = ({ taskMode, topLevelTask }: TaskScope): readonly string[] =>
  taskMode === 'top-level' && topLevelTask === '' ? ['topLevelTask: required for the task mode "top-level"'] : [];

export type MergedSettings =
  | { readonly ok: true; readonly settings: LoopSettings }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Later `parts` override earlier parts. Blank strings and empty lists count as not set. */
export const mergeSettings = (parts: readonly LoopSettingsPart[]): MergedSettings => {
  const merged = LoopSettingsPart.parse(Object.assign({}, ...parts.map(withoutBlanks)));
  const { provider, model, command, reviewerProvider, reviewerModel, reviewerCommand, ...rest } = merged;
  const keys: AgentKeys = { provider, model, command, reviewerProvider, reviewerModel, reviewerCommand };
  const developer = developerOf(keys);
  const reviewer = reviewerOf(keys, developer);
  const scope = scopeOf(rest);
  const problems = [
    ...problemsOf('command', developer),
    ...problemsOf('reviewerCommand', reviewer),
    ...problemsOfScope(scope),
  ];
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, settings: { ...Rest.parse({ ...DEFAULTS, ...rest }), ...scope, developer, reviewer } };
};
