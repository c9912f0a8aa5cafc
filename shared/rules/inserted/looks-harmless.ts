/** Whether the text of a value alone shows that nobody else chooses it, or that it is made safe. */
import type { BuiltFor } from '../model/rule.ts';
import { type Inserted, piecesOf } from './inserted-values.ts';
import type { Use } from './local-values.ts';
import { isNumberFunction, isQuotingFunction, withoutUnquoting } from './made-safe.ts';
import { isServerValue } from './server-values.ts';
import { splitOutside } from './strings.ts';

const NUMBER =
  /^(?:[-\d][\d_.]*|\(?(?:int|integer|float|double)\)\s*.*|(?:int|float|Number|parseInt|parseFloat|intval|floatval|len|count|sizeof|strlen|Integer\.parseInt|Integer\.valueOf|Long\.parseLong|strconv\.Itoa|strconv\.FormatInt|os\.getpid|getpid|Math\.\w+|abs|round|floor|ceil|min|max|range)\s*\(.*\)|\$\$|.*\.(?:length|size|count|pid|to_i|to_f|toFixed\(\d*\)|ordinal\(\)|getTime\(\)))$/s;
const CONSTANT = /^(?:[\w$\\]+(?:\.|::|->))*[A-Z][A-Z0-9_]*$/;
/** A path or property of the process or its machine, as opposed to data that somebody sends. */
const OWN_PLACE =
  /(?:\b__dirname|\b__filename|__DIR__|__FILE__|__file__|\bprocess\.(?:cwd\(\)|execPath|pid|platform|version|arch)|\bimport\.meta\b|\bsys\.(?:executable|platform)|\bos\.getcwd\(\)|\bRails\.(?:root|env)\b|\bDir\.pwd|\bRbConfig\.|\bPHP_BINARY|\bos\.(?:tmpdir|Getwd|TempDir)\(|\bte?mp_?(?:file|dir)\w{0,20}\.(?:Name\(\)|name\b)|\btempfile\.|\bmkdtemp|\bAppDomain\.CurrentDomain\b|\bAppContext\.BaseDirectory|\bAssembly\.\w{1,40}\(|\bPath\.(?:GetTempFileName|GetTempPath|GetRandomFileName)\(|\bEnvironment\.(?:CurrentDirectory|ProcessPath|MachineName|UserName|ProcessId|NewLine|GetFolderPath)\b|\bProcess\.GetCurrentProcess\(|\bApplication\.(?:StartupPath|ExecutablePath|ProductVersion)\b|\bos\.Executable\(|\benv::(?:current_exe|current_dir|temp_dir)\(|\bDir\.(?:tmpdir|mktmpdir)|\bTempfile\.|\bTempFile\(|\bSystem\.getProperty\(|\bpackageCodePath\b|\b(?:files|cache)Dir\b|\b__dir__\b|\bGem\.)/;
/** A setting of the operator, who may run any command anyway. */
const SETTING =
  /(?:^|[.$>\s(])(?:config|conf|cfg)(?:uration)?\d?(?:\.|\[|->|::|\()|\bConfig(?:uration)?(?:\.|::)|(?:^|[(\s!])settings(?:\.|\[)|\b(?:APP_CONFIG|SETTINGS|os\.environ|process\.env|ENV)\b|\b(?:getenv|env|read_config_option|config_get)\(/;
/** The result of a function that yields only digits, letters and the like: a hash, an id, a time, an encoded value. */
const MADE =
  /^[\w.:>$-]{0,80}(?:[eE]ncrypt|[hH]ash|[dD]igest|[mM][dD]5|[sS][hH][aA]\d{1,3}|[uU]uid|UUID|[gG]uid|[bB]crypt|[cC]hecksum|[cC]rc32|[bB]ase64_?[eE]ncode|toBase64String|hexlify|bin2hex|toHexString|(?:^|\.)hex\.EncodeToString|(?:^|[.>:])(?:date|time|now|mktime|strftime|toISOString|urlencode|rawurlencode|encodeURIComponent))\w{0,40}\(.*\)$/s;
/** A function that makes a value safe, whatever its argument is. */
const QUOTING_FUNCTION: Readonly<Record<BuiltFor, RegExp>> = {
  shell: /quote|escape|shlex|shellwords/i,
  sql: /quot|escap|(?:^|[.>:])q$|^db_?str(?:ing)?$/i,
  html: /escap|sanit|purif|htmlspecialchars|htmlentities|html_?chars/i,
  code: /^(?:JSON\.stringify|json_encode|json\.dumps)$/,
};
/** The time of the program, also in functions of its own such as `sqltime()`. */
const TIME =
  /^(?:[\w:>$\\-]{1,40}(?:::|->))?(?:(?:sql|unix|db|my)_?(?:time|date|now)(?:stamp)?|time_(?:plus|minus|now)|gmdate|microtime|hrtime|current_(?:time|date)|strtotime|date_i18n)$/i;
/** The id of the user who is signed in, and other ids of his session. The program sets them, whatever he sends. */
const OWN_ID =
  /^(?:(?:\w{1,40}::)?\$?(?:\w{0,20}[lL]ogged\w{0,20}|(?:[cC]urrent|[aA]uth)_?(?:[uU]ser|[mM]ember|[aA]ccount|[aA]dmin))(?:\??\.|->|\[)["':]?|\$_SESSION\[["']?\w{0,40}?|\$?(?:(?:req|request|ctx|context)(?:\.|->))?session(?:\??\.|->|\[)["':]?\w{0,40}?|(?:req|request|ctx|context|self\.request)(?:\.state)?\.user!?\??\.)_?(?:[iI][dD]|pk)["']?\]?$/;
/** A command that opens a file in the editor of the user who starts the program. */
const EDITOR = /^\s{0,9}(?:exec\s{1,3})?["'\\]{0,2}\$\{?(?:VISUAL|EDITOR|BROWSER|PAGER)\b/;
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
  if (name !== null && builtFor === 'sql' && TIME.test(name)) return true;
  return name !== null && (isNumberFunction(name) || isQuotingFunction(name, QUOTING_FUNCTION[builtFor]));
};

/** A list of placeholders, or another constant that is repeated. */
const REPEATED =
  /^(?:strings\.Repeat|str_repeat)\(\s?["'`][^"'`]{0,20}["'`]\s?,|^["'`][^"'`]{0,20}["'`](?:\.repeat\(|\s?\*\s?\w)|^(?:new )?Array\([^()]{0,60}\)\.fill\(["'`][^"'`]{0,20}["'`]\)/;

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

const isOwn = (code: string, builtFor: BuiltFor): boolean =>
  NUMBER.test(code) ||
  REPEATED.test(code) ||
  CONSTANT.test(code) ||
  isServerValue(code) ||
  (builtFor === 'sql' && OWN_ID.test(code));

/** Whether the text before the value is followed by a name, or by a file for the editor of the user. */
const isHarmlessPlace = (before: string, builtFor: BuiltFor): boolean =>
  (builtFor === 'sql' && NAME_POSITION.test(before)) || (builtFor === 'shell' && EDITOR.test(before));

/** Judges the value by its text only, without looking up names. */
export const looksHarmless = (
  { code, before }: Inserted,
  { builtFor, language }: Pick<Use, 'language'> & { readonly builtFor: BuiltFor },
): boolean => {
  if (code === '' || isText(code, language)) return true;
  if (isOwn(code, builtFor) || isLabel(code, builtFor) || isMadeSafe(code, builtFor)) return true;
  if (REQUEST.test(code)) return false;
  if (builtFor !== 'code' && (MADE.test(code) || isMadeOfConstants(code, language))) return true;
  return (
    OWN_PLACE.test(code) ||
    SETTING.test(code) ||
    SAFE[builtFor].test(withoutUnquoting(code)) ||
    isHarmlessPlace(before, builtFor)
  );
};
