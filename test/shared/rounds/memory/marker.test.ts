import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { composeBody } from '../../../../services/poster/compose-body.ts';
import { readMarkers, signMarker, stripMarkers } from '../../../../shared/rounds/memory/marker.ts';
import { HandoffMarker } from '../../../../shared/rounds/model/marker-payload.ts';
import { sanitize } from '../../../../shared/text/sanitize.ts';
import { propertyRuns } from '../../../support/deep.ts';
import { finding, markerOfNewer, PAYLOADS, summary } from '../../text/marker-fixture.ts';
import { OPTIONS } from '../../text/sanitize-fixture.ts';

const SECRET = 'marker secret of the operator';
const OTHER = 'another secret';
const signed = signMarker(finding, SECRET);
const valid = { kind: 'valid', payload: finding };

describe('signMarker and readMarkers', () => {
  it.each(PAYLOADS.map((payload) => [payload.kind, payload] as const))('round-trip a %s marker', (_kind, payload) => {
    expect(readMarkers(signMarker(payload, SECRET), [SECRET])).toEqual([{ kind: 'valid', payload }]);
  });

  it('never sign what could not be read back: the change request would wait for another version for ever', () => {
    const handoff = PAYLOADS.find((payload) => payload.kind === 'handoff');
    const called = { ...HandoffMarker.parse(handoff), called: ['one name'] };
    expect(() => signMarker(called, SECRET)).toThrow(
      expect.objectContaining({
        code: 'MARKER_INVALID',
        disposition: { kind: 'fail' },
        fields: { kind: 'handoff', wrong: 'called.0' },
      }),
    );
    expect(() => signMarker({ ...finding, line: Number.NaN }, SECRET)).toThrow(
      expect.objectContaining({ code: 'MARKER_INVALID' }),
    );
    const dotted = { ...called, called: ['.jane', '-x'] };
    expect(readMarkers(signMarker(dotted, SECRET), [SECRET])).toEqual([{ kind: 'valid', payload: dotted }]);
  });

  it('write one comment that a forge hides, whatever the payload says', () => {
    expect(signed).toMatch(/^<!-- fixpoint:1 [0-9A-Za-z+/]+={0,2}\.[0-9a-f]{32} -->$/);
  });

  it.each([
    ['CRLF line ends', `Some text.\r\n\r\n${signed}\r\n`],
    ['text appended by a person', `Some text.\n\n${signed}\n\n> and I disagree <!-- not yours -->`],
    ['text on the same line', `before ${signed} after`],
    ['trailing blanks', `${signed}   \t `],
  ])('find a marker in spite of %s', (_name, body) => {
    expect(readMarkers(body, [SECRET])).toEqual([valid]);
  });

  it('accept the old and the new secret during rotation, and no empty one', () => {
    expect(readMarkers(signed, [OTHER, SECRET])).toEqual([valid]);
    expect(readMarkers(signed, [OTHER])).toEqual([{ kind: 'bad_signature' }]);
    const payload = Buffer.from(JSON.stringify(finding)).toString('base64');
    const unkeyed = createHmac('sha256', '').update(`fixpoint:1 ${payload}`).digest('hex').slice(0, 32);
    expect(readMarkers(`<!-- fixpoint:1 ${payload}.${unkeyed} -->`, ['', OTHER])).toEqual([{ kind: 'bad_signature' }]);
    expect(readMarkers(signed, [])).toEqual([{ kind: 'bad_signature' }]);
    expect(() => signMarker(finding, '')).toThrow(expect.objectContaining({ code: 'MARKER_SECRET_MISSING' }));
  });

  it('keep several markers in order, good and bad', () => {
    const body = `${signMarker(summary, OTHER)}<!-- fixpoint:1 ???.00 -->${signed}<!-- fixpoint:2 QQ==.${'0'.repeat(32)} -->`;
    const kinds = readMarkers(body, [SECRET]).map(({ kind }) => kind);
    expect(kinds).toEqual(['bad_signature', 'unreadable', 'valid', 'unreadable']);
  });

  it('tell what another version signed from what is damaged', () => {
    // The schema is the reader's; a newer version of ours may have signed a kind that this one does not know.
    expect(readMarkers(markerOfNewer(SECRET), [SECRET])).toEqual([{ kind: 'other_version' }]);
    expect(readMarkers(markerOfNewer(OTHER), [SECRET])).toEqual([{ kind: 'bad_signature' }]);
    const ofVersion = (version: number, secret: string): string => {
      const signature = createHmac('sha256', secret).update(`fixpoint:${version} QUJD`).digest('hex').slice(0, 32);
      return `<!-- fixpoint:${version} QUJD.${signature} -->`;
    };
    expect(readMarkers(ofVersion(2, SECRET), [OTHER, SECRET])).toEqual([{ kind: 'other_version' }]);
    expect(readMarkers(ofVersion(2, SECRET), [OTHER])).toEqual([{ kind: 'unreadable' }]);
    expect(readMarkers(ofVersion(1, SECRET), [SECRET])).toEqual([{ kind: 'other_version' }]);
    // Whoever edits the comment cannot make a marker of this version look like one of another.
    const padded = ofVersion(2, SECRET).replace('fixpoint:2', 'fixpoint:02');
    expect(readMarkers(padded, [SECRET])).toEqual([{ kind: 'unreadable' }]);
    const raised = ofVersion(1, SECRET).replace('fixpoint:1', 'fixpoint:2');
    expect(readMarkers(raised, [SECRET])).toEqual([{ kind: 'unreadable' }]);
  });

  it('never take a marker with one changed character for valid', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: signed.length - 1 }),
        fc.constantFrom(...Array.from('AZaz09+/=. <>-!')),
        (at, character) => {
          fc.pre(signed[at] !== character);
          const forged = signed.slice(0, at) + character + signed.slice(at + 1);
          expect(readMarkers(forged, [SECRET]).filter(({ kind }) => kind === 'valid')).toEqual([]);
        },
      ),
      propertyRuns(800, 50_000),
    );
  });

  it('never throw on arbitrary text', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('<!-- fixpoint:', '1 ', 'QUJD', '.', '0'.repeat(32), ' -->', '-->', signed, signed.slice(0, 60)),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const body = pieces.join('');
        expect(readMarkers(body, [SECRET]).every(({ kind }) => kind !== 'valid' || body.includes(signed))).toBe(true);
        expect(stripMarkers(body)).not.toContain('<!-- fixpoint:');
      }),
      propertyRuns(200, 20_000),
    );
  });

  it('are none in a hostile body', () => {
    const hostile = `${'<!-- fixpoint:1 '.repeat(20_000)}${'A'.repeat(500_000)}${'<!-- fixpoint:1 A.'.repeat(20_000)}`;
    expect(readMarkers(hostile, [SECRET]).every(({ kind }) => kind === 'unreadable')).toBe(true);
    expect(stripMarkers(hostile)).toBe('');
  });
});

describe('P9: marker forgery', () => {
  it('breaks a copied marker in model text, in prose and in code', () => {
    for (const text of [signed, `\`${signed}\``, `\`\`\`\n${signed}\n\`\`\``, `| ${signed} |`, `<!<!---- ${signed}`]) {
      expect(readMarkers(sanitize(text, OPTIONS).body, [SECRET])).toEqual([]);
    }
  });

  it('gives back the change request of a marker, so that one from elsewhere is told apart', () => {
    const elsewhere = { ...finding, cr: 'main.12.8' };
    expect(readMarkers(signMarker(elsewhere, SECRET), [SECRET])).toEqual([{ kind: 'valid', payload: elsewhere }]);
  });

  it('survives with our own marker alone when a body is composed around a forged one', () => {
    const forged = sanitize(`Looks fine. ${signMarker(summary, SECRET)}`, OPTIONS).body;
    const body = composeBody({ sections: [forged], markers: [signed] });
    expect(readMarkers(body, [SECRET])).toEqual([valid]);
    expect(stripMarkers(body)).toBe(forged);
  });
});
