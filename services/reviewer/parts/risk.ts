/** Recognises changes in which a mistake does the most damage: authentication, money, migrations. */
import { isCodeLine } from '../../../shared/diff/code-line.ts';
import { hunkLines } from '../../../shared/diff/hunk-lines.ts';
import type { DiffFile } from '../../../shared/diff/model.ts';
import { isProse } from '../../../shared/rules/model/language.ts';

const WORDS = new Set(
  (
    'auth authn authz authentication authorization authorize login logout signin session sessions password passwords ' +
    'oauth oidc saml sso permission permissions privilege privileges acl rbac crypto cipher secret secrets security csrf ' +
    'payment payments pay billing invoice invoices price prices pricing money refund refunds charge charges wallet ledger ' +
    'tax discount discounts migration migrations migrate schema'
  ).split(' '),
);

/** The words of a path: `src/userAuth/reset_password.ts` has `user`, `auth`, `reset` and `password`. */
const wordsIn = (path: string): readonly string[] =>
  path
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);

/** True for SQL files, and for files whose path contains a risky word. */
export const isRisky = (path: string): boolean =>
  !isProse(path) && (/\.sql$/i.test(path) || wordsIn(path).some((word) => WORDS.has(word)));

const LINES: readonly RegExp[] = [
  /\b(?:passwords?|authenticate\w*|authori[sz]e\w*|is_?admin|has_?(?:role|permission)\w*|jwt|bcrypt|argon2|csrf\w*)\b/i,
  /\b(?:refund\w*|invoice\w*|payout\w*|currency|amount_?(?:due|paid|cents)?|charge_?card|balance)\b/i,
  /\b(?:(?:alter|drop|create)\s+table|(?:add|drop|remove|rename)_?column)\b/i,
];

/** A single line may contain such a word by chance. */
const MIN_LINES = 2;

const hasLines = (files: readonly DiffFile[], sign: RegExp): boolean => {
  let count = 0;
  for (const { hunks } of files)
    for (const hunk of hunks)
      for (const { kind, text } of hunkLines(hunk))
        if (kind !== 'context' && isCodeLine(text) && sign.test(text) && ++count >= MIN_LINES) return true;
  return false;
};

/** Decides by the paths and by the changed lines of code. */
export const isRiskyChange = (files: readonly DiffFile[]): boolean => {
  const code = files.filter(({ newPath }) => !isProse(newPath));
  return (
    code.some(({ oldPath, newPath }) => isRisky(oldPath) || isRisky(newPath)) ||
    LINES.some((sign) => hasLines(code, sign))
  );
};
