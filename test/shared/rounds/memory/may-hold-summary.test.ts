import { expect, it } from 'vitest';
import { mayHoldSummary, signMarker } from '../../../../shared/rounds/memory/marker.ts';
import { finding, summary } from '../../text/marker-fixture.ts';

const [itsOwn, another] = [signMarker(summary, 'secret'), signMarker(finding, 'secret')];

it.each([
  ['no marker', 'Text.', false],
  ['another marker', `Text.\n\n${another}`, false],
  ['the marker of a summary', `Text.\n\n${itsOwn}`, true],
  ['it behind another one', `Text.\n\n${another}\n${itsOwn}`, true],
  ['a broken one', `Text.\n\n${itsOwn.slice(0, -30)}`, false],
])('a body with %s may hold a summary: %#', (_what, body, expected) => {
  expect(mayHoldSummary(body)).toBe(expected);
});
