/**
 * When a test runs, read off the conditions around its name: `runIf` and `skipIf` of the test and of the groups around
 * it, and of the tests that go through the table in which it stands. The format of the code tells what is around a line.
 */

/** `always` counts also what only wants a cage or an account: `.ci/run` has both. `sometimes` wants more of the machine. */
export type When = 'always' | 'sometimes' | 'deep';

const CONDITION = /\.(?:runIf|skipIf)\((.*?)\)(?=[.(]|$)/g;
const CAGE_OR_ACCOUNT = /\b(?:cage|found|getuid|ends)\b/;
const DECLARED = /^(?:export )?const (\w+)/;
const CLOSING = /^\s*[\])}]/;

const indentOf = (line: string): number => line.search(/\S|$/);

/** Indices of the line itself and of the heads of what is around it, innermost first. */
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

/** Of one that stands at several places. */
export const best = (all: readonly When[]): When =>
  all.includes('always') ? 'always' : all.includes('sometimes') ? 'sometimes' : 'deep';

const conditionOf = (text: string): When => {
  if (text.includes('DEEP')) return 'deep';
  return CAGE_OR_ACCOUNT.test(text) ? 'always' : 'sometimes';
};

/** Of the line at this index. `passed`: names of tables that led here. */
export const whenItRuns = (lines: readonly string[], at: number, passed: ReadonlySet<string> = new Set()): When => {
  const heads = around(lines, at).map((index) => lines[index] ?? '');
  const own = heads.flatMap((head) => [...head.matchAll(CONDITION)].map(([, text = '']) => conditionOf(text)));
  const [, table] = DECLARED.exec(heads.at(-1) ?? '') ?? [];
  if (table === undefined || passed.has(table)) return worst(own);
  const uses = new RegExp(`\\b${table}\\b`);
  const users = lines.flatMap((line, index) => (uses.test(line) && DECLARED.exec(line)?.[1] !== table ? [index] : []));
  // What nobody uses here is used by who imports it.
  if (users.length === 0) return worst(own);
  return worst([...own, best(users.map((index) => whenItRuns(lines, index, new Set([...passed, table]))))]);
};
