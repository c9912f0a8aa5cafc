import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseUserCommand } from '../../../../shared/rounds/commands/parse-command.ts';

const addressesBot = (body: string, name: string): boolean => parseUserCommand(body, name) !== null;

describe('a mention', () => {
  it.each([
    ['@bot', true],
    ['@bot review please', true],
    ['Dear @bot, look again', true],
    ['(@bot)', true],
    ['@BOT', true],
    ['thanks @bot.', true],
    ['@bot: go', true],
    ['first line\r\n@bot review', true],
    ['@bot-ci review', false],
    ['@botty', false],
    ['@bot.local review', false],
    ['me@bot', false],
    ['@@bot', false],
    ['https://forge.example/@bot', false],
    ['> @bot review', false],
    ['`@bot review`', false],
    ['``a ` @bot``', false],
    ['an open ` tick @bot', true],
    ['```\n@bot review\n```', false],
    ['~~~\n@bot\n~~~\nafter', false],
    ['```\n@bot', false],
    ['```\ncode\n```\n@bot', true],
    ['    @bot review', false],
    ['\t@bot', false],
    ['no bot here', false],
    ['', false],
  ])('in %j: %s', (body, expected) => {
    expect(addressesBot(body, 'bot')).toBe(expected);
  });

  it.each([
    'review-bot',
    'bot-',
    'group_12_bot_9f',
    'a.b',
    'x+y',
    'a-b.c_d',
    'b\\d',
    '[bot]',
    'a(b',
    '{2}',
    'a|b',
    '^$',
  ])('of %s is one of that name and of no other', (name) => {
    expect(addressesBot(`Dear @${name}, look again`, name)).toBe(true);
    expect(addressesBot(`@${name.toUpperCase()} review`, name)).toBe(true);
    expect(addressesBot(`@${name}x review`, name)).toBe(false);
    expect(addressesBot('@zzz review', name)).toBe(false);
  });

  it('is found or not in any text without a crash', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('@', 'b', 'o', 't', '`', '~', '\n', ' ', '>', '-') }), (body) => {
        expect(typeof addressesBot(body, 'bot')).toBe('boolean');
      }),
      { seed: 3, numRuns: 300 },
    );
  });
});
