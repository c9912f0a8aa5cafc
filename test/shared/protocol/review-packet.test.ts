import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { parseReviewPacket, printPacket } from '../../../shared/protocol/packet-text.ts';
import { readDocument } from '../../../shared/protocol/read-document.ts';
import { CommitSha } from '../../../shared/vocabulary/ids.ts';
import { asked } from './asked-stage.ts';

const { packet } = asked();

test('a review packet comes back from its YAML as it was, also with ids of digits alone and code of any kind', () => {
  const odd = {
    ...packet,
    head_sha: CommitSha.parse('1'.repeat(40)),
    base_sha: null,
    diff: '--- a\n+++ b\n@@ -1 +1 @@\n-head_sha: 1\n+\t"quoted": \u00e4\n\n',
  };
  expect(parseReviewPacket(printPacket(odd))).toEqual({ kind: 'packet', packet: odd });
});

test('it is told apart from the other documents', () => {
  expect(readDocument(printPacket(packet))).toEqual({ kind: 'document', what: 'review packet' });
});

// Which document it is meant to be is told by its head.
const REQUIRED = Object.keys(packet).filter((name) => name !== 'head_sha');

test.each(REQUIRED)('without %s it is refused by name', (name) => {
  const lacking = Object.fromEntries(Object.entries(packet).filter(([key]) => key !== name));
  const reading = readDocument(stringify(lacking));
  expect(reading.kind === 'refused' ? reading.problems.map(({ field }) => field) : []).toEqual([name]);
});
