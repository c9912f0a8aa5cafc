/** What `review --format json` says of a finding and of the review, and what `messages export` makes of that. */
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { exportMessages } from '../../../services/cli/messages/messages-export.ts';
import { type Reviewed, ReviewOutput } from '../../../services/cli/review/review-output.ts';
import { outputOf } from '../../../services/cli/review/review-result.ts';
import { VERSION } from '../../../shared/version.ts';
import { parseFindingsPacket } from '../../../shared/protocol/packet-text.ts';
import { parseMessage } from '../../../shared/protocol/parse-message.ts';
import type { ReviewDraft } from '../../../shared/rounds/model/draft.ts';
import { ROOT } from './run-cli.ts';
import * as make from '../../shared/rounds/builders.ts';

const OF: Reviewed = {
  mode: 'change',
  runner: 'agent',
  commits: { head: make.sha('head'), target: make.sha('target'), mergeBase: make.sha('base') },
};

const FINDINGS = [
  make.finding({}, { severity: 'P2', blocking: true, title: 'The lock is never let go', evidence: 'lock();' }),
  make.finding({}, { severity: 'P2', blocking: false, path: 'b.ts', title: 'A name says nothing', evidence: 'x();' }),
  make.finding(
    {},
    { severity: 'P1', path: 'c.ts', title: 'Text is run as code', evidence: 'eval(x)', rule: 'js-eval' },
  ),
];

const outputFor = (patch: Partial<ReviewDraft> = {}): ReviewOutput =>
  ReviewOutput.parse(JSON.parse(JSON.stringify(outputOf(OF, make.draft({ findings: FINDINGS, ...patch })))));

const exportedFrom = async (output: ReviewOutput) => {
  const folder = await mkdtemp(join(tmpdir(), 'fixpoint-export-'));
  onTestFinished(async () => rm(folder, { recursive: true }));
  const file = join(folder, 'review.json');
  await writeFile(file, JSON.stringify(output));
  const out = join(folder, 'out');
  await exportMessages(file, { out, pr: 5, author: 'ann' }, make.NOW);
  const [name = ''] = (await readdir(out)).filter((each) => each.endsWith('.yaml'));
  const [packet = ''] = await readdir(join(out, 'packets', 'findings'));
  return {
    message: parseMessage(await readFile(join(out, name), 'utf8')),
    packet: parseFindingsPacket(await readFile(join(out, 'packets', 'findings', packet), 'utf8')),
  };
};

test('F-F15: a review says what blocks, which rule found it, who reviewed which commits, and with which version', () => {
  const output = outputFor();
  expect(output).toMatchObject({ ...OF, version: VERSION, exceeded: null });
  expect(output.findings.map(({ path, blocking, rule }) => [path, blocking, rule])).toEqual([
    ['a.ts', true, null],
    ['b.ts', false, null],
    ['c.ts', true, 'js-eval'],
  ]);
});

test('F-F15: the export of a review counts a P2 that blocks', async () => {
  const { message, packet } = await exportedFrom(outputFor());
  expect(message).toMatchObject({ kind: 'message', message: { body: { blocking_count: 2 } } });
  expect(packet).toMatchObject({
    kind: 'packet',
    packet: {
      summary: { blocking_count: 2, non_blocking_count: 1 },
      findings: [{ blocking: true }, { blocking: false }, { blocking: true }],
    },
  });
});

test('F-F15: the export of a review that a budget ended says so', async () => {
  const exceeded = { budget: 'turns', scope: 'run', limit: 8 } as const;
  const { message } = await exportedFrom(outputFor({ exceeded }));
  expect(message).toMatchObject({ kind: 'message', message: { body: { escalation: 'reviewer_budget_exceeded' } } });
});

test('the version is that of the package', () => {
  expect(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))).toMatchObject({ version: VERSION });
});
