/** Reads `.fixpoint.toml` at one commit of the target branch. The change's own version is only diff. */
import type { CommitSha } from '../rounds/vocabulary.ts';
import { scanFileForSecrets } from '../rules/secrets/scan-secrets.ts';
import type { Redactor } from '../text/redact.ts';
import type { FileContent, Revisions } from '../workspace/revisions.ts';
import {
  MAX_REPOSITORY_FILE_BYTES,
  NO_REPOSITORY_SETTINGS,
  parseRepositorySettings,
  REPOSITORY_FILE,
  type RepositoryReading,
  withoutRepositorySettings,
} from './repository-settings.ts';

export type RepositoryFile = {
  /** The tip of the target branch. */
  readonly target: CommitSha;
  /** Knows the secrets of this installation. */
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
  const where = await findSecret(content.text, redact, signal);
  if (where !== null) {
    const advice = 'whoever can read the repository knows it: withdraw it where it was issued, and issue another';
    return withoutRepositorySettings(`holds what looks like a secret (${where}); ${advice}`);
  }
  return parseRepositorySettings(content.text);
};

const WHY_NOT: Readonly<Record<Exclude<FileContent['kind'], 'missing' | 'text'>, string>> = {
  binary: 'is no text',
  too_large: `is larger than ${MAX_REPOSITORY_FILE_BYTES / 1024} KiB`,
  symlink: 'is a link',
  submodule: 'is a submodule',
};

/** Where, in words that do not tell what; null for nowhere. */
const findSecret = async (text: string, redact: Redactor, signal: AbortSignal): Promise<string | null> => {
  const [hit] = (await scanFileForSecrets({ path: REPOSITORY_FILE, text }, signal)).hits;
  if (hit !== undefined) return `line ${hit.startLine}`;
  return redact(text).count > 0 ? 'one of this installation or of a known form' : null;
};
