/** What the doctor finds about a Forgejo: tokens, rights, patterns of projects, webhooks. */
import { describe, expect, it } from 'vitest';
import { amiss, type Broken, isNamed, look, standBench, world } from './doctor-bench.ts';

standBench();

const BROKEN: readonly Broken[] = [
  [
    'a token that is not accepted',
    async () => ({ token: 'f'.repeat(40) }),
    'forge sim',
    'fail',
    /does not accept the token in SIM_TOKEN/,
    /create a token for the bot's account/,
  ],
  [
    'a token without a scope',
    async () => ({ token: world.tokens.narrow }),
    'forge sim',
    'fail',
    /lacks permission \(answer: .*scope/,
    /give the token the scopes .*write:repository/,
  ],
  [
    'a bot that may only read',
    async () => ({ token: world.tokens.reader }),
    'forge sim',
    'fail',
    /the permission "read", so it cannot set a status/,
    /collaborator with write access/,
  ],
  [
    'a project that the bot does not see',
    async () => ({ projects: ['shop-team/hidden'] }),
    'forge sim',
    'fail',
    /shop-team\/hidden does not exist, or is not visible to the account/,
    /add the bot to the project/,
  ],
  [
    'F-R2: a token without the scope for comments',
    async () => ({ token: world.tokens.noComments }),
    'forge sim',
    'fail',
    /shop-team\/shop: the post token cannot comment \(answer: .*write:issue/,
    /give the token in SIM_TOKEN the scopes .*write:issue/,
  ],
  [
    'F-R2: a token without the scope for reviews and statuses',
    async () => ({ token: world.tokens.noReviews }),
    'forge sim',
    'fail',
    /shop-team\/shop: the post token cannot review or set a status \(answer: .*write:repository/,
    /give the token in SIM_TOKEN the scopes .*write:repository/,
  ],
  [
    'F-R2: a token that only reads',
    async () => ({ token: world.tokens.onlyReads }),
    'forge sim',
    'fail',
    /the post token cannot review or set a status/,
    /write:repository/,
  ],
  [
    'F-R3: a pattern that finds a project without a webhook',
    async () => {
      await world.forge.createRepo('shop-team', 'silent', { private: true });
      world.forge.addCollaborator('shop-team/silent', 'fixpoint', 'admin');
      return { projects: ['shop-team/*'] };
    },
    'forge sim',
    'warn',
    /shop-team\/silent: no project webhook points here/,
    /add a webhook to the path \/webhooks\/sim/,
  ],
  [
    'F-R3: a pattern for a group that is not there',
    async () => ({ projects: ['nobody-such/*'] }),
    'forge sim',
    'fail',
    /projects: nobody-such\/\* matches nothing: the group does not exist/,
    /check the spelling/,
  ],
  [
    'F-R3: a pattern for a group without projects',
    async () => ({ projects: ['shop-team/shop', 'onlooker/*'] }),
    'forge sim',
    'fail',
    /projects: onlooker\/\* matches no project/,
    /add the bot/,
  ],
  [
    'F-R3: everything, where the account is a member of nothing',
    async () => {
      world.forge.createUser({ login: 'hermit' });
      return { token: world.forge.createToken('hermit'), projects: ['*'] };
    },
    'forge sim',
    'fail',
    /projects: \* matches no project/,
    /add the bot/,
  ],
  [
    'a project that is archived',
    async () => ({ projects: ['shop-team/attic'] }),
    'forge sim',
    'fail',
    /shop-team\/attic is archived/,
    /remove it from forge\.projects/,
  ],
  [
    'a project without pull requests',
    async () => ({ projects: ['shop-team/bare'] }),
    'forge sim',
    'fail',
    /shop-team\/bare has pull requests disabled/,
    /enable them/,
  ],
];

describe('L6: what is broken at the forge', () => {
  it.each(BROKEN)('is named with its fix: %s', isNamed);
});

describe('webhooks', () => {
  it('that are switched off or lead elsewhere are named', async () => {
    const [hook] = world.forge.world.repos.flatMap(({ hooks }) => hooks);
    if (hook === undefined) throw new Error('there is no webhook');
    hook.active = false;
    expect(amiss(await look(), ['forge sim'])).toMatchObject([
      {
        level: 'fail',
        text: 'shop-team/shop: its webhook is disabled',
        fix: expect.stringContaining('enable the webhook'),
      },
    ]);
    hook.active = true;
    expect(
      amiss(await look({ edit: (toml) => toml.replace('id = "sim"', 'id = "other"') }), ['forge other']),
    ).toMatchObject([
      {
        level: 'warn',
        text: expect.stringContaining('no project webhook'),
        fix: expect.stringContaining('/webhooks/other'),
      },
    ]);
  });
});

describe('a webhook that is switched on', () => {
  const withHook = async (change: (hook: { events: ReadonlySet<string>; contentType: 'json' | 'form' }) => void) => {
    const hook = world.forge.addWebhook({ repo: 'shop-team/shop', url: 'https://ci.example/webhooks/other' });
    change(hook);
    const findings = await look({ edit: (toml) => toml.replace('id = "sim"', 'id = "other"') });
    const repo = world.forge.world.repos.find(({ name }) => name === 'shop');
    repo?.hooks.splice(repo.hooks.indexOf(hook), 1);
    return amiss(findings, ['forge other']);
  };

  it('F-R4: and sends pushes alone is not one that works', async () => {
    const [found, ...others] = await withHook((hook) => (hook.events = new Set(['push'])));
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      level: 'fail',
      fix: expect.stringContaining('enable these events in Settings, Webhooks'),
    });
    for (const event of ['pull_request,', 'pull_request_sync,', 'pull_request_comment,', 'pull_request_review_request'])
      expect(found?.text).toContain(event);
  });

  it('F-R4: and sends all but labels is warned of', async () => {
    const found = await withHook(
      (hook) => (hook.events = new Set([...hook.events].filter((event) => event !== 'pull_request_label'))),
    );
    expect(found).toMatchObject([
      { level: 'warn', text: expect.stringContaining('does not send the events pull_request_label,') },
    ]);
  });

  it('F-R4: and sends forms cannot be heard', async () => {
    const found = await withHook((hook) => (hook.contentType = 'form'));
    expect(found).toMatchObject([{ level: 'fail', text: expect.stringContaining('must be application/json') }]);
  });
});

describe('F-R3: many projects', () => {
  it('are looked at up to a bound, which is said', async () => {
    for (let index = 1; index <= 25; index += 1) await world.forge.createRepo('onlooker', `p${index}`);
    const findings = await look({ projects: ['onlooker/*'], token: world.tokens.reader });
    const texts = findings.filter(({ check }) => check === 'forge sim').map(({ text }) => text);
    expect(texts).toContain('the setting projects matches more projects than this command checks: it checks only 20');
    expect(texts.filter((text) => text.includes(': the bot has write access'))).toHaveLength(20);
  }, 60_000);
});
