/** Makes a set of rules from the files of one source. */
import { createHash } from 'node:crypto';
import { checkExamples } from './check-examples.ts';
import { isLasting, OWN_RULE_LIMITS, type OwnRule, type RuleProblem, type RuleSet, type RuleText } from './own-rule.ts';
import { readRuleText } from './read-rule-text.ts';

/** Sets that were checked, so that a worker runs the examples once for each version of the files. */
const checked = new Map<string, RuleSet>();
const MAX_CHECKED = 50;

const keyOf = (name: string, files: readonly RuleText[]): string =>
  createHash('sha256')
    .update(JSON.stringify([name, files.map(({ path, text }) => [path, text])]))
    .digest('hex');

/**
 * A rule with a mistake is left out and named in `problems`.
 * @throws RulesEngineMissingError; the signal's reason if aborted.
 */
export const loadRules = async (name: string, files: readonly RuleText[], signal: AbortSignal): Promise<RuleSet> => {
  const key = keyOf(name, files);
  const known = checked.get(key);
  if (known !== undefined) return known;
  const read = files.map((file) => readRuleText(name, file));
  const problems = read.flatMap((each) => each.problems);
  const { rules, surplus } = withoutSurplus(read.flatMap((each) => each.rules));
  const { rules: used, problems: wrong } = await checkExamples(rules, signal);
  const set: RuleSet = { name, rules: used, problems: [...problems, ...surplus, ...wrong] };
  if (!isLasting(set)) return set;
  const [oldest] = checked.keys();
  if (checked.size >= MAX_CHECKED && oldest !== undefined) checked.delete(oldest);
  checked.set(key, set);
  return set;
};

const withoutSurplus = (
  all: readonly OwnRule[],
): { readonly rules: readonly OwnRule[]; readonly surplus: readonly RuleProblem[] } => {
  const first = new Map<string, OwnRule>();
  const surplus: RuleProblem[] = [];
  for (const rule of all) {
    const { id, file, languages } = rule;
    const same = first.get(id);
    if (same !== undefined)
      surplus.push({
        file,
        rule: id,
        language: languages[0],
        why: `\`${id}\` is defined twice; the first is in \`${same.file}\``,
      });
    else if (first.size >= OWN_RULE_LIMITS.rules)
      surplus.push({
        file,
        rule: id,
        language: languages[0],
        why: `\`${id}\` is not used, because ${OWN_RULE_LIMITS.rules} rules are the limit`,
      });
    else first.set(id, rule);
  }
  return { rules: [...first.values()], surplus };
};
