import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sanitize } from '../../../shared/text/sanitize.ts';
import { readMarkers } from '../../../shared/rounds/memory/marker.ts';
import { hasHidden } from '../../../shared/text/visible.ts';
import { propertyRuns } from '../../support/deep.ts';
import { liveMarkupIn, mentionsIn } from '../../support/live-markup.ts';
import { quickActionsIn } from '../../support/quick-actions.ts';
import { CANARY, FORGE, hostileText, OPTIONS } from './sanitize-fixture.ts';

const runs = propertyRuns(400, 60_000);
const bare = (text: string): string => text.replace(/[^0-9a-z]/gi, '').toLowerCase();
const foreignMentions = (body: string): readonly string[] =>
  mentionsIn(body).filter((name) => !/^@on-call\.*$/i.test(name));

describe('sanitize, as laws over hostile texts', { timeout: 300_000 }, () => {
  it('changes nothing when applied twice', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const once = sanitize(text, OPTIONS).body;
        expect(sanitize(once, OPTIONS)).toEqual({ body: once, redactions: 0 });
      }),
      runs,
    );
  });

  it('leaves nothing live for a renderer, a command reader or a bot', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const { body } = sanitize(text, OPTIONS);
        expect(liveMarkupIn(body, FORGE)).toEqual([]);
        expect(quickActionsIn(body)).toEqual([]);
        expect(foreignMentions(body)).toEqual([]);
        expect(readMarkers(body, ['any'])).toEqual([]);
        expect(hasHidden(body.replaceAll('\u200b', ''))).toBe(false);
        expect(bare(body)).not.toContain(bare(CANARY));
      }),
      runs,
    );
  });

  it('never gives more than the cap, keeps the laws where it cuts, and stays stable', () => {
    fc.assert(
      fc.property(hostileText, fc.integer({ min: 0, max: 200 }), (text, maxLength) => {
        const options = { ...OPTIONS, maxLength };
        const { body } = sanitize(text, options);
        expect(body.length).toBeLessThanOrEqual(maxLength);
        expect(liveMarkupIn(body, FORGE)).toEqual([]);
        expect(quickActionsIn(body)).toEqual([]);
        expect(sanitize(body, options).body).toBe(body);
      }),
      runs,
    );
  });
});
