import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { tokenVariable } from '../../../../services/cli/address/address-token.ts';

const TOKEN = randomBytes(20).toString('hex');

test.each([
  ['gitlab', 'GITLAB_TOKEN'],
  ['forgejo', 'FORGEJO_TOKEN'],
  ['gitea', 'GITEA_TOKEN'],
] as const)('the token for %s is in %s', (kind, name) => {
  expect(tokenVariable(kind, undefined, { [name]: TOKEN })).toBe(name);
  expect(() => tokenVariable(kind, undefined, { OTHER_TOKEN: TOKEN })).toThrow(`set its token in ${name}, or name`);
});

test('another variable is used when it is named, and only then', () => {
  expect(tokenVariable('gitlab', 'MY_TOKEN', { MY_TOKEN: TOKEN })).toBe('MY_TOKEN');
  expect(() => tokenVariable('gitlab', 'MY_TOKEN', { GITLAB_TOKEN: TOKEN })).toThrow('set its token in MY_TOKEN');
});

test('a token in place of a name, and a value that is no token, are refused without repeating them', () => {
  for (const [name, value] of [
    [TOKEN, TOKEN],
    ['MY_TOKEN', `${TOKEN} `],
  ] as const) {
    const use = (): string => tokenVariable('gitlab', name, { [name]: value });
    expect(use).toThrow(/expected the name of an environment variable|is not a token/);
    expect(use).not.toThrow(TOKEN);
  }
});
