/**
 * Finds when a test runs, from the conditions around its name: `runIf` and `skipIf` of the test, of its groups, and of
 * the tests that use the table with the name. The code's indentation shows what surrounds a line.
 */

/** `always` includes tests that need a cage, an account or openssl, which `.ci/run` has. `sometimes` needs other features. */
export type When = 'always' | 'sometimes' | 'deep';

const CONDITION = /\.(?:runIf|skipIf)\((.*?)\)(?=[.(]|$)/g;
const CAGE_OR_ACCOUNT = /\b(?:cage|found|getuid|ends|hasOpenssl)\b/;
const DECLARED = /^(?:export )?const (\w+)/;
const CLOSING = /^\s*[\])}]/;

const indentOf = (line: string): number => line.search(/\S|$/);

/** Indices of the line and of the lines that open its surrounding blocks, innermost first. */
const around = (lines: readonly string[], at: number): readonly number[] => {
  const found = [at];
  let indent = indentOf(lines[at] ?? '');
  let isHead = !CLOSING.test(lines[at] ?? '');
  for (let index = at - 1; index >= 0; index -= 1) {
    const line = lines[index] ?? '';
    const wanted = isHead ? indentOf(line) < indent : indentOf(line) === indent;
    if (line.trim() === '' || !wanted) continue;
    found.push(index);
    indent = indentOf(line);
    isHead = !CLOSING.test(line);
  }
  return found;
};

const worst = (all: readonly When[]): When =>
  all.includes('deep') ? 'deep' : all.includes('sometimes') ? 'sometimes' : 'always';

export const best = (all: readonly When[]): When =>
  all.includes('always') ? 'always' : all.includes('sometimes') ? 'sometimes' : 'deep';

const conditionOf = (text: string): When => {
  if (text.includes('DEEP')) return 'deep';
  return CAGE_OR_ACCOUNT.test(text) ? 'always' : 'sometimes';
};

/** When the line at this index runs. `passed`: names of tables that led here. */
export const whenItRuns = (lines: readonly string[], at: number, passed: ReadonlySet<string> = new Set()): When => {
  const heads = around(lines, at).map((index) => lines[index] ?? '');
  const own = heads.flatMap((head) => [...head.matchAll(CONDITION)].map(([, text = '']) => conditionOf(text)));
  const [, table] = DECLARED.exec(heads.at(-1) ?? '') ?? [];
  if (table === undefined || passed.has(table)) return worst(own);
  const uses = new RegExp(`\\b${table}\\b`);
  const users = lines.flatMap((line, index) => (uses.test(line) && DECLARED.exec(line)?.[1] !== table ? [index] : []));
  // A table that is not used in this file is used by an importing file.
  if (users.length === 0) return worst(own);
  return worst([...own, best(users.map((index) => whenItRuns(lines, index, new Set([...passed, table]))))]);
};
