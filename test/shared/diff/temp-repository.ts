import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A real git repository in a temporary folder, apart from every configuration of the machine. */
export type TempRepository = {
  readonly folder: string;
  readonly git: (...args: readonly string[]) => Buffer;
  /** Everything in the folder as one commit; gives its id. */
  readonly commit: (message: string) => string;
  readonly dispose: () => void;
};

const ENVIRONMENT = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Author',
  GIT_AUTHOR_EMAIL: 'author@example.com',
  GIT_COMMITTER_NAME: 'Author',
  GIT_COMMITTER_EMAIL: 'author@example.com',
  GIT_AUTHOR_DATE: '2024-01-01T00:00:00Z',
  GIT_COMMITTER_DATE: '2024-01-01T00:00:00Z',
};

export const createTempRepository = (): TempRepository => {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-diff-'));
  const git = (...args: readonly string[]): Buffer =>
    execFileSync('git', args, {
      cwd: folder,
      env: { ...process.env, ...ENVIRONMENT, HOME: folder },
      maxBuffer: 512 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'core.autocrlf', 'false');
  git('config', 'core.fileMode', 'true');
  return {
    folder,
    git,
    commit: (message) => {
      git('add', '--all');
      git('commit', '--quiet', '--allow-empty', '--message', message);
      return git('rev-parse', 'HEAD').toString().trim();
    },
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
};

/** Two versions of one file as `git diff` shows them. */
export const diffTexts = (
  repository: TempRepository,
  from: string,
  to: string,
  ...options: readonly string[]
): Buffer => repository.git('diff', '--no-color', '--no-ext-diff', '--full-index', '-M', ...options, from, to);
