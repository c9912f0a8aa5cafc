/** Reads guidelines from the target branch, so the change's edits to them have no effect. A folder's file applies to that folder. */
import { posix } from 'node:path';
import type { Guideline } from '../../../shared/agent/prompt/review-opening.ts';
import { selectGuidelines } from '../../../shared/agent/prompt/select-guidelines.ts';
import { REPOSITORY_FILE, type RepositorySettings } from '../../../shared/config/repository/repository-settings.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import { printablePath } from '../../../shared/workspace/tree/paths.ts';
import type { FileContent, Revisions } from '../../../shared/workspace/git/revisions.ts';
import { isRulePath, readRuleFile, type RuleFile } from '../../../shared/rule-sources/rule-file.ts';

const WHOLE_PROJECT = '.fixpoint/guidelines.md';
const FOLDER_FILES = new Set(['AGENTS.md', 'CLAUDE.md']);

/** `read`: the maximum number of files to open, whether or not they apply to the change. */
const LIMITS = { files: 100_000, read: 200, guidelines: 20, bytes: 64 * 1024 } as const;

/** An AGENTS.md or CLAUDE.md below the root applies only to its own folder. */
const scopeOf = (path: string): readonly string[] | null => {
  if (path === WHOLE_PROJECT || isRulePath(path)) return [];
  if (!FOLDER_FILES.has(posix.basename(path))) return null;
  const folder = posix.dirname(path);
  return folder === '.' ? [] : [`${folder}/**`];
};

/** Orders the project's own file first, then files for the whole project, then all others by path. */
const byReach = (one: Candidate, other: Candidate): number =>
  Number(other.path === WHOLE_PROJECT) - Number(one.path === WHOLE_PROJECT) ||
  Number(one.scope.length > 0) - Number(other.scope.length > 0) ||
  (one.path < other.path ? -1 : 1);

export const guidelineOf = ({ review }: RepositorySettings): readonly Guideline[] => {
  const language = review.language === null ? [] : [`Write everything that people read in \`${review.language}\`.`];
  const text = [...language, ...(review.instructions.trim() === '' ? [] : [review.instructions])].join('\n\n');
  return text === '' ? [] : [{ path: REPOSITORY_FILE, scope: [], text }];
};

export type GuidelinesRequest = {
  readonly target: CommitSha;
  /** Only guidelines that apply to at least one of these paths are read. */
  readonly changedPaths: readonly string[];
};

type Candidate = { readonly path: string; readonly scope: readonly string[] };

/** Skips the files of untouched folders without opening them, because a large project has hundreds of such files. */
const candidatesIn = (paths: readonly string[], changedPaths: readonly string[]): readonly Candidate[] =>
  paths.flatMap((path) => {
    const scope = scopeOf(path);
    return scope === null || selectGuidelines([{ path, scope, text: '' }], changedPaths).length === 0
      ? []
      : [{ path, scope }];
  });

/** Reads at most 20 guidelines of up to 64 KiB that apply to the change; skips larger files and links. */
export const readGuidelines = async (
  revisions: Revisions,
  { target, changedPaths }: GuidelinesRequest,
  signal: AbortSignal,
): Promise<readonly Guideline[]> => {
  const { files } = await revisions.listFiles(target, { maxFiles: LIMITS.files }, signal);
  const plain = files.flatMap(({ path, kind }) => (path === null || kind !== 'file' ? [] : [path]));
  const candidates = candidatesIn(plain, changedPaths).toSorted(byReach);
  const found: Guideline[] = [];
  for (const { path, scope } of candidates.slice(0, LIMITS.read)) {
    if (found.length >= LIMITS.guidelines) break;
    const content = await revisions.readFile({ commit: target, path, maxBytes: LIMITS.bytes }, signal);
    if (content.kind !== 'text' || content.text.trim() === '') continue;
    const rule: RuleFile = isRulePath(path) ? readRuleFile(content.text) : { kind: 'rule', scope, text: content.text };
    if (rule.kind === 'broken') continue;
    found.push(...selectGuidelines([{ path, scope: rule.scope, text: rule.text }], changedPaths));
  }
  return found.toSorted(byReach);
};

const MAX_NOTES = 20;

/** Returns notes about all unusable rule files of the target branch, whether or not they apply to the change. */
export const noteBrokenRules = async (
  revisions: Pick<Revisions, 'listFiles' | 'readFile'>,
  target: CommitSha,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const { files } = await revisions.listFiles(target, { maxFiles: LIMITS.files }, signal);
  const rules = files.flatMap(({ path, kind }) =>
    path === null || kind !== 'file' || !isRulePath(path) ? [] : [path],
  );
  const notes: string[] = [];
  for (const path of rules.slice(0, LIMITS.read)) {
    const content = await revisions.readFile({ commit: target, path, maxBytes: LIMITS.bytes }, signal);
    const why = whyUnused(content);
    if (why !== null) notes.push(`\`${printablePath(path).replaceAll('`', "'")}\` ${why}; it is not used`);
  }
  const more = notes.length - MAX_NOTES;
  return more > 0 ? [...notes.slice(0, MAX_NOTES), `${more} more rules are not used`] : notes;
};

const whyUnused = (content: FileContent): string | null => {
  if (content.kind === 'too_large') return `is larger than ${LIMITS.bytes / 1024} KiB`;
  if (content.kind !== 'text') return content.kind === 'binary' ? 'is not text' : null;
  const rule = readRuleFile(content.text);
  return rule.kind === 'broken' ? rule.why : null;
};
