/** Cuts the texts of a plan to what a plan may contain. The poster cuts them again, to what its forge accepts. */
import { cutWithNotice } from '../../../text/cut.ts';
import { MAX_PLANNED_TEXT, type PostPlan } from './post-plan.ts';

const cut = (text: string): string => cutWithNotice(text, MAX_PLANNED_TEXT, (piece) => piece);

const fit = <Part extends { readonly text: string }>(part: Part): Part =>
  part.text.length <= MAX_PLANNED_TEXT ? part : { ...part, text: cut(part.text) };

/** A plan with a longer text could not be read back: its review would be lost and paid for twice. */
export const fitPlan = (plan: PostPlan): PostPlan => ({
  ...plan,
  inline: plan.inline.map(fit),
  reviewText: plan.reviewText === null ? null : cut(plan.reviewText),
  replies: plan.replies.map(fit),
  closures: plan.closures.map(fit),
  notices: plan.notices.map(fit),
  summary:
    plan.summary === null
      ? null
      : fit({
          ...plan.summary,
          ...(plan.summary.folds === undefined ? {} : { folds: plan.summary.folds.map(fit) }),
        }),
});
