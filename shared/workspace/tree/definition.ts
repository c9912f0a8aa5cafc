import { extname } from 'node:path';

/** The role of a line for an identifier in it, guessed from the text of the line without parsing. */
export type LineRole = 'type_definition' | 'definition' | 'import' | 'use';

type Hints = {
  readonly types: readonly string[];
  readonly definitions: readonly string[];
  readonly imports: readonly string[];
};

/** `@` is a placeholder for the identifier. A keyword anchors each part, so that every expression runs in linear time. */
const SCRIPT: Hints = {
  types: ['\\b(?:class|interface|enum|namespace) +@', '\\btype +@\\b[^=]*='],
  definitions: [
    '\\bfunction *\\*? *@',
    '\\b(?:const|let|var) +@\\b *[:=]',
    '^ *(?:(?:public|private|protected|static|async|get|set|override|readonly) +)*@ *\\([^;]*\\{ *$',
  ],
  imports: ['^ *import\\b', '^ *export\\b[^=]* from ', '\\brequire *\\('],
};
const PYTHON: Hints = {
  types: ['^ *class +@'],
  definitions: ['^ *(?:async +)?def +@', '^@ *(?::[^=]*)?=[^=]'],
  imports: ['^ *(?:from|import)\\b'],
};
const GO: Hints = {
  types: ['^\\s*type +@\\b'],
  definitions: ['^func +(?:\\([^)]*\\) *)?@', '^\\s*(?:var|const) +@\\b', '^\\s*@ *:='],
  imports: ['^import\\b'],
};
const RUST: Hints = {
  types: ['\\b(?:struct|enum|trait|type|union) +@'],
  definitions: ['\\bfn +@', '\\b(?:const|static|mod) +(?:mut +)?@', '\\bmacro_rules! +@', '\\blet +(?:mut +)?@\\b'],
  imports: ['^ *(?:pub +)?use\\b'],
};
const JVM: Hints = {
  types: ['\\b(?:class|interface|enum|record|object|struct|delegate|@interface) +@', '\\btypealias +@'],
  definitions: [
    '\\bfun +(?:[\\w.<>]+\\.)?@',
    '^ *(?:[\\w<>\\[\\],.?]+ +)+@ *\\([^;]*\\{? *$',
    '\\b(?:val|var|const) +@\\b',
  ],
  imports: ['^ *(?:import|using)\\b'],
};
const RUBY: Hints = {
  types: ['^ *(?:class|module) +@'],
  definitions: ['^ *def +(?:self\\.)?@', '^ *@ *=[^=]'],
  imports: ['^ *require'],
};
const PHP: Hints = {
  types: ['\\b(?:class|interface|trait|enum) +@'],
  definitions: ['\\bfunction +&?@', '\\bconst +@'],
  imports: ['^ *(?:use|require|include)\\b'],
};
const C: Hints = {
  types: ['\\b(?:struct|class|union|enum|namespace) +@\\b[^;]*$', '\\btypedef\\b.*\\b@ *;', '\\busing +@ *='],
  definitions: ['^ *# *define +@', '^(?:[\\w:<>*&,]+ +)+[*&]*(?:\\w+::)?@ *\\([^;]*$'],
  imports: ['^ *# *include\\b'],
};

const BY_EXTENSION: ReadonlyMap<string, Hints> = new Map([
  ...['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.vue', '.svelte'].map(
    (at) => [at, SCRIPT] as const,
  ),
  ...['.py', '.pyi'].map((at) => [at, PYTHON] as const),
  ['.go', GO],
  ['.rs', RUST],
  ...['.java', '.kt', '.kts', '.cs', '.scala', '.swift'].map((at) => [at, JVM] as const),
  ['.rb', RUBY],
  ['.php', PHP],
  ...['.c', '.h', '.cc', '.cpp', '.cxx', '.hh', '.hpp'].map((at) => [at, C] as const),
]);

const escapeForExpression = (text: string): string => text.replaceAll(/[$\\^.*+?()[\]{}|]/g, '\\$&');

const matchesOne = (line: string, symbol: string, hints: readonly string[]): boolean =>
  hints.some((hint) => new RegExp(hint.replaceAll('@', `${escapeForExpression(symbol)}(?![\\w$])`), 'u').test(line));

const MAX_LINE_CHARACTERS = 300;

/** Lines in an unknown language always have the role `use`. */
export const roleOfLine = (path: string, line: string, symbol: string): LineRole => {
  const hints = BY_EXTENSION.get(extname(path).toLowerCase());
  const start = line.slice(0, MAX_LINE_CHARACTERS);
  if (hints === undefined) return 'use';
  if (matchesOne(start, symbol, hints.imports)) return 'import';
  if (matchesOne(start, symbol, hints.types)) return 'type_definition';
  return matchesOne(start, symbol, hints.definitions) ? 'definition' : 'use';
};
