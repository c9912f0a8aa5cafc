import type { History } from '../model/history.ts';
import type { PostPlan } from '../model/posting/post-plan.ts';

/**
 * Puts a hand-off into one comment if the forge has no summary, because a second comment would send a second email. The
 * marker of this comment then stores the number of runs, which is otherwise in the summary's marker.
 */
export const inOneComment = (plan: PostPlan, { summary: shown }: Pick<History, 'summary'>): PostPlan => {
  const { summary, notices } = plan;
  if (shown !== null || summary === null || !notices.some(({ marker }) => marker.kind === 'handoff')) return plan;
  return {
    ...plan,
    summary: null,
    notices: notices.map((notice) =>
      notice.marker.kind === 'handoff'
        ? {
            ...notice,
            marker: { ...notice.marker, runs: summary.marker.runs },
            text: `${summary.text}\n\n${notice.text.replace(' The summary says why.', '')}`,
          }
        : notice,
    ),
  };
};
