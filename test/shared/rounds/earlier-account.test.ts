/** A bot that has another account than before: what it said under the old one is its own, but cannot be edited. */
import { describe, expect, it } from 'vitest';
import type { ForgeComment } from '../../../shared/forge/port-facts.ts';
import { buildReviewPlan } from '../../../shared/rounds/plan/review-plan.ts';
import { difference, duplicatesOf, isDone } from '../../../shared/rounds/plan/difference.ts';
import { gate } from '../../../shared/rounds/gate/gate.ts';
import { readOwnMarkers } from '../../../shared/rounds/memory/own-markers.ts';
import { rebuildHistory } from '../../../shared/rounds/memory/rebuild-history.ts';
import type { History } from '../../../shared/rounds/model/history.ts';
import type { FullPlan } from '../../../shared/rounds/model/posting/post-plan.ts';
import type { MarkerPayload } from '../../../shared/rounds/model/marker-payload.ts';
import { signMarker } from '../../../shared/rounds/memory/marker.ts';
import * as make from './builders.ts';

const NOW = { id: 901, login: 'fixpoint-two' };
const INPUT = { key: make.KEY, botIds: new Set([make.BOT_ID, NOW.id]), secrets: [make.SECRET] };

const say = (marker: MarkerPayload, patch: Partial<ForgeComment> = {}): ForgeComment =>
  make.comment(`Text.\n\n${signMarker(marker, make.SECRET)}`, patch);
const historyOf = (comments: readonly ForgeComment[]): History => rebuildHistory({ ...INPUT, comments });
const ownOf = (comments: readonly ForgeComment[]) => readOwnMarkers({ ...INPUT, comments }).own;
const isMine = ({ author }: ForgeComment): boolean => author?.id === NOW.id;

const planOf = (history: History, patch: Parameters<typeof make.draft>[0]): FullPlan => {
  const review = history.reviewsDone + 1;
  const draft = make.draft({ review, ...patch });
  const run = make.run({ phase: 'posting', review });
  const gated = gate(draft, history, make.policy());
  return buildReviewPlan({ facts: make.changeRequest(), history, policy: make.policy(), run, draft, gated });
};

const resolves = { findingId: 'F-001', stance: 'accepts', action: 'resolve', severity: null, body: 'Done.' } as const;

/** Round 1 as the old account has said it, and the plan of round 2, in which the finding is fixed. */
const twoRounds = () => {
  const first = planOf(make.history(), { findings: [make.finding()] });
  const before = [
    say(first.summary.marker),
    ...first.inline.map(({ marker }) => say(marker, { kind: 'inline', threadId: 'thread' })),
  ];
  return { before, plan: planOf(historyOf(before), { answers: [resolves], head: make.sha('next') }) };
};

/** What the new account has said after the plan. */
const carriedOut = ({ before, plan }: ReturnType<typeof twoRounds>): readonly ForgeComment[] => {
  const rest = difference(plan, ownOf(before), new Set(), isMine);
  const said = rest.replies.map(({ reply }) => say(reply.marker, { author: NOW, threadId: 'thread' }));
  return [
    ...before,
    say(plan.summary.marker, { author: NOW }),
    ...said,
    ...rest.notices.map(({ marker }) => say(marker)),
  ];
};

describe('under another account', () => {
  it('a fixed finding is said to be fixed in its thread, and the summary is begun anew', () => {
    const { before, plan } = twoRounds();
    const { closings, replies, summary } = difference(plan, ownOf(before), new Set(), isMine);
    expect(closings).toEqual([]);
    expect(replies.map(({ reply, comment }) => [reply.marker.id, reply.text, comment?.threadId])).toEqual([
      ['F-001', plan.closures[0]?.text, 'thread'],
    ]);
    expect(summary).toEqual({ kind: 'create' });
  });

  it('nothing is left to do once that is said, and it is no double of what the old account said', () => {
    const rounds = twoRounds();
    const after = ownOf(carriedOut(rounds));
    expect(isDone(difference(rounds.plan, after, new Set(), isMine))).toBe(true);
    expect(duplicatesOf(after, isMine)).toEqual([]);
  });

  it('takes back a double of its own, and never a word of the old account', () => {
    const { before } = twoRounds();
    const [summary, finding] = before;
    if (summary === undefined || finding === undefined) throw new Error('round 1 says both');
    const double = (comment: ForgeComment, author: ForgeComment['author']): ForgeComment => ({
      ...comment,
      id: `${comment.id}${author?.id}`,
      author,
    });
    const old = { id: make.BOT_ID, login: 'fixpoint' };
    const mine = [double(finding, NOW), double(summary, NOW)];
    expect(duplicatesOf(ownOf([...before, ...mine]), isMine).map(({ id }) => id)).toEqual([mine[0]?.id]);
    expect(duplicatesOf(ownOf([...before, double(finding, old)]), isMine)).toEqual([]);
    const again = double(summary, { ...NOW, login: 'renamed' });
    expect(duplicatesOf(ownOf([...mine, { ...again, id: 'again' }]), isMine).map(({ id }) => id)).toEqual(['again']);
  });

  it('its own summary is the true one, also where no round and no run lies between the two', () => {
    const rounds = twoRounds();
    const after = carriedOut(rounds);
    expect(historyOf(after)).toMatchObject({
      reviewsDone: 2,
      verdict: 'inconclusive',
      threads: [{ id: 'F-001', state: 'resolved' }],
    });
    const [old] = after;
    const marker = rounds.plan.summary.marker;
    const reevaluatedFor = say({ ...marker, verdict: 'lgtm' }, { author: NOW });
    const frozen = { ...say(marker), createdAtMs: old?.createdAtMs ?? 0, updatedAtMs: old?.updatedAtMs ?? 0 };
    expect(historyOf([frozen, reevaluatedFor]).verdict).toBe('lgtm');
  });

  it('a thread that was closed so stays closed when the new summary is deleted', () => {
    const after = carriedOut(twoRounds()).filter(({ author, threadId }) => author?.id !== NOW.id || threadId !== null);
    expect(historyOf(after).threads).toMatchObject([{ id: 'F-001', state: 'resolved' }]);
  });
});
