import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../shared/config/load.ts';
import { CommitSha } from '../../../shared/vocabulary/ids.ts';
import { connectValidation } from '../../../shared/validation/connect.ts';
import type { Cage } from '../../../shared/workspace/cage/cage.ts';
import { createRevisions } from '../../../shared/workspace/git/revisions.ts';
import { createGit } from '../../../shared/workspace/git/git.ts';
import { GIT, never } from '../workspace/repository.ts';

const SETTINGS = `
[[forge]]
id = "main"
kind = "gitea"
base_url = "https://gitea.example.com/sub"
token_env = "TOKEN"
webhook_secret_envs = ["HOOK"]
projects = ["shop/*"]

[validation]
command = [
  { name = "types", command = ["/usr/bin/tsc"], projects = ["shop/web"], timeout_s = 7 },
  { name = "tests", command = ["/usr/bin/npm", "test"], projects = ["shop/web"], timeout_s = 5 },
]`;

const configOf = (text: string) => {
  const loaded = loadConfig({ text, env: {}, needs: [] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded.config;
};

const surprised = async (): Promise<never> => {
  throw new Error('nothing is to be run');
};

const CAGE: Cage = {
  programs: { node: '/usr/bin/node', ripgrep: '/usr/bin/rg' },
  run: surprised,
  start: () => {
    throw new Error('nothing is to be started');
  },
};

const connect = (cage: Cage | null) => connectValidation(configOf(SETTINGS), { cage, checkoutFolder: '/nowhere' });
const projectAt = (path: string) => ({
  changeRequest: { forge: 'main', projectId: 1, number: 5 },
  gitUrl: `https://gitea.example.com/sub/${path}.git`,
});

describe('whether anything would be run', () => {
  it.each<[string, Cage | null, string, boolean]>([
    ['for a project that commands are for', CAGE, 'shop/web', true],
    ['for another project', CAGE, 'shop/api', false],
    ['without a cage', null, 'shop/web', false],
  ])('%s', (_when, cage, project, can) => {
    expect(connect(cage).canValidate(projectAt(project))).toBe(can);
  });
});

it('takes as long as all commands one after the other', () => {
  expect(connect(null).validationS).toBe(12);
});

it('asks only for the commands that the caller names', async () => {
  const revisions = createRevisions(createGit({ gitPath: GIT, gitDir: '/nowhere', allowProtocols: [] }));
  const head = { revisions, head: CommitSha.parse('a'.repeat(40)), only: ['tests'], isWanted: async () => true };
  const results = await connect(null).validate({ ...head, ...projectAt('shop/web') }, never());
  expect(results?.map(({ name, result }) => [name, result])).toEqual([['tests', 'not_run']]);
});
