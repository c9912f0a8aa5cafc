import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { analyzerChecks } from '../../../../services/cli/doctor/analyzers.ts';
import { runChecks } from '../../../../services/cli/doctor/check.ts';
import { thisMachine } from '../../../../services/cli/doctor/machine.ts';
import { loadConfig } from '../../../../shared/config/load.ts';
import { findTestCage } from '../../../support/cage.ts';

const { cage, folder, why, dispose } = await findTestCage();
afterAll(dispose);

const FORGE =
  '[[forge]]\nid = "sim"\nkind = "forgejo"\nbase_url = "http://127.0.0.1:9"\ntoken_env = "TOKEN"\n' +
  'webhook_secret_envs = ["HOOK"]\nprojects = ["*"]\n';
const analyzer = (name: string, program: string): string =>
  `[[analyzer]]\nname = "${name}"\ncommand = ["${program}"]\nformat = "sarif"\n`;
const FIX =
  'install the program, and list its folder in sandbox.read_only_paths unless it is below /usr/bin or /usr/lib';

const examine = async (more: string, searchPath = thisMachine().searchPath, forge = FORGE) => {
  const dataDir = join(folder, 'doctor');
  mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  const loaded = loadConfig({ text: `data_dir = "${dataDir}"\n${forge}${more}`, env: {}, needs: [] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  const checks = analyzerChecks(loaded.config, { ...thisMachine(), searchPath });
  return runChecks(checks, new AbortController().signal);
};

describe.skipIf(cage === null)(`where there is a cage${why}`, () => {
  it('looks for the program of each analyzer inside of it', async () => {
    const settings = analyzer('real', '/usr/bin/env') + analyzer('absent', '/usr/bin/no-such-linter');
    expect(await examine(settings)).toEqual([
      { check: 'analyzers', level: 'ok', text: 'real: /usr/bin/env', fix: null },
      {
        check: 'analyzers',
        level: 'fail',
        text: 'absent: there is no program /usr/bin/no-such-linter in the cage',
        fix: FIX,
      },
    ]);
  });
});

it('looks for no program and no cage for a report of CI', async () => {
  const report = '[[analyzer]]\nname = "sast"\nfrom = "ci-artifact"\njob = "scan"\nartifact = "a.sarif"\n';
  expect(await examine(report, '/nowhere', FORGE.replace('forgejo', 'gitlab'))).toEqual([]);
});

it('fails without a cage, and says nothing if there is no analyzer', async () => {
  const [seen] = await examine(analyzer('real', '/usr/bin/env'), '/nowhere');
  expect(seen).toMatchObject({ level: 'fail', text: 'there is no cage' });
  expect(await examine('')).toEqual([]);
});
