/**
 * What a project asks of its code, from the target branch byte for byte: the change's own edits to these files are only
 * diff. Files of a folder speak for that folder; rules below `.fixpoint/rules/` for the paths that they name.
 */
import { posix } from 'node:path';
import { parse, YAMLParseError } from 'yaml';
import { z } from 'zod';
import type { Guideline } from '../../shared/agent/prompt/review-opening.ts';
import type { CommitSha } from '../../shared/rounds/vocabulary.ts';
import type { Revisions } from '../../shared/workspace/revisions.ts';

const WHOLE_PROJECT = '.fixpoint/guidelines.md';
const RULES = /^\.fixpoint\/rules\/(?:[^/]+\/)*[^/]+\.md$/;
const FOLDER_FILES = new Set(['AGENTS.md', 'CLAUDE.md']);

const LIMITS = { files: 100_000, guidelines: 20, bytes: 64 * 1024 } as const;

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
    return parse(text, { maxAliasCount: 0, schema: 'core' });
  } catch (error) {
    if (error instanceof YAMLParseError || error instanceof ReferenceError) return null;
    throw error;
  }
};

/** The project's own file first, then those that are about everything, then by path. */
const byReach = (one: Guideline, other: Guideline): number =>
  Number(other.path === WHOLE_PROJECT) - Number(one.path === WHOLE_PROJECT) ||
  Number(one.scope.length > 0) - Number(other.scope.length > 0) ||
  (one.path < other.path ? -1 : 1);

/** At most 20 files of 64 KiB; larger ones are passed over. `target` is the tip of the target branch. */
export const readGuidelines = async (
  revisions: Revisions,
  target: CommitSha,
  signal: AbortSignal,
): Promise<readonly Guideline[]> => {
  const listing = await revisions.listFiles(target, { maxFiles: LIMITS.files }, signal);
  const found: Guideline[] = [];
  for (const { path, kind } of listing.files) {
    const scope = path === null || kind !== 'file' ? null : scopeOf(path);
    if (path === null || scope === null || found.length >= LIMITS.guidelines) continue;
    const content = await revisions.readFile({ commit: target, path, maxBytes: LIMITS.bytes }, signal);
    if (content.kind !== 'text' || content.text.trim() === '') continue;
    const rule = RULES.test(path) ? readRule(content.text) : { scope, text: content.text };
    found.push({ path, ...rule });
  }
  return found.toSorted(byReach);
};
