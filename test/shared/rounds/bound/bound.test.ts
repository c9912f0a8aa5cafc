import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BoundInput,
  boundOf,
  type ConversationLimits,
  maxComments,
  maxCyclesFrom,
  maxRequests,
  type ModelLimits,
} from '../../../../shared/rounds/bound/bound.ts';
import { boundText } from '../../../../shared/rounds/bound/bound-text.ts';
import type { Policy } from '../../../../shared/rounds/model/policy.ts';
import { propertyRuns } from '../../../support/deep.ts';
import { policy } from '../builders.ts';

const once = (calls: number): ConversationLimits => ({ calls, tries: 1, executions: 1, resumes: true });

const model = (patch: Partial<ModelLimits> = {}): ModelLimits => ({
  reviewer: once(11),
  maxParts: 1,
  explorer: once(33),
  maxExplorers: 4,
  finder: once(9),
  maxFinders: 0,
  verifier: once(7),
  maxVerifiers: 0,
  author: null,
  maxOutputTokens: 1000,
  budgets: { runTokens: 1_000_000, runUsd: 5, changeRequestTokens: 4_000_000, changeRequestUsd: 100 },
  ...patch,
});

const input = (patch: Partial<BoundInput> = {}): BoundInput => ({
  policy: policy(),
  reviewerSeconds: 600,
  authorSeconds: 900,
  model: model(),
  ...patch,
});

const on = policy({ author: { enabled: true, projects: [], labels: [], authors: [], timeoutMs: 90_000 } });

describe('the bound of a change request', () => {
  it('is, for the defaults, what the sums say', () => {
    expect(boundOf(input())).toEqual({
      thread: { cycles: 3 },
      changeRequest: {
        rounds: 3,
        // 6 runs and 4 silent reviews: the last of them is either one
        reviews: 9,
        // and 4 carried heads
        runs: 13,
        attempts: 2,
        giveUps: 3,
        fixes: 0,
        // 9 × (11 + 4 × 33)
        modelCalls: 1287,
        inputTokens: 4_000_000,
        outputTokens: 1_287_000,
        costUsd: 45,
        wallSeconds: 7800,
        // 13 × (30 + 60 + 30) and 3 × 30
        deadlineSeconds: 1650,
        // The summary, 200 threads of 3 cycles, and three comments per run
        comments: 1 + 200 * 3 + 39,
      },
      limitedBy: { inputTokens: 'change request budget', outputTokens: 'arithmetic', costUsd: 'runs × run budget' },
    });
  });

  it('costs no more than the budget of the change request, where that is less', () => {
    const { budgets } = model();
    const cheap = model({ budgets: { ...budgets, changeRequestUsd: 10 } });
    const { changeRequest, limitedBy } = boundOf(input({ model: cheap }));
    expect([changeRequest.costUsd, limitedBy.costUsd]).toEqual([10, 'change request budget']);
  });

  it('counts fixes, what they cost and what they say, where the author is on', () => {
    const { changeRequest } = boundOf(input({ policy: on, model: model({ maxExplorers: 0, author: once(35) }) }));
    expect(changeRequest).toMatchObject({
      fixes: 2,
      modelCalls: 9 * 11 + 2 * 35,
      costUsd: 55,
      wallSeconds: 13 * 600 + 2 * 900,
      deadlineSeconds: 1650 + 2 * (60 + 90),
      comments: 640 + 2 * 201,
    });
  });

  it('counts each part of a large change as a conversation', () => {
    const { changeRequest } = boundOf(input({ model: model({ maxParts: 12 }) }));
    expect(changeRequest.modelCalls).toBe(9 * (12 * 11 + 4 * 33));
    const shown = input({ model: model({ maxParts: 12 }) });
    expect(boundText(boundOf(shown), shown, { notes: [] })).toMatch(
      /^calls of a model +2,376 +reviews × \(12 parts × 11 \+ 4 explorers × 33\);/m,
    );
  });

  it('is no call and no money where only rules review', () => {
    const { changeRequest, limitedBy } = boundOf(input({ model: null }));
    expect(changeRequest).toMatchObject({ runs: 13, modelCalls: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 });
    expect(limitedBy.costUsd).toBe('no model');
  });

  it.each([
    ['that goes on where it broke off', { calls: 11, tries: 4, executions: 3, resumes: true }, 4 * (11 + 2)],
    ['that begins anew', { calls: 35, tries: 4, executions: 2, resumes: false }, 4 * 35 * 2],
    ['that is not held', { calls: 0, tries: 0, executions: 0, resumes: false }, 0],
  ])('counts the requests of a conversation %s', (_name, limits, expected) => {
    expect(maxRequests(limits)).toBe(expected);
  });

  it('gives a verdict on the forge one comment per run', () => {
    const quiet = boundOf(input()).changeRequest.comments;
    expect(boundOf(input({ policy: policy({ forgeVerdict: 'request_changes' }) })).changeRequest.comments).toBe(
      quiet + 13,
    );
  });

  it.each([
    ['runs are left for, and the one that hands it over', { max: 4, maxRuns: 4, threadCount: 4 }, [5, 4, 3, 2]],
    [
      'its count allows, and two where it opens in the last round',
      { max: 4, maxRuns: 9, threadCount: 2 },
      [3, 3, 3, 2],
    ],
    ['two where there is no second round', { max: 1, maxRuns: 9, threadCount: 4 }, [2]],
  ])('leaves a thread as many cycles as %s', (_name, rounds, expected) => {
    expect(expected.map((_, index) => maxCyclesFrom(policy({}, rounds), index + 1))).toEqual(expected);
  });

  it('counts the comments of the threads that each round opens', () => {
    // 3 + 1 - 1 reviews and no carried head
    const rounds = policy({}, { max: 2, maxRuns: 3, maxSilent: 1, maxCarried: 0, attempts: 1, threadCount: 2 });
    expect([[], [1], [0, 1], [2, 1]].map((raised) => maxComments(rounds, raised))).toEqual([
      1 + 9,
      1 + 3 + 9,
      1 + 2 + 9,
      1 + 2 * 3 + 2 + 9,
    ]);
  });

  it('is affine in each cap of runs, silent reviews and carried heads', () => {
    const numbersOf = (rounds: Partial<Policy['rounds']>): readonly number[] => {
      const { reviews, runs, wallSeconds, comments, modelCalls } = boundOf(
        input({ policy: policy({}, rounds) }),
      ).changeRequest;
      return [reviews, runs, wallSeconds, comments, modelCalls];
    };
    const steps = (key: 'maxRuns' | 'maxSilent' | 'maxCarried', value: number): readonly number[] => {
      const before = numbersOf({ [key]: value });
      return numbersOf({ [key]: value + 1 }).map((number, index) => number - (before[index] ?? 0));
    };
    for (const key of ['maxRuns', 'maxSilent', 'maxCarried'] as const)
      expect([4, 9, 40].map((value) => steps(key, value))).toEqual([4, 9, 40].map(() => steps(key, 6)));
  });

  it('never falls when a setting grows', () => {
    const settings = fc.record({
      max: fc.integer({ min: 1, max: 9 }),
      more: fc.nat(10),
      k: fc.integer({ min: 2, max: 4 }),
    });
    const numbersOf = ({ max, more, k }: { readonly max: number; readonly more: number; readonly k: number }) => {
      const { thread, changeRequest } = boundOf(
        input({ policy: { ...on, rounds: { ...on.rounds, max, maxRuns: max + more, threadCount: k } } }),
      );
      return [thread.cycles, ...Object.values(changeRequest)];
    };
    fc.assert(
      fc.property(settings, fc.constantFrom('max', 'more', 'k'), (setting, grown) => {
        const small = numbersOf(setting);
        const large = numbersOf({ ...setting, [grown]: setting[grown] + 1 });
        expect(large.filter((value, index) => value < (small[index] ?? 0))).toEqual([]);
      }),
      propertyRuns(100, 5_000),
    );
  });
});

describe('the bound as text', () => {
  it('gives each number with the sum that makes it', () => {
    const shown = input({ policy: on, model: model({ author: once(35) }) });
    expect(boundText(boundOf(shown), shown, { notes: [] }).split('\n')).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^cycles of one thread +3 +1 \+ rounds\.thread_count 2$/),
        expect.stringMatching(/^runs +13 +reviews \+ rounds\.max_carried/),
        expect.stringMatching(/^calls of a model +1,357 +reviews × \(11 \+ 4 explorers × 33\), and fixes × 35;/),
        expect.stringMatching(/^input tokens +4,000,000 +change request budget, each fix as a run$/),
        expect.stringMatching(/^US dollars +55 +runs × run budget, each fix as a run$/),
      ]),
    );
  });

  it.each([
    ['no fix is allowed', policy(), model({ author: once(35) })],
    ['the author calls no model', on, model({ author: null })],
  ])('names no fix in a sum where %s', (_what, rules, models) => {
    const shown = input({ policy: rules, model: models });
    expect(boundText(boundOf(shown), shown, { notes: [] })).not.toContain('each fix as a run');
  });

  it.each([
    [{ max: 2, maxRuns: 2 }, /^cycles of one thread +3 +1 \+ rounds\.thread_count 2$/m],
    [{ max: 2, maxRuns: 3, threadCount: 4 }, /^cycles of one thread +4 +1 \+ rounds\.max_runs 3, less than .+ 4: /m],
    [{ max: 1, maxRuns: 3 }, /^cycles of one thread +2 +rounds\.max 1: /m],
    [{ max: 1, maxRuns: 2, attempts: 2 }, /^failed attempts of a round +2 +rounds\.attempts; /m],
    [{ max: 1, maxRuns: 1, attempts: 2 }, /^failed attempts of a round +1 +rounds\.max_runs, less than .+ 2; /m],
  ])('names the smaller of two limits: %j', (rounds, line) => {
    const shown = input({ policy: policy({}, rounds) });
    expect(boundText(boundOf(shown), shown, { notes: [] })).toMatch(line);
  });

  it('says that rules alone cost nothing', () => {
    const shown = input({ model: null });
    expect(boundText(boundOf(shown), shown, { notes: [] })).toMatch(/^calls of a model +0 +only rules review$/m);
  });
});
