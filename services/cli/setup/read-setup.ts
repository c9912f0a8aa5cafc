/** Reads everything that setup needs for its plan: the inputs, both tokens, the files, and projects and groups on the forge. */
import type { Config } from '../../../shared/config/load.ts';
import type { ForgeSettings } from '../../../shared/config/forge-settings.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { type Connected, connectSetup, refusedUsage, variableOf } from './connect-setup.ts';
import type { SetupContext } from './context.ts';
import { type Inputs, parseListen, settleInputs } from './inputs.ts';
import type { SetupFacts } from './plan/facts.ts';
import { planSetup } from './plan/plan.ts';
import type { SetupStep } from './plan/step.ts';
import { type SetupPlaces, readPlaces } from './read-facts.ts';
import type { SetupOptions } from './setup-options.ts';
import { readSituation, type FoundFiles } from './found-files.ts';

export type ReadSetup = {
  readonly inputs: Inputs;
  readonly situation: FoundFiles;
  readonly connected: Connected;
  readonly facts: SetupFacts;
  readonly steps: readonly SetupStep[];
  readonly markerEnv: string;
};

export const openSetup = async (
  options: SetupOptions,
  context: SetupContext,
): Promise<Pick<ReadSetup, 'inputs' | 'situation' | 'connected'>> => {
  const situation = await readSituation(options, context);
  const { configured, record } = situation;
  const made = record.forges[options.id ?? configured?.id ?? ''] ?? onlyOne(Object.values(record.forges));
  const changes = options.check !== true && options.dryRun !== true;
  const known = { configured, publicUrl: made?.publicUrl ?? null, changes };
  const inputs = await settleInputs(options, known, context.ask);
  const connected = await connectSetup({ options, inputs, situation, context });
  return { inputs, situation, connected };
};

const onlyOne = <T>(all: readonly T[]): T | null => (all.length === 1 ? (all[0] ?? null) : null);

/** Reads the files and the forge again, without any question. */
export const readSetup = async (
  options: SetupOptions,
  context: SetupContext,
  opened: Pick<ReadSetup, 'inputs' | 'situation' | 'connected'>,
): Promise<ReadSetup> => {
  const { inputs, connected } = opened;
  const situation = await readSituation({ ...options, url: inputs.baseUrl, id: connected.id }, context);
  const { configured, settings } = situation;
  checkSameBot(opened);
  const { places, members } = await placesOrRefusal(connected, inputs, context);
  const secretEnvs = secretNames(configured, connected.id, places.length);
  const markerEnv = settings?.marker.secretEnv ?? DEFAULT_MARKER;
  const facts: SetupFacts = {
    forge: { id: connected.id, kind: connected.kind, baseUrl: connected.baseUrl, caFile: connected.caFile },
    projects: inputs.projects,
    hookUrl: `${inputs.publicUrl}/webhooks/${connected.id}`,
    bot: connected.bot,
    places,
    members,
    secretEnvs,
    config: situation.config,
    env: situation.env,
    tokenEnv: connected.botTokenEnv,
    listen: parseListen(options.listen),
    madeBefore: new Map(
      (situation.record.forges[connected.id]?.hooks ?? []).map(({ owner, url }) => [
        owner.kind === 'project' ? owner.project.path : `${owner.path}/*`,
        url,
      ]),
    ),
  };
  const steps = planSetup(facts, {
    configured,
    needed: neededVariables(facts, { settings, configured, markerEnv }),
    secretsKnown: secretEnvs.some((name) => situation.variables[name] !== undefined),
    replaces: options.replaceWebhooks === true,
  });
  return { inputs, situation, connected, facts, steps, markerEnv };
};

/**
 * Markers count only if the bot's account wrote them, so with another account every change request would start over.
 */
const checkSameBot = ({ situation, connected }: Pick<ReadSetup, 'situation' | 'connected'>): void => {
  const before = situation.record.forges[connected.id]?.bot;
  const { bot } = connected;
  if (before === undefined || before.id === bot.id || situation.configured?.previousBotUserIds.includes(before.id))
    return;
  throw new UsageError(
    `the token in ${connected.botTokenEnv} belongs to ${bot.login} (id ${bot.id}), but the bot was ${before.login} ` +
      `(id ${before.id}): use a token of ${before.login}, or add ${before.id} to previous_bot_user_ids`,
  );
};

const placesOrRefusal = async (
  connected: Connected,
  inputs: Inputs,
  { signal }: SetupContext,
): Promise<SetupPlaces> => {
  try {
    return await readPlaces(connected, inputs.projects, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UsageError) throw error;
    throw refusedUsage(error, connected, connected.adminTokenEnv);
  }
};

const DEFAULT_MARKER = 'FIXPOINT_MARKER_SECRET';

/** Maximum number of secrets that a `[[forge]]` may have. */
const MAX_SECRETS = 5;

const secretNames = (configured: ForgeSettings | null, id: string, places: number): readonly string[] => {
  if (configured !== null) {
    if (configured.webhookSecretEnvs.length > 0) return configured.webhookSecretEnvs;
    throw new UsageError(
      `the forge "${configured.id}" has no webhook_secret_envs: name a variable there, such as "${variableOf(id, 'WEBHOOK_SECRET')}"`,
    );
  }
  const count = Math.min(Math.max(places, 1), MAX_SECRETS);
  const name = variableOf(id, 'WEBHOOK_SECRET');
  return Array.from({ length: count }, (_, index) => (index === 0 ? name : `${name}_${index + 1}`));
};

type Existing = {
  readonly settings: Config | null;
  readonly configured: ForgeSettings | null;
  readonly markerEnv: string;
};

const neededVariables = (
  { tokenEnv, secretEnvs, env }: SetupFacts,
  { configured, markerEnv }: Existing,
): readonly string[] => {
  const tokens =
    configured === null
      ? [tokenEnv]
      : [configured.tokenEnv, configured.readTokenEnv, configured.postTokenEnv, configured.gitTokenEnv];
  const all = [...tokens, configured?.signingTokenEnv ?? null, ...secretEnvs, markerEnv];
  // Only docker compose reads this variable. Elsewhere it does no harm.
  const compose = env.text === null ? ['REDIS_PASSWORD'] : [];
  return [...new Set([...all.filter((name) => name !== null), ...compose])];
};
