import { expect, test } from 'vitest';
import { readSubmission } from '../../../../shared/agent/submission/read-submission.ts';
import { readWalkthrough } from '../../../../shared/agent/submission/read-walkthrough.ts';
import { MAX_WALKTHROUGH, Walkthrough } from '../../../../shared/vocabulary/walkthrough.ts';

test('takes one line per file, and leaves out what it cannot read', () => {
  const given = [
    { path: './src/a.js', text: ' Adds\n a check. ' },
    { path: 'src/a.js', text: 'Said again.' },
    { path: 'b.js', text: '' },
    { path: 7, text: 'x' },
    'c.js',
    { path: 'd.js', text: 'w'.repeat(5_000) },
  ];
  const read = readWalkthrough(given);
  expect(read.map(({ path }) => path)).toEqual(['src/a.js', 'd.js']);
  expect(read[0]?.text).toBe('Adds a check.');
  expect(Walkthrough.parse(read)).toEqual(read);
  expect(readWalkthrough(null)).toEqual([]);
});

test('is bounded', () => {
  const many = Array.from({ length: 5_000 }, (_, index) => ({ path: `${index}.js`, text: 'x' }));
  expect(readWalkthrough(many)).toHaveLength(MAX_WALKTHROUGH);
});

test('is part of a submission, and its lack is no problem', () => {
  const rules = { openThreads: [], duplicateThreshold: 0.6 };
  const input = { summary: 'Fine.', findings: [], not_reviewed: [] };
  const bare = readSubmission(input, rules);
  const told = readSubmission({ ...input, walkthrough: [{ path: 'a.js', text: 'Adds a check.' }] }, rules);
  expect([bare, told]).toMatchObject([
    { kind: 'read', problems: [], submission: { summary: 'Fine.' } },
    { kind: 'read', problems: [], submission: { walkthrough: [{ path: 'a.js', text: 'Adds a check.' }] } },
  ]);
  expect(bare.kind === 'read' && 'walkthrough' in bare.submission).toBe(false);
});
