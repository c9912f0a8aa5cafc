/** Whether a value that is inserted into a string can be chosen by somebody else. */
import type { Builds, BuiltFor } from '../model/rule.ts';
import { type Inserted, insertedValues, piecesOf, textIn, withoutBrackets } from './inserted-values.ts';
import { isCheckedAbove, isCheckedBy } from './checked-values.ts';
import { isDeclaredNumber } from './declared-types.ts';
import { type LocalValues, localValues, type Use } from './local-values.ts';
import { isNumberFunction, isQuotingFunction, withoutUnquoting } from './made-safe.ts';
import { returnedValues } from './returned-values.ts';
import { splitOutside } from './strings.ts';

const NUMBER =
  /^(?:[-\d][\d_.]*|\(?(?:int|integer|float|double)\)\s*.*|(?:int|float|Number|parseInt|parseFloat|intval|floatval|len|count|sizeof|strlen|Integer\.parseInt|Integer\.valueOf|Long\.parseLong|strconv\.Itoa|strconv\.FormatInt|os\.getpid|getpid|Math\.\w+|abs|round|floor|ceil|min|max|range)\s*\(.*\)|\$\$|.*\.(?:length|size|count|pid|to_i|to_f|toFixed\(\d*\)|ordinal\(\)|getTime\(\)))$/s;
const CONSTANT = /^(?:[\w$\\]+(?:\.|::|->))*[A-Z][A-Z0-9_]*$/;
/** A path or property of the process or its machine, as opposed to data that somebody sends. */
const OWN_PLACE =
  /(?:\b__dirname|\b__filename|__DIR__|__FILE__|__file__|\bprocess\.(?:cwd\(\)|execPath|pid|platform|version|arch)|\bimport\.meta\b|\bsys\.(?:executable|platform)|\bos\.getcwd\(\)|\bRails\.(?:root|env)\b|\bDir\.pwd|\bRbConfig\.|\bPHP_BINARY|\bos\.(?:tmpdir|Getwd|TempDir)\(|\bte?mp_?(?:file|dir)\w{0,20}\.(?:Name\(\)|name\b)|\btempfile\.|\bmkdtemp)/;
/** A setting of the operator, who may run any command anyway. */
const SETTING =
  /(?:^|[.$>\s(])(?:config|conf|cfg)(?:uration)?\d?(?:\.|\[|->|::|\()|\bConfig(?:uration)?(?:\.|::)|(?:^|[(\s!])settings(?:\.|\[)|\b(?:os\.environ|process\.env|ENV)\b|\b(?:getenv|env|read_config_option|config_get)\(/;
/** The result of a function that yields only digits, letters and the like: a hash, an id, a time, an encoded value. */
const MADE =
  /^[\w.:>$-]{0,80}(?:[eE]ncrypt|[hH]ash|[dD]igest|[mM][dD]5|[sS][hH][aA]\d{1,3}|[uU]uid|UUID|[gG]uid|[bB]crypt|[cC]hecksum|[cC]rc32|[bB]ase64_?[eE]ncode|toBase64String|hexlify|bin2hex|toHexString|(?:^|[.>:])(?:date|time|now|mktime|strftime|toISOString|urlencode|rawurlencode|encodeURIComponent))\w{0,40}\(.*\)$/s;
/** A function that makes a value safe, whatever its argument is. */
const QUOTING_FUNCTION: Readonly<Record<BuiltFor, RegExp>> = {
  shell: /quote|escape|shlex|shellwords/i,
  sql: /quot|escap|(?:^|[.>:])q$/i,
  html: /escap|sanit|purif|htmlspecialchars|htmlentities|html_?chars/i,
  code: /^(?:JSON\.stringify|json_encode|json\.dumps)$/,
};
/** What a visitor sends to a page. */
const FROM_REQUEST = /\$_(?:GET|POST|REQUEST|COOKIE)\b|\brequest(?:\(\))?->(?:get|input|query|post|cookie)\b/i;
const NAME = /^\$?[A-Za-z_]\w*$/;
/** The program chooses the names of its temporary files. The name of a variable counts only if nothing is known of it. */
const TEMPORARY = /^\$?(?:(?:self|this)(?:\.|->))?_?te?mp_?(?:file|path|dir)(?:_?name)?$/i;
/** A value with a trailing condition, as in `value if test`. */
const MODIFIED = /^(.{1,200}?)\s(?:if|unless)\s/s;
/** What decides between two values. */
const CONDITION = /^([^?]{1,200})\?/s;
const LITERAL_CHOICE = /^[^?]{1,200}\?([^:]{1,200}):(.{1,200})$/s;

/** The id of the user who is signed in, and other ids of his session. The program sets them, whatever he sends. */
const OWN_ID =
  /^(?:(?:\w{1,40}::)?\$?(?:\w{0,20}[lL]ogged\w{0,20}|(?:[cC]urrent|[aA]uth)_?(?:[uU]ser|[mM]ember|[aA]ccount|[aA]dmin))(?:\??\.|->|\[)["':]?|\$_SESSION\[["']?\w{0,40}?|\$?(?:(?:req|request|ctx|context)(?:\.|->))?session(?:\??\.|->|\[)["':]?\w{0,40}?|(?:req|request|ctx|context|self\.request)(?:\.state)?\.user!?\??\.)_?(?:[iI][dD]|pk)["']?\]?$/;

const SAFE: Readonly<Record<BuiltFor, RegExp>> = {
  shell: /quote|escape|shlex|shellwords|\bsh_?arg|\bq\(|(?:\b|_)(?:[pug]id|port|timeout|count)$/i,
  sql: /^sql|^query|\$(?:lang|txt|i18n|l10n)\b|\b_{1,2}\(|\btrans(?:late)?\(|gettext|\w(?:\.|->)id$|quot|escap|ident|sanit|placeholder|literal|bind|param(?:eter)?s?_?(?:list|names|marks)|marks\b|'\?'|"\?"|%s|\b\w{0,40}(?:tables?(?:_?names?)?|schema|columns?|cols|fields?|clauses?|wheres?|conditions?|conds|filters?|order(?:_?by)?|sort|direction|limit|offset|joins?|selects?|sql|query|prefix|suffix|db_?names?|database|index(?:_?name)?|view|relation|constraint|sequence|tbl|engine|collation|charset|interval|period|timestamp)(?:\(.*\))?$/i,
  html: /innerHTML$|outerHTML$|escap|sanit|purif|encod|\bh\(|\bt\(|\b_\(|__\(|\$t\(|i18n|translate|gettext|raw_?html|render|icon|svg|class|style|width|height|color/i,
  code: /JSON\.stringify|json_encode|to_json|json\.dumps|inspect|repr\(/i,
};

/** A position in SQL that accepts a name but no bound parameter, so that the name has to be inserted. */
const NAME_POSITION =
  /(?:\b(?:from|join|into|update|table|exists|database|schema|index|view|on|using|only|truncate|vacuum|analyze|pragma|set|use|type|role|user|sequence|function|trigger|extension|column|by|as|references)\s{1,9}|[.,(]\s{0,9})[`"[]?(?:\w*[._])?$/i;
/** Data that a caller of the program sends. */
const REQUEST =
  /\b(?:req|request|params|query|body|input|argv|args|headers?|cookies?|form|user_?input|ctx|event)\b|\$_(?:GET|POST|REQUEST|COOKIE)/i;

type Judged = Use & {
  readonly builtFor: BuiltFor;
  readonly only?: Builds['only'];
  /** The line of the assignment that has the value, counted from 1. Absent in the statement of the use. */
  readonly from?: number;
  /** A condition that chose the value, and whether it was true. */
  readonly chosenBy?: { readonly condition: string; readonly isTrue: boolean };
};

/** Maximum depth to which names and parts of expressions are resolved. */
const MAX_STEPS = 4;

/** Longer expressions are not analysed, and count as a value that somebody else may choose. */
const MAX_CHARACTERS = 400;

/** Names of what people write. In markup, other values are mostly labels, numbers and names of classes. */
const WRITTEN =
  /(?:name|user|title|comment|query|search|input|value|e?mail|url|href|location|params?|desc(?:ription)?|text|response)s?$/i;
/** The last name of an expression, without the calls and the indexes behind it. */
const lastName = (code: string): string => code.replace(/(?:\[[^\]]{0,99}\]|\([^()]{0,99}\)|[!?;\s]){1,9}$/, '');

const isLabel = (code: string, builtFor: BuiltFor): boolean =>
  builtFor === 'html' &&
  /^[\w$.?[\]'":@>()-]{1,200}$/.test(code) &&
  !WRITTEN.test(lastName(code)) &&
  !REQUEST.test(code);

/** The name of the function if the code is one call and nothing else; null otherwise. */
const calledBy = (code: string): string | null => {
  const open = code.indexOf('(');
  if (open < 1 || !/^[\w.:>$\\-]+$/.test(code.slice(0, open))) return null;
  let depth = 0;
  for (let at = open; at < code.length; at += 1) {
    if (code[at] === '(') depth += 1;
    if (code[at] === ')') depth -= 1;
    if (depth === 0) return at === code.length - 1 ? code.slice(0, open) : null;
  }
  return null;
};

/** Whether the code is a call whose result is harmless for every argument. */
const isMadeSafe = (code: string, builtFor: BuiltFor): boolean => {
  const name = calledBy(code);
  return name !== null && (isNumberFunction(name) || isQuotingFunction(name, QUOTING_FUNCTION[builtFor]));
};

/** Names of functions that read a value from somewhere, for which a constant argument only says where. */
const READS =
  /get|fetch|read|find|load|lookup|param|query|input|form|value|header|cookie|arg|data|request|session|recv|receive|exec|run|item|field|ask|prompt|select|post|env|var|decode|open|call|\b[cr]\./i;

/** A function, or a method of the same object. A method of another value, such as `name.slice(1)`, returns that value. */
const OWN_FUNCTION = /^(?:(?:self|this)\.|\$this->|(?:self|static)::)?[\\A-Za-z_][\w\\]*$/;

/** Whether the code is a call with constants only, of a function of the program that builds text from them. */
const isMadeOfConstants = (code: string, language: Use['language']): boolean => {
  const name = calledBy(code);
  if (name === null || !OWN_FUNCTION.test(name) || READS.test(name.split(/[.:>\\-]/).at(-1) ?? '')) return false;
  const given = splitOutside(code.slice(name.length + 1, -1), ',', language).map((each) => each.trim());
  return given.every((each) => each !== '' && isConstant(each, language));
};

const isConstant = (code: string, language: Use['language']): boolean =>
  /^-?\d[\d_.]{0,30}$/.test(code) || isText(code, language);

/** Whether the code is nothing but string literals. */
const isText = (code: string, language: Use['language']): boolean =>
  piecesOf(code, language)?.every(({ kind }) => kind === 'text') === true;

/** Judges the value by its text only, without looking up names. */
const looksHarmless = ({ code, before }: Inserted, { builtFor, language }: Judged): boolean => {
  if (code === '' || isText(code, language)) return true;
  if (builtFor === 'sql' && OWN_ID.test(code)) return true;
  if (NUMBER.test(code) || CONSTANT.test(code) || isLabel(code, builtFor) || isMadeSafe(code, builtFor)) return true;
  if (REQUEST.test(code)) return false;
  if (builtFor !== 'code' && (MADE.test(code) || isMadeOfConstants(code, language))) return true;
  return (
    OWN_PLACE.test(code) ||
    SETTING.test(code) ||
    SAFE[builtFor].test(withoutUnquoting(code)) ||
    (builtFor === 'sql' && NAME_POSITION.test(before))
  );
};

/**
 * The possible values of the expression: the alternatives of a conditional expression or `||`, or the value before a
 * trailing condition.
 */
const choicesOf = (code: string, language: Use['language']): readonly string[] => {
  const [, kept] = language === 'Ruby' ? (MODIFIED.exec(code) ?? []) : [];
  if (kept !== undefined) return [kept];
  const [, yes, no] = LITERAL_CHOICE.exec(code) ?? [];
  return yes !== undefined && no !== undefined ? [yes, no] : splitOutside(code, '||', language);
};

/** Whether the code builds no string: it is one value, such as a call. */
const isWhole = (code: string, language: Use['language']): boolean => {
  const [first, ...more] = insertedValues(code, language);
  return more.length === 0 && first?.code === code.trim();
};

/** Whether a check at the use, or at the assignment with the value, makes sure of it. */
const isChecked = (code: string, use: Judged): boolean => {
  const { chosenBy, from } = use;
  if (chosenBy !== undefined && isCheckedBy(chosenBy.condition, code, use, chosenBy.isTrue)) return true;
  return isCheckedAbove(code, use) || (from !== undefined && isCheckedAbove(code, { ...use, line: from }));
};

const isHarmless = (value: Inserted, use: Judged, steps: number): boolean => {
  const { code, before } = value;
  const { language } = use;
  if (code.length > MAX_CHARACTERS) return false;
  if (looksHarmless(value, use) || isChecked(code, use)) return true;
  if (steps <= 0) return false;
  const isTemporary = use.builtFor === 'shell' && TEMPORARY.test(code);
  const isPart = (part: string, index = 0): boolean => {
    const chosenBy = condition === undefined ? use.chosenBy : { condition, isTrue: index === 0 };
    return isHarmless({ code: part.trim(), before }, { ...use, chosenBy }, steps - 1);
  };
  const inner = withoutBrackets(code);
  const choices = choicesOf(inner, language);
  const [, condition] = choices.length === 2 ? (CONDITION.exec(inner) ?? []) : [];
  if (choices.length > 1 || choices[0] !== code) return choices.every(isPart);
  if (!NAME.test(code))
    return (
      isTemporary || (!isWhole(code, language) && insertedValues(code, language).every((each) => isPart(each.code)))
    );
  if (isDeclaredNumber(code, use)) return true;
  const found = localValues(code, use);
  if (found.kind === 'unknown') return isTemporary;
  return found.values.every((assigned, index) =>
    insertedValues(assigned, language).every((each) =>
      isHarmless({ code: each.code, before: before + each.before }, { ...use, from: found.at[index] }, steps - 1),
    ),
  );
};

const STATEMENT =
  /\b(?:select\b[\s\S]{1,2000}?\bfrom|insert\s{1,9}into|update\b[\s\S]{1,200}?\bset|delete\s{1,9}from|replace\s{1,9}into)\b/i;
const MARKUP = /<[a-z!/]/i;

/** Whether the text of a string fits the purpose: a name may also hold a string that is built for something else. */
const isFor: Readonly<Record<BuiltFor, (text: string) => boolean>> = {
  shell: (text) => text.trim() !== '',
  sql: (text) => STATEMENT.test(text),
  html: (text) => MARKUP.test(text),
  code: (text) => text.trim() !== '',
};

/** Whether a string with text is assigned to the name above, such as the program that a command starts. */
const holdsText = (name: string, use: Use): boolean => {
  const found = NAME.test(name) ? localValues(name, use) : null;
  return found?.kind === 'values' && found.values.some((value) => textIn(value, use.language).trim() !== '');
};

/**
 * Whether the code inserts a value and adds no text of its own, or of a name. Such a command is judged where the value comes
 * from.
 */
const isWrapper = (code: string, use: Use): boolean =>
  textIn(code, use.language).replaceAll(/[\0\s"']/g, '') === '' &&
  !insertedValues(code, use.language).some((value) => holdsText(value.code, use));

/** Whether the value is data of a request, or a local name that such data is assigned to above. */
const isFromRequest = (code: string, use: Judged, steps: number): boolean => {
  if (FROM_REQUEST.test(code)) return true;
  if (steps <= 0 || !NAME.test(code)) return false;
  const found = localValues(code, use);
  if (found.kind === 'unknown') return false;
  return found.values.some((assigned) =>
    insertedValues(assigned, use.language).some(
      (each) => !isHarmless(each, use, steps - 1) && isFromRequest(each.code, use, steps - 1),
    ),
  );
};

const isChosen = (each: Inserted, use: Judged): boolean =>
  !isHarmless(each, use, MAX_STEPS) && (use.only !== 'request' || isFromRequest(each.code, use, MAX_STEPS));

/** The code of the first value in the expression that somebody else may choose; null if there is none. */
const foreignValue = (expression: string, use: Judged): string | null =>
  insertedValues(expression, use.language).find((each) => isChosen(each, use))?.code ?? null;

/**
 * Every value that somebody else may choose, in the expression or, if it is a name, in what is assigned to
 * the name. If nothing is known of the name, it is the only value.
 */
export const foreignValues = (
  expression: string,
  { for: builtFor, only }: Pick<Builds, 'for' | 'only'>,
  at: Use,
): readonly Inserted[] => {
  const use = { ...at, builtFor, only };
  const code = expression.trim();
  const found: LocalValues = NAME.test(code) ? localValues(code, at) : { kind: 'unknown' };
  const built = found.kind === 'unknown' ? [code] : found.values;
  return built.flatMap((each) => insertedValues(each, at.language).filter((value) => isChosen(value, use)));
};

/** Counts from 0, from the first line of the expression to the one with the first value that somebody else may choose. */
export const linesToForeignValue = (
  expression: string,
  { for: builtFor, only }: Pick<Builds, 'for' | 'only'>,
  at: Use,
): number => {
  const [value = ''] = foreignValue(expression, { ...at, builtFor, only })?.split('\n', 1) ?? [];
  return Math.max(
    0,
    expression.split('\n').findIndex((line) => value !== '' && line.includes(value)),
  );
};

/** Whether the value is a call of a function of the same file that returns a command with such a value. */
const returnsBuilt = (value: string, use: Judged): boolean =>
  returnedValues(value, use).some(
    (returned) =>
      isFor[use.builtFor](textIn(returned.code, use.language)) &&
      !isWhole(returned.code, use.language) &&
      foreignValue(returned.code, { ...use, line: returned.use.line }) !== null,
  );

/**
 * True if the expression builds a string with a value that somebody else may choose. If the expression is a name, the
 * nearest value that is assigned to it above is judged. A name with an unknown value, such as a parameter, counts only
 * if `unknown` is set.
 */
export const insertsForeignValue = (
  expression: string,
  { for: builtFor, unknown, only }: Pick<Builds, 'for' | 'unknown' | 'only'>,
  at: Use,
): boolean => {
  const use = { ...at, builtFor, only };
  const code = expression.trim();
  const isForeign = (value: string): boolean => foreignValue(value, use) !== null;
  if (!NAME.test(code)) return !(builtFor === 'shell' && isWrapper(code, at)) && isForeign(code);
  const found = localValues(code, at);
  if (found.kind === 'unknown') return unknown === 'counts';
  const [value = '', ...before] = found.values;
  if (unknown === 'counts') return isForeign(value);
  const isText = (part: string): boolean => isFor[builtFor](textIn(part, at.language));
  const isBuilt = (part: string): boolean => isText(part) && !isWhole(part, at.language) && isForeign(part);
  if (builtFor === 'shell' && returnsBuilt(value, use)) return true;
  if (builtFor !== 'shell') return isBuilt(value);
  // What is appended to a command with text is a part of it, even if it is only a value.
  const appended = found.values.slice(0, found.appended);
  const hasText = found.values.slice(0, found.appended + 1).some(isText);
  return isBuilt(value) || before.slice(0, found.appended).some(isBuilt) || (hasText && appended.some(isForeign));
};
