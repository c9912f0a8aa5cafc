import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gitError } from './git.ts';

/** What a forge accepts for reading by git over HTTP. Never a part of an address. */
export type GitCredential = { readonly username: string; readonly password: string };

/**
 * Git runs this once for the name and once for the password. It reads one line each from descriptor 3, which git passes
 * on: the secret is in no file, argument or environment, and gone when it has been read. Only shell builtins, so that no
 * other process ever holds it.
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

/** The lines that the script reads, in the order in which git asks. */
export const credentialLines = (credential: GitCredential): Buffer => {
  const lines = [credential.username, credential.password];
  if (lines.some((line) => line === '' || /[\r\n\0]/.test(line))) {
    throw gitError('GIT_REFUSED', 'the git credential is empty or has a line break', 'fail');
  }
  return Buffer.from(`${lines.join('\n')}\n`, 'utf8');
};
