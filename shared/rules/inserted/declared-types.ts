/** Finds the declared type of a parameter or variable in the lines above its use, without a parser. */
import { isFollowed } from './followed-name.ts';
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

/** Whether the nearest declaration of the name above its use gives it a type without text. */
export const isDeclaredNumber = (inserted: string, use: Use): boolean => {
  const { lines, line, language, work } = use;
  const form = FORMS[language];
  if (form === undefined || !isFollowed(inserted)) return false;
  work?.spend(MAX_LINES_ABOVE);
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
