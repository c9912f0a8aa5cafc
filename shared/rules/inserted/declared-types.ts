/** Finds the declared type of a parameter or variable in the lines above its use, without a parser. */
import type { GrepLanguage } from '../model/rule.ts';
import type { Use } from './local-values.ts';

const MAX_LINES_ABOVE = 120;
const MAX_LINE_CHARACTERS = 500;

/** Types whose values contain no text of somebody else: numbers, truth values, times and ids. */
const NUMBER_TYPE =
  /^(?:u?int(?:eger)?(?:_?(?:8|16|32|64))?(?:_t)?|u?long|u?short|s?byte|size_t|float(?:32|64)?|double|decimal|bool(?:ean)?|[iu](?:8|16|32|64|128|size)|f32|f64|number|bigint|big_?integer|big_?decimal|uuid|guid|(?:time\.|chrono::)?(?:date|time|datetime|datetimeoffset|timespan|duration|localdate|localdatetime|instant))$/i;
/** Words before a name that are no type. */
const NO_TYPE =
  /^(?:return|new|else|case|in|of|as|is|await|throw|const|let|var|val|def|function|import|not|and|or|if|from|yield|static|final|public|private|protected|readonly|echo|print|global|unset|goto|delete|package|use|where|when)$/;

const STRING = /"[^"]{0,300}"|'[^']{0,300}'/g;

type Form = (name: string) => RegExp;

const TYPE = '([A-Za-z][\\w.]{0,60}(?:<[^<>]{0,40}>)?(?:\\[\\])?)';
/** `int id`, as in Java. */
const BEFORE: Form = (name) => new RegExp(`(?:^|[(,\\s?])${TYPE}\\??\\s{1,3}${name}\\s{0,3}[,)=;:]`);
/** `id: number`, as in TypeScript. */
const AFTER_COLON: Form = (name) => new RegExp(`(?:^|[(,\\s])${name}\\??\\s{0,3}:\\s{0,3}&?${TYPE}`);
/** `id int`, as in Go. */
const AFTER: Form = (name) => new RegExp(`(?:^|[(,\\s])${name}(?:,\\s{0,3}\\w{1,40}){0,5}\\s{1,3}${TYPE}\\s{0,3}[,)=]`);

const FORMS: Partial<Readonly<Record<GrepLanguage, Form>>> = {
  Java: BEFORE,
  CSharp: BEFORE,
  Php: BEFORE,
  C: BEFORE,
  Cpp: BEFORE,
  TypeScript: AFTER_COLON,
  Tsx: AFTER_COLON,
  Kotlin: AFTER_COLON,
  Rust: AFTER_COLON,
  Python: AFTER_COLON,
  Go: AFTER,
};

const MAX_LINES_TO_CHECK = 40;

/** Code after which the check of another branch or function does not count. */
const OTHER_BRANCH = /\belse|!\s{0,3}(?:is_|ctype_)|\bfunction\b/;

/** Whether a use after this code is in the block of the condition that the code follows. */
const isInBlock = (code: string): boolean => {
  let depth = 0;
  for (const sign of code) {
    if (sign === '{') depth += 1;
    if (sign === '}') depth -= 1;
    if (depth <= 0 && (sign === '}' || sign === ';')) return false;
  }
  return true;
};

/**
 * Whether a condition above checks that the variable of PHP is a number, and no other branch begins between the check and
 * the use. A negated check counts behind its block, which ends the function.
 */
const isCheckedNumber = (name: string, { lines, line }: Use): boolean => {
  const check = new RegExp(
    `(!\\s{0,3})?\\b(?:is_int|is_integer|is_numeric|is_float|is_bool|ctype_digit)\\(\\s{0,3}${name.replaceAll('$', '\\$')}\\s{0,3}\\)`,
  );
  const above = lines
    .slice(Math.max(0, line - 1 - MAX_LINES_TO_CHECK), line)
    .map((text) => text.slice(0, MAX_LINE_CHARACTERS));
  return above.some((text, index) => {
    const found = text.includes(name) ? check.exec(text) : null;
    if (found === null) return false;
    const rest = [text.slice(found.index + found[0].length), ...above.slice(index + 1)].map((each, at, all) =>
      at < all.length - 1 ? each.replaceAll(STRING, '""') : beforeText(each),
    );
    const between = rest.join('\n');
    return !OTHER_BRANCH.test(between) && !(found[1] !== undefined && isInBlock(between));
  });
};

/** The part of the line with the use before its first string. */
const beforeText = (text: string): string => text.split(/["'`]/, 1)[0] ?? '';

/** Whether the nearest declaration of the name above its use gives it a type without text. */
export const isDeclaredNumber = (inserted: string, use: Use): boolean => {
  const { lines, line, language, work } = use;
  const form = FORMS[language];
  if (form === undefined) return false;
  work?.spend(MAX_LINES_ABOVE);
  if (language === 'Php' && isCheckedNumber(inserted, use)) return true;
  // In a string of Kotlin, `$` marks the name. In PHP it is a part of it.
  const name = language === 'Php' ? inserted : inserted.replace(/^\$/, '');
  const pattern = form(name.replaceAll('$', '\\$'));
  for (let index = line - 1; index >= Math.max(0, line - MAX_LINES_ABOVE); index -= 1) {
    const text = (lines[index] ?? '').slice(0, MAX_LINE_CHARACTERS).replaceAll(STRING, '""');
    const [, type] = text.includes(name) ? (pattern.exec(text) ?? []) : [];
    if (type !== undefined && !NO_TYPE.test(type)) return NUMBER_TYPE.test(type);
  }
  return false;
};
