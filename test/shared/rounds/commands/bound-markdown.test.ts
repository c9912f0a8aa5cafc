import { describe, expect, it } from 'vitest';
import { boundMarkdown } from '../../../../shared/rounds/commands/bound-markdown.ts';
import { parseUserCommand } from '../../../../shared/rounds/commands/parse-command.ts';

const CALL = '@bot pause\n\n';
const KI = 1024;

describe('of a long comment', () => {
  it.each([
    ['64 Ki characters', 'a'.repeat(64 * KI), 'a'.repeat(64 * KI + 1)],
    ['4000 lines', `${'a\n'.repeat(3_999)}a`, `${'a\n'.repeat(4_000)}a`],
    [
      '1000 openers in 2000 characters',
      `${'[]'.repeat(500)}${'a'.repeat(999)}`,
      `${'[]'.repeat(500)}${'a'.repeat(1_000)}`,
    ],
    ['1000 signs of quotes and lists', '> a\n'.repeat(1_000), '> a\n'.repeat(1_001)],
    ['100 signs of quotes and lists in a row', '> - '.repeat(50), `1. ${'> - '.repeat(50)}`],
  ])('up to %s are read', (_name, most, more) => {
    expect([boundMarkdown(most) === most, boundMarkdown(more)]).toEqual([true, '']);
  });

  it('up to 1500 blank lines are read', () => {
    expect(boundMarkdown('a\n\n'.repeat(2_000))).toBe('a\n\n'.repeat(1_500));
  });

  it('the paragraphs within the limits are read, whole', () => {
    const rest = 'b'.repeat(64 * KI);
    expect(boundMarkdown(`a\n \t\nb\nc\n${rest}\n\nd`)).toBe('a\n \t\n');
  });

  it('the beginning is heard, and what lies beyond is not', () => {
    const rest = 'b '.repeat(32 * KI);
    expect(parseUserCommand(`${CALL}${rest}`, 'bot')).toEqual({ kind: 'pause' });
    expect(parseUserCommand(`${rest}\n\n${CALL}`, 'bot')).toBeNull();
  });

  it('code that the limit cuts is not taken for words', () => {
    const rest = 'b '.repeat(32 * KI);
    expect(parseUserCommand(`a \`code\n${CALL.trim()}\n${rest}\nend\``, 'bot')).toBeNull();
    expect(parseUserCommand(`\`\`\`\n${CALL}${rest}\n\`\`\``, 'bot')).toBeNull();
  });

  it('rows of dashes and deep code count as no depth', () => {
    const text = `${'-'.repeat(300)}\n${' '.repeat(300)}code\n${'*'.repeat(300)}`;
    expect(boundMarkdown(text)).toBe(text);
  });
});
