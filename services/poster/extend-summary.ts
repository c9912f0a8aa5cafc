import { sanitize } from '../../shared/text/sanitize.ts';
import { MarkerOfOtherVersionError, type OwnMarker } from '../../shared/rounds/memory/own-markers.ts';
import { readSummaryBody } from '../../shared/rounds/memory/read-summary-body.ts';
import { createComposer } from './compose.ts';
import type { Posting } from './deps.ts';
import { isMine, readOwn } from './read-own.ts';

/** Adds a paragraph to the summary unless the summary already contains it, or this version cannot read it. */
export const extendSummary = async (posting: Posting, text: string): Promise<void> => {
  const { deps, forge, plan, signal } = posting;
  const summary = (await readableOwn(posting)).find(
    ({ payload, comment }) => payload.kind === 'summary' && isMine(forge)(comment),
  );
  if (summary === undefined) return;
  const { comment, payload } = summary;
  const posted = sanitize(text, { ...forge.sanitizing, mayMention: [] }).body;
  if (comment.body.includes(posted)) return;
  const before = readSummaryBody(comment.body);
  const [page] = comment.webUrl.split('#');
  const body = createComposer(forge, deps, page).summary({ ...before, text: `${before.text}\n\n${text}` }, payload);
  await forge.write.editComment(plan.changeRequest, comment, body, signal);
};

const readableOwn = async (posting: Posting): Promise<readonly OwnMarker[]> => {
  try {
    return await readOwn(posting);
  } catch (error) {
    if (error instanceof MarkerOfOtherVersionError) return [];
    throw error;
  }
};
