/** Whatever a stranger calls a project, nobody is mentioned and no link leads anywhere. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matrixBody, mattermostBody, slackBody } from '../../../shared/notify/chat-bodies.ts';
import { linkTarget, oneLine } from '../../../shared/notify/chat-text.ts';

const stringsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
};

const bodies = (text: string, url: string | null = null) => ({
  slack: stringsIn(slackBody({ title: text, text, url })).join('\n'),
  mattermost: stringsIn(mattermostBody({ title: text, text, url })).join('\n'),
  matrix: stringsIn(matrixBody({ title: text, text, url })).join('\n'),
});

const ATTACKS = [
  '@channel',
  '@here',
  '@all',
  '@everyone',
  '@room',
  '@ann',
  'x@channel',
  '<!channel>',
  '<!here|x>',
  '<@U123>',
  '<#C1>',
  '<!subteam^S1>',
  '<https://evil.example|your forge>',
  '[your forge](https://evil.example)',
  '![x](https://evil.example/x)',
  '<https://evil.example>',
  'https://evil.example',
  'www.evil.example',
  'evil.example/login',
  '&commat;channel',
  '&#64;here',
  '&lt;!channel&gt;',
  '~town-square',
  '#general',
  ':tada:',
  '<a href="https://evil.example">x</a>',
  '"><script>',
  "' onclick='x",
  '\u202e@room',
  'a\n@channel',
  'a\n> <!here>',
  '```\n@here',
  '`@here`',
  '\\@here',
  '**@all**',
  'https://matrix.to/#/@ann:example.org',
  '@room\u200b',
  '@\u2060channel',
  'mailto:x@y.example',
  '\u0000<!here>',
] as const;

/** What these formats give a meaning, where it is not broken or escaped. */
const LIVE = {
  slack: /<[^>]|@(?!\u200b)|:\/\/|\.(?=\p{L})/u,
  mattermost: /<(?!\u200b)|@(?!\u200b)|~(?!\u200b)|#(?!\u200b)|&(?!\u200b)|(?<!\\)[[\]()!]|:\/\/|(?<!\\)\.(?=\p{L})/u,
  matrix: /@(?!\u200b)|:\/\/|<(?!\u200b|\/?strong>|br>)|\.(?=\p{L})/u,
} as const;

const isInert = (text: string): void => {
  for (const [kind, body] of Object.entries(bodies(text))) {
    const live = LIVE[kind as keyof typeof LIVE].exec(body);
    expect([kind, live?.[0]], `${kind}: ${JSON.stringify(body)}`).toEqual([kind, undefined]);
  }
};

describe('text from elsewhere', () => {
  it.each(ATTACKS)('is inert in every chat: %j', isInert);

  it('is inert in every chat, whatever it is made of', () => {
    const part = fc.oneof(
      fc.constantFrom(...ATTACKS),
      fc.string({ unit: 'binary' }),
      fc.constantFrom(...Array.from('@<>&#~:/.[]()!`*\\|"\'')),
    );
    fc.assert(fc.property(fc.array(part, { maxLength: 8 }), (parts) => isInert(parts.join(''))));
  });

  it('stays readable', () => {
    const shown = (text: string): string => text.replaceAll('\u200b', '').replaceAll('\\', '');
    const name = 'A review needs a person: group/my.app#12';
    const { slack, mattermost, matrix } = bodies(name);
    expect([slack, mattermost, matrix].map((body) => shown(body).includes(name))).toEqual([true, true, true]);
  });

  it('is one line of at most 400 characters, without half a character', () => {
    expect(oneLine('a\r\nb\tc')).toBe('a b c');
    expect(oneLine('x'.repeat(400))).toHaveLength(400);
    expect(oneLine(`${'x'.repeat(399)}🙂🙂`)).toBe(`${'x'.repeat(399)}…`);
  });

  it('leaves out the block that Slack would refuse for its size', () => {
    const hasBlocks = (text: string): boolean => 'blocks' in Object(slackBody({ title: text, text, url: null }));
    expect([hasBlocks('x'.repeat(400)), hasBlocks('&'.repeat(400))]).toEqual([true, false]);
  });

  it('makes a body of bounded size', () => {
    const long = '@<&\u202e'.repeat(100_000);
    expect(
      Object.values(bodies(long, `https://x.example/${'@'.repeat(1_900)}`)).every(({ length }) => length < 12_000),
    ).toBe(true);
  });
});

describe('a link', () => {
  it.each<[string | null, string | null]>([
    [null, null],
    ['', null],
    ['not an address', null],
    ['javascript:alert(1)', null],
    ['data:text/html,x', null],
    ['https://forge.example/group/app/-/merge_requests/12', 'https://forge.example/group/app/-/merge_requests/12'],
    ['http://[::1]:3000/a/b/pulls/7', 'http://[::1]:3000/a/b/pulls/7'],
    ['https://forge.example/a|b>', 'https://forge.example/a%7Cb%3E'],
    ['https://forge.example/a)b (c', 'https://forge.example/a%29b%20%28c'],
    ['https://forge.example/@room', 'https://forge.example/%40room'],
    ['https://forge.example/"><b>', 'https://forge.example/%22%3E%3Cb%3E'],
    ["https://forge.example/'*~", 'https://forge.example/%27%2A%7E'],
    ['https://forge.example/größe', 'https://forge.example/gr%C3%B6%C3%9Fe'],
    ['https://user:pass@forge.example/x', null],
    [`https://forge.example/${'x'.repeat(978)}`, `https://forge.example/${'x'.repeat(978)}`],
    [`https://forge.example/${'x'.repeat(979)}`, null],
  ])('%s leads to %s', (url, target) => {
    expect(linkTarget(url)).toBe(target);
  });

  it('stands in the format of each chat', () => {
    const target = 'https://forge.example/a/b/pulls/7';
    const { slack, mattermost, matrix } = bodies('x', target);
    expect(slack).toContain(`\n<${target}|Open>`);
    expect(mattermost).toContain(`\n\n[Open](${target})`);
    expect(matrix).toContain(`<br><a href="${target}">Open</a>`);
  });
});
