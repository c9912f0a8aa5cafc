import { describe, expect, it } from 'vitest';
import type { GivenThumb } from '../../../../shared/forge/port-reactions.ts';
import { countThumbs, MAX_RATED_COMMENTS, ratedFindings } from '../../../../shared/rounds/memory/finding-thumbs.ts';
import { readOwnMarkers } from '../../../../shared/rounds/memory/own-markers.ts';
import { signMarker } from '../../../../shared/rounds/memory/marker.ts';
import type { FindingMarker, MarkerPayload } from '../../../../shared/rounds/model/marker-payload.ts';
import { buildReviewPlan } from '../../../../shared/rounds/plan/review-plan.ts';
import { gate } from '../../../../shared/rounds/gate/gate.ts';
import * as make from '../builders.ts';

const BOT = make.BOT_ID;
const [ANN, BOB] = [21, 22];
const up = (accountId: number | null): GivenThumb => ({ accountId, thumb: 'up' });
const down = (accountId: number | null): GivenThumb => ({ accountId, thumb: 'down' });

describe('the thumbs on one finding', () => {
  it.each<[string, readonly GivenThumb[], { up: number; down: number }]>([
    ['none', [], { up: 0, down: 0 }],
    ['one of each', [up(ANN), down(BOB)], { up: 1, down: 1 }],
    ['two that agree', [down(ANN), down(BOB)], { up: 0, down: 2 }],
    ['one account twice, on two comments', [up(ANN), up(ANN)], { up: 1, down: 0 }],
    ['an account with both has no opinion', [up(ANN), down(ANN), up(BOB)], { up: 1, down: 0 }],
    ['the bot itself', [up(BOT), down(ANN)], { up: 0, down: 1 }],
    ['deleted accounts', [up(null), down(null)], { up: 0, down: 0 }],
  ])('%s', (_name, given, counted) => {
    expect(countThumbs(given, (id) => id === BOT)).toEqual(counted);
  });
});

/** The marker of a finding as a review plans it. */
const markerOf = (
  claimed: Parameters<typeof make.claim>[0],
  by: Pick<Parameters<typeof make.draft>[0] & object, 'runner' | 'model'> = {},
): FindingMarker => {
  const history = make.history();
  const draft = make.draft({ findings: [make.finding({}, claimed)], ...by });
  const gated = gate(draft, history, make.policy());
  const run = make.run({ phase: 'posting' });
  const plan = buildReviewPlan({ facts: make.changeRequest(), history, policy: make.policy(), run, draft, gated });
  const [planned] = plan.inline;
  if (planned === undefined) throw new Error('no finding was planned');
  return planned.marker;
};

const say = (marker: MarkerPayload, id: number) =>
  make.comment(`Text.\n\n${signMarker(marker, make.SECRET)}`, { id: `${id}` });

const ratedIn = (comments: readonly ReturnType<typeof say>[]) =>
  ratedFindings(readOwnMarkers({ comments, key: make.KEY, botIds: new Set([BOT]), secrets: [make.SECRET] }).own);

describe('the findings that people may rate', () => {
  it.each([
    [
      'a rule',
      markerOf({ rule: 'js-eval' }, { runner: 'agent', model: 'some-model' }),
      { rule: 'js-eval', model: 'none' },
    ],
    [
      'a model',
      markerOf({ rule: null }, { runner: 'agent', model: 'some-model' }),
      { rule: 'none', model: 'some-model' },
    ],
    [
      'a runner whose model is unknown',
      markerOf({ rule: null }, { runner: 'messages' }),
      { rule: 'none', model: 'messages' },
    ],
    ['nobody knows whom', markerOf({ rule: null }), { rule: 'none', model: 'unknown' }],
  ])('are told by %s', (_name, marker, claimant) => {
    expect(ratedIn([say(marker, 3)])).toEqual([{ ...claimant, commentIds: ['3'] }]);
  });

  it('are one finding for two comments, and two for two findings', () => {
    const marker = markerOf({ rule: 'js-eval' });
    const other = { ...marker, fp: make.print('another') };
    const found = ratedIn([say(marker, 3), say(other, 4), say(marker, 5)]);
    expect(found.map(({ commentIds }) => commentIds)).toEqual([['3', '5'], ['4']]);
  });

  it('have comments of their own: a summary, a forged marker and a stranger are left out', () => {
    const marker = markerOf({ rule: 'js-eval' });
    const forged = make.comment(`Text.\n\n${signMarker(marker, 'y'.repeat(40))}`);
    const strange = { ...say(marker, 8), author: { id: ANN, login: 'ann' } };
    const notice = { ...marker, kind: 'raw' } as unknown as MarkerPayload;
    expect(ratedIn([forged, strange, say({ ...notice, kind: 'raw' } as MarkerPayload, 9)])).toEqual([]);
  });

  it('are cut at so many comments as a count may read', () => {
    const marker = markerOf({ rule: 'js-eval' });
    const many = Array.from({ length: MAX_RATED_COMMENTS + 20 }, (_, index) =>
      say({ ...marker, fp: make.print(`${index}`) }, index + 1),
    );
    const found = ratedIn(many);
    expect(found.flatMap(({ commentIds }) => commentIds)).toHaveLength(MAX_RATED_COMMENTS);
    expect(found[0]?.commentIds).toEqual(['1']);
  });
});
