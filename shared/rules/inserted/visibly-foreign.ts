/** Whether the code shows that somebody outside the program chooses a value, so that a finding about it is certain. */
import { isFollowed } from './followed-name.ts';
import type { Evidence } from '../model/rule.ts';
import { isCheckedByName } from './checked-values.ts';
import { type Inserted, insertedValues } from './inserted-values.ts';
import { localValues, type Use } from './local-values.ts';
import { withoutCleaned } from './named-checks.ts';
import { isOwnData } from './own-data.ts';
import { readsDatabase, saysOutside } from './outside-words.ts';
import { isFilledByRequest, isParameterOfFunction, isParameterOfRuby } from './parameters.ts';
import { withoutServerValues } from './server-values.ts';
import { takenFrom } from './taken-from.ts';

/** The body of a request, in PHP, by the name of its stream. */
const BODY_STREAM = /["']php:\/\/(?:input|stdin)["']/;
const STRING = /"(?:[^"\\\n]|\\.){0,300}"|'(?:[^'\\\n]|\\.){0,300}'/g;
const NAME = /^\$?[A-Za-z_]\w*$/;
/** Names of numbers, such as `page_count`. */
const NUMBER_NAME =
  /(?:^\$?|_)(?:nums?|numbers?|counts?|limit|offset|page|size|length|index|year|month|day|time|timestamp|date|port|i|j|n)$|\w(?:Count|Limit|Offset|Time|Date|Size|Index)s?$/;
/** Names of ids. Programs in PHP convert an id to a number once, often in another file. */
const ID_NAME = /(?:^\$?|_)[a-z]?ids?$|\wI[dD]s?$/;
/** An id, or a column or method of that name. Who calls the function may have converted it. */
const PARAMETER_ID = /^\$I[dD]s?$/;
/** A text and what is called on it, such as `text` of `text.trim().toLowerCase()`. */
const CALLED_ON =
  /^(\$?[A-Za-z_]\w{0,60})(?:\??(?:\.|->)(?:trim\w{0,10}|[lr]?strip|[lr]just|chomp|tr|to\w{0,20}|replace\w{0,10}|g?sub|slice|substr\w{0,10}|split|join|concat|decode|encode|lower|upper|downcase|upcase|format|value|unwrap|clone)[!?]?(?:\([^()]{0,200}\))?){1,5}$/i;
const CALL = /^([\w.:>$\\-]{1,120})\(([^;{}]{1,300})\)$/;
/** A function that returns the text that it gets, changed a little. Any other function may check it. */
const KEEPS_TEXT =
  /^\\?(?:[lr]?trim|strip_?slashes|strip_tags|str(?:to(?:lower|upper)|val)?|ucfirst|lcfirst|ucwords|(?:raw)?urldecode|utf8_(?:en|de)code|html_entity_decode|(?:mb_)?substr|(?:mb_)?strto(?:lower|upper)|str_replace|String|implode|join)$/;
/** The object that a method belongs to is no value that its caller gives it. */
const OWN_OBJECT = /^(?:self|this|cls|super)$/;
/** A value that is passed on in parts, such as `first, second`. */
const SEPARATOR = /\s{0,9},\s{0,9}/;

const MAX_CHARACTERS = 2_000;
const MAX_STEPS = 5;
const MAX_LINE_CHARACTERS = 500;
const MAX_LINES_TO_LOOP = 40;

/**
 * `known`: the names that were looked up for an evidence, with the number of steps that were left. Another part of the
 * value need not look them up again. `open`: the names whose values are being judged, and whether their earlier value
 * may be a part of these.
 */
type Looked = Use & {
  readonly evidence: Evidence;
  readonly known: Map<string, number>;
  readonly open: Map<string, boolean>;
  /** The value becomes a part of a command or of code, and the arguments of the program are those of the user who starts it. */
  readonly isOfUser?: boolean;
  /** Something undoes what a function has done to the value, such as escaping. */
  readonly isUndone?: boolean;
};

/** Whether a loop above counts with the name, as in `for (x = 2; …)`. */
const isCounted = (name: string, { lines, line }: Use): boolean => {
  if (!isFollowed(name)) return false;
  const loop = new RegExp(
    `\\bfor\\s{0,3}\\(\\s{0,3}(?:let|var|int|auto|size_t)?\\s{0,3}${name.replace('$', '\\$')}\\s{0,3}=\\s{0,3}\\d`,
  );
  return lines
    .slice(Math.max(0, line - MAX_LINES_TO_LOOP), line)
    .some((text) => text.includes(name) && loop.test(text.slice(0, MAX_LINE_CHARACTERS)));
};

const isNumberName = (name: string, use: Use): boolean =>
  NUMBER_NAME.test(name) || (use.language === 'Php' && ID_NAME.test(name)) || isCounted(name, use);

/** The value that methods which keep its text are called on, and what the code builds a string of or chooses from. */
const partsOf = (code: string, language: Use['language']): readonly string[] => {
  const [, on] = CALLED_ON.exec(code.replaceAll(STRING, '""')) ?? [];
  const built = insertedValues(code, language).map((each) => each.code);
  return [...(on === undefined ? [] : [on]), ...built, ...choicesOf(code)].filter((part) => part !== code);
};

/** The possible values of `a || b`, `a ?? b`, `a or b`, `test ? a : b` and `a if test else b`. */
const choicesOf = (code: string): readonly string[] => {
  // An operator in a string chooses nothing.
  const masked = code.replaceAll(STRING, (string) => '"'.padEnd(string.length, '_'));
  const from = /^[^?\n]{1,200}\s\?\s/.exec(masked)?.[0].length ?? 0;
  const parts: string[] = [];
  let at = from;
  for (const { 0: operator, index } of masked.matchAll(
    /\s{1,9}(?:\|\||\?\?|\?:|or|:)\s{1,9}|\sif\s[^\n]{1,200}?\selse\s/g,
  )) {
    if (index < at) continue;
    parts.push(code.slice(at, index));
    at = index + operator.length;
  }
  return [...parts, code.slice(at)];
};

/** What the user of a program gives it himself, who may run any command anyway. */
const ARGUMENTS =
  /\b(?:process\.|sys\.)?argv\b|\bos\.Args\b|\bARG[VF]\b|\bargs\b|\bARGS\b|\barguments?\b|\bstdin\b|\bSTDIN\b|\bSystem\.in\b|\.nextLine\(\)|\bflag\.Args?\(/g;

const ARGUMENTS_ARE_OWN: ReadonlySet<Use['language']> = new Set(['CSharp', 'Kotlin', 'Java', 'Rust', 'Go', 'Ruby']);

const says = (text: string, { language, isOfUser }: Looked): boolean =>
  saysOutside(isOfUser === true ? text.replaceAll(ARGUMENTS, 'own') : text, language);

const MAX_LINES_OF_METHOD = 12;

/** Whether a method of Ruby with this name, without parameters, says that its value is from outside. */
const isMethodOfOutside = (name: string, looked: Looked): boolean => {
  const { lines, language, work } = looked;
  if (language !== 'Ruby' || !isFollowed(name)) return false;
  const head = new RegExp(`^(\\s{0,99})def\\s{1,3}(?:self\\.)?${name.replaceAll('$', '\\$')}\\s{0,9}(?:\\(\\s?\\))?$`);
  work?.spend(lines.length * 0.1);
  const at = lines.findIndex((line) => line.includes(name) && head.test(line.slice(0, MAX_LINE_CHARACTERS)));
  if (at < 0) return false;
  const below = lines.slice(at + 1, at + MAX_LINES_OF_METHOD);
  const end = below.findIndex((line) => /^\s{0,99}end\b/.test(line) && indentOf(line) <= indentOf(lines[at] ?? ''));
  return below.slice(0, end < 0 ? undefined : end).some((line) => says(line.replaceAll(STRING, '""'), looked));
};

/** What reads into a variable of C, or returns what others wrote. */
const READS_IN_C = String.raw`(?:f?gets|f?scanf|sscanf|recv\w{0,10}|read|getline|getdelim|fread)\s{0,3}\([^;]{0,200}?`;
const RETURNS_IN_C = String.raw`\s{0,3}=[^;]{0,200}?\b(?:getenv|argv|optarg|readline|recv|cgi\w{0,20})\b`;

const isReadInC = (name: string, { lines, line, work }: Looked): boolean => {
  if (!isFollowed(name) || !/^\w+$/.test(name)) return false;
  const read = new RegExp(`${READS_IN_C}\\b${name}\\b|\\b${name}${RETURNS_IN_C}`);
  work?.spend(MAX_LINES_TO_LOOP);
  return lines
    .slice(Math.max(0, line - 1 - MAX_LINES_TO_LOOP), line)
    .some((text) => text.includes(name) && read.test(text.slice(0, MAX_LINE_CHARACTERS)));
};

/** Whether a name to which nothing is assigned is a parameter, as far as the language shows it. */
const isParameterIn = (name: string, looked: Looked): boolean => {
  if (looked.language === 'Ruby') return isParameterOfRuby(name, looked);
  if (looked.language !== 'C' && looked.language !== 'Cpp') return true;
  return isReadInC(name, looked) || isParameterOfFunction(name, looked);
};

const isParameter = (name: string, looked: Looked): boolean => {
  if (!OWN_OBJECT.test(name) && isFilledByRequest(name, looked)) return true;
  if (looked.evidence === 'outside' || OWN_OBJECT.test(name) || isNumberName(name, looked)) return false;
  if (looked.evidence === 'outside or parameter') return isParameterIn(name, looked);
  return !(looked.language === 'Php' && PARAMETER_ID.test(name)) && isParameterOfFunction(name, looked);
};

const isSeenName = (name: string, looked: Looked, steps: number): boolean => {
  const { known, open } = looked;
  // The value of the name is made from an earlier one, such as that of the parameter; over another name, it is not known which.
  const isEarlier = open.get(name) === true || (open.has(name) && [...open.keys()].at(-1) !== name);
  if (isEarlier) return isParameter(name, looked);
  const key = `${looked.evidence} ${name}`;
  if ((known.get(key) ?? 0) >= steps) return false;
  known.set(key, steps);
  const found = localValues(name, looked);
  if (found.kind === 'unknown') {
    if (says(name, looked) || isMethodOfOutside(name, looked)) return true;
    const whole = takenFrom(name, looked);
    const isTaken = whole !== null && isSeen(whole, { ...looked, evidence: 'outside' }, steps - 1);
    return isTaken || isParameter(name, looked);
  }
  open.set(name, !found.isWhole);
  const isForeign = found.values.some((value) => isSeen(value, looked, steps - 1));
  open.delete(name);
  return isForeign;
};

/** The first name of `user.name`, `data['name']` and `all.get("name")`. */
const ROOT = /^(?:await\s{1,9})?[&*]?(\$?[A-Za-z_]\w{0,60})(?:\??\.|!\.|->|::|\[)/;

/** A part of a value is from outside if the value is. What a part of a parameter holds is not known, unlike the parameter. */
const isPartOfSeen = (code: string, looked: Looked, steps: number): boolean => {
  const [, root] = ROOT.exec(code) ?? [];
  return root !== undefined && !looked.open.has(root) && isSeenName(root, { ...looked, evidence: 'outside' }, steps);
};

/** Whether the words say it. A name that begins the text says nothing if something is assigned to it above. */
const isSaid = (text: string, looked: Looked): boolean => {
  if (!says(text, looked)) return false;
  const [, root] = ROOT.exec(text) ?? [];
  if (root === undefined || !says(`${root}.a`, looked)) return true;
  return localValues(root, looked).kind === 'unknown' || says(text.replace(root, 'a'), looked);
};

/** Whether the function undoes what another one may have done. */
const UNDOES = /strip_?slashes|un_?escape|un_?quote|decode/i;

/** A decoder of text. What a parser makes of it may be anything. */
const DECODES =
  /(?:^|[.:>])(?:base64_?decode|(?:urlsafe_?|strict_?)?(?:b64|decode64)(?:_?decode)?|decode64|atob|unescape|unquote|decodeURI(?:Component)?)$/i;

/** Whether an argument is seen if the code is one call and nothing else. */
const isSeenGiven = (plain: string, looked: Looked, steps: number): boolean => {
  const [, called = '', given = ''] = CALL.exec(plain) ?? [];
  const evidence = KEEPS_TEXT.test(called) || DECODES.test(called) ? looked.evidence : 'outside';
  const inner = { ...looked, evidence, isUndone: looked.isUndone === true || UNDOES.test(called) };
  return given.split(SEPARATOR).some((each) => each !== '' && isSeen(each, inner, steps));
};

const isSeen = (code: string, looked: Looked, steps: number): boolean => {
  if (code.length > MAX_CHARACTERS) return false;
  looked.work?.spend(code.length);
  const text = withoutServerValues(looked.isUndone === true ? code.trim() : withoutCleaned(code.trim()));
  if (looked.isUndone !== true && isCheckedByName(text, looked)) return false;
  const plain = text.replaceAll(STRING, '""');
  if (readsDatabase(plain)) return false;
  if (BODY_STREAM.test(text) || (!NAME.test(text) && isSaid(plain, looked))) return true;
  if (steps <= 0) return false;
  if (NAME.test(text)) return isSeenName(text, looked, steps);
  const isPart = (part: string): boolean => isSeen(part, looked, steps - 1);
  return (
    partsOf(text, looked.language).some(isPart) ||
    isSeenGiven(plain, looked, steps - 1) ||
    isPartOfSeen(text, looked, steps - 1)
  );
};

const MAX_LINES_ABOVE = 300;
const SHELL_FUNCTION = /^\s{0,20}(?:function\s{1,9}[\w:.-]{1,99}|[\w:.-]{1,99}\s{0,3}\(\))/;
const END_OF_BLOCK = /^\s{0,99}\}/;

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** Whether a function begins and ends on the line. */
const isClosed = (text: string): boolean => text.includes('}') && text.split('}').length >= text.split('{').length;

/** Whether the line of the script is in a function, whose arguments are those that the script gives it. */
const isInShellFunction = ({ lines, line }: Use): boolean => {
  // The indent of the end of a block above. A function that is indented as much, or more, has ended.
  let ended = Number.POSITIVE_INFINITY;
  for (let index = line - 1; index >= Math.max(0, line - MAX_LINES_ABOVE); index -= 1) {
    const text = (lines[index] ?? '').slice(0, 300);
    const isAbove = index < line - 1;
    if (isAbove && END_OF_BLOCK.test(text)) ended = Math.min(ended, indentOf(text));
    if (!SHELL_FUNCTION.test(text) || (isAbove && isClosed(text))) continue;
    if (indentOf(text) < ended) return true;
  }
  return false;
};

/** Before a value that a statement compares or stores as text. */
const IN_QUOTES = /'%?$/;
const IN_QUOTES_OF_PHP = /['"]%?$/;

const quotesOf = (language: Use['language']): RegExp => (language === 'Php' ? IN_QUOTES_OF_PHP : IN_QUOTES);

/** The last name of `$group['gid']` and `$row->id`. */
const LAST_NAME = /(\w{1,60})["']?\]?$/;

/**
 * Whether one of the values is inserted between quotes, so that it is text, and is neither a number or an id by its name nor
 * what the program itself keeps.
 */
export const isText = (values: readonly Inserted[], use: Use): boolean =>
  values.some(
    ({ code, before }) =>
      quotesOf(use.language).test(before) &&
      !isNumberName(LAST_NAME.exec(code.slice(-100))?.[1] ?? '', use) &&
      !isOwnData(code, use),
  );

/**
 * Whether one of the values is from outside, by the words of the code or of what was assigned to its names above. The
 * code does not show who calls a function, so the rule says whether a parameter counts: never, always, or as text in quotes.
 */
export const isVisiblyForeign = (
  values: readonly Inserted[],
  evidence: Evidence,
  use: Use,
  isRun: boolean = false,
): boolean => {
  if (use.language === 'Bash')
    return values.some(({ code }) => /\$\((?:curl|wget)\b/.test(code)) || !isInShellFunction(use);
  const quoted = quotesOf(use.language);
  const known = new Map<string, number>();
  return values.some(({ code, before }) => {
    const asked = evidence === 'outside or text' && !quoted.test(before) ? 'outside' : evidence;
    const isOfUser = isRun && ARGUMENTS_ARE_OWN.has(use.language);
    return isSeen(code, { ...use, evidence: asked, known, open: new Map(), isOfUser }, MAX_STEPS);
  });
};
