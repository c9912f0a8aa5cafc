/** `fixpoint review` over this project's own history: valid output, and quotations that stand where they are said to. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { reviewLocal } from '../../../services/cli/review/review-local.ts';
import type { ReviewOutput } from '../../../services/cli/review/review-output.ts';
import { ROOT } from './run-cli.ts';

const RANGES = 20;
/** The longest range spans this many commits. */
const MAX_SPAN = 8;

const git = (...args: readonly string[]): string =>
  execFileSync('git', [...args], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  });

const readHistory = (): readonly string[] => {
  try {
    return git('log', '--first-parent', '--format=%H').trim().split('\n');
  } catch {
    return [];
  }
};

const commits = readHistory();

/** Evenly over the whole history, oldest last, in growing spans. */
const ranges = Array.from({ length: RANGES }, (_, index) => {
  const head = Math.floor((index * Math.max(0, commits.length - MAX_SPAN - 1)) / RANGES);
  const base = head + 1 + (index % MAX_SPAN);
  return { head: commits[head] ?? '', base: commits[base] ?? '' };
});

const validate = new Ajv2020().compile(
  JSON.parse(readFileSync(path.join(ROOT, 'services/cli/review/review-output.schema.json'), 'utf8')),
);

const review = async (base: string, head: string): Promise<ReviewOutput> =>
  reviewLocal({
    directory: ROOT,
    base,
    head,
    reviewer: { kind: 'rules' },
    searchPath: process.env['PATH'] ?? '',
    cage: { configPath: undefined, env: {}, onNotice: () => {} },
    onProgress: () => {},
    signal: AbortSignal.timeout(60_000),
  });

const blanks = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Secrets are cut out of quotations: what is left of one must still stand there, in its order. */
const quotedParts = (evidence: string): readonly string[] => blanks(evidence).split(/\[[^\]]*redacted[^\]]*\]/i);

const expectEvidence = (base: string, head: string, finding: ReviewOutput['findings'][number]): void => {
  const { path: file, side, startLine, line, evidence } = finding;
  const commit = side === 'new' ? head : git('merge-base', base, head).trim();
  const lines = git('show', `${commit}:${file}`).split('\n');
  // A rule quotes its whole match, which begins at the line of the finding.
  const last = Math.max(line, startLine - 1 + evidence.split('\n').length);
  const cited = blanks(lines.slice(startLine - 1, last).join('\n'));
  expect(lines.length).toBeGreaterThanOrEqual(line);
  for (const part of quotedParts(evidence)) expect(cited).toContain(part.trim());
};

const reason = commits.length <= RANGES + MAX_SPAN ? ` (skipped: only ${commits.length} commits are here)` : '';

describe.skipIf(reason !== '')(`a review of the project's own history${reason}`, () => {
  test.each(ranges)(
    '$base..$head is valid, and every finding stands on the lines that it quotes',
    async ({ base, head }) => {
      const output = await review(base, head);
      expect({ valid: validate(output), errors: validate.errors }).toEqual({ valid: true, errors: null });
      for (const finding of output.findings) expectEvidence(base, head, finding);
      const changed = git('diff', '--name-only', '--no-renames', `${base}...${head}`).trim().split('\n').length;
      expect(output.coverage.files).toBeGreaterThan(0);
      expect(output.coverage.files).toBeLessThanOrEqual(changed);
    },
    90_000,
  );

  test('the whole history in one range is valid, and every finding stands on the lines that it quotes', async () => {
    const [head = ''] = commits;
    const base = commits.at(-1) ?? '';
    const output = await review(base, head);
    expect({ valid: validate(output), errors: validate.errors }).toEqual({ valid: true, errors: null });
    for (const finding of output.findings) expectEvidence(base, head, finding);
  }, 120_000);
});
