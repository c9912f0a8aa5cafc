/**
 * AACR-Bench: `dataset/positive_samples.json`, pull requests with comments that have a place.
 * https://github.com/alibaba/aacr-bench (Apache-2.0). Despite its name, `target_commit` is the head of the pull request, and
 * `source_commit` a commit of the branch that it goes to: only so the change has the labelled files and about
 * `change_line_count` lines. The change begins at the merge base of both.
 */
import { z } from 'zod';
import type { Severity } from '../../../../shared/vocabulary/finding.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { collect, idOf, inSet, type LoadedSet, pullRequestOf, readSetJson, type RefusedCase } from './loaded-set.ts';

const Sample = z.object({
  change_line_count: z.number().int().nonnegative(),
  project_main_language: z.string(),
  source_commit: z.string(),
  target_commit: z.string(),
  githubPrUrl: z.string(),
  comments: z.array(
    z.object({
      note: z.string(),
      path: z.string(),
      side: z.string().nullable(),
      from_line: z.number().int().nullable(),
      to_line: z.number().int().nullable(),
      category: z.string(),
    }),
  ),
});

/** The set has categories, but no severities. */
const SEVERITIES: Readonly<Record<string, Severity>> = {
  'Security Vulnerability': 'P1',
  'Code Defect': 'P1',
  Performance: 'P2',
  'Maintainability and Readability': 'P3',
};

const MAX_TEXT = 4_000;

/** @throws UsageError */
export const readAacr = async (root: string): Promise<LoadedSet> => {
  const file = inSet(root, 'dataset', 'positive_samples.json');
  const parsed = z.array(Sample).safeParse(await readSetJson(file));
  if (!parsed.success) throw new UsageError(`${file} is not a list of pull requests with comments`);
  const remarks = [
    'labels have a category; a defect or a vulnerability counts as P1, performance as P2, maintainability as P3',
    'dataset/negative_samples.json has comments that annotators rejected, not clean changes, so it is not loaded',
  ];
  return { ...collect(parsed.data.map(caseOf)), remarks };
};

const caseOf = (sample: z.output<typeof Sample>): RefusedCase | Readonly<Record<string, unknown>> => {
  const request = pullRequestOf(sample.githubPrUrl);
  if (request === null) return { id: sample.githubPrUrl, why: 'its address is not that of a pull request' };
  const id = idOf('aacr', request.repository, request.number);
  if (sample.comments.length === 0) return { id, why: 'it has no label' };
  return {
    id,
    set: 'aacr',
    licence: 'Apache-2.0',
    kind: 'defect',
    language: sample.project_main_language,
    change: {
      kind: 'commits',
      repository: { kind: 'fetch', url: request.url },
      base: sample.source_commit,
      head: sample.target_commit,
    },
    golden: sample.comments.map(labelOf),
    ...(sample.change_line_count === 0 ? {} : { changedLines: sample.change_line_count }),
  };
};

/** Some labels end before they begin. */
const labelOf = ({ note, path, side, from_line, to_line, category }: z.output<typeof Sample>['comments'][number]) => {
  const lines = [from_line, to_line].filter((line) => line !== null && line > 0);
  return {
    path,
    ...(lines.length === 0 ? {} : { from: Math.min(...lines.map(Number)), to: Math.max(...lines.map(Number)) }),
    side: side === 'left' ? 'old' : 'new',
    text: note.slice(0, MAX_TEXT),
    severity: SEVERITIES[category] ?? 'P2',
    category,
  };
};
