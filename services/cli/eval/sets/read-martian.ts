/**
 * Martian's code-review-benchmark: `offline/golden_comments/*.json`, one list of pull requests per project, with labels that
 * have a text and a severity but no place. https://github.com/withmartian/code-review-benchmark (MIT)
 */
import { z } from 'zod';
import type { Severity } from '../../../../shared/vocabulary/finding.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import {
  collect,
  idOf,
  inSet,
  type LoadedSet,
  listSet,
  pullRequestOf,
  readSetJson,
  type RefusedCase,
} from './loaded-set.ts';

const GoldenFile = z.array(
  z.object({
    pr_title: z.string(),
    url: z.string(),
    comments: z.array(z.object({ comment: z.string(), severity: z.string() })),
  }),
);

const SEVERITIES: Readonly<Record<string, Severity>> = { critical: 'P0', high: 'P1', medium: 'P2', low: 'P3' };

const LANGUAGES: Readonly<Record<string, string>> = {
  cal_dot_com: 'TypeScript',
  discourse: 'Ruby',
  grafana: 'Go',
  keycloak: 'Java',
  sentry: 'Python',
};

const MAX_TEXT = 4_000;

/** @throws UsageError */
export const readMartian = async (root: string): Promise<LoadedSet> => {
  const folder = inSet(root, 'offline', 'golden_comments');
  const files = (await listSet(folder)).filter((name) => name.endsWith('.json'));
  const made = (await Promise.all(files.map(async (name) => readProject(folder, name)))).flat();
  const remarks = [
    'labels have no place: judge them by words or by a model',
    'a case is built from the pull request on its forge, so building it needs a clone or the network',
  ];
  return { ...collect(made), remarks };
};

const readProject = async (folder: string, name: string) => {
  const parsed = GoldenFile.safeParse(await readSetJson(inSet(folder, name)));
  if (!parsed.success) throw new UsageError(`${inSet(folder, name)} is not a list of pull requests with comments`);
  const language = LANGUAGES[name.replace(/\.json$/, '')] ?? 'unknown';
  return parsed.data.map((each) => caseOf(each, language));
};

const caseOf = (
  { pr_title: title, url, comments }: z.output<typeof GoldenFile>[number],
  language: string,
): RefusedCase | Readonly<Record<string, unknown>> => {
  const request = pullRequestOf(url);
  if (request === null) return { id: url, why: 'its address is not that of a pull request' };
  const id = idOf('martian', request.repository.split('/')[1] ?? '', request.number);
  if (comments.length === 0) return { id, why: 'it has no label' };
  return {
    id,
    set: 'martian',
    licence: 'MIT',
    kind: 'defect',
    language,
    title,
    change: {
      kind: 'commits',
      repository: { kind: 'fetch', url: request.url },
      base: 'HEAD',
      head: `refs/pull/${request.number}/head`,
    },
    golden: comments.map(({ comment, severity }) => ({
      text: comment.slice(0, MAX_TEXT),
      severity: SEVERITIES[severity.toLowerCase()] ?? 'P2',
    })),
  };
};
