import { describe, expect, it } from 'vitest';
import { findHits } from '../../../shared/rules/find-hits.ts';
import { type RuleClaim, judgeClaims, type Recheck } from '../../../shared/rules/recheck.ts';
import { claimOf } from '../../../shared/rules/review-by-rules.ts';

const signal = new AbortController().signal;

type Case = readonly [string, Partial<RuleClaim> & { readonly text: string | null }, object];

/** One claim as `reviewByRules` judges it. */
const check = async ({ text, ...given }: Case[1]): Promise<Recheck | undefined> => {
  const usual = { rule: 'js-eval', path: 'a.js', line: 2, movedLine: 2, citedText: 'const b = eval(input);' };
  const { movedLine, ...cited }: RuleClaim = { ...usual, ...given };
  const thread = { findingId: 'F-001', severity: 'P1', side: 'new', ...cited } as const;
  const moved = () => (movedLine === null ? null : { path: cited.path, line: movedLine });
  const claim = await claimOf(thread, { moved, signal });
  const report = await findHits(text === null ? [] : [{ path: claim.path, text }], signal);
  return judgeClaims([claim], report).rechecks[0];
};

describe('judgeClaims', () => {
  it.each<Case>([
    ['the line is unchanged', { text: 'a();\nconst b = eval(input);\n' }, { kind: 'still_there', line: 2 }],
    ['the line moved', { movedLine: 4, text: '\n\n\nconst b = eval(input);\n' }, { kind: 'still_there', line: 4 }],
    [
      'the line was rewritten and the mistake kept',
      { movedLine: null, text: 'a();\n\nconst other = eval(input);\n' },
      { kind: 'still_there', line: 3 },
    ],
    ['the mistake was repaired on its line', { text: 'a();\nconst b = JSON.parse(input);\n' }, { kind: 'fixed' }],
    ['the line was removed', { movedLine: null, text: 'a();\n' }, { kind: 'gone' }],
    ['the file was removed', { text: null }, { kind: 'gone' }],
    [
      'only a far, alike mistake of the same kind is left',
      { movedLine: null, text: `a();\n${'\n'.repeat(40)}const b = eval(input);\n` },
      { kind: 'gone' },
    ],
    [
      'only a near, equal mistake is left that was there before',
      { movedLine: null, isChanged: () => false, text: 'a();\n\nconst b = eval(input);\n' },
      { kind: 'gone' },
    ],
    [
      'only an equal mistake is left that was there before and now has the number of its line',
      { movedLine: null, isChanged: () => false, text: 'a();\nconst b = eval(input);\n' },
      { kind: 'gone' },
    ],
    [
      'no rule can check the claim, and its code is only left where it was before',
      { rule: null, movedLine: null, isChanged: () => false, text: 'a();\n\nconst b = eval(input);\n' },
      { kind: 'gone' },
    ],
    [
      'the mistake was written again near its line',
      { movedLine: null, isChanged: (_path, { line }) => line === 3, text: 'a();\n\nconst b = eval(input);\n' },
      { kind: 'still_there', line: 3 },
    ],
    [
      'only a near, different mistake of the same kind is left',
      { movedLine: null, text: 'a();\nrun(eval(`${first} + ${second}`), third, fourth);\n' },
      { kind: 'gone' },
    ],
    [
      'a different mistake of the same kind was put in the place of its line',
      {
        movedLine: null,
        replacedBy: { path: 'a.js', startLine: 2, line: 2 },
        text: 'a();\nrun(eval(`${first} + ${second}`), third, fourth);\n',
      },
      { kind: 'still_there', line: 2 },
    ],
    [
      'a different mistake of the same kind stands beside what was put in its place',
      {
        movedLine: null,
        replacedBy: { path: 'a.js', startLine: 1, line: 1 },
        text: 'a();\nrun(eval(`${first} + ${second}`), third, fourth);\n',
      },
      { kind: 'gone' },
    ],
    [
      'the file was renamed, and CRLF came in',
      { path: 'über/b.mjs', movedLine: 3, text: '\r\n\r\nconst b = eval(input);\r\n' },
      { kind: 'still_there', line: 3 },
    ],
    [
      'the one cited line of a match of several lines stands near',
      {
        rule: 'js-shell-by-string',
        citedText: '  `git clone ${url}`,',
        movedLine: null,
        text: '\n\nexecSync(\n  `git clone ${url}`,\n);\n',
      },
      { kind: 'still_there', line: 3 },
    ],
    [
      'a match of several lines covers the place',
      { rule: 'js-shell-by-string', movedLine: 2, text: 'execSync(\n  `git clone ${url}`,\n);\n' },
      { kind: 'still_there', line: 1 },
    ],
  ])('judges a rule: %s', async (_, given, expected) => {
    expect(await check(given)).toEqual(expected);
  });

  it.each<Case>([
    ['the cited line stands', { text: 'a();\n  const b =  eval(input);\n' }, { kind: 'still_there', line: 2 }],
    [
      'the nearest of several is named',
      { movedLine: 3, text: 'const b = eval(input);\n\n\nconst b = eval(input);\n' },
      { kind: 'still_there', line: 4 },
    ],
    ['the cited line changed', { text: 'a();\nconst b = eval(text);\n' }, { kind: 'fixed' }],
    ['the cited line was removed', { movedLine: null, text: 'a();\n' }, { kind: 'gone' }],
    ['nothing was cited', { citedText: ' \n', text: 'a();\n' }, { kind: 'still_there', line: 2 }],
    [
      'all cited lines stand in a row',
      { citedText: 'a();\nb();', movedLine: null, text: 'a();\nx();\na();\nb();\n' },
      { kind: 'still_there', line: 3 },
    ],
    ['the cited lines were torn apart', { citedText: 'a();\nb();', text: 'a();\nx();\nb();\n' }, { kind: 'fixed' }],
  ])('judges a claim of no rule by its text: %s', async (_, given, expected) => {
    expect(await check({ ...given, rule: null })).toEqual(expected);
    expect(await check({ ...given, rule: 'rule-of-an-older-version' })).toEqual(expected);
  });

  it('does not call a claim fixed where the rules can no longer read the file', async () => {
    const text = `a();\nconst b = eval(input);\n${'//\n'.repeat(350_000)}`;
    expect(await check({ text })).toEqual({ kind: 'still_there', line: 2 });
  });

  it('calls nothing fixed when it cannot be known what was cited', async () => {
    const text = `a();\n${'\n'.repeat(40)}eval(other);\n`;
    expect(await check({ citedText: '', movedLine: null, text })).toEqual({ kind: 'still_there', line: 42 });
    expect(await check({ citedText: '', movedLine: null, text: 'a();\n' })).toEqual({ kind: 'gone' });
  });

  it('knows cited code that holds a secret', async () => {
    const line = `connect("${['gl', 'pat-', 'q7Zt9mWx2LkP4vBn8RsD'].join('')}", 'host', port);`;
    const claim = { rule: null, citedText: line, movedLine: null };
    expect(await check({ ...claim, text: `\n\n${line}\n` })).toEqual({ kind: 'still_there', line: 3 });
    expect(await check({ ...claim, rule: 'secret-gitlab', text: `\n\n  ${line}\n` })).toEqual({
      kind: 'still_there',
      line: 3,
    });
  });

  it('knows a secret by its redacted quotation, and sees when it was taken out', async () => {
    const token = ['gl', 'pat-', 'q7Zt9mWx2LkP4vBn8RsD'].join('');
    const claim = { rule: 'secret-gitlab', citedText: 'const t = "[redacted]";', movedLine: null };
    expect(await check({ ...claim, text: `\nconst t = "${token}";\n` })).toEqual({ kind: 'still_there', line: 2 });
    expect(await check({ ...claim, movedLine: 2, text: '\nconst t = read();\n' })).toEqual({ kind: 'fixed' });
  });
});
