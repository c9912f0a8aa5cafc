/** Reads `.fixpoint.toml` from the target branch. The change's own version of the file is only shown as part of the diff. */
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import { scanFileForSecrets } from '../../../shared/rules/secrets/scan-secrets.ts';
import { REDACTED, type Redactor } from '../../../shared/text/redact.ts';
import type { FileContent, Revisions } from '../../../shared/workspace/git/revisions.ts';
import {
  MAX_REPOSITORY_FILE_BYTES,
  NO_REPOSITORY_SETTINGS,
  parseRepositorySettings,
  REPOSITORY_FILE,
  type RepositoryReading,
  withoutRepositorySettings,
} from '../../../shared/config/repository/repository-settings.ts';

export type RepositoryFile = {
  readonly target: CommitSha;
  readonly redact: Redactor;
};

/** @throws GitError; RulesTimeoutError; the signal's reason when aborted. */
export const readRepositorySettings = async (
  revisions: Pick<Revisions, 'readFile'>,
  { target, redact }: RepositoryFile,
  signal: AbortSignal,
): Promise<RepositoryReading> => {
  const at = { commit: target, path: REPOSITORY_FILE, maxBytes: MAX_REPOSITORY_FILE_BYTES };
  const content = await revisions.readFile(at, signal);
  if (content.kind === 'missing') return { settings: NO_REPOSITORY_SETTINGS, notes: [] };
  if (content.kind !== 'text') return withoutRepositorySettings(WHY_NOT[content.kind]);
  const line = await findSecret(content.text, redact, signal);
  if (line !== null) {
    const advice = 'everyone with read access to the repository can see the secret: revoke it and issue a new secret';
    return withoutRepositorySettings(`seems to contain a secret in line ${line}; ${advice}`);
  }
  return parseRepositorySettings(content.text);
};

const WHY_NOT: Readonly<Record<Exclude<FileContent['kind'], 'missing' | 'text'>, string>> = {
  binary: 'is not a text file',
  too_large: `is larger than ${MAX_REPOSITORY_FILE_BYTES / 1024} KiB`,
  symlink: 'is a link',
  submodule: 'is a submodule',
};

/** Returns the line of the first secret; null if there is none. */
const findSecret = async (text: string, redact: Redactor, signal: AbortSignal): Promise<number | null> => {
  const [hit] = (await scanFileForSecrets({ path: REPOSITORY_FILE, text }, signal)).hits;
  if (hit !== undefined) return hit.startLine;
  const redacted = redact(text);
  return redacted.count === 0 ? null : lineBefore(redacted.text, REDACTED);
};

const lineBefore = (text: string, mark: string): number =>
  text.slice(0, Math.max(0, text.indexOf(mark))).split('\n').length;
