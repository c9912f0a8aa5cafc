/** What no round may do, whatever was drafted. Each gives the breaches in words. */
import type { ReviewDraft } from '../../../shared/rounds/draft.ts';
import type { GateResult } from '../../../shared/rounds/gate.ts';
import type { History } from '../../../shared/rounds/history.ts';
import type { PostPlan } from '../../../shared/rounds/post-plan.ts';

export const saidTwice = ({ threads }: History, { accepted }: GateResult): readonly string[] =>
  accepted
    .filter(
      ({ alreadySaid, finding }) =>
        !alreadySaid &&
        threads.some(({ state, fingerprint }) => state !== 'resolved' && fingerprint === finding.fingerprint),
    )
    .map(({ finding }) => `${finding.claim.title} is said twice`);

/** Of a settled thread one thing is heard: that it is shown fixed, and not claimed again. */
export const argued = ({ handled }: GateResult, { fixed = [], findings }: ReviewDraft): readonly string[] =>
  handled
    .filter(({ thread }) => thread.state !== 'open')
    .filter(
      ({ thread, next }) =>
        next.state !== 'resolved' ||
        next.count !== thread.count ||
        !fixed.some(({ findingId, shown }) => shown && findingId === thread.id) ||
        findings.some(({ fingerprint }) => fingerprint === thread.fingerprint),
    )
    .map(({ thread }) => `${thread.id} is settled and heard`);

export const falselyClean = (
  { threads }: History,
  { handled, accepted }: GateResult,
  { summary }: PostPlan,
): readonly string[] => {
  if (summary?.marker.verdict !== 'lgtm') return [];
  const after = threads.map((thread) => handled.find((each) => each.thread.id === thread.id)?.next ?? thread);
  const standing = after.filter(
    ({ state, severity }) => state !== 'resolved' && (severity === 'P0' || severity === 'P1'),
  );
  return standing.length + accepted.length === 0 ? [] : ['a pass although something blocks'];
};
