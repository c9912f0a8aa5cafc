import { describe, expect, it } from 'vitest';
import type { Carried } from '../../../../shared/rounds/model/carried.ts';
import type { CiReading } from '../../../../shared/rounds/model/ci.ts';
import { buildCarriedPlan } from '../../../../shared/rounds/plan/carried-plan.ts';
import { ReviewDraft } from '../../../../shared/rounds/model/draft.ts';
import type { ReviewedInput } from '../../../../shared/rounds/model/history.ts';
import {
  type ValidationResult,
  validationReasons,
  validationText,
} from '../../../../shared/rounds/model/validations.ts';
import * as make from '../builders.ts';

const validation = (name: string, result: ValidationResult['result']): ValidationResult => ({
  name,
  result,
  durationMs: 1_250,
  output: '',
});

describe('the words for validations', () => {
  it('name what failed and what could not be run, each once', () => {
    const mixed = [validation('a`b', 'failed'), validation('lint\n', 'not_run'), validation('unit', 'passed')];
    expect(validationReasons(mixed)).toEqual(["validation has failed: `a'b`", 'validation could not be run: `lint `']);
    expect(validationReasons([validation('unit', 'passed')])).toEqual([]);
    const many = Array.from({ length: 12 }, (_, index) => validation(`n${index}`, 'failed'));
    expect(validationReasons(many)[0]).toMatch(/^validation has failed: `n0`.* `n9` and 2 more$/);
  });

  it('tell each with its result and its time, and nothing where none is configured', () => {
    expect(validationText([])).toBe('');
    expect(validationText([validation('unit', 'passed'), validation('lint', 'failed')])).toBe(
      '#### Validations\n\n- `unit` passed (1.3 s)\n- `lint` **failed** (1.3 s)',
    );
  });
});

it('a draft that was stored before there were validations has none', () => {
  const { validations: _, ...old } = make.draft();
  expect(ReviewDraft.parse(old).validations).toEqual([]);
});

describe('a verdict that is carried', () => {
  const entry: ReviewedInput = {
    head: make.sha('old'),
    base: make.sha('base'),
    fingerprint: make.print('patch'),
    target: 'main',
    targetHead: make.sha('target'),
    rules: make.print('rules'),
    review: 1,
    verdict: 'lgtm',
    clear: true,
  };
  const held = { ...entry, verdict: 'feedback', clear: undefined, onlyChecks: true } as const;

  const carry = (from: ReviewedInput, validations: Carried['validations'], ci: 'failed' | null = null) => {
    const carried: Carried = {
      base: make.sha('base'),
      targetHead: make.sha('target'),
      patchFingerprint: make.print('patch'),
      reviewedHead: make.sha('old'),
      reviewedBase: make.sha('base'),
      reviewedTarget: 'main',
      rules: make.print('rules'),
      baseMoved: false,
      ...(validations === undefined ? {} : { validations }),
    };
    const history = make.history({ reviewed: [from], reviewsDone: 1, verdict: from.verdict });
    const context = { facts: make.changeRequest(), history, policy: make.policy() };
    const reading: CiReading | null = ci === null ? null : { kind: 'failed', contexts: ['build'] };
    const plan = buildCarriedPlan(context, { run: make.run({ review: 2 }), carried, ci: reading });
    const { verdict, clear, onlyCi, onlyChecks } = plan?.summary.marker.reviewed.at(-1) ?? {};
    return { verdict, clear, onlyCi, onlyChecks, shown: plan?.summary.text.includes('#### Validations') };
  };

  it.each<[string, ReturnType<typeof carry>, ReturnType<typeof carry>]>([
    [
      'passes with validations that pass',
      carry(entry, [validation('unit', 'passed')]),
      { verdict: 'lgtm', clear: true, onlyCi: undefined, onlyChecks: undefined, shown: true },
    ],
    [
      'is none where one fails, and no talk makes it one',
      carry(entry, [validation('unit', 'failed')]),
      { verdict: 'feedback', clear: undefined, onlyCi: undefined, onlyChecks: true, shown: true },
    ],
    [
      'is unknown where one could not be run',
      carry(entry, [validation('unit', 'not_run')]),
      { verdict: 'inconclusive', clear: undefined, onlyCi: undefined, onlyChecks: true, shown: true },
    ],
    [
      'that a failed one held back passes once it passes',
      carry(held, [validation('unit', 'passed')]),
      { verdict: 'lgtm', clear: true, onlyCi: undefined, onlyChecks: undefined, shown: true },
    ],
    [
      'that a failed one held back does not pass without being run again',
      carry(held, undefined),
      { verdict: 'inconclusive', clear: undefined, onlyCi: undefined, onlyChecks: true, shown: true },
    ],
    [
      'is held back by CI alone where validations pass',
      carry(held, [validation('unit', 'passed')], 'failed'),
      { verdict: 'feedback', clear: true, onlyCi: true, onlyChecks: undefined, shown: true },
    ],
    [
      'is held back by more than CI where one fails beside it',
      carry(entry, [validation('unit', 'failed')], 'failed'),
      { verdict: 'feedback', clear: undefined, onlyCi: undefined, onlyChecks: true, shown: true },
    ],
  ])('%s', (_name, found, expected) => {
    expect(found).toEqual(expected);
  });
});
