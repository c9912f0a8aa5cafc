/** What `fixpoint loop` can be told, by flag or in `loop.toml`. Names and defaults are the seed's, but for `yolo`. */
import { z } from 'zod';
import { DEFAULT_STOP_MARKER } from './stop-marker.ts';

export const PROVIDERS = ['codex', 'claude', 'copilot', 'command', 'messages'] as const;

/**
 * `codex`, `claude`, `copilot`: the program of that name. `command`: any program that reads its prompt from standard
 * input and says its answer on standard output. `messages`: one that speaks the protocol's YAML messages there.
 */
export const Provider = z
  .string()
  .transform((name) => name.trim().toLowerCase())
  .pipe(z.enum(PROVIDERS));
export type Provider = z.output<typeof Provider>;

/** Words of a command line: no shell, no quoting. A list may hold words with spaces. */
const CommandLine = z
  .union([z.string(), z.array(z.string().min(1)).min(1)])
  .transform((line) => (typeof line === 'string' ? line.split(/\s+/).filter((word) => word !== '') : line));

const Blankable = z.string().trim().max(4_000);

/** Given to `bd` on its command line: never a flag. */
const BeadId = z
  .string()
  .trim()
  .regex(/^(?:\w[\w.-]{0,199})?$/, 'expected the id of a bead');

const Fields = {
  provider: Provider,
  model: Blankable,
  command: CommandLine,
  /** Each of the three falls back to the implementer's; another provider falls back to its own program and model. */
  reviewerProvider: Provider,
  reviewerModel: Blankable,
  reviewerCommand: CommandLine,
  reasoningEffort: z.enum(['low', 'medium', 'high']),
  /** Lets implementer and fixer run anything without asking. Off: they are held to the work tree by their own program. */
  yolo: z.boolean(),
  iterations: z.int().min(1).max(10_000),
  parallel: z.int().min(1).max(32),
  pauseMs: z.int().min(0).max(3_600_000),
  reviewEnabled: z.boolean(),
  reviewMaxFixAttempts: z.int().min(0).max(100),
  stopWhenNotConverging: z.boolean(),
  developerPromptPath: Blankable,
  reviewerPromptPath: Blankable,
  /** The developer's prompt as earlier programs of this kind named it: `developerPromptPath` goes before it. */
  promptPath: Blankable,
  /** `bd`: nothing begins without its list. `auto`: without it each agent chooses by itself. */
  taskSource: z.enum(['auto', 'bd']),
  /** `top-level`: only what is ready below one bead. */
  taskMode: z.enum(['auto', 'top-level']),
  topLevelTask: BeadId,
  /** Seconds that one run of one agent may take. */
  agentTimeout: z.int().min(1).max(86_400),
  stopMarkers: z.array(z.string().trim().min(3).max(100)).max(10),
  logDir: Blankable,
  /** Lines of output shown per slot. */
  preview: z.int().min(0).max(50),
  view: z.enum(['auto', 'ink', 'ansi', 'lines']),
  /** `mono`: no colours. */
  theme: z.enum(['default', 'mono']),
  /** Shows what agents print as they print it. */
  showRaw: z.boolean(),
} as const;

const All = z.strictObject(Fields);

/** One source of settings: every key may be left out, no other key is known. */
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

/** Which program an agent is, and with what. */
export type AgentChoice = {
  readonly provider: Provider;
  /** Empty: the provider's own default. */
  readonly model: string;
  /** Empty: the provider's name, looked up on PATH. */
  readonly command: readonly string[];
};

export type LoopSettings = z.output<typeof Rest> & {
  /** Implementer and fixer. */
  readonly developer: AgentChoice;
  readonly reviewer: AgentChoice;
};

const isSet = (value: unknown): boolean =>
  value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);

const withoutBlanks = (part: LoopSettingsPart): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(part).filter(([, value]) => isSet(value)));

const NO_COMMAND: readonly string[] = [];

const developerOf = ({ provider, model = '', command }: AgentKeys): AgentChoice => ({
  // A program without a provider's name is just a program.
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

/** A bead alone says the mode; the mode `auto`, where it was asked for, has no bead. */
const scopeOf = ({ taskMode, topLevelTask = '' }: LoopSettingsPart): TaskScope => {
  const mode = taskMode ?? (topLevelTask === '' ? 'auto' : 'top-level');
  return { taskMode: mode, topLevelTask: mode === 'auto' ? '' : topLevelTask };
};

const problemsOfScope = ({ taskMode, topLevelTask }: TaskScope): readonly string[] =>
  taskMode === 'top-level' && topLevelTask === '' ? ['topLevelTask: required for the task mode "top-level"'] : [];

export type MergedSettings =
  | { readonly ok: true; readonly settings: LoopSettings }
  | { readonly ok: false; readonly problems: readonly string[] };

/** `parts`: the weakest first. Blank texts and empty lists count as not given. */
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
