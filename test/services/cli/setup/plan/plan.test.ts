import { describe, expect, test } from 'vitest';
import type { SetupFacts, HookPlace } from '../../../../../services/cli/setup/plan/facts.ts';
import { actionsOf, isAllDone, planSetup, type PlanWish } from '../../../../../services/cli/setup/plan/plan.ts';
import type { AdminHook } from '../../../../../shared/forge/admin/administration.ts';
import { sameAddress, secretEnvAt } from '../../../../../services/cli/setup/plan/plan-hooks.ts';

const owner = { kind: 'project', project: { id: 7, path: 'team/shop' } } as const;
const HOOK = 'https://fixpoint.example.com/webhooks/forgejo';

const hook = (more: Partial<AdminHook> = {}): AdminHook => ({
  id: 3,
  url: HOOK,
  state: 'working',
  untilMs: null,
  lacks: [],
  unfit: null,
  ...more,
});

const place = (...hooks: readonly AdminHook[]): HookPlace => ({
  owner,
  listed: { kind: 'hooks', hooks },
  unusable: null,
});

const facts = (more: Partial<SetupFacts> = {}): SetupFacts => ({
  forge: { id: 'forgejo', kind: 'forgejo', baseUrl: 'https://git.example.com', caFile: null },
  projects: ['team/shop'],
  hookUrl: HOOK,
  bot: { id: 5, login: 'fixpoint' },
  places: [place(hook())],
  members: [{ owner, standing: 'enough' }],
  config: { path: 'fixpoint.toml', text: '', mode: 0o644 },
  env: { path: '.env', text: 'FORGEJO_TOKEN=x\nFORGEJO_WEBHOOK_SECRET=y\n', mode: 0o600 },
  tokenEnv: 'FORGEJO_TOKEN',
  secretEnvs: ['FORGEJO_WEBHOOK_SECRET'],
  listen: null,
  madeBefore: new Map(),
  ...more,
});

const WISH: PlanWish = {
  configured: { baseUrl: 'https://git.example.com', projects: ['team/shop'] },
  needed: ['FORGEJO_TOKEN', 'FORGEJO_WEBHOOK_SECRET'],
  secretsKnown: true,
  replaces: false,
};

const plan = (more: Partial<SetupFacts> = {}, wish: Partial<PlanWish> = {}) =>
  planSetup(facts(more), { ...WISH, ...wish });
const kinds = (more: Partial<SetupFacts> = {}, wish: Partial<PlanWish> = {}) =>
  actionsOf(plan(more, wish)).map(({ kind }) => kind);

test('an installation as wanted needs nothing', () => {
  expect(isAllDone(plan())).toBe(true);
  expect(kinds()).toEqual([]);
});

test('secrets are saved before a webhook has them', () => {
  const all = kinds(
    { places: [place()], members: [{ owner, standing: 'none' }], env: { path: '.env', text: null, mode: null } },
    { configured: null, secretsKnown: false },
  );
  expect(all).toEqual(['write_config', 'write_env', 'add_member', 'create_hook']);
});

describe('webhooks', () => {
  test.each([
    ['none', [], ['create_hook']],
    [
      'one to another host that setup has not made',
      [hook({ url: 'https://old.example.com/webhooks/forgejo' })],
      ['create_hook'],
    ],
    ['one that lacks events', [hook({ lacks: ['pull_request'] })], ['repair_hook']],
    ['one that is off', [hook({ state: 'off' })], ['repair_hook']],
    ['one that pauses and works again by itself', [hook({ state: 'paused' })], []],
    ['one with a slash at its end', [hook({ url: `${HOOK}/` })], []],
  ] as const)('%s', (_what, hooks, actions) => {
    expect(kinds({ places: [place(...hooks)] })).toEqual(actions);
  });

  test('one that an earlier run made for another address is removed with the new one', () => {
    const old = 'https://old.example.com/webhooks/forgejo';
    const places = [place(hook({ url: old, id: 9 }))];
    expect(actionsOf(plan({ places, madeBefore: new Map([['team/shop', old]]) }))).toEqual([
      { kind: 'remove_hook', owner, id: 9 },
      { kind: 'create_hook', owner, secretEnv: 'FORGEJO_WEBHOOK_SECRET' },
    ]);
  });

  test('all that lead here are replaced, on demand', () => {
    expect(kinds({ places: [place(hook(), hook({ id: 4 }))] }, { replaces: true })).toEqual([
      'remove_hook',
      'remove_hook',
      'create_hook',
    ]);
  });

  test.each([
    ['an unknown secret', [place(hook())], { secretsKnown: false }, /forges do not reveal secrets/],
    ['forms', [place(hook({ unfit: 'it sends forms' }))], {}, /it sends forms/],
    ['an archived project', [{ owner, listed: { kind: 'forbidden' }, unusable: 'archived' }], {}, /archived/],
    ['no rights', [{ owner, listed: { kind: 'forbidden' }, unusable: null }], {}, /cannot manage webhooks/],
  ] as const)('with %s a person is asked', (_what, places, wish, text) => {
    const steps = plan({ places }, wish).filter(({ state }) => state === 'blocked');
    expect(steps).toEqual([expect.objectContaining({ text: expect.stringMatching(text), actions: [] })]);
    expect(steps[0]?.fix).not.toBe(null);
  });
});

test.each([
  ['*', true],
  ['team/*', true],
  ['TEAM/shop', true],
  ['team/shop2', false],
  ['tea/*', false],
])('projects = [%j] covers team/shop: %s', (pattern, covered) => {
  const [first] = plan({}, { configured: { baseUrl: '', projects: [pattern] } });
  expect(first?.state).toBe(covered ? 'done' : 'blocked');
});

test('a file of variables that others may read is closed', () => {
  expect(kinds({ env: { path: '.env', text: 'FORGEJO_TOKEN=x\nFORGEJO_WEBHOOK_SECRET=y', mode: 0o644 } })).toEqual([
    'restrict_env',
  ]);
});

test('each webhook has a secret of its own as far as there are variables', () => {
  expect([0, 1, 2, 3].map((index) => secretEnvAt(['A', 'B', 'C'], index))).toEqual(['A', 'B', 'C', 'C']);
});

test.each([
  ['https://a.example/x', 'https://A.example/x/', true],
  ['https://a.example:443/x', 'https://a.example/x', true],
  ['https://a.example/x', 'http://a.example/x', false],
  ['not an address', 'not an address', true],
])('%s and %s are one address: %s', (one, other, same) => {
  expect(sameAddress(one, other)).toBe(same);
});
