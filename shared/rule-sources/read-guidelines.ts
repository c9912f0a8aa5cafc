/** Reads the guidelines of one of the operator's sources: a Markdown file, or the Markdown files of a folder. */
import type { Guideline } from '../agent/prompt/review-opening.ts';
import type { RuleProblem } from '../rules/own/own-rule.ts';
import type { CommitSha } from '../vocabulary/ids.ts';
import type { FileContent } from '../workspace/git/revisions.ts';
import { printablePath } from '../workspace/tree/paths.ts';
import { readRuleFile } from './rule-file.ts';
import type { Reader } from './read-rules.ts';

export type GuidelinesPlace = {
  /** The name of the source. */
  readonly name: string;
  readonly commit: CommitSha;
  readonly path: string;
};

export type SourceGuidelines = { readonly guidelines: readonly Guideline[]; readonly problems: readonly RuleProblem[] };

const LIMITS = { listed: 2_000, files: 20, bytes: 64 * 1024 } as const;

/** A guideline that cannot be used is a problem, because a model would review without it. @throws GitError. */
export const readSourceGuidelines = async (
  revisions: Reader,
  { name, commit, path }: GuidelinesPlace,
  signal: AbortSignal,
): Promise<SourceGuidelines> => {
  const paths = await pathsOf(revisions, { name, commit, path }, signal);
  const problems: RuleProblem[] = [];
  if (paths.length === 0)
    problems.push(problemOf(null, `have no guidelines: \`${path}\` is no file and contains none`));
  if (paths.length > LIMITS.files)
    problems.push(problemOf(null, `have more than ${LIMITS.files} guidelines; the others are not used`));
  const guidelines: Guideline[] = [];
  for (const file of paths.slice(0, LIMITS.files)) {
    const content = await revisions.readFile({ commit, path: file, maxBytes: LIMITS.bytes }, signal);
    const rule =
      content.kind === 'text' ? readRuleFile(content.text) : { kind: 'broken' as const, why: WHY_NOT[content.kind] };
    const shown = printablePath(file);
    if (rule.kind === 'broken') problems.push(problemOf(shown, `it ${rule.why}`));
    else guidelines.push({ source: name, path: `${name}: ${shown}`, scope: rule.scope, text: rule.text });
  }
  return { guidelines, problems };
};

const pathsOf = async (
  revisions: Reader,
  { commit, path }: GuidelinesPlace,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const file = await revisions.readFile({ commit, path, maxBytes: LIMITS.bytes }, signal);
  if (file.kind !== 'missing') return [path];
  const { files } = await revisions.listFiles(commit, { maxFiles: LIMITS.listed, under: path }, signal);
  return files.flatMap((each) => (each.path !== null && /\.md$/i.test(each.path) ? [each.path] : [])).toSorted();
};

const WHY_NOT: Readonly<Record<Exclude<FileContent['kind'], 'text'>, string>> = {
  binary: 'is not a text file',
  too_large: `is larger than ${LIMITS.bytes / 1024} KiB`,
  symlink: 'is a link',
  submodule: 'is a submodule',
  missing: 'does not exist',
};

const problemOf = (file: string | null, why: string): RuleProblem => ({
  file,
  rule: null,
  language: null,
  why,
  always: true,
});
