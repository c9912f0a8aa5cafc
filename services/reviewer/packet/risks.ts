/** Recognises changes in which a mistake does most damage, by the paths and the changed lines. */
import { isCodeLine, isProseFile } from '../../../shared/diff/code-line.ts';
import { hunkLines } from '../../../shared/diff/hunk-lines.ts';
import type { DiffFile } from '../../../shared/diff/model.ts';

export type Risk = 'authentication' | 'money' | 'migrations';

type Signs = {
  /** Applied to each part of the path, in lower case. */
  readonly path: RegExp;
  /** Applied to each changed line of code. */
  readonly line: RegExp;
};

const SIGNS: Readonly<Record<Risk, Signs>> = {
  authentication: {
    path: /^(?:o?auth|authn|authz|login|logout|sign-?in|sessions?|passwords?|permissions?|acl|rbac|jwt|csrf|crypto)(?:$|[-_.])/,
    line: /\b(?:passwords?|authenticate\w*|authori[sz]e\w*|is_?admin|has_?(?:role|permission)\w*|jwt|bcrypt|argon2|csrf\w*)\b/i,
  },
  money: {
    path: /^(?:payments?|billing|invoices?|checkout|refunds?|ledgers?|wallets?|payouts?|prices?|pricing)(?:$|[-_.])/,
    line: /\b(?:refund\w*|invoice\w*|payout\w*|currency|amount_?(?:due|paid|cents)?|charge_?card|balance)\b/i,
  },
  migrations: {
    path: /^(?:migrations?|migrate)(?:$|[-_.])|\.sql$/,
    line: /\b(?:(?:alter|drop|create)\s+table|(?:add|drop|remove|rename)_?column)\b/i,
  },
};

// The cast is safe because the names are the keys of the object.
const RISKS = Object.keys(SIGNS) as readonly Risk[];

/** One line may mention such a word by chance. */
const MIN_LINES = 2;

const hasPath = ({ newPath, oldPath }: DiffFile, { path }: Signs): boolean =>
  [newPath, oldPath].some((each) =>
    each
      .toLowerCase()
      .split('/')
      .some((part) => path.test(part)),
  );

const countLines = (files: readonly DiffFile[], { line }: Signs): number => {
  let count = 0;
  for (const { hunks } of files)
    for (const hunk of hunks)
      for (const { kind, text } of hunkLines(hunk))
        if (kind !== 'context' && isCodeLine(text) && line.test(text)) count += 1;
  return count;
};

/** In the order of `Risk`. Documents are left out. */
export const risksOf = (files: readonly DiffFile[]): readonly Risk[] => {
  const code = files.filter(({ newPath }) => !isProseFile(newPath));
  return RISKS.filter((risk) => {
    const signs = SIGNS[risk];
    return code.some((file) => hasPath(file, signs)) || countLines(code, signs) >= MIN_LINES;
  });
};
