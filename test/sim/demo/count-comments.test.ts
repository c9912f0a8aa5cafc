import { describe, expect, it } from 'vitest';
import { signMarker } from '../../../shared/rounds/memory/marker.ts';
import type { MarkerPayload } from '../../../shared/rounds/model/marker-payload.ts';
import { finding, summary } from '../../shared/text/marker-fixture.ts';
import type { DemoSight } from './forge.ts';
import { countComments, isSaidOnce, reportKill } from './kill.ts';

const SECRET = 'a'.repeat(40);

const signed = (text: string, payload: MarkerPayload, secret = SECRET): string =>
  `${text}\n${signMarker(payload, secret)}`;

const found = (id: `F-${string}`, secret = SECRET) => {
  // Safe cast: the ids below have the form that the schema asks for.
  const payload = { ...finding, id } as typeof finding;
  return {
    author: 'fixpoint',
    path: 'a.js',
    line: 4,
    side: 'new',
    resolved: false,
    body: signed(`**High: \`x\` ${id}**`, payload, secret),
  } as const;
};

const EMPTY: DemoSight = { head: '', comments: [], inline: [], unpublished: [], headStatuses: {}, statusText: '' };
const said = { author: 'fixpoint', body: signed('Sum', summary) };

describe('the count of what the bot has said', () => {
  it('counts each finding and the summary by their signed markers, and nothing else', () => {
    const person = { ...found('F-009'), body: 'F-001 High: really?' };
    const sight = {
      ...EMPTY,
      inline: [found('F-002'), found('F-001'), found('F-002'), found('F-003', 'b'.repeat(40)), person],
      comments: [said, { author: 'author', body: 'Sum' }],
    };
    expect(countComments(sight, SECRET)).toEqual([
      { what: 'F-001 High: x F-001', where: 'a.js:4', times: 1 },
      { what: 'F-002 High: x F-002', where: 'a.js:4', times: 2 },
      { what: 'The summary', where: 'conversation', times: 1 },
    ]);
  });

  it('counts comments that are not published yet together with published ones', () => {
    const sight = { ...EMPTY, inline: [found('F-001')], unpublished: [found('F-001').body, found('F-002').body] };
    expect(countComments(sight, SECRET).map(({ what, times }) => [what.slice(0, 5), times])).toEqual([
      ['F-001', 2],
      ['F-002', 1],
    ]);
  });
});

describe('a review that was said once', () => {
  const ids = ['F-001', 'F-002', 'F-003', 'F-004', 'F-005', 'F-006'] as const;
  const counts = (inline: DemoSight['inline'], comments: DemoSight['comments']) =>
    countComments({ ...EMPTY, inline, comments }, SECRET);
  const all = ids.map((id) => found(id));

  it.each([
    ['six findings and a summary', all, [said], true],
    ['a finding twice', [...all, found('F-003')], [said], false],
    ['a summary twice', all, [said, said], false],
    ['a finding less', all.slice(1), [said], false],
    ['no summary', all, [], false],
  ])('%s', (_what, inline, comments, isOnce) => {
    expect(isSaidOnce({ counts: counts(inline, comments) })).toBe(isOnce);
  });

  it('is reported by id', () => {
    const state = { attempt: 1, phase: 'done', number: 2, url: null, events: [], atKill: 3 } as const;
    expect(reportKill({ ...state, counts: counts(all.slice(0, 2), [said]) })).toEqual({
      expected: 6,
      atKill: 3,
      counts: { 'F-001': 1, 'F-002': 1, summary: 1 },
    });
  });
});
