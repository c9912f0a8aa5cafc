/** Describes outages and configuration mistakes for the person who sees them or has to fix them. */
import type { OutageKind } from '../../model/events.ts';

export const OUTAGE_WORDS: Readonly<Record<OutageKind, string>> = {
  model: 'the model cannot be used',
  forge: 'the forge could not be used',
  git: 'git cannot fetch from the forge',
  disk: 'the disk of the reviewer is full',
  store: 'the store cannot be written',
};

const WORDS: Readonly<Record<string, string>> = {
  MODEL_UNAUTHORISED: 'the model provider does not accept the key, or the account has no credit',
  MODEL_UNTRUSTED: 'the certificate of the model provider is not trusted',
  MODEL_REQUEST_REFUSED: 'the model provider refuses the request: it may not know the model',
  FORGE_UNAUTHORISED: 'the forge does not accept the token',
  FORGE_FORBIDDEN: 'write permission is missing: the bot account has lost it, or its token never had it',
  FORGE_REDIRECTED: 'the forge has a different URL than `base_url`',
  FORGE_UNTRUSTED: 'the certificate of the forge is not trusted',
  GIT_UNAUTHORISED: 'the forge does not accept the token that git uses, or the token lacks permission',
  GIT_UNTRUSTED: 'git does not trust the certificate of the forge',
  GIT_NOT_FOUND: 'git is not installed',
  GIT_TOO_OLD: 'git is too old',
  GIT_DISK_REFUSED: 'the data folder is not writable',
  EACCES: 'the data folder is not writable',
  EPERM: 'the data folder is not writable',
  EROFS: 'the data folder is on a read-only file system',
  WORKER_DIED:
    'a process of Fixpoint died repeatedly: it crashed or was killed, for example because the machine has too little memory',
  NOAUTH: 'Redis requires a password',
  WRONGPASS: 'Redis does not accept the user name or the password',
  NOPERM: 'the Redis user lacks permission for the required commands',
};

export const mistakeIn = (code: string): string | null => WORDS[code] ?? null;

const BY_MAINTAINERS: ReadonlySet<string> = new Set(['FORGE_FORBIDDEN', 'GIT_UNAUTHORISED']);

/** `bot`: the login of the bot. */
export const mistakeHelp = (code: string, bot: string): string =>
  BY_MAINTAINERS.has(code)
    ? `A project administrator can give \`${bot}\` write access (the Developer role on GitLab); an operator can give its token write permission.`
    : 'An operator has to fix this.';

export const mistakeWords = (code: string): string => mistakeIn(code) ?? 'an operator has to look at this';
