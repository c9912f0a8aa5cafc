import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runChecks } from '../../../../services/cli/doctor/check.ts';
import { thisMachine } from '../../../../services/cli/doctor/machine.ts';
import { ruleChecks } from '../../../../services/cli/doctor/rules.ts';
import { loadConfig } from '../../../../shared/config/load.ts';
import { type GitHttpServer, serveGit } from '../../../support/git-http.ts';
import { createRepository, type Repository, temporaryFolder } from '../../../shared/workspace/repository.ts';

let folder: ReturnType<typeof temporaryFolder>;
let repository: Repository;
let server: GitHttpServer;
beforeEach(async () => {
  folder = temporaryFolder();
  repository = createRepository(join(folder.path, 'served', 'acme', 'code-rules.git'));
  server = await serveGit({ root: join(folder.path, 'served') });
});
afterEach(async () => {
  await server.close();
  folder.dispose();
});

const rule = (example: string): string =>
  `id: no-eval\nlanguage: js\nmessage: No\nrule: { pattern: eval($A) }\ninvalid: ["${example}"]\n`;

const examine = async (ref: string) => {
  const text = `data_dir = "${join(folder.path, 'data')}"
[[forge]]
id = "home"
kind = "forgejo"
base_url = "${server.url}"
token_env = "TOKEN"
webhook_secret_envs = ["HOOK"]
projects = ["*"]
[[rules.from]]
name = "acme"
forge = "home"
project = "acme/code-rules"
ref = "${ref}"
rules = "rules"
`;
  const loaded = loadConfig({ text, env: { TOKEN: ['git', 'token', 'here'].join('-') }, needs: ['git_token'] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  const findings = await runChecks(ruleChecks(loaded.config, thisMachine()), new AbortController().signal);
  return findings.map(({ check, level, text: said }) => [check, level, said]);
};

test('says how many rules a source has, and at which commit', async () => {
  repository.write({ 'rules/a.yml': rule('eval(a)') });
  const commit = repository.commit('rules');
  expect(await examine('main')).toEqual([['rules acme', 'ok', `1 rules, 0 guidelines at ${commit.slice(0, 12)}`]]);
});

test('names a wrong rule and a ref that does not exist', async () => {
  repository.write({ 'rules/a.yml': rule('f(a)') });
  repository.commit('rules');
  expect(await examine('main')).toEqual([
    ['rules acme', 'ok', expect.stringContaining('0 rules')],
    ['rules acme', 'fail', 'rules/a.yml: `acme/no-eval` does not match its example `invalid[0]`'],
  ]);
  expect(await examine('v9')).toEqual([
    ['rules acme', 'fail', 'could not be read: `acme/code-rules` has no branch and no tag `v9`'],
  ]);
});
