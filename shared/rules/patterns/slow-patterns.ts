/** Finds regular expressions that take quadratic time on a text from outside. */
import { localValues, type Use } from '../inserted/local-values.ts';
import { RulesEngineFailedError } from '../model/errors.ts';
import { isForeignText } from './foreign-text.ts';
import { composedPattern } from './composed-patterns.ts';
import { lastNames, namedPatterns, type Pattern, parsePattern } from './named-patterns.ts';
import { createPassedValues } from './passed-patterns.ts';
import { indexedNames, listsOfItem, tablePatterns } from './pattern-tables.ts';
import { analysisCost, takesQuadraticTime } from './takes-quadratic-time.ts';

/** The sum for one file. Patterns in real files cost 10 to 50 each. */
const MAX_UNITS_PER_FILE = 4_000;

/** How often a name is replaced by the values that are assigned to it above, and by how many of them. */
const MAX_STEPS = 1;
const MAX_VALUES = 4;
const NAME = /^[A-Za-z_$][\w$]{0,60}$/;

type Applied = {
  /** The pattern, or the expression that yields it. */
  readonly pattern: string;
  readonly text: string;
};

export type SlowPatterns = (applied: Applied, use: Use) => boolean;

/**
 * Answers for one file, and analyses each of its patterns once. `known` may be shared with other files.
 * The returned function throws RulesEngineFailedError if the file has more patterns than can be analysed.
 */
export const createSlowPatterns = (text: string, known: Map<string, boolean>): SlowPatterns => {
  const charged = new Set<string>();
  let units = 0;
  let named: ReadonlyMap<string, readonly Pattern[]> | null = null;
  const isSlow = ({ source, flags }: Pattern): boolean => {
    const key = `/${source}/${flags}`;
    if (!charged.has(key)) {
      charged.add(key);
      units += analysisCost(source, flags) ?? 0;
      if (units > MAX_UNITS_PER_FILE) throw new RulesEngineFailedError({ reason: 'patterns' });
    }
    const slow = known.get(key) ?? takesQuadraticTime(source, flags);
    known.set(key, slow);
    return slow;
  };
  const passed = createPassedValues(text);
  const patternsOf = (code: string, use: Use, steps = MAX_STEPS): readonly Pattern[] => {
    const literal = parsePattern(code) ?? composedPattern(code, use);
    if (literal !== null) return [literal];
    const indexed = indexedNames(code);
    if (indexed.length > 0) return indexed.flatMap((name) => tablesOf(name, use, steps));
    named ??= namedPatterns(text);
    const all = named;
    return lastNames(code).flatMap((name) => all.get(name) ?? (steps > 0 ? standsFor(name, use, steps) : []));
  };
  /** Those of the table with the name, or of the tables that the name, such as a parameter, stands for. */
  const tablesOf = (name: string, use: Use, steps: number): readonly Pattern[] => {
    const own = tablePatterns(name, text);
    if (own.length > 0 || steps <= 0) return own;
    const found = localValues(name, use);
    const codes =
      found.kind === 'values' ? found.values.slice(0, MAX_VALUES) : passed(name, use.line).map(({ code }) => code);
    return codes
      .flatMap((code) => [...indexedNames(code), ...lastNames(code)])
      .flatMap((each) => (each === name ? [] : tablePatterns(each, text)));
  };
  const standsFor = (name: string, use: Use, steps: number): readonly Pattern[] => {
    const found = localValues(name, use);
    if (found.kind === 'values')
      return found.values
        .slice(0, MAX_VALUES)
        .flatMap((value) => [
          ...patternsOf(value, use, steps - 1),
          ...(NAME.test(value) ? tablePatterns(value, text) : []),
        ]);
    const items = listsOfItem(name, use.lines, use.line).flatMap((list) => tablePatterns(list, text));
    if (items.length > 0) return items;
    return passed(name, use.line).flatMap(({ code, line }) => patternsOf(code, { ...use, line }, steps - 1));
  };
  return ({ pattern, text: subject }, use) => patternsOf(pattern, use).some(isSlow) && isForeignText(subject, use);
};
