/** A repository with what a release needs, and the real script in it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PROJECT_ROOT } from '../../support/tracked-files.ts';

export type Scratch = {
  readonly git: (...args: readonly string[]) => string;
  readonly read: (file: string) => string;
  readonly write: (file: string, text: string) => void;
  readonly release: (...args: readonly string[]) => {
    readonly code: number | null;
    readonly out: string;
    readonly err: string;
  };
  readonly remove: () => void;
};

const manifest = {
  name: 'fixpoint',
  version: '0.1.0',
  license: 'MIT',
  type: 'module',
  files: ['dist'],
  dependencies: { used: '1.0.0' },
  devDependencies: { tool: '2.0.0' },
};

const lock = {
  name: 'fixpoint',
  version: '0.1.0',
  lockfileVersion: 3,
  requires: true,
  packages: {
    '': manifest,
    'node_modules/tool': { version: '2.0.0', dev: true, license: 'MIT' },
    'node_modules/used': { version: '1.0.0', license: 'MIT' },
  },
};

export const CHANGES = '\n### Do first\n\n- Restart.\n\n### More\n\n- Words with $& and $1.\n\n';

const FILES: Readonly<Record<string, string>> = {
  'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
  'package-lock.json': `${JSON.stringify(lock, null, 2)}\n`,
  'CHANGELOG.md': `# Changelog\n\nHow to read it.\n\n## Unreleased\n${CHANGES}## 0.0.9 - 2020-01-01\n\n- Old.\n`,
  'shared/version.ts': "export const VERSION = '0.1.0';\n",
  'deploy/guide/ci.md': 'Get fixpoint-0.1.0.tgz.\n',
  'deploy/guide/command-line.md': 'Get fixpoint-0.1.0.tgz, or 0.1.0.\n',
  'deploy/Dockerfile': readFileSync(path.join(PROJECT_ROOT, 'deploy/Dockerfile'), 'utf8'),
  'deploy/build.mjs':
    "import { mkdirSync, writeFileSync } from 'node:fs';\nmkdirSync('dist', { recursive: true });\nwriteFileSync('dist/main.js', '');\n",
  '.gitignore': '/dist/\n/release/\n',
};

const PERSON = {
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b.invalid',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b.invalid',
};

export const makeScratch = (): Scratch => {
  const top = mkdtempSync(path.join(tmpdir(), 'fixpoint-release-'));
  const root = path.join(top, 'repository');
  const env = {
    PATH: process.env['PATH'],
    HOME: top,
    TZ: 'UTC',
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
    ...PERSON,
  };
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  };
  const git = (...args: readonly string[]): string =>
    execFileSync('git', [...args], { cwd: root, env, encoding: 'utf8' }).trim();
  for (const [file, text] of Object.entries(FILES)) write(file, text);
  for (const part of ['release.mjs', 'release'])
    cpSync(path.join(PROJECT_ROOT, 'deploy', part), path.join(root, 'deploy', part), { recursive: true });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '.');
  git('commit', '--quiet', '--message', 'Begin');
  return {
    git,
    read: (file) => readFileSync(path.join(root, file), 'utf8'),
    write,
    release: (...args) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, ['deploy/release.mjs', ...args], {
        cwd: root,
        env,
        encoding: 'utf8',
      });
      return { code: status, out: stdout, err: stderr };
    },
    remove: () => rmSync(top, { recursive: true, force: true, maxRetries: 3 }),
  };
};
