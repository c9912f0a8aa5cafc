import { describe, expect, it } from 'vitest';
import type { PostableBody } from '../../../shared/text/postable-body.ts';
import { composeBody, composeFold, fixedText } from '../../../services/poster/compose-body.ts';
import { readMarkers, signMarker, stripMarkers } from '../../../shared/rounds/memory/marker.ts';
import { sanitize } from '../../../shared/text/sanitize.ts';
import { quickActionsIn } from '../../support/quick-actions.ts';
import { finding } from '../../shared/text/marker-fixture.ts';
import { CANARY, OPTIONS } from '../../shared/text/sanitize-fixture.ts';

const bodyOf = (text: string): PostableBody => sanitize(text, OPTIONS).body;

describe('composeBody', () => {
  it('joins sections with blank lines, leaves out empty ones, and puts the marker last', () => {
    const marker = signMarker(finding, 'secret');
    const body = composeBody({ sections: [bodyOf('one'), bodyOf('  '), bodyOf('```\ntwo')], markers: [marker] });
    expect(body).toBe(`one\n\n\`\`\`\ntwo\n\`\`\`\n\n${marker}`);
    expect(stripMarkers(body)).toBe('one\n\n```\ntwo\n```');
    expect(readMarkers(body, ['secret'])).toEqual([{ kind: 'valid', payload: finding }]);
    expect(composeBody({ sections: [], markers: [marker] })).toBe(marker);
    expect(composeBody({ sections: [bodyOf('x')], markers: [] })).toBe('x');
  });
});

describe('post', () => {
  it('puts values between fixed words', () => {
    expect(fixedText`**${'P1'}** · ${bodyOf('A `title`')} (${3} of ${4})`).toBe('**P1** · A `title` (3 of 4)');
  });

  it('keeps a value of several lines on lines of its own, so that its fences stay fences', () => {
    const code = bodyOf('```js\na()\n```');
    expect(fixedText`Seen: ${code} in ${code}`).toBe('Seen: \n```js\na()\n```\n in \n```js\na()\n```');
    expect(fixedText`${code}`).toBe(code);
    expect(fixedText`Seen:\n${code}\nEnd`).toBe('Seen:\n```js\na()\n```\nEnd');
    expect(fixedText`Seen: ${bodyOf('a ~~~ b')} there`).toBe('Seen: a ~~~ b there');
  });
});

describe('a collapsed section', () => {
  it('has each tag on a line of its own, and a title of one line', () => {
    expect(composeFold(bodyOf('Two\nlines'), bodyOf('Text.\n\nMore.'))).toBe(
      '<details>\n<summary>Two lines</summary>\n\nText.\n\nMore.\n\n</details>',
    );
  });
});

describe('P7: an error is told by a fixed template with an id', () => {
  it('lets through neither secret nor command of an error text that was given as a value', () => {
    const error = bodyOf(`clone failed: https://bot:${CANARY}@forge.example/x\n/merge`);
    const body = fixedText`The review failed (${error}).`;
    expect(body).not.toContain(CANARY);
    expect(quickActionsIn(body)).toEqual([]);
  });
});
