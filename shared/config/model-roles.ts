/** Finds the models that a role uses, their order and their provider. */
import type { Agent } from './agent-settings.ts';
import type { ProviderSettings } from './provider-settings.ts';

export type ModelRole = 'reviewer' | 'explorer' | 'verifier' | 'author';

const listed = ({
  model,
  models,
}: {
  readonly model: string;
  readonly models: readonly string[];
}): readonly string[] => (models.length === 0 ? [model] : models);

/**
 * The first model of a role, and those that take over when it fails. The verifier and the author use the reviewer's models
 * unless they have their own.
 */
export const chainOf = (agent: Agent, role: ModelRole): readonly string[] => {
  switch (role) {
    case 'reviewer':
      return listed(agent.reviewer);
    case 'explorer':
      return listed(agent.explorer);
    case 'verifier':
    case 'author':
      return agent[role].models.length === 0 ? listed(agent.reviewer) : agent[role].models;
    default:
      return role satisfies never;
  }
};

/** A verifier or an author that uses the reviewer's models also uses their effort, unless it has its own. */
export const effortOf = (agent: Agent, role: ModelRole): Agent['reviewer']['effort'] => {
  switch (role) {
    case 'reviewer':
      return agent.reviewer.effort;
    case 'explorer':
      return agent.explorer.effort;
    case 'verifier':
    case 'author':
      return agent[role].effort ?? (agent[role].models.length === 0 ? agent.reviewer.effort : null);
    default:
      return role satisfies never;
  }
};

const ROLES: readonly ModelRole[] = ['reviewer', 'explorer', 'verifier', 'author'];

/** Every model that a role may use, without repetitions. */
export const modelsInUse = (agent: Agent): readonly string[] => [
  ...new Set(ROLES.flatMap((role) => chainOf(agent, role))),
];

export type NamedModel = {
  /** Null for the provider of `agent.api_key_env`. */
  readonly provider: ProviderSettings | null;
  /** The model as its provider names it. */
  readonly model: string;
};

/**
 * Reads `name/model`. All other models, even if their name contains a slash, belong to the provider of
 * `agent.api_key_env`.
 */
export const findModel = ({ provider: providers }: Pick<Agent, 'provider'>, reference: string): NamedModel => {
  const [name = '', ...rest] = reference.split('/');
  const provider = rest.length === 0 ? undefined : providers.find((each) => each.name === name);
  return provider === undefined ? { provider: null, model: reference } : { provider, model: rest.join('/') };
};

export const usesDefaultProvider = (agent: Agent): boolean =>
  modelsInUse(agent).some((reference) => findModel(agent, reference).provider === null);

/** The providers of the models in use. */
export const providersInUse = (agent: Agent): readonly ProviderSettings[] => {
  const used = modelsInUse(agent).map((reference) => findModel(agent, reference).provider);
  return agent.provider.filter((provider) => used.includes(provider));
};

/** Part of a context window that an answer may have. */
const OUTPUT_PART = 0.25;

/** The settings with the models of the role, and with limits that fit the smallest declared context window among them. */
export const agentFor = (agent: Agent, role: ModelRole): Agent => {
  const chain = chainOf(agent, role);
  const [first = agent.reviewer.model] = chain;
  const place = role === 'explorer' ? 'explorer' : 'reviewer';
  const { contextTokens } = agent[place];
  const declared = chain.flatMap((reference) => findModel(agent, reference).provider?.contextTokens ?? []);
  const windows = contextTokens === null ? declared : [...declared, contextTokens];
  if (windows.length === 0) return { ...agent, [place]: { ...agent[place], model: first, models: [...chain] } };
  const window = Math.min(...windows);
  return {
    ...agent,
    maxOutputTokens: Math.min(agent.maxOutputTokens, Math.floor(window * OUTPUT_PART)),
    compactAtTokens: agent.compactAtTokens === null ? null : Math.min(agent.compactAtTokens, Math.floor(window / 2)),
    [place]: { ...agent[place], model: first, models: [...chain], contextTokens: window },
  };
};
