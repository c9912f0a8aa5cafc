/** Why nothing happened, and what is happening: from guard's state to the words that are posted. */
import { describe, expect, it } from 'vitest';
import { decide } from '../decide-alone.ts';
import type { DecideInput } from '../../../../shared/rounds/decide/decision.ts';
import { skipReason } from '../../../../shared/rounds/decide/filters.ts';
import { situationOf } from '../../../../shared/rounds/decide/situation-of.ts';
import { SettingsFile } from '../../../../shared/config/schema.ts';
import { keysAt } from '../../../../shared/config/text/setting-tree.ts';
import { RepositorySettings } from '../../../../shared/config/repository/repository-settings.ts';
import { CommandReply } from '../../../../shared/rounds/model/command-reply.ts';
import { CAP_CODES } from '../../../../shared/rounds/model/counts.ts';
import { type Situation, SkipRule } from '../../../../shared/rounds/model/command-reply.ts';
import type { GuardState } from '../../../../shared/rounds/model/state.ts';
import { answerText } from '../../../../shared/rounds/plan/answers/answer-text.ts';
import { SKIP_SETTINGS } from '../../../../shared/rounds/plan/answers/situation-text.ts';
import type { Policy } from '../../../../shared/rounds/model/policy.ts';
import * as make from '../builders.ts';
import { facing, inputOf, SKIPPED } from './skipped-cases.ts';

const HEAD = make.sha('head');

const answers = (now: Situation, policy = make.policy()): readonly [why: string, status: string] => {
  const context = { facts: make.changeRequest(), history: make.history(), policy, mention: 'bot' };
  const text = (kind: 'why' | 'status'): string => answerText(context, { say: { kind, now }, head: HEAD });
  return [text('why'), text('status')];
};

const withMention = (policy: Policy): Policy => ({ ...policy, triggers: [...policy.triggers, 'mention'] });

describe('a change request that is skipped', () => {
  it('has a case for every rule', () => {
    expect(SKIPPED.map(([rule]) => rule)).toEqual(SkipRule.options);
  });

  it.each(SKIPPED)('%s: why and status name the rule and the setting', (rule, patch) => {
    const input = inputOf(patch);
    const now = situationOf(input.state, input);
    expect(now).toEqual({ kind: 'skipped', rule });
    for (const text of answers(now, withMention(input.policy))) {
      expect(text).toContain(`Not reviewed: ${skipReason(rule, input.policy)}`);
      expect(text).toContain(
        rule === 'paused' ? 'the command `@bot pause`' : `\`${SKIP_SETTINGS[rule]}\` in the operator's configuration`,
      );
      expect(text).toContain(rule === 'paused' ? '`@bot resume`' : '`@bot review`');
    }
  });

  it.each(SKIPPED)('%s: the answer reaches the outbox', (rule, patch) => {
    const order = { noteId: 40, kind: 'conversation', authorId: 7, allowed: true, spoken: { kind: 'why' } } as const;
    const input = inputOf(patch);
    const facts = { ...input.facts, orders: [order] };
    const { outbox } = decide({ ...input, facts, events: [make.forgeEvent('comment', { noteId: 40 })] }).state;
    const said = outbox.flatMap((effect) => (effect.kind === 'answer' ? [CommandReply.parse(effect.say)] : []));
    expect(said).toEqual([{ kind: 'why', now: { kind: 'skipped', rule } }]);
  });

  it.each(SKIPPED)('%s: gives the log and `fixpoint why` the same words', (rule, patch) => {
    const input = inputOf(patch);
    const kind = rule === 'pushed_off' ? 'pushed' : 'opened';
    const { steps } = decide({ ...input, events: [make.forgeEvent(kind)] });
    expect(steps.map(({ reason }) => reason)).toContain(skipReason(rule, input.policy));
  });

  it('names only settings of the operator, none of which a project can set', () => {
    for (const setting of Object.values(SKIP_SETTINGS)) {
      const key = setting?.replace(/^review\./, '') ?? 'drafts';
      expect(keysAt(SettingsFile, ['review'])).toContain(key);
      expect(keysAt(RepositorySettings, ['review'])).not.toContain(key);
    }
  });
});

const state = (patch: Partial<GuardState>): Partial<DecideInput> => ({ state: make.state(patch) });
const running = (patch: Parameters<typeof make.run>[0] = {}) => state({ running: make.run(patch) });
const closedFor = (reason: string): Partial<DecideInput> => {
  const handoffs = [{ head: HEAD, review: 1, reason, atMs: 0 }];
  return { ...state({ closed: [make.at(HEAD)] }), facts: make.facts({ history: make.history({ handoffs }) }) };
};
const parked = { ...make.at(HEAD), code: 'MODEL_UNAVAILABLE', sinceMs: 0, again: false };

describe('a change request that is not skipped', () => {
  it.each<[string, Partial<DecideInput>, RegExp]>([
    ['a running review', running(), /^A review is running\.$/],
    ['one that waits for CI', running({ phase: 'waiting_ci' }), /waits for the CI of this commit; `gate\.wait_for_ci`/],
    ['one that is posted', running({ phase: 'posting' }), /^A review is being posted\.$/],
    ['one that has failed', running({ phase: 'giving_up' }), /a person is being notified/],
    ['one in an outage', running({ waits: { what: 'model', code: 'X' } }), /waiting: the model cannot be used/],
    ['answers', state({ running: make.replyRun() }), /answering in threads/],
    ['another judgement', state({ running: make.reevaluateRun() }), /re-evaluated/],
    [
      'a report of CI',
      { ...state({ wanted: make.at(HEAD) }), facts: make.facts({ awaitsReports: true }) },
      /when the CI jobs have ended whose reports it uses; `analyzer\.job`/,
    ],
    [
      'a slot, after a report of CI did not come in time',
      {
        ...state({ wanted: make.at(HEAD), reportWait: { head: HEAD, untilMs: make.NOW, nextLookMs: make.NOW } }),
        facts: make.facts({ awaitsReports: true }),
      },
      /free slot; `limits\.running_per_project`/,
    ],
    ['no slot', state({ wanted: make.at(HEAD) }), /free slot; `limits\.running_per_project`/],
    [
      'pushes',
      state({ quiet: { head: HEAD, untilMs: 60_000 } }),
      /before 1970-01-01 00:01 UTC; `review\.quiet_seconds`/,
    ],
    [
      'an outage that is over soon',
      state({ closed: [make.at(HEAD)], parked: { ...parked, untilMs: 3_600_000 } }),
      /retried automatically after 1970-01-01 01:00 UTC/,
    ],
    [
      'a mistake',
      state({ closed: [make.at(HEAD)], parked: { ...parked, untilMs: null } }),
      /Fixpoint tries again when it is restarted/,
    ],
    ['all runs used', closedFor(CAP_CODES.runs), /6 of 6 runs used; `rounds\.max_runs` in the operator's/],
    ['all silent reviews used', closedFor(CAP_CODES.silent), /4 of 4 reviews .* used; `rounds\.max_silent`/],
    ['strange comments', closedFor(CAP_CODES.identity), /unknown bot comments; `previous_bot_user_ids`/],
    ['a failure', closedFor('agent_failed'), /all attempts failed.*Use `@bot review` to try again/],
    ['nothing', {}, /not been reviewed yet, and no rule prevents a review/],
  ])('says so, without a code: %s', (_what, patch, words) => {
    const input = inputOf(patch);
    const [why] = answers(situationOf(input.state, input));
    expect(why).toMatch(words);
    expect(why).not.toMatch(/[A-Z]+_[A-Z]+|_exceeded/);
  });

  it('is silent about rules that did not keep it from its verdict', () => {
    const input = inputOf({ ...state({ reviewed: [make.at(HEAD)] }), facts: facing({ draft: true }) });
    expect(situationOf(input.state, input)).toEqual({ kind: 'settled' });
  });
});

describe('a change request with a verdict', () => {
  const why = (patch: Parameters<typeof make.history>[0]): string => {
    const context = { facts: make.changeRequest(), history: make.history(patch), policy: make.policy() };
    return answerText(context, { say: { kind: 'why', now: { kind: 'settled' } }, head: HEAD });
  };
  const here = make.reviewedAt(HEAD, { verdict: 'lgtm' });

  it('tells it, and no more where there is no more', () => {
    expect(why({ reviewed: [here] })).toMatch(/ended with: nothing blocks merging\.$/);
  });

  it('tells that it was carried, for the head that it was carried to alone', () => {
    const other = make.reviewedAt(make.sha('older'), { verdict: 'lgtm' });
    expect(why({ reviewed: [other, here] })).toContain('carried over');
    expect(why({ reviewed: [here, other] })).not.toContain('carried over');
  });

  it('tells that a budget was used up', () => {
    expect(why({ reviewed: [{ ...here, exceeded: true }] })).toContain('A budget was used up');
  });

  it('tells whose limit ended the rounds', () => {
    const used = { reviewed: [here], roundsUsed: 3 };
    expect(why(used)).toContain("No round is left (`rounds.max` in the operator's configuration)");
    const { comment } = { comment: make.comment('x') };
    const marker = { cap: 3 } as NonNullable<ReturnType<typeof make.history>['summary']>['marker'];
    expect(why({ ...used, summary: { comment, marker } })).toContain('`rounds.max` in `.fixpoint.toml` of the target');
  });
});
