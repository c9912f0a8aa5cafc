import { sanitize } from '../../shared/text/sanitize.ts';
import { createComposer } from './compose.ts';
import type { Posting } from './deps.ts';
import { isMine, readOwn } from './read-own.ts';

/** Adds a text to the summary unless the summary already contains it. */
export const extendSummary = async (posting: Posting, text: string): Promise<void> => {
  const { deps, forge, plan, signal } = posting;
  const summary = (await readOwn(posting)).find(
    ({ payload, comment }) => payload.kind === 'summary' && isMine(forge)(comment),
  );
  const posted = sanitize(text, { ...forge.sanitizing, mayMention: [] }).body;
  if (summary === undefined || summary.comment.body.includes(posted)) return;
  const body = createComposer(forge, deps).extended(summary.comment.body, text, summary.payload);
  await forge.write.editComment(plan.changeRequest, summary.comment, body, signal);
};
