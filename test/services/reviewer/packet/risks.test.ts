import { describe, expect, it } from 'vitest';
import { risksOf } from '../../../../services/reviewer/packet/risks.ts';
import { parseDiff } from '../../../../shared/diff/parse/parse.ts';

const patch = (path: string, ...rows: readonly string[]): string => {
  const count = (sign: string): number => rows.filter((row) => row.startsWith(sign) || row.startsWith(' ')).length;
  return [
    `diff --git a/${path} b/${path}`,
    '--- a/' + path,
    '+++ b/' + path,
    `@@ -1,${count('-')} +1,${count('+')} @@`,
    ...rows,
    '',
  ].join('\n');
};

const risks = (...patches: readonly string[]) => risksOf(parseDiff(Buffer.from(patches.join(''))).files);

const LINE = '+const a = 1;';

describe('the risks of a change', () => {
  it.each<[string, readonly string[]]>([
    ['src/auth/user.ts', ['authentication']],
    ['lib/login.rb', ['authentication']],
    ['app/Sessions/Store.php', ['authentication']],
    ['sign-in.js', ['authentication']],
    ['packages/billing/total.go', ['money']],
    ['db/migrate/20260101_add_users.rb', ['migrations']],
    ['migrations/0001_initial.py', ['migrations']],
    ['sql/report.sql', ['migrations']],
    ['src/payment/auth.ts', ['authentication', 'money']],
    ['src/author.ts', []],
    ['src/authors/list.ts', []],
    ['src/pricey/list.ts', []],
    ['docs/auth.md', []],
    ['src/tokens.ts', []],
  ])('follow from the path %s', (path, expected) => {
    expect(risks(patch(path, LINE))).toEqual(expected);
  });

  it.each<[string, readonly string[], readonly string[]]>([
    ['two changed lines', ['+if (isAdmin(user)) {', '+  authorize(user);'], ['authentication']],
    ['removed lines too', ['-  checkPermission();', '-  verifyCsrf(request);', '-  csrfToken = 1;'], []],
    ['removed guards', ['-  if (!user.isAdmin) return;', '-  authenticate(request);'], ['authentication']],
    ['one line is chance', ['+authorize(user);'], []],
    ['comments do not count', ['+// authorize the user', '+// is_admin is set', '+# password'], []],
    ['context does not count', [' authorize(user);', ' authenticate(user);', '+next();'], []],
    [
      'schemas',
      ['+  db.run("ALTER TABLE users ADD x int");', '+  t.dropColumn("y");', '+  add_column :a, :b'],
      ['migrations'],
    ],
    ['money', ['+  const refund = order.balance;', '+  return refundOf(refund);'], ['money']],
  ])('follow from the lines: %s', (_name, rows, expected) => {
    expect(risks(patch('src/main.ts', ...rows))).toEqual(expected);
  });

  it('of a renamed file follow from both names', () => {
    const renamed =
      'diff --git a/src/auth/a.ts b/src/other/a.ts\nsimilarity index 100%\nrename from src/auth/a.ts\nrename to src/other/a.ts\n';
    expect(risks(renamed)).toEqual(['authentication']);
  });

  it('are none in an empty change', () => {
    expect(risksOf([])).toEqual([]);
  });
});
