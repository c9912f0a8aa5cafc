/** Every plan can be read back, however long its texts are. */
import { expect, test } from 'vitest';
import { PostPlan } from '../../../../../shared/rounds/model/posting/post-plan.ts';
import { fitPlan } from '../../../../../shared/rounds/model/posting/fit-plan.ts';
import { PLANS } from '../../plan/golden-plans.ts';

const LONG = `${'words '.repeat(10)}\n`.repeat(5_000);

const lengthen = <Part extends { readonly text: string }>(part: Part): Part => ({ ...part, text: part.text + LONG });

const lengthened = (plan: PostPlan): PostPlan => ({
  ...plan,
  inline: plan.inline.map(lengthen),
  reviewText: plan.reviewText === null ? null : plan.reviewText + LONG,
  replies: plan.replies.map(lengthen),
  closures: plan.closures.map(lengthen),
  notices: plan.notices.map(lengthen),
  summary:
    plan.summary === null
      ? null
      : lengthen({ ...plan.summary, ...(plan.summary.folds ? { folds: plan.summary.folds.map(lengthen) } : {}) }),
});

const built = PLANS.map(({ name, plan }) => [name, plan()] as const);

test.each(built)('%s is left as it is, and cut if it is too long', (_name, plan) => {
  expect(fitPlan(plan)).toEqual(plan);
  const long = lengthened(plan);
  expect(PostPlan.safeParse(long).success).toBe(false);
  expect(PostPlan.parse(JSON.parse(JSON.stringify(fitPlan(long))))).toMatchObject({ kind: plan.kind });
});
