/** Whether a value that is inserted into a string can be chosen by somebody else. */
import { isFollowed } from './followed-name.ts';
import type { Builds, BuiltFor } from '../model/rule.ts';
import { type Inserted, insertedValues, textIn, withoutBrackets } from './inserted-values.ts';
import { isCheckedAbove, isCheckedBy } from './checked-values.ts';
import { isDeclaredNumber } from './declared-types.ts';
import { type LocalValues, localValues, type Use } from './local-values.ts';
import { looksHarmless } from './looks-harmless.ts';
import { returnedValues } from './returned-values.ts';
import { splitOutside } from './strings.ts';

/** Parts of a statement that the program has assembled. */
const JOINED =
  /^(?:implode|join)\(\s{0,9}(?:"[^"$']{0,20}"|'[^']{0,20}')\s{0,9},\s{0,9}(\$\w{0,40}(?:tables?|columns?|cols|fields?|clauses?|wheres?|conditions?|conds|filters?|joins?|selects?))\s{0,9}\)$/i;
/** What a visitor sends to a page. */
const FROM_REQUEST = /\$_(?:GET|POST|REQUEST|COOKIE)\b|\brequest(?:\(\))?->(?:get|input|query|post|cookie)\b/i;
const NAME = /^\$?[A-Za-z_]\w*$/;
/** The program chooses the names of its temporary files. The name of a variable counts only if nothing is known of it. */
const TEMPORARY = /^\$?(?:(?:self|this)(?:\.|->))?_?te?mp_?(?:file|path|dir)(?:_?name)?$/i;
/** A value with a trailing condition, as in `value if test`. */
const MODIFIED = /^(.{1,200}?)\s(?:if|unless)\s/s;
/** Ends the page instead of a value, as in `isset($all[$a]) ? $a : message('no')`. */
const ENDS_PAGE = /^(?:die|exit|error|abort|fail|message|show_error)\b\s{0,3}\(/i;
/** What decides between two values. */
const CONDITION = /^([^?]{1,200})\?/s;
/** A choice of Python, `a if test else b`. */
const CHOICE_IN_WORDS = /^(.{1,200}?)\sif\s(.{1,200}?)\selse\s(.{1,200})$/s;
const LITERAL_CHOICE = /^[^?]{1,200}\?([^:]{1,200}):(.{1,200})$/s;

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

const MAX_LINES_OF_LIST = 200;
const MAX_LINE_CHARACTERS = 500;

/** Longer expressions are not analysed, and count as a value that somebody else may choose. */
const MAX_CHARACTERS = 400;

/**
 * The possible values of the expression: the alternatives of a conditional expression or `||`, or the value before a
 * trailing condition.
 */
const choicesOf = (code: string, language: Use['language']): readonly string[] => {
  const [, kept] = language === 'Ruby' ? (MODIFIED.exec(code) ?? []) : [];
  if (kept !== undefined) return [kept];
  const [, first, , other] = language === 'Python' ? (CHOICE_IN_WORDS.exec(code) ?? []) : [];
  if (first !== undefined && other !== undefined) return [first, other];
  const [, yes, no] = LITERAL_CHOICE.exec(code) ?? [];
  return yes !== undefined && no !== undefined ? [yes, no] : splitOutside(code, '||', language);
};

/** Whether the code builds no string: it is one value, such as a call. */
const isWhole = (code: string, language: Use['language']): boolean => {
  const [first, ...more] = insertedValues(code, language);
  return more.length === 0 && first?.code === code.trim();
};

const CHANGES_CASE =
  '(?:\\\\?(?:mb_)?(?:strto(?:lower|upper)|trim|ucfirst|lcfirst)|(?:std::)?(?:str|String)|strings\\.(?:ToLower|ToUpper|TrimSpace))';
const CASE_METHOD =
  '(?:\\.|->)(?:to(?:Lower|Upper)(?:Case|Invariant)?|lower|upper|strip|trim|downcase|upcase|to_s|to_sym|lowercase|uppercase)';
const MAX_LINES_TO_ALIAS = 60;

/** Names that hold the value in other letters, as `$b` of `$b = strtolower($a)`: what is checked of one is checked of the other. */
const aliasesOf = (code: string, { lines, line, work }: Use): readonly string[] => {
  if (!NAME.test(code) || !isFollowed(code)) return [];
  const name = code.replaceAll('$', '\\$');
  const assigned = new RegExp(
    `^\\s{0,99}(?:(?:const|let|var|val|final|String|string)\\s{1,3}){0,2}(\\$?[A-Za-z_]\\w{0,60})\\s{0,9}:?=\\s{0,9}(?:${CHANGES_CASE}\\(\\s?${name}\\s?\\)|${name}(?:${CASE_METHOD}(?:\\(\\))?){1,3});?\\s{0,9}$`,
  );
  work?.spend(MAX_LINES_TO_ALIAS);
  return lines.slice(Math.max(0, line - 1 - MAX_LINES_TO_ALIAS), line - 1).flatMap((text) => {
    const [, alias] = text.includes(code) ? (assigned.exec(text.slice(0, MAX_LINE_CHARACTERS)) ?? []) : [];
    return alias === undefined || alias === code ? [] : [alias];
  });
};

/** Whether a check at the use, or at the assignment with the value, makes sure of it. */
const isChecked = (code: string, use: Judged): boolean => {
  const { chosenBy, from } = use;
  if (chosenBy !== undefined && isCheckedBy(chosenBy.condition, code, use, chosenBy.isTrue)) return true;
  if (aliasesOf(code, use).some((alias) => isCheckedAbove(alias, use))) return true;
  return isCheckedAbove(code, use) || (from !== undefined && isCheckedAbove(code, { ...use, line: from }));
};

/** The values that are added to a list above, as in `$where[] = "a = 1"`. */
const itemsAdded = (name: string, { lines, line, work }: Use): readonly string[] => {
  if (!isFollowed(name)) return [];
  const added = new RegExp(`^\\s{0,99}${name.replaceAll('$', '\\$')}\\[\\]\\s{0,9}=(?![=>])(.*)$`);
  work?.spend(MAX_LINES_OF_LIST);
  return lines.slice(Math.max(0, line - 1 - MAX_LINES_OF_LIST), line - 1).flatMap((text) => {
    const [, value] = text.includes(name) ? (added.exec(text.slice(0, MAX_LINE_CHARACTERS)) ?? []) : [];
    return value === undefined ? [] : [value.replace(/;\s{0,9}$/, '').trim()];
  });
};

/** Whether the code joins parts of a statement, none of which inserts a value that somebody else may choose. */
const isAssembled = (code: string, use: Judged, steps: number): boolean => {
  const [, list] = use.builtFor === 'sql' && use.language === 'Php' ? (JOINED.exec(code) ?? []) : [];
  return (
    list !== undefined &&
    itemsAdded(list, use).every((item) =>
      insertedValues(item, use.language).every((each) => isHarmless(each, use, steps - 1)),
    )
  );
};

/** Each value of a choice, which a condition may make sure of; null if the code is none. */
const isHarmlessChoice = ({ code, before }: Inserted, use: Judged, steps: number): boolean | null => {
  const inner = withoutBrackets(code);
  const choices = choicesOf(inner, use.language);
  if (choices.length === 1 && choices[0] === code) return null;
  const inWords = use.language === 'Python' ? CHOICE_IN_WORDS.exec(inner)?.[2] : undefined;
  const condition = choices.length === 2 ? (inWords ?? CONDITION.exec(inner)?.[1]) : undefined;
  return choices.every((choice, index) => {
    const part = { code: choice.trim(), before };
    if (condition === undefined) return isHarmless(part, use, steps - 1);
    return (
      ENDS_PAGE.test(part.code) || isHarmless(part, { ...use, chosenBy: { condition, isTrue: index === 0 } }, steps - 1)
    );
  });
};

/** What is assigned to the name; `isUnknown` if nothing is known of it. */
const isHarmlessName = ({ code, before }: Inserted, use: Judged, steps: number, isUnknown: boolean): boolean => {
  if (isDeclaredNumber(code, use)) return true;
  const found = localValues(code, use);
  if (found.kind === 'unknown') return isUnknown;
  return found.values.every((assigned, index) =>
    insertedValues(assigned, use.language).every((each) =>
      isHarmless(
        { code: each.code, before: before + each.before },
        { ...use, from: found.at[index] ?? use.line },
        steps - 1,
      ),
    ),
  );
};

const isHarmless = (value: Inserted, use: Judged, steps: number): boolean => {
  const { code, before } = value;
  if (code.length > MAX_CHARACTERS) return false;
  if (looksHarmless(value, use) || isChecked(code, use)) return true;
  if (steps <= 0) return false;
  if (isAssembled(code, use, steps)) return true;
  const isTemporary = use.builtFor === 'shell' && TEMPORARY.test(code);
  const choice = isHarmlessChoice(value, use, steps);
  if (choice !== null) return choice;
  if (NAME.test(code)) return isHarmlessName(value, use, steps, isTemporary);
  if (isTemporary) return true;
  if (isWhole(code, use.language)) return false;
  return insertedValues(code, use.language).every((each) =>
    isHarmless({ code: each.code.trim(), before }, use, steps - 1),
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
