/** A bot that does not know its own words any more: it calls a human for every head, and never starts over. */
import { expect, it } from 'vitest';
import { buildAnnouncePlan } from '../../../../shared/rounds/plan/announce-plan.ts';
import { buildCapPlan } from '../../../../shared/rounds/plan/cap-plan.ts';
import { buildReviewPlan } from '../../../../shared/rounds/plan/review-plan.ts';
import { gate } from '../../../../shared/rounds/gate/gate.ts';
import { buildGiveUpPlan } from '../../../../shared/rounds/plan/give-up-plan.ts';
import { rebuildHistory } from '../../../../shared/rounds/memory/rebuild-history.ts';
import type { FullPlan } from '../../../../shared/rounds/model/posting/post-plan.ts';
import type { Cap } from '../../../../shared/rounds/model/counts.ts';
import type { MarkerPayload } from '../../../../shared/rounds/model/marker-payload.ts';
import { signMarker } from '../../../../shared/rounds/memory/marker.ts';
import * as make from '../builders.ts';

const STRANGER = { id: 77, login: 'fixpoint-before' };

const context = { facts: make.changeRequest(), history: make.history(), policy: make.policy() };

const review = (findings: Parameters<typeof make.draft>[0]): FullPlan => {
  const draft = make.draft(findings);
  const gated = gate(draft, context.history, context.policy);
  return buildReviewPlan({ ...context, run: make.run({ phase: 'posting' }), draft, gated });
};
const cap = (kind: Cap): FullPlan =>
  buildCapPlan(context, { input: make.at(make.sha('head')), cap: kind, noticeId: make.runId('n') });

const markersOf = ({ summary, inline, notices }: FullPlan): readonly MarkerPayload[] => [
  summary.marker,
  ...inline.map(({ marker }) => marker),
  ...notices.map(({ marker }) => marker),
];

const answer: MarkerPayload = {
  kind: 'answer',
  note: 'c1',
  cr: make.KEY,
  review: 1,
  attempt: 1,
  run: make.runId('answer'),
};

const announced = buildAnnouncePlan(context, {
  run: make.run({ phase: 'announcing' }),
  runsUsed: 1,
  supersededInRow: 0,
});
const failed = buildGiveUpPlan(context, make.run(), { code: 'RUN_OVERDUE', lastWords: null });

it.each<readonly [string, readonly MarkerPayload[], boolean]>([
  ['nothing', [], true],
  ['an answer to a command', [answer], true],
  ['that it does not know the account', markersOf(cap('identity')), true],
  ['that and an answer', [...markersOf(cap('identity')), answer], true],
  ['that it is reviewing', markersOf(announced), false],
  ['a round without findings', markersOf(review({})), false],
  ['a round with findings', markersOf(review({ findings: [make.finding()] })), false],
  ['a finding whose summary was deleted', markersOf(review({ findings: [make.finding()] })).slice(1), false],
  ['that its attempts have failed', markersOf(failed), false],
  ['that its rounds are used up', markersOf(cap('runs')), false],
])('while a stranger signs as the bot, one that has said %s is disowned: %3$s', (_, own, disowned) => {
  const say = (marker: MarkerPayload, patch = {}) => make.comment(`Text.\n\n${signMarker(marker, make.SECRET)}`, patch);
  const read = (comments: Parameters<typeof rebuildHistory>[0]['comments']) =>
    rebuildHistory({ comments, key: make.KEY, botIds: new Set([make.BOT_ID]), secrets: [make.SECRET] }).disowned;
  const said = own.map((marker) => say(marker));
  const strange = markersOf(review({ findings: [make.finding()] })).map((marker) => say(marker, { author: STRANGER }));
  expect(read([...strange, ...said])).toBe(disowned);
  expect(read(said)).toBe(false);
});
