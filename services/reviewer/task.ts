import type { Guideline } from '../../shared/agent/prompt/review-opening.ts';
import type { Brief } from '../../shared/rounds/model/brief.ts';
import type { ReviewTask } from './run/prompt.ts';

export const taskOf = (
  brief: Brief,
  earlierNotes: string | null,
  operatorGuidelines: readonly Guideline[] = [],
): ReviewTask => ({
  title: brief.title,
  description: brief.description,
  author: brief.author,
  targetBranch: brief.targetBranch,
  branch: brief.sourceBranch === '' ? brief.git.headRef : brief.sourceBranch,
  review: brief.review,
  stage: brief.stage,
  talk: brief.kind === 'reply',
  closedThreads: brief.closedThreads,
  comments: brief.comments.map((comment) => ({ ...comment, isOwn: false, isSystem: false })),
  replies: new Map(brief.openThreads.map(({ id, replies }) => [id, replies])),
  handoff: brief.handoff,
  issues: brief.issues,
  failedChecks: brief.failedChecks,
  instructions: brief.instructions,
  earlierNotes,
  ...(operatorGuidelines.length === 0 ? {} : { operatorGuidelines }),
});
