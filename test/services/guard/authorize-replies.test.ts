/** Whose words in a thread of the bot are answered, and in which threads a command is. */
import { describe, expect, it } from 'vitest';
import { authorizeReplies } from '../../../services/guard/authorize-replies.ts';
import { createListener, authorizeCommands } from '../../../services/guard/authorize-commands.ts';
import type { KnownForge } from '../../../services/guard/deps.ts';
import type { Account, Permission } from '../../../shared/forge/port-facts.ts';
import * as make from '../../shared/rounds/builders.ts';
import { never } from '../../shared/workspace/repository.ts';

const AUTHOR = { id: make.AUTHOR_ID, login: 'author' };
const WRITER = { id: 8, login: 'writer' };
const READER = { id: 9, login: 'reader' };
const BOT = { id: make.OTHER_BOT_ID, login: 'renovate' };
const MARKED = { id: 911, login: 'project_1_bot' };

const PERMISSIONS = new Map<number, Permission>([
  [WRITER.id, 'write'],
  [BOT.id, 'write'],
  [MARKED.id, 'write'],
]);

// What these functions ask of a forge; anything else would be undefined and fail.
const forge = {
  read: { fetchPermission: async (_project: number, { id }: Account) => PERMISSIONS.get(id) ?? 'read' },
  otherBots: {
    ignored: new Set([BOT.id]),
    allowed: new Set(),
    marks: { isMarkedBot: async (id: number) => id === MARKED.id },
  },
  botIds: new Set([make.BOT_ID]),
  mention: 'fixpoint',
} as unknown as KnownForge;

const said = (id: string, author: Account | null) => make.comment('Why?', { id, author, threadId: 't1' });

const answered = async (author: Account, ...speakers: readonly (Account | null)[]): Promise<readonly number[]> => {
  const comments = speakers.map((speaker, index) => said(`${index + 1}`, speaker));
  const changeRequest = make.changeRequest({ author });
  const answers = await authorizeReplies([{ thread: make.thread(), comments }], { forge, changeRequest }, never());
  return answers.map(({ noteId }) => noteId);
};

describe('the words that are answered', () => {
  it('are those of the author and of commanders, the newest of a thread', async () => {
    expect(await answered(AUTHOR, AUTHOR, WRITER, READER, null)).toEqual([2]);
    expect(await answered(AUTHOR, AUTHOR, READER)).toEqual([1]);
    expect(await answered(AUTHOR, READER, null)).toEqual([]);
  });

  it.each([
    ['that the operator named', BOT],
    ['that the forge marks', MARKED],
  ])(
    'F-T15: are never those of another bot %s, not even of one that is the author of the change',
    async (_name, bot) => {
      expect(await answered(bot, bot)).toEqual([]);
      expect(await answered(AUTHOR, bot)).toEqual([]);
    },
  );
});

describe('a command', () => {
  const threadsOfCalls = async (...before: readonly Account[]): Promise<readonly unknown[]> => {
    const call = make.comment('@fixpoint review', { id: '50', author: WRITER, threadId: 't9' });
    const comments = [
      ...before.map((author, index) => make.comment('x', { id: `${index}`, author, threadId: 't9' })),
      call,
    ];
    const of = make.changeRequest().changeRequest;
    const { requests } = await authorizeCommands(
      { forge, of, calls: [call], comments, spokenOf: createListener(forge.mention) },
      never(),
    );
    return requests.map(({ threadId }) => threadId);
  };

  it('F-T23: in a thread that the bot has a word in belongs to that thread', async () => {
    expect(await threadsOfCalls(WRITER, { id: make.BOT_ID, login: 'fixpoint' })).toEqual(['t9']);
  });
});
