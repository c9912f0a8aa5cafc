import { describe, expect, it } from 'vitest';
import { LocalReviewFailedError, withoutModel } from '../../../../services/cli/review/review-failure.ts';
import type { ReviewOutput } from '../../../../services/cli/review/review-output.ts';
import { MODEL_REFUSED } from '../../../../shared/outage/outage.ts';

// Only handed on.
const BY_RULES = { verdict: 'inconclusive' } as ReviewOutput;

const endWith = async (code: string) => {
  let told = '';
  const byRules = async (words: string): Promise<ReviewOutput> => {
    told = words;
    return BY_RULES;
  };
  const ended: unknown = await withoutModel({ kind: 'failed', code, rawText: null }, byRules).catch(
    (error: unknown) => error,
  );
  const isRefused = ended instanceof LocalReviewFailedError;
  return { isRefused, output: isRefused ? ended.output : ended, told };
};

describe('a local review whose model gives none', () => {
  it.each([...MODEL_REFUSED])(
    'F-D1: fails as a mistake in the setup, with what the rules found, in words for %s',
    async (code) => {
      const { told, ...rest } = await endWith(code);
      expect(rest).toEqual({ isRefused: true, output: BY_RULES });
      expect(told).not.toContain(code);
    },
  );

  it('is the review by the rules, with the code, for everything else', async () => {
    const told = 'the model call failed (MODEL_OVERLOADED)';
    expect(await endWith('MODEL_OVERLOADED')).toEqual({ isRefused: false, output: BY_RULES, told });
  });
});
