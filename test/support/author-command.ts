/** A program that plays the author: what it does is a script of its own, so that nothing of a test runs in it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

export type AuthorCommand = {
  /** For `author.command`. */
  readonly argv: readonly [string, ...string[]];
  /** The table `[author]`, switched on. */
  readonly toml: string;
  readonly dispose: () => Promise<void>;
};

/** `body` sees `input` (what the author is given), `fs` and `path`, and stands in the checkout. */
export const makeAuthorCommand = async (
  body: string,
  more = '',
  args: readonly string[] = [],
): Promise<AuthorCommand> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-author-'));
  const file = path.join(folder, 'author.mjs');
  const read = "const input = JSON.parse(fs.readFileSync(0, 'utf8'));";
  await writeFile(file, `import fs from 'node:fs';\nimport path from 'node:path';\n${read}\n${body}\n`);
  const argv = [process.execPath, file, ...args] as const;
  const command = argv.map((word) => JSON.stringify(word)).join(', ');
  return {
    argv,
    toml: `[author]\nenabled = true\ncommand = [${command}]\n${more}`,
    dispose: async () => rm(folder, { recursive: true, force: true }),
  };
};
