import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gitError } from './git.ts';

/** Credential for reading from a forge with git over HTTP. It is never part of a URL. */
export type GitCredential = { readonly username: string; readonly password: string };

/**
 * git runs this script once for the username and once for the password. Each run reads one line from descriptor 3, which
 * git inherits and passes on: the secret is never in a file, an argument or the environment, and it can be read only once.
 * The script uses only shell builtins, so that no other process holds the secret.
 */
const SCRIPT = `#!/bin/sh
IFS= read -r line <&3 || exit 1
printf '%s\\n' "$line"
`;

/** Writes the script, which holds no secret, and returns its path. Safe to run in several processes at once. */
export const installAskpass = async (folder: string): Promise<string> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'askpass');
  const draft = join(folder, `askpass.${process.pid}.${crypto.randomUUID()}`);
  await writeFile(draft, SCRIPT, { mode: 0o700, flag: 'wx' });
  await chmod(draft, 0o700);
  await rename(draft, path);
  return path;
};

export const credentialLines = (credential: GitCredential): Buffer => {
  const lines = [credential.username, credential.password];
  if (lines.some((line) => line === '' || /[\r\n\0]/.test(line))) {
    throw gitError('GIT_REFUSED', 'the git credential is empty or has a line break', 'fail');
  }
  return Buffer.from(`${lines.join('\n')}\n`, 'utf8');
};
