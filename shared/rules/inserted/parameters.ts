/** Whether a name is a parameter of the function around its use, which others call by its name. */
import { isFollowed } from './followed-name.ts';
import type { Use } from './local-values.ts';

const MAX_LINES_ABOVE = 400;
const MAX_LINE_CHARACTERS = 300;
const MAX_LINES_OF_HEAD = 12;
const LINE_UNITS = 1;

const WORDS =
  '(?:(?:pub\\([\\w:]{1,30}\\)|export|default|public|private|protected|internal|static|final|abstract|async|override|virtual|suspend|open|inline|pub|unsafe|synchronized)\\s{1,4}){0,5}';
/** A function, and one that is assigned to a name or a property. */
const FUNCTION = new RegExp(`^\\s{0,99}${WORDS}(?:function|def|func|fun|fn)\\b(.*)$`);
const ASSIGNED =
  /^\s{0,99}(?:export\s{1,4})?(?:(?:const|let|var)\s{1,4})?[\w$.]{1,80}\s{0,3}[:=]\s{0,3}(?:async\s{0,3})?((?:function\b|\(|[\w$]{1,60}\s{0,3}=>).*)$/;
const METHOD =
  /^\s{0,99}(?:[\w<>[\],.?]{1,60}(?:::\w{1,40}){0,3}[*&]{0,2}\s{1,4}){0,6}(?:(?<=\w\s{1,4})\*{1,2})?([\w$]{1,60})(\s{0,3}\(.*)$/;
const STATEMENT =
  /^(?:if|elseif|for|foreach|while|switch|catch|using|lock|return|with|new|await|throw|else|echo|print|match|when)$/;

const COMMENT = /\/\*[^*]{0,80}\*\//g;

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** The line from its name on, if the line begins a function that has one; null otherwise. */
const headOf = (text: string): string | null => {
  const [, rest] = FUNCTION.exec(text) ?? ASSIGNED.exec(text) ?? [];
  if (rest !== undefined) return rest;
  const [, name, given] = METHOD.exec(text) ?? [];
  if (name === undefined || given === undefined || /[;,]\s{0,9}$/.test(given)) return null;
  return text
    .trim()
    .split(/\s/)
    .some((word) => STATEMENT.test(word.split('(')[0] ?? ''))
    ? null
    : given;
};

/** What is between the brackets, which may be closed some lines below. */
const listIn = (head: string, lines: readonly string[], index: number): string => {
  let list = '';
  let depth = 0;
  const more = lines.slice(index + 1, index + MAX_LINES_OF_HEAD).map((line) => line.slice(0, MAX_LINE_CHARACTERS));
  const arrow = /^([\w$]{1,60})\s{0,3}=>/.exec(head)?.[1];
  if (arrow !== undefined) return arrow;
  for (const sign of [head, ...more].join('\n')) {
    // Go writes the object of a method in brackets of its own, before the others.
    if (depth === 0 && (/[{:;]/.test(sign) || (sign === '\n' && list !== ''))) break;
    if ('([{'.includes(sign)) depth += 1;
    if (')]}'.includes(sign)) depth -= 1;
    if (depth > 0) list += sign;
  }
  return list;
};

type Line = { readonly text: string; readonly index: number };

/** The lines above that are indented less than those below them, the nearest first. */
const outerLines = function* ({ lines, line, language, work }: Use): Generator<Line> {
  let indent = indentOf(lines[line - 1] ?? '');
  for (let index = line - 2; index >= Math.max(0, line - MAX_LINES_ABOVE); index -= 1) {
    const text = (lines[index] ?? '').slice(0, MAX_LINE_CHARACTERS);
    const own = indentOf(text);
    work?.spend(LINE_UNITS);
    if (text.trim() === '' || own > indent) continue;
    if (own < indent || (language === 'Php' && indent === 0)) yield { text, index };
    // The head of a function may end on a line of its own.
    indent = Math.min(indent, own + (/^\s{0,99}[){]/.test(text) ? 1 : 0));
  }
};

/** A function of PHP does not see the names around it. */
const SEES_NOTHING = /\bfunction\s{1,3}&?\w/;

/** A function that begins and ends on the line. */
const ON_LINE =
  /^\s{0,99}(?:(?:export|const|let|var|return|default)\s{1,4}){0,3}(?:[\w$.]{1,80}\s{0,3}[:=]\s{0,3})?(?:async\s{1,3})?(?:function\b[^()]{0,80}\(([^()]{0,300})\)|\(([^()]{0,300})\)\s{0,3}=>|([\w$]{1,60})\s{0,3}=>)/;

/** Whether the name is a parameter of a function that begins on the line of the use. */
export const isParameterOnLine = (name: string, { lines, line }: Use): boolean => {
  if (!isFollowed(name)) return false;
  const [, ...lists] = ON_LINE.exec((lines[line - 1] ?? '').slice(0, MAX_LINE_CHARACTERS)) ?? [];
  const word = new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$(])`);
  return lists.some((list: string | undefined) => list !== undefined && word.test(list));
};

const MAX_LINES_OF_ANNOTATIONS = 6;
/** Annotations of functions that answer requests, as in Spring, JAX-RS, ASP.NET, Rocket, FastAPI and Flask. */
const ANSWERS =
  /^\s{0,99}(?:@(?:Get|Post|Put|Delete|Patch|Request)Mapping\b|@(?:GET|POST|PUT|DELETE|PATCH|Path)\b|@(?:Get|Post|Put|Delete|Patch|All)\(|\[(?:Http(?:Get|Post|Put|Delete|Patch)|Route|AcceptVerbs)\b|#\[(?:\w{1,20}::)?(?:get|post|put|delete|patch)\(|@\w{1,40}\.(?:route|get|post|put|delete|patch|api_route|websocket)\()/;
const ANNOTATION = /^\s{0,99}(?:@|#?\[|\/\/|\)|["'*])/;
/** Before a parameter that is filled from the request. */
const FILLED =
  '(?:@(?:RequestParam|PathVariable|RequestBody|RequestHeader|CookieValue|ModelAttribute|MatrixVariable|QueryParam|PathParam|FormParam|HeaderParam|CookieParam|BeanParam|QueryValue|Param|Query|Body|Headers)\\b(?:\\([^()]{0,120}\\))?|\\[From(?:Query|Route|Body|Form|Header)\\b[^\\]]{0,60}\\])[^,@[\\]]{0,80}?';
/** After one, the type of an extractor of axum or actix. */
const EXTRACTED = '(?:\\)\\s{0,3})?:\\s{0,3}(?:\\w{1,20}::){0,3}(?:Query|Path|Json|Form|Payload)<';
const CONTROLLER =
  /\bclass\s{1,3}\w{1,80}(?:\([^()]{0,300}\))?\s{0,3}:\s{0,3}(?:\w{1,40}\.){0,5}\w{0,40}(?:Controller|ControllerBase|PageModel)\b/;
/** A route of ASP.NET whose function begins on the line. */
const MAPPED = /\.Map(?:Get|Post|Put|Delete|Patch|Methods)\(.{0,300}?\(([^()]{0,300})\)\s{0,3}=>/;
const LANGUAGES_OF_HANDLERS: ReadonlySet<Use['language']> = new Set([
  'CSharp',
  'Java',
  'Kotlin',
  'Rust',
  'Python',
  'JavaScript',
  'TypeScript',
  'Tsx',
]);

/** Whether the lines right above, up to the last function, have such an annotation. */
const isAnnotated = (lines: readonly string[], index: number): boolean => {
  for (let at = index; at >= Math.max(0, index - MAX_LINES_OF_ANNOTATIONS); at -= 1) {
    const text = (lines[at] ?? '').slice(0, MAX_LINE_CHARACTERS);
    if (ANSWERS.test(text)) return true;
    if (at < index && !ANNOTATION.test(text)) return false;
  }
  return false;
};

/** A public method of a controller is an action. */
const isAction = ({ lines, language }: Use, index: number): boolean =>
  language === 'CSharp' &&
  /^\s{0,99}public\b/.test(lines[index] ?? '') &&
  lines.slice(0, index).some((line) => line.includes('class') && CONTROLLER.test(line.slice(0, MAX_LINE_CHARACTERS)));

/** Whether the name is a parameter that a framework fills from a request: that of an action, or one with such an annotation or type. */
export const isFilledByRequest = (name: string, use: Use): boolean => {
  const { lines, line, language } = use;
  if (!LANGUAGES_OF_HANDLERS.has(language) || !isFollowed(name)) return false;
  const written = name.replaceAll('$', '');
  const word = new RegExp(`(?<![\\w$.])${written}(?![\\w$(])`);
  const filled = new RegExp(`${FILLED}${word.source}|${word.source}${EXTRACTED}`);
  const isMapped = (text: string): boolean => word.test(MAPPED.exec(text.slice(0, MAX_LINE_CHARACTERS))?.[1] ?? '');
  if (isMapped(lines[line - 1] ?? '')) return true;
  for (const { text, index } of outerLines(use)) {
    if (isMapped(text)) return true;
    const head = headOf(text.replaceAll(COMMENT, ''));
    const list = head === null ? '' : listIn(head, lines, index);
    if (!word.test(list)) continue;
    if (filled.test(list) || isAnnotated(lines, index) || isAction(use, index)) return true;
  }
  return false;
};

const RUBY_DEF = /^\s{0,99}def\s/;
const RUBY_BLOCK = /(?:\bdo|\{)\s{0,3}\|([^|]{0,200})\|/;

/**
 * Whether a name of Ruby to which nothing is assigned may be a parameter. In a method it is one if the method or a block in
 * it says so; otherwise it is a call of another method.
 */
export const isParameterOfRuby = (name: string, use: Use): boolean => {
  const word = new RegExp(`(?<![\\w$.@])${name.replaceAll('$', '\\$')}(?![\\w$(])`);
  for (const { text, index } of [{ text: use.lines[use.line - 1] ?? '', index: use.line - 1 }, ...outerLines(use)]) {
    if (word.test(RUBY_BLOCK.exec(text)?.[1] ?? '')) return true;
    if (!RUBY_DEF.test(text)) continue;
    // A list without brackets ends with the line.
    const open = text.indexOf('(');
    const list =
      open < 0 ? text.replace(/^\s{0,99}def\s{1,9}\S{1,99}/, '') : listIn(text.slice(open), use.lines, index);
    return word.test(list);
  }
  return true;
};

/** Looks at the 400 lines above. */
export const isParameterOfFunction = (name: string, use: Use): boolean => {
  if (!isFollowed(name)) return false;
  // Kotlin writes `$` before a name in a string.
  const written = name.replace('$', use.language === 'Php' ? '\\$' : '');
  const word = new RegExp(`(?<![\\w$.])${written}(?![\\w$(])`);
  for (const { text, index } of outerLines(use)) {
    const head = headOf(text.replaceAll(COMMENT, ''));
    if (head === null) continue;
    if (word.test(listIn(head, use.lines, index))) return true;
    if (use.language === 'Php' && SEES_NOTHING.test(text)) return false;
  }
  return false;
};
