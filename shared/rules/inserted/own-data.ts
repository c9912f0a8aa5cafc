/** Whether a value is what the program itself keeps: a row of its database, or an item of the session. */
import { localValues, type Use } from './local-values.ts';
import { readsDatabase } from './outside-words.ts';
import { takenFrom } from './taken-from.ts';

const SESSION = /^\$_SESSION\b|^(?:\$this->)?\$?session(?:\(\))?(?:->|\[)/i;
/** What other methods return of a result. */
const ROWS =
  /(?:->|::)(?:next_?record|next_?row|to_array|collect|result(?:_array)?|row(?:_array)?|single|resultset)\s{0,3}\(/i;
const ROOT = /^(\$[A-Za-z_]\w{0,60})(?:->|\[|$)/;
const MAX_LINES_ABOVE = 60;
const MAX_LINE_CHARACTERS = 500;
const MAX_STEPS = 3;

const isKept = (code: string): boolean => SESSION.test(code) || readsDatabase(code) || ROWS.test(code.slice(0, 200));

/** What a loop above reads into the name, as in `while ($row = $result->fetch())`; null if none does. */
const readInLoop = (name: string, { lines, line, work }: Use): string | null => {
  const loop = new RegExp(
    `\\b(?:while|if)\\s{0,3}\\(+\\s{0,3}${name.replace('$', '\\$')}\\s{0,3}=(?!=)\\s{0,3}(.{1,300})$`,
  );
  work?.spend(MAX_LINES_ABOVE);
  for (let index = line - 1; index >= Math.max(0, line - MAX_LINES_ABOVE); index -= 1) {
    const text = (lines[index] ?? '').slice(0, MAX_LINE_CHARACTERS);
    const [, value] = text.includes(name) ? (loop.exec(text) ?? []) : [];
    if (value !== undefined) return value;
  }
  return null;
};

/** `code`: in PHP. */
export const isOwnData = (code: string, use: Use, steps: number = MAX_STEPS): boolean => {
  const text = code.trim();
  if (isKept(text)) return true;
  const [, root] = ROOT.exec(text) ?? [];
  if (root === undefined || root === '$this' || steps <= 0) return false;
  const found = localValues(root, use);
  if (found.kind === 'values') return found.values.every((value) => isOwnData(value, use, steps - 1));
  const whole = readInLoop(root, use) ?? takenFrom(root, use);
  return whole !== null && whole !== text && isOwnData(whole, use, steps - 1);
};
