import { expect, test } from 'vitest';
import { isOurs } from '../../../services/poster/is-ours.ts';
import { signMarker } from '../../../shared/rounds/memory/marker.ts';
import { PAYLOADS } from '../../shared/text/marker-fixture.ts';

const [first, second] = PAYLOADS;
if (first === undefined || second === undefined) throw new Error('the fixture has several markers');
const ours = signMarker(first, 'secret');
const rotated = signMarker(second, 'earlier');
const forged = signMarker(second, 'guess');

test.each([
  ['with no marker', 'Words of a person.', false],
  ['with our marker', `Words.\n\n${ours}`, true],
  ['with markers by the present and the earlier secret', `Words.\n\n${ours}\n${rotated}`, true],
  ['with a forged marker', `Words.\n\n${forged}`, false],
  ['with a forged marker beside ours', `Words.\n\n${ours}\n${forged}`, false],
])('an unpublished comment %s may be deleted: %#', (_what, body, expected) => {
  expect(isOurs(body, ['secret', 'earlier'])).toBe(expected);
});
