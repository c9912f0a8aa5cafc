import type { AdminHook } from '../../../../shared/forge/admin/administration.ts';
import { factsOf } from '../../../../shared/forge/kinds/forge-kind.ts';
import { dropEnd } from '../../../../shared/text/drop-end.ts';
import { type SetupFacts, type HookPlace, placeName, SETUP_TOKEN } from './facts.ts';
import { type SetupAction, blocked, done, type SetupStep, todo } from './step.ts';

/** `known`: whether the variables for the webhooks' secrets had values before this run. */
type Wish = { readonly facts: SetupFacts; readonly known: boolean; readonly replaces: boolean };

/** Returns one step per project or group, and one more for each webhook that points to another address. */
export const planHooks = (wish: Wish): readonly SetupStep[] =>
  wish.facts.places.flatMap((place, index) => {
    const name = placeName(place.owner);
    if (place.unusable !== null) return [unusableStep(wish.facts, name, place.unusable)];
    if (place.listed.kind === 'forbidden') return [forbiddenStep(wish.facts, name)];
    return [hookStep(wish, { place, hooks: place.listed.hooks, name, index }), ...strayStep(wish.facts, name, place)];
  });

type Here = {
  readonly place: HookPlace;
  readonly hooks: readonly AdminHook[];
  readonly name: string;
  readonly index: number;
};

const hookStep = ({ facts, known, replaces }: Wish, { place, hooks, name, index }: Here): SetupStep => {
  const { owner } = place;
  const ours = hooks.filter(({ url }) => sameAddress(url, facts.hookUrl));
  const create: SetupAction = { kind: 'create_hook', owner, secretEnv: secretEnvAt(facts.secretEnvs, index) };
  const [hook] = ours;
  if (hook === undefined)
    return todo('webhook', `${name}: add the webhook ${facts.hookUrl}`, [...stale(facts, place), create]);
  if (replaces) return replaceStep(name, place, ours, create);
  if (!known) return unknownSecretStep(name, facts.hookUrl);
  if (hook.unfit !== null) return unfitStep(name, hook.unfit);
  if (hook.state !== 'off' && hook.lacks.length === 0) return done('webhook', `${name}: its webhook points here`);
  const what = hook.lacks.length > 0 ? `the events ${hook.lacks.join(', ')} are missing` : 'it is disabled';
  return todo('webhook', `${name}: correct the webhook: ${what}`, [{ kind: 'repair_hook', owner, id: hook.id }]);
};

const replaceStep = (name: string, { owner }: HookPlace, ours: readonly AdminHook[], create: SetupAction): SetupStep =>
  todo('webhook', `${name}: replace the webhook, so that its secret is known`, [
    ...ours.map(({ id }): SetupAction => ({ kind: 'remove_hook', owner, id })),
    create,
  ]);

const REPLACE = 'run setup again with --replace-webhooks, which replaces the webhook';

const unknownSecretStep = (name: string, url: string): SetupStep =>
  blocked(
    'webhook',
    `${name}: a webhook with the URL ${url} exists, and forges do not reveal secrets`,
    `set its secret in the environment file, or ${REPLACE}`,
  );

const unfitStep = (name: string, unfit: string): SetupStep =>
  blocked('webhook', `${name}: a webhook points here, but ${unfit}`, REPLACE);

/** Removes the webhook that an earlier run created with another public address. */
const stale = ({ madeBefore, hookUrl }: SetupFacts, { owner, listed }: HookPlace): readonly SetupAction[] => {
  const before = madeBefore.get(placeName(owner));
  if (before === undefined || sameAddress(before, hookUrl) || listed.kind !== 'hooks') return [];
  return listed.hooks
    .filter(({ url }) => sameAddress(url, before))
    .map(({ id }): SetupAction => ({ kind: 'remove_hook', owner, id }));
};

/** Notes a webhook for this forge id at another host that setup did not create. It may belong to another installation. */
const strayStep = ({ hookUrl, madeBefore }: SetupFacts, name: string, { listed }: HookPlace): readonly SetupStep[] => {
  if (listed.kind !== 'hooks') return [];
  const before = madeBefore.get(name);
  const { pathname } = new URL(hookUrl);
  const strays = listed.hooks.filter(
    ({ url }) =>
      !sameAddress(url, hookUrl) &&
      !(before !== undefined && sameAddress(url, before)) &&
      URL.canParse(url) &&
      withoutSlash(new URL(url).pathname) === pathname,
  );
  return strays.map(({ url }) =>
    done(
      'webhook',
      `${name}: note: another webhook points to ${new URL(url).origin}${pathname}; remove it if it is no longer used`,
    ),
  );
};

const unusableStep = ({ forge }: SetupFacts, name: string, why: NonNullable<HookPlace['unusable']>): SetupStep => {
  const fix = 'change the settings of the project, or leave the project out';
  return why === 'archived'
    ? blocked('webhook', `${name} is archived, so nothing can be posted`, fix)
    : blocked('webhook', `${name} has ${factsOf(forge.kind).changeRequests} disabled`, fix);
};

const forbiddenStep = ({ forge }: SetupFacts, name: string): SetupStep =>
  blocked(
    'webhook',
    `${name}: the token cannot manage webhooks there`,
    `use ${factsOf(forge.kind).hookToken}, in ${SETUP_TOKEN}`,
  );

/** Each webhook has its own secret while there are enough variables. Deliveries are accepted with any of the secrets. */
export const secretEnvAt = (envs: readonly string[], index: number): string =>
  envs[Math.min(index, envs.length - 1)] ?? '';

export const sameAddress = (one: string, other: string): boolean => {
  if (!URL.canParse(one) || !URL.canParse(other)) return one === other;
  return withoutSlash(new URL(one).href) === withoutSlash(new URL(other).href);
};

const withoutSlash = (text: string): string => dropEnd(text, (character) => character === '/');
