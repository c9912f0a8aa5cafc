/** Whoever is called is called by name, once, and nobody else is, whatever the text around says. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createComposer } from '../../../services/poster/compose.ts';
import { readMarkers, stripMarkers } from '../../../shared/rounds/memory/marker.ts';
import { propertyRuns } from '../../support/deep.ts';
import { mentionsIn } from '../../support/live-markup.ts';
import { hostileText } from '../../shared/text/sanitize-fixture.ts';
import { PAYLOADS } from '../../shared/text/marker-fixture.ts';
import { createFakeForge } from './fake-forge.ts';

const SECRET = ['marker', 'secret', 'of', 'the', 'call', 'tests'].join('-');
const composer = createComposer(createFakeForge().forge, { markerSecrets: [SECRET] });
const reply = PAYLOADS.find((payload) => payload.kind === 'reply');
const handoff = PAYLOADS.find((payload) => payload.kind === 'handoff');
if (reply === undefined || handoff === undefined) throw new Error('the fixture has one marker of each kind');

const NAMES = ['ann', 'Bob-2', 'c.d_e', 'org/team', 'group/sub/team', '_x', 'all-hands'];
const names = fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 3 });

/** A text that itself names those who may be called, in every place where a name can stand. */
const text = fc
  .tuple(
    hostileText,
    fc.array(fc.constantFrom(...NAMES, 'all', 'eve')),
    fc.constantFrom('@', ' @', '`@', '/@', '\n@', '(@'),
  )
  .map(([hostile, called, before]) => `${called.map((name) => `${before}${name} `).join('')}${hostile}`);

const mentioned = (body: string): readonly string[] => mentionsIn(stripMarkers(body));
const expected = (called: readonly string[]): readonly string[] => called.map((name) => `@${name}`);

test('a reply mentions exactly those who are called', () => {
  fc.assert(
    fc.property(text, names, (said, called) => {
      expect(mentioned(composer.calling({ marker: reply, text: said }, called))).toEqual(expected(called));
    }),
    propertyRuns(300, 20_000),
  );
});

test('a hand-off mentions exactly those who are called, and its edit nobody', () => {
  fc.assert(
    fc.property(text, names, (said, called) => {
      const notice = { marker: handoff, text: said, mention: true, calls: { paths: [] } };
      const body = composer.notice(notice, called);
      expect(mentioned(body)).toEqual(expected(called));
      const [marker] = readMarkers(body, [SECRET]);
      if (marker?.kind !== 'valid' || marker.payload.kind !== 'handoff')
        throw new Error('the marker is not the one given');
      const edited = composer.notice({ ...notice, marker: marker.payload }, []);
      expect(mentioned(edited)).toEqual([]);
      for (const name of called) expect(edited).toContain(`\`${name}\``);
    }),
    propertyRuns(300, 20_000),
  );
});

test.each([
  [['ann'], '@ann, please decide whether this must be fixed.'],
  [['ann', 'bob'], '@ann and @bob, please decide whether this must be fixed.'],
  [['ann', 'bob', 'org/team'], '@ann, @bob and @org/team, please decide whether this must be fixed.'],
])('%j are asked in one plain line at the end', (called, line) => {
  const body = stripMarkers(composer.calling({ marker: reply, text: '```\nopen' }, called)).trimEnd();
  expect(body.split('\n').at(-1)).toBe(line);
});

test.each([
  // The version before this one cannot read a name that begins with a dot.
  [['.jane', 'ann'], ['ann']],
  [['ann', 'né', 'x y'], ['ann']],
  [['né'], undefined],
  [
    ['a', 'b', 'c', 'd'],
    ['a', 'b', 'c'],
  ],
])('a hand-off that calls %j can be read back, with the names that its marker can hold', (called, kept) => {
  const body = composer.notice(
    { marker: handoff, text: 'Please decide.', mention: true, calls: { paths: [] } },
    called,
  );
  const [reading] = readMarkers(body, [SECRET]);
  expect(reading).toMatchObject({ kind: 'valid', payload: { kind: 'handoff' } });
  expect(reading?.kind === 'valid' && 'called' in reading.payload ? reading.payload.called : undefined).toEqual(kept);
});
