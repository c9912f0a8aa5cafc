import { expect, test } from 'vitest';
import type { KnownForge } from '../../../services/guard/deps.ts';
import { fetchFacts } from '../../../services/guard/facts.ts';
import type { Permission } from '../../../shared/forge/port.ts';
import { AUTHOR_ID, BOT_ID, changeRequest, comment, forgeEvent, SECRET } from '../../shared/rounds/builders.ts';
import { never } from '../../shared/workspace/repository.ts';

const AUTHOR = { id: AUTHOR_ID, login: 'author' };
const { changeRequest: of } = changeRequest();

const surprise = (name: string) => async (): Promise<never> => {
  throw new Error(`${name} was not expected`);
};

type Said = {
  readonly id: string;
  readonly body: string;
  readonly author?: { readonly id: number; readonly login: string };
};

/** A forge on which `said` stands; asking for a permission answers and is written down. */
const forgeWith = (said: readonly Said[], permission: Permission) => {
  const asked: number[] = [];
  const forge: KnownForge = {
    read: {
      fetchChangeRequest: async () => changeRequest(),
      fetchComments: async () => said.map(({ body, ...rest }) => comment(body, { author: AUTHOR, ...rest })),
      fetchPermission: async (_projectId, { id }) => {
        asked.push(id);
        return permission;
      },
      locateGit: surprise('locateGit'),
    },
    botIds: new Set([BOT_ID]),
    mention: 'fixpoint',
  };
  return { forge, asked };
};

const factsOf = async (forge: KnownForge, ...noteIds: readonly number[]) =>
  fetchFacts({
    forge,
    of,
    events: noteIds.map((noteId) => forgeEvent('comment', { noteId })),
    markerSecrets: [SECRET],
    signal: never(),
  });

test.each([
  ['admin', true],
  ['write', true],
  ['read', false],
  ['none', false],
  ['undetermined', false],
] as const)('a caller with the permission %s is allowed: %s', async (permission, allowed) => {
  const { forge, asked } = forgeWith([{ id: '5', body: '@fixpoint review' }], permission);
  expect((await factsOf(forge, 5)).requests).toEqual([{ noteId: 5, command: 'review', allowed }]);
  expect(asked).toEqual([AUTHOR_ID]);
});

test.each([
  ['speaks to somebody else', { id: '5', body: '@fixpoint-ci review' }],
  ['only quotes the call', { id: '5', body: '> @fixpoint review' }],
  ['is the bot’s own', { id: '5', body: '@fixpoint review', author: { id: BOT_ID, login: 'fixpoint' } }],
  ['was not what woke guard', { id: '6', body: '@fixpoint review' }],
])('nobody is asked about a comment that %s', async (_name, said) => {
  const { forge, asked } = forgeWith([said], 'admin');
  expect((await factsOf(forge, 5)).requests).toEqual([]);
  expect(asked).toEqual([]);
});
