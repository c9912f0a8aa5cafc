/** A mistake in the configuration, in the words of the one who has to correct it. */

const WORDS: Readonly<Record<string, string>> = {
  MODEL_UNAUTHORISED: 'the model provider does not accept the key, or its account cannot pay',
  MODEL_UNTRUSTED: 'the certificate of the model provider is not trusted',
  MODEL_REQUEST_REFUSED: 'the model provider refuses the request: it may not know the model',
  FORGE_UNAUTHORISED: 'the forge does not accept the token',
  FORGE_FORBIDDEN: 'the right to write is missing: the account of the bot has lost it, or its token never had it',
  FORGE_REDIRECTED: 'the forge is at another address than `base_url` says',
  FORGE_UNTRUSTED: 'the certificate of the forge is not trusted',
  GIT_UNAUTHORISED: 'the forge does not accept the token that git uses, or it may not do this',
  GIT_UNTRUSTED: 'git does not trust the certificate of the forge',
  GIT_NOT_FOUND: 'git is not installed',
  GIT_TOO_OLD: 'git is too old',
  GIT_DISK_REFUSED: 'the data folder may not be written',
  EACCES: 'the data folder may not be written',
  EPERM: 'the data folder may not be written',
  EROFS: 'the data folder is on a read-only file system',
  NOAUTH: 'Redis wants a password',
  WRONGPASS: 'Redis does not accept the user name or the password',
  NOPERM: 'the user of Redis may not run the commands that are needed',
};

/** Null: it is none. */
export const mistakeIn = (code: string): string | null => WORDS[code] ?? null;

const BY_MAINTAINERS: ReadonlySet<string> = new Set(['FORGE_FORBIDDEN', 'GIT_UNAUTHORISED']);

/** Who can correct it. `bot`: its login. */
export const mistakeHelp = (code: string, bot: string): string =>
  BY_MAINTAINERS.has(code)
    ? `Somebody who administers the project can give \`${bot}\` write access (on GitLab the role Developer); an operator can give its token the right to write.`
    : 'An operator has to correct it.';

export const mistakeWords = (code: string): string => mistakeIn(code) ?? 'an operator has to look at it';
