/**
 * Row I9: what each kind of account can trigger by each kind of action, on every forge. The forge's webhook is parsed,
 * the facts are read with the bot's token, and the decision is made.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { InboxEvent } from '../../shared/rounds/model/events.ts';
import { emptyState, type GuardState } from '../../shared/rounds/model/state.ts';
import { NOW, sha } from '../shared/rounds/builders.ts';
import { usually } from '../support/deep.ts';
import { FORGE_KINDS } from '../support/fleet-forge.ts';
import { BOT, type Inside, type Level, OWNER } from './trigger-deeds.ts';
import { startTriggerStage, type TriggerStage } from './trigger-stage.ts';

type Actor = {
  readonly level: Level;
  /** The account is deleted before guard reads the facts. */
  readonly leaves?: boolean;
  /** Marked as a bot by the forge if it can, otherwise listed by the operator. */
  readonly bot?: boolean;
};

/** Bots have write permission, so that only being a bot prevents their commands. */
const ACTORS: Readonly<Record<string, Actor>> = {
  owner: { level: 'write' },
  dev: { level: 'write' },
  reporter: { level: 'read' },
  outsider: { level: 'none' },
  'our bot': { level: 'write' },
  'other bot': { level: 'write', bot: true },
  'deleted user': { level: 'write', leaves: true },
};

const DEEDS = ['opens', 'pushes', 'says "@bot review"', 'says "@bot fix"', 'edits the title'] as const;
type Deed = (typeof DEEDS)[number];

/**
 * Whether the head is wanted afterwards. A new head always is, because filters by author are the operator's choice; a
 * command needs a person with write permission; a new title never triggers a review.
 */
const POLICY: Readonly<Record<string, Readonly<Record<Deed, boolean>>>> = {
  owner: row({ calls: true }),
  dev: row({ calls: true }),
  reporter: row({ calls: false }),
  outsider: row({ calls: false }),
  'our bot': row({ calls: false }),
  'other bot': row({ calls: false }),
  'deleted user': row({ calls: false }),
};

/** The author is disabled, so a request for a fix is refused; only a person with write permission gets that answer. */
const isRefusedFix = ({ outbox }: GuardState): boolean => outbox.some(({ kind }) => kind === 'refuse_fix');

function row({ calls }: { readonly calls: boolean }): Readonly<Record<Deed, boolean>> {
  return { opens: true, pushes: true, 'says "@bot review"': calls, 'says "@bot fix"': false, 'edits the title': false };
}

const CASES = Object.keys(ACTORS).flatMap((actor) => DEEDS.map((deed) => ({ actor, deed })));

test('I9: there is a rule for each of the 35 pairs of account and deed', () => {
  expect(CASES).toHaveLength(35);
  expect(Object.keys(POLICY).toSorted()).toEqual(Object.keys(ACTORS).toSorted());
});

const INSIDE: readonly Inside[] = [
  'the body of a review',
  'an inline comment of a review',
  'an answer to an inline comment',
];

const SWEEP: InboxEvent = { source: 'sweep', id: 'sweep', atMs: NOW, head: sha('any') };

/** The state after a first event: commands before the bot's first comment do not count as handled. */
const heardNothing = (): GuardState => ({ ...emptyState(), seenCommands: { untilMs: 0, keys: [] } });

describe.sequential.each(usually(...FORGE_KINDS))('on %s', (kind) => {
  let stage: TriggerStage;
  const known = new Map<string, string>();
  let cases = 0;

  beforeAll(async () => {
    stage = await startTriggerStage(kind);
  }, 60_000);
  afterAll(async () => stage?.close());

  const join = async (login: string, { level, bot = false }: Actor): Promise<string> => {
    const account = await stage.deeds.join({ login, level, marked: bot });
    if (bot && kind !== 'gitlab') stage.bots.ignored.add(account.id);
    return account.login;
  };

  /** The account of this case; a new one when the case deletes it. */
  const accountFor = async (actor: string): Promise<string> => {
    if (actor === 'owner') return OWNER;
    if (actor === 'our bot') return BOT;
    const wish = ACTORS[actor] ?? { level: 'none' };
    const login = wish.leaves === true ? `leaver-${cases}` : actor.replaceAll(' ', '-');
    const account = known.get(login) ?? (await join(login, wish));
    known.set(login, account);
    return account;
  };

  const opened = async (as: string) => {
    cases += 1;
    const change = { branch: `case-${cases}`, as };
    await stage.deeds.push(change, 'first');
    return { change, number: await stage.deeds.open(change), as };
  };

  /** Only the events of the last action. */
  const after = async (deed: () => Promise<void>): Promise<readonly InboxEvent[]> => {
    stage.deeds.events();
    await deed();
    return stage.deeds.events();
  };

  const carryOut = async (as: string, deed: Deed) => {
    const { deeds } = stage;
    deeds.events();
    const { change, number } = await opened(as);
    const at = { number, as };
    const opening = deeds.events().filter((event) => event.source === 'forge' && event.kind === 'opened');
    const doing: Readonly<Record<Deed, () => Promise<void>>> = {
      opens: async () => {},
      pushes: async () => deeds.push(change, 'second'),
      'says "@bot review"': async () => deeds.say(at, `@${BOT} review`),
      'says "@bot fix"': async () => deeds.say(at, `@${BOT} fix`),
      'edits the title': async () => deeds.rename(at),
    };
    const events = await after(doing[deed]);
    return { number, events: deed === 'opens' ? opening : events };
  };

  test.each(CASES)('I9: when the $actor $deed', async ({ actor, deed }) => {
    const as = await accountFor(actor);
    const { number, events } = await carryOut(as, deed);
    expect(events.length).toBeGreaterThan(0);
    if (ACTORS[actor]?.leaves === true) stage.deeds.leave(as);
    const { state } = await stage.attend(number, events);
    expect(state.wanted !== null).toBe(POLICY[actor]?.[deed]);
    const isHeard = deed === 'says "@bot fix"' && POLICY[actor]?.['says "@bot review"'] === true;
    expect(isRefusedFix(state)).toBe(isHeard);
  });

  test.each([
    ['may write', 'write', true],
    ['may only read', 'read', false],
  ] as const)('I9: a bot that the operator allows and that %s commands within that', async (_name, level, heard) => {
    const { id, login } = await stage.deeds.join({ login: `allowed-${level}`, level, marked: true });
    stage.bots.allowed.add(id);
    const { number } = await opened(OWNER);
    const events = await after(async () => stage.deeds.say({ number, as: login }, `@${BOT} review`));
    expect((await stage.attend(number, events)).state.wanted !== null).toBe(heard);
  });

  test('I9: a review asked for by another bot is not given, and by a person it is', async () => {
    for (const [actor, heard] of [
      ['other bot', false],
      ['dev', true],
    ] as const) {
      const as = await accountFor(actor);
      const { number } = await opened(OWNER);
      const events = await after(async () => stage.deeds.ask({ number, as }));
      const { state, steps } = await stage.attend(number, events);
      expect({ actor, wanted: state.wanted !== null }).toEqual({ actor, wanted: heard });
      if (!heard)
        expect(steps.filter(({ effect }) => effect !== 'write_status').map(({ reason }) => reason)).toEqual([
          'a bot caused the event',
        ]);
    }
  });

  describe.each(INSIDE)('a call in %s', (where) => {
    const said = { where, body: `@${BOT} review` };
    const call = async (as: string) => {
      const { number } = await opened(OWNER);
      return { number, events: await after(async () => stage.deeds.sayInside({ number, as }, said)) };
    };

    test.each(Object.keys(ACTORS))('G5, T5: is heard as any other, here by the %s', async (actor) => {
      cases += 1;
      const as = await accountFor(actor);
      const { number, events } = await call(as);
      if (ACTORS[actor]?.leaves === true) stage.deeds.leave(as);
      const expected = POLICY[actor]?.['says "@bot review"'];
      // The bot's answer to which the other bot replies fires hooks, too.
      expect(events.length).toBeGreaterThan(0);
      expect((await stage.attend(number, events)).state.wanted !== null).toBe(expected);
    });

    test('G5: is found by the sweep when its webhook was lost, and heard once', async () => {
      const { number, events } = await call(OWNER);
      const first = await stage.attend(number, [SWEEP], heardNothing());
      expect(first.steps.map(({ reason }) => reason)).toContain('the sweep found a mention');
      const idle = { ...emptyState(), seenCommands: first.state.seenCommands };
      for (const again of [[SWEEP], events, [...events, SWEEP]]) {
        expect((await stage.attend(number, again, idle)).requests).toEqual([]);
      }
    });
  });

  test.each(['our bot', 'other bot', 'reporter'])(
    'I9: a call by the %s is none for the sweep either',
    async (actor) => {
      const as = await accountFor(actor);
      const { number } = await opened(OWNER);
      await stage.deeds.say({ number, as }, `@${BOT} review`);
      const { requests, steps } = await stage.attend(number, [SWEEP], heardNothing());
      expect(requests.filter(({ allowed }) => allowed)).toEqual([]);
      expect(steps.map(({ reason }) => reason)).not.toContain('the sweep found a mention');
    },
  );

  test('S5: a call changes no setting, whatever stands behind it', async () => {
    const { number } = await opened(OWNER);
    const words = `@${BOT} review --model x --base_url http://evil.example --max_rounds 99 __openai__key=1`;
    const events = await after(async () => stage.deeds.say({ number, as: OWNER }, words));
    const { requests, state } = await stage.attend(number, events);
    expect(requests).toEqual([]);
    // One note says so; nothing is reviewed, granted or stored.
    expect(state).toMatchObject({
      wanted: null,
      asked: null,
      granted: 0,
    });
    expect(state.outbox.filter(({ kind }) => kind !== 'write_status')).toMatchObject([
      { kind: 'answer', say: { kind: 'misread', why: 'arguments' } },
    ]);
  });
});
