/** Hashes the rules set by the target branch and the operator. A verdict is carried to another input only if this hash is equal. */
import { createHash } from 'node:crypto';
import {
  MAX_REPOSITORY_FILE_BYTES,
  parseRepositorySettings,
  REPOSITORY_FILE,
} from '../../../shared/config/repository/repository-settings.ts';
import type { DiffFile } from '../../../shared/diff/model.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import type { FileContent, Revisions } from '../../../shared/workspace/git/revisions.ts';
import { MAX_LISTED_RULES } from '../../../shared/rule-sources/read-rules.ts';
import { isRuleFileName, PROJECT_RULES_FOLDER } from '../../../shared/rules/own/own-rule.ts';
import { readGuidelines } from './guidelines.ts';
import { entriesInForce, type Ignoring } from './project-ignores.ts';
import { readAttributes } from '../packet/read-attributes.ts';

export type AskedRules = {
  readonly target: CommitSha;
  readonly base: CommitSha | null;
  readonly files: readonly DiffFile[];
  readonly operator: string;
  /** If absent, the project's `[[ignore]]` entries have no effect. */
  readonly ignoring?: Ignoring | undefined;
};

const MAX_BYTES = 1024 * 1024;

/** @throws GitError; the signal's reason when aborted. */
export const hashOfAskedRules = async (
  revisions: Revisions,
  { target, base, files, operator, ignoring }: AskedRules,
  signal: AbortSignal,
): Promise<string> => {
  const changedPaths = [...new Set(files.flatMap(({ oldPath, newPath }) => [oldPath, newPath]))].toSorted();
  const settings = await revisions.readFile({ commit: target, path: REPOSITORY_FILE, maxBytes: MAX_BYTES }, signal);
  const guidelines = await readGuidelines(revisions, { target, changedPaths }, signal);
  const attributes = base === null ? [] : await readAttributes(revisions, { commit: base, files }, signal);
  const own = await ownRuleFiles(revisions, target, signal);
  return createHash('sha256')
    .update(JSON.stringify([operator, settings, guidelines, attributes, idsInForce(settings, ignoring), ...own]))
    .digest('hex')
    .slice(0, 32);
};

/** Without own rules the list is empty, and the hash is the same as before there were any. */
const ownRuleFiles = async (
  revisions: Pick<Revisions, 'listFiles'>,
  target: CommitSha,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const folder = { maxFiles: MAX_LISTED_RULES, under: PROJECT_RULES_FOLDER };
  const { files } = await revisions.listFiles(target, folder, signal);
  return files.flatMap(({ path, objectId }) => (path !== null && isRuleFileName(path) ? [`${objectId} ${path}`] : []));
};

/** Returns the ids of `[[ignore]]` entries that are in force: an entry can expire without an edit of the file. */
const idsInForce = (settings: FileContent, ignoring: Ignoring | undefined): readonly string[] => {
  if (ignoring === undefined || settings.kind !== 'text' || settings.text.length > MAX_REPOSITORY_FILE_BYTES) return [];
  return entriesInForce(parseRepositorySettings(settings.text).settings.ignore, ignoring).claims.map(({ id }) => id);
};
