import { describe, expect, it } from 'vitest';
import { type Chain, chooseMentions, type MentionRules } from '../../../shared/owners/choose-mentions.ts';

const BOT_ID = 900;
const ann = { id: 1, login: 'ann' };
const bob = { id: 2, login: 'bob' };
const eve = { id: 3, login: 'eve' };
const dan = { id: 4, login: 'dan' };
const author = { id: 9, login: 'author' };
const otherBot = { id: BOT_ID, login: 'renovate' };
const ghost = { id: -1, login: 'Ghost' };

const CHAIN: Chain = { owners: [], groups: [], reviewers: [], operators: [], author };
const RULES: MentionRules = { isBot: ({ id }) => id === BOT_ID, botLogin: 'Fixpoint', mentionGroups: false };

const ROWS: readonly (readonly [
  what: string,
  chain: Partial<Chain>,
  rules: Partial<MentionRules>,
  names: string[],
  from: ReturnType<typeof chooseMentions>['from'],
])[] = [
  ['owners first', { owners: [ann], reviewers: [bob], operators: ['op'] }, {}, ['ann'], 'owners'],
  [
    'reviewers where nobody owns the file',
    { reviewers: [bob, eve], operators: ['op'] },
    {},
    ['bob', 'eve'],
    'reviewers',
  ],
  ['operators where nobody reviews', { operators: ['op', 'op2'] }, {}, ['op', 'op2'], 'operators'],
  ['the author at last', {}, {}, ['author'], 'author'],
  ['three at most', { owners: [ann, bob, eve, dan] }, {}, ['ann', 'bob', 'eve'], 'owners'],
  ['each once', { owners: [ann, ann], reviewers: [] }, {}, ['ann'], 'owners'],
  ['each once, in any case', { operators: ['Op', 'op'] }, {}, ['Op'], 'operators'],
  ['no bot that owns the file', { owners: [otherBot], reviewers: [bob] }, {}, ['bob'], 'reviewers'],
  ['no bot that reviews', { reviewers: [otherBot], operators: ['op'] }, {}, ['op'], 'operators'],
  ['not the bot itself as an operator', { operators: ['fixpoint'] }, {}, ['author'], 'author'],
  ['no account that is gone', { owners: [ghost], author: ghost }, {}, [], null],
  ['nobody where a bot is the author', { author: otherBot }, {}, [], null],
  ['not the author as an owner, while there is anybody else', { owners: [author, ann] }, {}, ['ann'], 'owners'],
  ['the author who is the only owner', { owners: [author], reviewers: [author] }, {}, ['author'], 'author'],
  [
    'an operator before an author who is the only owner',
    { owners: [author], operators: ['op'] },
    {},
    ['op'],
    'operators',
  ],
  ['no groups by default', { groups: ['org/team'], reviewers: [bob] }, {}, ['bob'], 'reviewers'],
  [
    'groups where they may be',
    { groups: ['org/team'], reviewers: [bob] },
    { mentionGroups: true },
    ['org/team'],
    'groups',
  ],
  ['people before groups', { owners: [ann], groups: ['org/team'] }, { mentionGroups: true }, ['ann'], 'owners'],
  [
    'never everybody',
    { operators: ['all', 'All', 'op'], groups: ['all'] },
    { mentionGroups: true },
    ['op'],
    'operators',
  ],
];

describe('who is called', () => {
  it.each(ROWS)('%s', (_what, chain, rules, names, from) => {
    expect(chooseMentions({ ...CHAIN, ...chain }, { ...RULES, ...rules })).toEqual({ names, from });
  });
});
