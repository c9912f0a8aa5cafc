/** Whether a text that a regular expression is applied to may come from outside of the program. */
import { localValues, type Use } from '../inserted/local-values.ts';

const MAX_CHARACTERS = 400;
const MAX_STEPS = 3;

const LITERAL = /^(?:'[^']*'|"[^"]*"|`[^`$]*`|[-\d][\d_.]*)$/;
/** What the program, its machine, its browser or an exception says. */
const OWN =
  /\b(?:__dirname|__filename|import\.meta|process|cwd|navigator|location|document|window|stdout|stderr|execSync|execFileSync|spawnSync)\b|(?:^|[^\w$.])(?:e|err|error|ex|exception)\.(?:message|stack|code)|\.(?:constructor|name)$|\b(?:readFileSync|readFile|readdirSync|resolve|join|basename|dirname|extname|toISOString|toFixed|toLocale\w{0,20})\(/;
/** The value whose text is taken: `a` of `a.trim()` and of `String(a)`. */
const CALLED = /^(?:[\w$]{1,60}\()?([A-Za-z_$][\w$]{0,60})\b/;

/** True also if nothing is known about the text, as for a parameter. */
export const isForeignText = (code: string, use: Use, steps = MAX_STEPS): boolean => {
  const text = code.trim();
  if (text.length > MAX_CHARACTERS) return true;
  if (text === '' || LITERAL.test(text) || OWN.test(text)) return false;
  const [, name] = CALLED.exec(text) ?? [];
  if (name === undefined || name === 'this' || steps <= 0) return true;
  const found = localValues(name, use);
  return found.kind === 'unknown' || found.values.some((value) => isForeignText(value, use, steps - 1));
};
