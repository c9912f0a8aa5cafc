/** What the author goes without, and who has decided so. */
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AuthorCage, connectAuthorCage } from '../../../services/author/connect-cage.ts';
import { type Config, loadConfig } from '../../../shared/config/load.ts';
import type { ServiceContext } from '../../../shared/runtime/service-context.ts';
import { CAGE_UID, findTestCage, openFolder } from '../../support/cage.ts';

const { cage, dispose, why } = await findTestCage();
afterAll(dispose);

let folder = openFolder();
beforeEach(() => {
  folder = openFolder();
});
afterEach(() => folder.dispose());

const configWith = (more: string): Config => {
  const forge = 'id = "sim"\nkind = "forgejo"\nbase_url = "http://127.0.0.1:9"\ntoken_env = "TOKEN"\nprojects = ["*"]';
  const hook = 'webhook_secret_envs = ["HOOK"]';
  const text = `data_dir = "${folder.path}/data"\n[[forge]]\n${forge}\n${hook}\n${more}`;
  const loaded = loadConfig({ text, env: {}, needs: [] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded.config;
};

type Connected = AuthorCage & { readonly logged: readonly (readonly unknown[])[] };

const connect = async (more: string, searchPath: string): Promise<Connected> => {
  const logged: unknown[][] = [];
  const at =
    (level: string) =>
    (...words: unknown[]): void =>
      void logged.push([level, ...words]);
  const log = { info: at('info'), warn: at('warn'), error: at('error') };
  const context = { config: configWith(more), log, signal: new AbortController().signal };
  // Of a log these three are used, and a fake one that lacks another fails when it is called.
  const connected = await connectAuthorCage(context as unknown as ServiceContext, searchPath);
  return { ...connected, logged };
};

const NO_BWRAP = 'bubblewrap (bwrap) is not installed';
const OFF = 'the author is disabled, and each requested fix is handed to a human (NO_CAGE)';
const OUTSIDE = 'sandbox.backend is "none": the author works without a cage';
const COMMANDS = '[validation]\ncommand = [{ name = "x", command = ["/bin/true"] }]\n';

describe('an author without a cage', () => {
  it('is off where one is asked for, and says why at once and loudly', async () => {
    expect(await connect('', folder.path)).toEqual({
      cage: null,
      mayWork: false,
      notices: [`no cage is available (${NO_BWRAP}): ${OFF}`],
      logged: [['error', { reasons: [NO_BWRAP] }, `no cage is available: ${OFF}`]],
    });
  });

  it('does not start where one is required', async () => {
    await expect(connect('[sandbox]\nrequired = true', folder.path)).rejects.toMatchObject({ code: 'CAGE_MISSING' });
  });

  it.each([
    ['', OUTSIDE],
    [COMMANDS, `${OUTSIDE}, and validation commands are not run on its fixes`],
  ])('works where the operator has decided so, and says what that means%#', async (commands, notice) => {
    expect(await connect(`${commands}[sandbox]\nbackend = "none"`, process.env['PATH'] ?? '')).toEqual({
      cage: null,
      mayWork: true,
      notices: [notice],
      logged: [['warn', notice]],
    });
  });
});

it.skipIf(cage === null)(`an author with a cage has nothing to tell${why}`, async () => {
  const connected = await connect(`[sandbox]\nuid = ${CAGE_UID}`, process.env['PATH'] ?? '');
  expect(connected).toMatchObject({ mayWork: true, notices: [], logged: [['info', 'cage is ready']] });
  expect(connected.cage).not.toBeNull();
});
