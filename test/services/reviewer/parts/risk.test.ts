import { describe, expect, it } from 'vitest';
import { isRiskyChange } from '../../../../services/reviewer/parts/risk.ts';
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

const isRisk = (...patches: readonly string[]) => isRiskyChange(parseDiff(Buffer.from(patches.join(''))).files);

const LINE = '+const a = 1;';

describe('the risk of a change', () => {
  it.each<[string, boolean]>([
    ['src/auth/user.ts', true],
    ['lib/login.rb', true],
    ['app/Sessions/Store.php', true],
    ['signin.js', true],
    ['packages/billing/total.go', true],
    ['db/migrate/20260101_add_users.rb', true],
    ['migrations/0001_initial.py', true],
    ['sql/report.sql', true],
    ['src/payment/auth.ts', true],
    ['src/author.ts', false],
    ['src/authors/list.ts', false],
    ['src/pricey/list.ts', false],
    ['docs/auth.md', false],
    ['src/tokens.ts', false],
  ])('follow from the path %s', (path, expected) => {
    expect(isRisk(patch(path, LINE))).toBe(expected);
  });

  it.each<[string, readonly string[], boolean]>([
    ['two changed lines', ['+if (isAdmin(user)) {', '+  authorize(user);'], true],
    ['removed lines too', ['-  checkPermission();', '-  verifyCsrf(request);', '-  csrfToken = 1;'], false],
    ['removed guards', ['-  if (!user.isAdmin) return;', '-  authenticate(request);'], true],
    ['one line is chance', ['+authorize(user);'], false],
    ['comments do not count', ['+// authorize the user', '+// is_admin is set', '+# password'], false],
    ['context does not count', [' authorize(user);', ' authenticate(user);', '+next();'], false],
    ['schemas', ['+  db.run("ALTER TABLE users ADD x int");', '+  t.dropColumn("y");', '+  add_column :a, :b'], true],
    ['money', ['+  const refund = order.balance;', '+  return refundOf(refund);'], true],
  ])('follow from the lines: %s', (_name, rows, expected) => {
    expect(isRisk(patch('src/main.ts', ...rows))).toBe(expected);
  });

  it('of a renamed file follow from both names', () => {
    const renamed =
      'diff --git a/src/auth/a.ts b/src/other/a.ts\nsimilarity index 100%\nrename from src/auth/a.ts\nrename to src/other/a.ts\n';
    expect(isRisk(renamed)).toBe(true);
  });

  it('are none in an empty change', () => {
    expect(isRiskyChange([])).toBe(false);
  });
});
