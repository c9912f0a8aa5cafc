import type { GitSource } from '../../forge/port-facts.ts';
import { withoutSmallPrint } from '../memory/finding-comment.ts';
import { stripMarkers } from '../memory/marker.ts';
import type { PlanContext } from '../model/posting/plan-context.ts';
import type { FixBrief, FixFinding } from '../model/fix-brief.ts';
import { lastReviewed, type Thread } from '../model/history.ts';
import { findingsToFix, type Fix } from '../model/fixes.ts';

export type FixBriefInput = Pick<PlanContext, 'facts' | 'history'> & {
  readonly fix: Fix;
  readonly git: GitSource;
  readonly nowMs: number;
};

const MAX_TEXT = 8_000;

export const buildFixBrief = ({ facts, history, fix, git, nowMs }: FixBriefInput): FixBrief => ({
  v: 1,
  changeRequest: facts.changeRequest,
  ...(facts.projectPath === undefined ? {} : { projectPath: facts.projectPath }),
  runId: fix.runId,
  head: fix.head,
  base: lastReviewed(history)?.base ?? facts.targetHead,
  targetHead: lastReviewed(history)?.targetHead ?? facts.targetHead,
  review: fix.review,
  sourceBranch: facts.sourceBranch,
  targetBranch: facts.targetBranch,
  // Fixes are never pushed to forks, so the branch is in the project itself.
  git: { url: git.url, headRef: git.headRef, branch: { url: git.url, name: facts.sourceBranch } },
  findings: findingsToFix(history, fix.requester !== null).map(asFinding),
  reviewedHeads: [...new Set(history.reviewed.map(({ head }) => head))],
  seenTrees: [...history.fixes.trees],
  requester: fix.requester,
  orderedAtMs: nowMs,
});

const asFinding = ({ id, fingerprint, severity, title, rule, place, comment }: Thread): FixFinding => ({
  id,
  fingerprint,
  severity,
  title,
  text: comment === null ? '' : withoutSmallPrint(stripMarkers(comment.body)).trim().slice(0, MAX_TEXT),
  rule,
  place,
});
