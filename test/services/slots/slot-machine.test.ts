import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decideSlot,
  type SlotEvent,
  type SlotRules,
  type SlotState,
  STARTED,
} from '../../../services/slots/slot-machine.ts';

const RULES: SlotRules = {
  reviewEnabled: true,
  hasReviewerPrompt: true,
  maxFixAttempts: 5,
  stopWhenNotConverging: true,
};

const implemented = (more: Partial<SlotEvent & { kind: 'implemented' }> = {}): SlotEvent => ({
  kind: 'implemented',
  failed: null,
  stop: false,
  picked: true,
  ...more,
});
const verdict = (word: 'pass' | 'drift', followUpPrompt: string, tree: string | null): SlotEvent => ({
  kind: 'reviewed',
  failed: null,
  read: { kind: 'verdict', verdict: { verdict: word, followUpPrompt } },
  tree,
});
const pass = (): SlotEvent => verdict('pass', 'fine', 'tree');
let trees = 0;
const drift = (followUp = 'do more'): SlotEvent => {
  trees += 1;
  return verdict('drift', followUp, `tree-${trees}`);
};
const violated: SlotEvent = {
  kind: 'reviewed',
  failed: null,
  read: { kind: 'violation', reason: 'no JSON' },
  tree: 't',
};
const fixed = (more: Partial<SlotEvent & { kind: 'fixed' }> = {}): SlotEvent => ({
  kind: 'fixed',
  failed: null,
  stop: false,
  ...more,
});

const walk = (events: readonly SlotEvent[], rules: Partial<SlotRules> = {}): SlotState =>
  events.reduce((state, event) => decideSlot(state, event, { ...RULES, ...rules }), STARTED);
const outcome = (events: readonly SlotEvent[], rules: Partial<SlotRules> = {}) => {
  const state = walk(events, rules);
  return state.phase === 'ended' ? state.outcome : state.phase;
};

describe('the review is skipped', () => {
  it.each<[string, readonly SlotEvent[], Partial<SlotRules>]>([
    ['when it is disabled', [implemented()], { reviewEnabled: false }],
    ['when no prompt for the reviewer was resolved', [implemented()], { hasReviewerPrompt: false }],
    ['when no task was picked', [implemented({ picked: false })], {}],
  ])('%s', (_, events, rules) => {
    expect(outcome(events, rules)).toMatchObject({ kind: 'unreviewed', fixAttempts: 0, lastVerdict: null });
  });

  it('when the implementation failed', () => {
    expect(outcome([implemented({ failed: 'exit code 3' })])).toMatchObject({
      kind: 'failed',
      failure: 'implementer_failed',
      reason: 'the implementer failed: exit code 3',
    });
  });
});

describe('a slot', () => {
  it('passes at the first review with no fix', () => {
    expect(outcome([implemented(), pass()])).toEqual({
      kind: 'passed',
      failure: null,
      reason: null,
      fixAttempts: 0,
      lastVerdict: { verdict: 'pass', followUpPrompt: 'fine' },
      stop: false,
    });
  });

  it('passes after drift and a fix that is told what the reviewer asked for', () => {
    expect(walk([implemented(), drift('close it')])).toMatchObject({ phase: 'fixing', followUpPrompt: 'close it' });
    expect(outcome([implemented(), drift(), fixed(), pass()])).toMatchObject({ kind: 'passed', fixAttempts: 1 });
  });

  it('passes after several cycles', () => {
    const events = [implemented(), drift('a'), fixed(), drift('b'), fixed(), drift('c'), fixed(), pass()];
    expect(outcome(events)).toMatchObject({ kind: 'passed', fixAttempts: 3 });
  });

  it('fails at once at an answer against the contract, without a fix', () => {
    expect(outcome([implemented(), violated])).toMatchObject({ failure: 'contract_violation', fixAttempts: 0 });
    expect(outcome([implemented(), drift(), fixed(), violated])).toMatchObject({ failure: 'contract_violation' });
  });

  it('fails when the reviewer fails, and its words are not read', () => {
    const event: SlotEvent = { ...verdict('pass', 'fine', 't'), kind: 'reviewed', failed: 'exit code 1' } as SlotEvent;
    expect(outcome([implemented(), event])).toMatchObject({ failure: 'reviewer_failed', lastVerdict: null });
  });

  it('fails when the fixer fails, without another round', () => {
    expect(outcome([implemented(), drift(), fixed({ failed: 'killed by SIGKILL' })])).toMatchObject({
      failure: 'fixer_failed',
      fixAttempts: 1,
    });
  });

  it.each([0, 1, 5])('makes at most %d fixes and one review more, and says how many it made', (maxFixAttempts) => {
    const cycles = Array.from({ length: maxFixAttempts }, () => [drift(), fixed()]).flat();
    expect(outcome([implemented(), ...cycles], { maxFixAttempts })).toBe('reviewing');
    expect(outcome([implemented(), ...cycles, drift()], { maxFixAttempts })).toMatchObject({
      failure: 'drift_unresolved',
      fixAttempts: maxFixAttempts,
      reason: expect.stringContaining(`after ${maxFixAttempts} fix attempt`),
    });
  });
});

describe('not converging', () => {
  const same = (tree: string | null, words = 'Handle  errors') => verdict('drift', words, tree);

  it('ends a slot at the same drift over an unchanged tree', () => {
    expect(outcome([implemented(), same('t'), fixed(), same('t', 'handle errors\n')])).toMatchObject({
      failure: 'not_converging',
      fixAttempts: 1,
    });
  });

  it('is not the same drift over another tree, nor another drift over the same tree', () => {
    expect(outcome([implemented(), same('t'), fixed(), same('u')])).toBe('fixing');
    expect(outcome([implemented(), same('t'), fixed(), same('t', 'rename it')])).toBe('fixing');
  });

  it('ends a slot that swings between two demands: its tree is that of an attempt before the last one', () => {
    const swing = [implemented(), same('t', 'do A'), fixed(), same('u', 'do B'), fixed(), same('t', 'do A, again')];
    expect(outcome(swing)).toMatchObject({
      failure: 'not_converging',
      fixAttempts: 2,
      reason: 'drift was reported for a tree that was reviewed before the last fix, after 2 fix attempts',
    });
    const pass = [...swing.slice(0, -1), verdict('pass', 'fine', 't')];
    expect(outcome(pass)).toMatchObject({ kind: 'passed', fixAttempts: 2 });
  });

  it('is not said of a tree that nobody saw', () => {
    for (const [before, after] of [
      [null, null],
      ['t', null],
      [null, 't'],
    ] as const)
      expect(outcome([implemented(), same(before), fixed(), same(after)])).toBe('fixing');
  });

  it('can be switched off', () => {
    const off = { stopWhenNotConverging: false };
    expect(outcome([implemented(), same('t'), fixed(), same('t')], off)).toBe('fixing');
    expect(outcome([implemented(), same('t'), fixed(), same('u'), fixed(), same('t')], off)).toBe('fixing');
  });

  it('keeps what every review asked for, the oldest first, for the next reviewer', () => {
    const { demands } = walk([implemented(), same('t', 'do A'), fixed(), same('u', 'do B'), fixed()]);
    expect(demands).toEqual([
      { followUpPrompt: 'do A', tree: 't' },
      { followUpPrompt: 'do B', tree: 'u' },
    ]);
  });
});

describe('the stop marker', () => {
  it('is kept from the implementer and from any fixer, to the end', () => {
    expect(outcome([implemented({ stop: true }), pass()])).toMatchObject({ kind: 'passed', stop: true });
    expect(outcome([implemented(), drift(), fixed({ stop: true }), drift(), fixed(), pass()])).toMatchObject({
      stop: true,
    });
  });
});

it('refuses an event that does not follow', () => {
  expect(() => walk([pass()])).toThrow('reviewed does not follow implementing');
  expect(() => walk([implemented(), fixed()])).toThrow('fixed does not follow reviewing');
  expect(() => walk([implemented(), pass(), pass()])).toThrow('does not follow ended');
});

it('always ends, after at most maxFixAttempts + 1 reviews', () => {
  const word = fc.constantFrom('drift', 'pass', 'violation');
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 30, maxLength: 30 }),
      fc.integer({ min: 0, max: 9 }),
      (words, maxFixAttempts) => {
        let reviews = 0;
        let fixes = 0;
        let state = walk([implemented()]);
        for (const said of words) {
          if (state.phase === 'ended') break;
          if (state.phase === 'fixing') {
            fixes += 1;
            state = decideSlot(state, fixed(), { ...RULES, maxFixAttempts });
          } else {
            reviews += 1;
            const event = said === 'violation' ? violated : said === 'pass' ? pass() : drift();
            state = decideSlot(state, event, { ...RULES, maxFixAttempts });
          }
        }
        expect(state.phase).toBe('ended');
        expect(reviews).toBeLessThanOrEqual(maxFixAttempts + 1);
        expect(fixes).toBeLessThanOrEqual(maxFixAttempts);
      },
    ),
    { seed: 3, numRuns: 300 },
  );
});
