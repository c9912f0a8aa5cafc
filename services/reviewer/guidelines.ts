/**
 * What a project asks of its code, from the target branch byte for byte: the change's own edits to these files are only
 * diff. Files of a folder speak for that folder; rules below `.fixpoint/rules/` for the paths that they name.
 */
import { posix } from 'node:path';
import { parse, YAMLParseError } from 'yaml';
import { z } from 'zod';
import type { Guideline } from '../../shared/agent/prompt/review-opening.ts';
import { selectGuidelines } from '../../shared/agent/prompt/select-guidelines.ts';
import { REPOSITORY_FILE, type RepositorySettings } from '../../shared/config/repository-settings.ts';
import type { CommitSha } from '../../shared/rounds/vocabulary.ts';
import type { Revisions } from '../../shared/workspace/revisions.ts';

const WHOLE_PROJECT = '.fixpoint/guidelines.md';
const RULES = /^\.fixpoint\/rules\/(?:[^/]+\/)*[^/]+\.md$/;
const FOLDER_FILES = new Set(['AGENTS.md', 'CLAUDE.md']);

/** `read`: files that are opened at most, whether they concern the change or not. */
const LIMITS = { files: 100_000, read: 200, guidelines: 20, bytes: 64 * 1024 } as const;

/** A file beside the tree's root speaks for its own folder only. */
const scopeOf = (path: string): readonly string[] | null => {
  if (path === WHOLE_PROJECT || RULES.test(path)) return [];
  if (!FOLDER_FILES.has(posix.basename(path))) return null;
  const folder = posix.dirname(path);
  return folder === '.' ? [] : [`${folder}/**`];
};

const FrontMatter = z.object({ paths: z.array(z.string().min(1).max(200)).max(50) });

/** `paths` of the head between two lines of dashes. A head that cannot be read is text like the rest. */
const readRule = (text: string): { readonly scope: readonly string[]; readonly text: string } => {
  const match = /^---\r?\n([\s\S]{0,5000}?)\r?\n---\r?\n/.exec(text);
  if (match === null) return { scope: [], text };
  const parsed = FrontMatter.safeParse(parseYaml(match[1] ?? ''));
  return parsed.success ? { scope: parsed.data.paths, text: text.slice(match[0].length) } : { scope: [], text };
};

const parseYaml = (text: string): unknown => {
  try {
    return parse(text, { maxAliasCount: 0, schema: 'core', logLevel: 'error' });
  } catch (error) {
    if (error instanceof YAMLParseError || error instanceof ReferenceError) return null;
    throw error;
  }
};

/** The project's own file first, then those that are about everything, then by path. */
const byReach = (one: Candidate, other: Candidate): number =>
  Number(other.path === WHOLE_PROJECT) - Number(one.path === WHOLE_PROJECT) ||
  Number(one.scope.length > 0) - Number(other.scope.length > 0) ||
  (one.path < other.path ? -1 : 1);

/** What `.fixpoint.toml` adds, ahead of all files. */
export const guidelineOf = ({ review }: RepositorySettings): readonly Guideline[] => {
  const language = review.language === null ? [] : [`Write everything that people read in \`${review.language}\`.`];
  const text = [...language, ...(review.instructions.trim() === '' ? [] : [review.instructions])].join('\n\n');
  return text === '' ? [] : [{ path: REPOSITORY_FILE, scope: [], text }];
};

export type GuidelinesRequest = {
  /** The tip of the target branch. */
  readonly target: CommitSha;
  /** Only what concerns one of them is read. */
  readonly changedPaths: readonly string[];
};

type Candidate = { readonly path: string; readonly scope: readonly string[] };

/** Those of folders that the change does not touch are never opened: a large project has hundreds. */
const candidatesIn = (paths: readonly string[], changedPaths: readonly string[]): readonly Candidate[] =>
  paths.flatMap((path) => {
    const scope = scopeOf(path);
    return scope === null || selectGuidelines([{ path, scope, text: '' }], changedPaths).length === 0
      ? []
      : [{ path, scope }];
  });

/** At most 20 files of 64 KiB that concern the change; larger ones are passed over, and so is what is no plain file. */
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
    const rule = RULES.test(path) ? readRule(content.text) : { scope, text: content.text };
    found.push(...selectGuidelines([{ path, ...rule }], changedPaths));
  }
  return found.toSorted(byReach);
};
