/** Checks that the model's provider accepts the key and knows the model names. Free, unless a real call is requested. */
import { PROVIDERS } from '../../../shared/agent/models/providers.ts';
import { DEFAULT_PROVIDER, PROVIDER_FACTS } from '../../../shared/vocabulary/model-provider.ts';
import { ModelError } from '../../../shared/agent/model/model-errors.ts';
import type { Config } from '../../../shared/config/load.ts';
import type { ModelAccess } from '../../../shared/config/secrets.ts';
import { modelAddressOf, modelPrice, ModelWithoutPriceError } from '../../../shared/runtime/connect-model.ts';
import { type Check, fail, ok, type Seen, warn } from './check.ts';
import type { Machine } from './machine.ts';

const TIMEOUT_MS = 30_000;
const CALL_MS = 10_000;

const ADDRESS_FIX = `check that agent.base_url (or ${PROVIDER_FACTS[DEFAULT_PROVIDER].baseUrlEnv}) is correct and reachable from here`;

type Asking = { readonly config: Config; readonly access: ModelAccess };

const addressOf = ({ config, access }: Asking): string => modelAddressOf(config.agent, access);

const askFor = async (asking: Asking, model: string, signal: AbortSignal): Promise<Seen> => {
  const baseUrl = addressOf(asking);
  const options = { apiKey: asking.access.key, baseUrl, callTimeoutMs: CALL_MS };
  const probe = await PROVIDERS[DEFAULT_PROVIDER].probe(options, model, signal);
  switch (probe.kind) {
    case 'known':
      return ok(`${model} is known at ${baseUrl}`);
    case 'key_refused':
      return fail(
        `the provider does not accept the key (${probe.status})`,
        `set a valid key in ${asking.config.agent.apiKeyEnv}`,
      );
    case 'not_listed':
      return warn(
        `${model} is not in the list of models at ${baseUrl}`,
        'check the name of the model; `fixpoint doctor --call-model` asks it',
      );
    case 'unknown_model':
      return fail(`${model} is not known at ${baseUrl}`, 'change agent.reviewer.model or agent.explorer.model');
    case 'no_answer':
      return fail(
        probe.status === undefined ? `${baseUrl} cannot be reached` : `${baseUrl} answers ${probe.status}`,
        ADDRESS_FIX,
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

const callOnce = async (asking: Asking, signal: AbortSignal): Promise<Seen> => {
  const { agent } = asking.config;
  const model = PROVIDERS[DEFAULT_PROVIDER].create({
    apiKey: asking.access.key,
    baseUrl: addressOf(asking),
    stream: agent.stream,
    idleTimeoutMs: CALL_MS,
    callTimeoutMs: CALL_MS,
    nowMs: () => Date.now(),
  });
  const messages = [{ role: 'user' as const, blocks: [{ kind: 'text' as const, text: 'Say yes.' }] }];
  const request = { model: agent.reviewer.model, maxOutputTokens: 16, system: [], tools: [], messages };
  try {
    const { usage } = await model.respond(request, signal);
    return ok(`${agent.reviewer.model} answers (${usage.uncachedInput} tokens in, ${usage.output} out)`);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ModelError)) throw error;
    return fail(`${error.message} (${error.code})`, 'check your account and its limits at the provider');
  }
};

const lookAtModel = async (asking: Asking, calls: boolean, signal: AbortSignal): Promise<readonly Seen[]> => {
  const { reviewer, explorer } = asking.config.agent;
  const seen: Seen[] = [];
  for (const model of new Set([reviewer.model, explorer.model])) {
    seen.push(await askFor(asking, model, signal), ...priceSeen(asking, model));
  }
  if (calls) seen.push(await callOnce(asking, signal));
  return seen;
};

const NO_MODEL = warn('no key is set: only the built-in rules review', "set the provider's key in the environment");

export const modelChecks = (config: Config, calls: boolean): readonly Check[] => {
  const { model: access } = config.secrets;
  if (access === null && config.review.runner !== 'auto') return [];
  const look: Check['look'] = async (signal) =>
    access === null ? [NO_MODEL] : lookAtModel({ config, access }, calls, signal);
  const fix = ADDRESS_FIX;
  return [{ name: 'model', timeoutMs: TIMEOUT_MS, fix, look }];
};

/** Checks the CLI when `review.runner` or `author.agent` is "claude-code". Otherwise there are no checks. */
export const cliChecks = ({ review, author, agent }: Config, { isProgram }: Machine): readonly Check[] => {
  const command = agent.claudeCode.command ?? '';
  const writes = author.enabled && author.agent === 'claude-code';
  if (review.runner !== 'claude-code' && !writes) return [];
  const fix = 'install the Claude Code CLI and name it by its absolute path in agent.claude_code.command';
  const look: Check['look'] = async () => [
    isProgram(command) ? ok(`${command} exists`) : fail(`${command} is not an executable program`, fix),
  ];
  return [{ name: 'claude-code', timeoutMs: CALL_MS, fix, look }];
};
