/** What is off on a machine without a cage depends on what the operator has switched on. */
import { expect, it } from 'vitest';
import { cageCheck } from '../../../../services/cli/doctor/cage.ts';
import { thisMachine } from '../../../../services/cli/doctor/machine.ts';
import { runChecks } from '../../../../services/cli/doctor/check.ts';
import { loadConfig } from '../../../../shared/config/load.ts';

const FORGE =
  '[[forge]]\nid = "sim"\nkind = "forgejo"\nbase_url = "http://127.0.0.1:9"\ntoken_env = "TOKEN"\n' +
  'webhook_secret_envs = ["HOOK"]\nprojects = ["*"]\n';
const AUTHOR = '[author]\nenabled = true\ncommand = ["/opt/fix"]\n';
const COMMANDS = '[validation]\ncommand = [{ name = "x", command = ["/bin/true"] }]\n';
const NONE = '[sandbox]\nbackend = "none"\n';

const WHY = 'bubblewrap (bwrap) is not installed';
const OFF = 'Bash, validation commands and analyzers are disabled, and the service itself opens files for a model';
const AUTHOR_OFF = 'author.enabled is set, but without a cage the author is disabled and fixes nothing';
const COMMANDS_OFF = '1 validation commands cannot run, so no review passes';
const INSTALL = 'install bubblewrap (Debian: apt-get install bubblewrap)';
const OR_WITHOUT = `${INSTALL}; or set sandbox.backend = "none" to allow the author to work without a cage`;
const BACK_ON = 'set sandbox.backend = "bubblewrap"';

it.each<[string, string, 'warn' | 'fail', string, string]>([
  ['nothing', '', 'warn', `${WHY}: ${OFF}`, INSTALL],
  ['validation commands', COMMANDS, 'fail', `${WHY}; ${COMMANDS_OFF}`, INSTALL],
  ['an author', AUTHOR, 'fail', `${WHY}; ${AUTHOR_OFF}`, OR_WITHOUT],
  ['an author that is to work in it', `${AUTHOR}caged = true\n`, 'fail', `${WHY}; ${AUTHOR_OFF}`, INSTALL],
  ['both', `${AUTHOR}${COMMANDS}`, 'fail', `${WHY}; ${COMMANDS_OFF}; ${AUTHOR_OFF}`, OR_WITHOUT],
  ['no cage', NONE, 'warn', `sandbox.backend is "none": ${OFF}`, BACK_ON],
  [
    'an author without a cage',
    `${AUTHOR}${NONE}`,
    'warn',
    `sandbox.backend is "none": ${OFF}; the author works without a cage`,
    BACK_ON,
  ],
])('without bubblewrap, an operator who wants %s hears it', async (_what, more, level, text, fix) => {
  const loaded = loadConfig({ text: `${FORGE}${more}`, env: {}, needs: [] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  const check = cageCheck(loaded.config, { ...thisMachine(), searchPath: '/nowhere' });
  expect(await runChecks([check], new AbortController().signal)).toEqual([{ check: 'cage', level, text, fix }]);
});
