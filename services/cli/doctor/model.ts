/** Checks that each provider accepts its key and knows the models in use. Free, unless real calls are requested. */
import { everySettings } from '../../../shared/config/project-settings.ts';
import { PROVIDER_FACTS, DEFAULT_PROVIDER } from '../../../shared/vocabulary/model-provider.ts';
import type { Config } from '../../../shared/config/load.ts';
import { findModel, modelsInUse, type NamedModel } from '../../../shared/config/model-roles.ts';
import { hasAuthorModel, needsModel } from '../../../shared/config/model-needs.ts';
import { type ModelAccess, SUBSCRIPTION_TOKEN } from '../../../shared/config/secrets.ts';
import { modelPrice, ModelWithoutPriceError } from '../../../shared/runtime/model-price.ts';
import { accessOf, createRoutedModel, kindOf } from '../../../shared/runtime/routed-model.ts';
import { callModel } from './call-model.ts';
import { type Check, fail, ok, type Seen, warn } from './check.ts';
import type { Machine } from './machine.ts';

const TIMEOUT_MS = 30_000;
const CALL_MS = 10_000;
/** A model on the machine's own processor is slow to read its first request. */
const REAL_CALL_MS = 120_000;

const ADDRESS_FIX = `check that agent.base_url (or ${PROVIDER_FACTS[DEFAULT_PROVIDER].baseUrlEnv}) is correct and reachable from here`;

type Asking = { readonly config: Config; readonly access: ModelAccess };

const addressFix = ({ provider }: NamedModel): string =>
  provider === null
    ? ADDRESS_FIX
    : `check that base_url of the provider ${provider.name} is correct and reachable from here`;

/** Most servers with chat completions have their version in the path, which Fixpoint cannot guess. */
const versionHint = ({ provider }: NamedModel, baseUrl: string): string =>
  provider?.kind === 'openai' && !/\/v\d/.test(new URL(baseUrl).pathname)
    ? ' (at most servers it ends in a version, such as /v1)'
    : '';

const keyVariable = ({ config }: Asking, { provider }: NamedModel): string =>
  provider === null ? config.agent.apiKeyEnv : provider.keyEnv || `key_env of the provider ${provider.name}`;

const askFor = async (asking: Asking, reference: string, signal: AbortSignal): Promise<Seen> => {
  const named = findModel(asking.config.agent, reference);
  const { baseUrl, ...access } = accessOf(named, asking.config.agent, asking.access);
  const probe = await kindOf(named).probe({ ...access, baseUrl, callTimeoutMs: CALL_MS }, named.model, signal);
  switch (probe.kind) {
    case 'known':
      return ok(`${reference} is known at ${baseUrl}`);
    case 'key_refused':
      return fail(
        `the provider does not accept the key (${probe.status})`,
        `set a valid key in ${keyVariable(asking, named)}`,
      );
    case 'not_listed':
      return warn(
        `${baseUrl} does not list the model ${named.model}`,
        `check the URL${versionHint(named, baseUrl)} and the name; \`fixpoint doctor --call-model\` calls the model`,
      );
    case 'unknown_model':
      return fail(`${reference} is not known at ${baseUrl}`, 'change agent.reviewer.model or agent.explorer.model');
    case 'no_answer':
      return fail(
        probe.status === undefined ? `${baseUrl} cannot be reached` : `${baseUrl} answers ${probe.status}`,
        `${addressFix(named)}${versionHint(named, baseUrl)}`,
      );
    default:
      return probe satisfies never;
  }
};

const priceSeen = ({ config }: Asking, model: string): readonly Seen[] => {
  try {
    modelPrice(config.agent, model);
    return [];
  } catch (error) {
    if (!(error instanceof ModelWithoutPriceError)) throw error;
    return [fail(`${model} has no price, so its budget cannot be enforced`, 'add an [[agent.price]] for this model')];
  }
};

/** True if only the CLI calls this model, with a subscription: there is then no key to check. */
const isOfSubscription = ({ config, access }: Asking, reference: string): boolean =>
  access.key === '' && access.subscription !== undefined && findModel(config.agent, reference).provider === null;

const subscriptionSeen = (references: readonly string[]): readonly Seen[] =>
  references.length === 0
    ? []
    : [ok(`${references.join(', ')}: the Claude Code CLI uses the subscription in ${SUBSCRIPTION_TOKEN}`)];

/** The models of every project that uses a model. */
const modelsOf = (config: Config): readonly string[] => {
  const asking = everySettings(config).filter(
    ({ review, author }) => needsModel(review.runner) || hasAuthorModel(author),
  );
  return [...new Set((asking.length === 0 ? [config] : asking).flatMap(({ agent }) => modelsInUse(agent)))];
};

const lookAtModel = async (asking: Asking, calls: boolean, signal: AbortSignal): Promise<readonly Seen[]> => {
  const { agent } = asking.config;
  const inUse = modelsOf(asking.config);
  const subscribed = inUse.filter((reference) => isOfSubscription(asking, reference));
  const seen = [...subscriptionSeen(subscribed), ...subscribed.flatMap((reference) => priceSeen(asking, reference))];
  const limits = { ...agent, idleTimeoutS: REAL_CALL_MS / 1000, callTimeoutS: REAL_CALL_MS / 1000 };
  const model = createRoutedModel(limits, asking.access);
  for (const reference of inUse.filter((each) => !subscribed.includes(each))) {
    seen.push(await askFor(asking, reference, signal), ...priceSeen(asking, reference));
    if (calls) seen.push(...(await callModel(model, reference, signal)));
  }
  return seen;
};

const NO_MODEL = warn('no key is set: only the built-in rules run', "set the provider's key in the environment");

export const modelChecks = (config: Config, calls: boolean): readonly Check[] => {
  const { model: access } = config.secrets;
  if (access === null && !everySettings(config).some(({ review }) => review.runner === 'auto')) return [];
  const look: Check['look'] = async (signal) =>
    access === null ? [NO_MODEL] : lookAtModel({ config, access }, calls, signal);
  const fix = ADDRESS_FIX;
  return [{ name: 'model', timeoutMs: calls ? modelsOf(config).length * 2 * REAL_CALL_MS : TIMEOUT_MS, fix, look }];
};

/** Checks the CLI when `review.runner` or `author.agent` is "claude-code". Otherwise there are no checks. */
export const cliChecks = (config: Config, { isProgram }: Machine): readonly Check[] => {
  const command = config.agent.claudeCode.command ?? '';
  const usesCli = ({ review, author }: Config): boolean =>
    review.runner === 'claude-code' || (author.enabled && author.agent === 'claude-code');
  if (!everySettings(config).some(usesCli)) return [];
  const fix = 'install the Claude Code CLI and name it by its absolute path in agent.claude_code.command';
  const look: Check['look'] = async () => [
    isProgram(command) ? ok(`${command} exists`) : fail(`${command} is not an executable program`, fix),
  ];
  return [{ name: 'claude-code', timeoutMs: CALL_MS, fix, look }];
};
