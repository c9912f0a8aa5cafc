import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { childEnvironment } from '../../../../shared/workspace/process/child-environment.ts';

it('F-B4: leaves out every variable that git calls local to a repository', () => {
  const names = execFileSync('git', ['rev-parse', '--local-env-vars'], { encoding: 'utf8' }).trim().split('\n');
  expect(names).toContain('GIT_DIR');
  expect(childEnvironment(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual({});
});

it.each([
  'GIT_CONFIG_KEY_0',
  'GIT_CONFIG_VALUE_12',
  'GIT_LITERAL_PATHSPECS',
  'GIT_NAMESPACE',
  'GIT_QUARANTINE_PATH',
  'GIT_ATTR_SOURCE',
])('F-B4: leaves out %s, which git sets for one call', (name) => {
  expect(childEnvironment({ [name]: 'x', PATH: '/bin' })).toEqual({ PATH: '/bin' });
});

it.each(['GIT_CONFIG_GLOBAL', 'GIT_AUTHOR_NAME', 'GIT_SSH_COMMAND', 'HOME', 'GITHUB_TOKEN'])(
  'hands on %s, which is the user’s own',
  (name) => {
    expect(childEnvironment({ [name]: 'x', EMPTY: undefined })).toEqual({ [name]: 'x' });
  },
);
