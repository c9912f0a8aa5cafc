import { expect, test } from 'vitest';
import { parseRemote } from '../../../../services/cli/address/origin-address.ts';
import { parseAddress } from '../../../../services/cli/address/parse-address.ts';
import { findConfiguredForge } from '../../../../services/cli/remote/configured-forge.ts';
import { loadConfig } from '../../../../shared/config/load.ts';

const FORGES = [
  { id: 'lab', kind: 'gitlab', base_url: 'https://lab.example.com/gitlab' },
  { id: 'jo', kind: 'forgejo', base_url: 'http://jo.example.com:3000' },
  { id: 'two', kind: 'gitea', base_url: 'https://jo.example.com' },
];

const forgesOf = (ids: readonly string[]) => {
  const tables = FORGES.filter(({ id }) => ids.includes(id)).map(
    ({ id, kind, base_url: url }) =>
      `[[forge]]\nid = "${id}"\nkind = "${kind}"\nbase_url = "${url}"\ntoken_env = "T"\nwebhook_secret_envs = ["W"]\nprojects = ["a/b"]\n`,
  );
  const loaded = loadConfig({ text: tables.join('\n'), env: {}, needs: [] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded.config.forges;
};

const find = async (text: string, ids: readonly string[], remote: string | null = null) => {
  let asked = 0;
  const readOrigin = async () => {
    asked += 1;
    return remote === null ? null : parseRemote(remote);
  };
  const configuration = { forges: forgesOf(ids), file: 'f.toml', readOrigin };
  const { forge, project } = await findConfiguredForge(parseAddress(text), configuration);
  return [forge.id, project, asked];
};

test.each([
  ['jo/4/7', ['lab', 'jo'], null, ['jo', 4, 0]],
  ['https://lab.example.com/gitlab/a/b/-/merge_requests/7', ['lab', 'jo'], null, ['lab', 'a/b', 0]],
  ['http://jo.example.com:3000/a/b/pulls/7', ['lab', 'jo', 'two'], null, ['jo', 'a/b', 0]],
  ['https://jo.example.com/a/b/pulls/7', ['lab', 'jo', 'two'], null, ['two', 'a/b', 0]],
  ['a/b#7', ['lab'], 'git@jo.example.com:x/y.git', ['lab', 'a/b', 0]],
  ['a/b#7', ['lab', 'jo'], 'git@jo.example.com:x/y.git', ['jo', 'a/b', 1]],
  ['a/b/c!7', ['lab', 'jo'], 'ssh://git@lab.example.com:2222/x/y', ['lab', 'a/b/c', 1]],
])('%s among %j, in a clone of %s', async (text, ids, remote, expected) => {
  expect(await find(text, ids, remote)).toEqual(expected);
});

test.each([
  ['other/4/7', ['lab'], null, /^f\.toml has no forge "other", but "lab" at https:\/\/lab\.example\.com\/gitlab$/],
  [
    'https://lab.example.com/a/b/-/merge_requests/7',
    ['lab'],
    null,
    /^f\.toml has no forge at https:\/\/lab\.example\.com/,
  ],
  ['https://jo.example.com.evil.example/a/b/pulls/7', ['two'], null, /has no forge at/],
  ['a/b#7', ['lab', 'jo'], null, /^f\.toml has several forges, "lab" at \S+, "jo" at \S+: name one of https:/],
  ['a/b#7', ['lab', 'jo'], 'git@elsewhere.example.com:x/y.git', /has several forges/],
  ['a/b#7', ['jo', 'two'], 'git@jo.example.com:x/y.git', /has several forges/],
])('%s among %j, in a clone of %s, is refused in one sentence', async (text, ids, remote, words) => {
  await expect(find(text, ids, remote)).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringMatching(words),
  });
});
