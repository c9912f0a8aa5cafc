import type { Brief } from '../../shared/rounds/model/brief.ts';
import { reviewedCommits } from './same-input.ts';

/** The heads of earlier reviews and threads, which the mirror must have too. */
export const earlierHeads = (brief: Brief): Brief['head'][] => {
  const { openThreads, closedThreads, previous } = brief;
  const reviewed = reviewedCommits(brief);
  const heads = [...openThreads, ...closedThreads].flatMap(({ head, settled }) => [head, settled?.head ?? null]);
  return [
    ...new Set([
      ...heads.filter((head) => head !== null),
      ...(previous === null ? [] : [previous.head, previous.base]),
      ...reviewed,
    ]),
  ];
};
