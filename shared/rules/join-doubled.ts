/** Joins findings of several tools about the same defect, so that there is one thread about it. */
import { analyzerOf } from '../vocabulary/analyzer.ts';
import { similarity } from '../rounds/duplicates/duplicates.ts';
import { MAX_ALSO_RULES } from '../vocabulary/finding.ts';
import { cutWithNotice } from '../text/cut.ts';
import type { RuleFinding, RuleHit } from './model/rule.ts';
import { weaknessesOf } from './weaknesses.ts';

/** A finding and the hit that it is made of. */
export type Reported = { readonly finding: RuleFinding; readonly hit: RuleHit };

/** Higher than for two claims of a model: two tools report about one line, and often with the names of its code. */
const MIN_SIMILARITY = 0.9;

const isSaidAlike = (one: RuleFinding, other: RuleFinding): boolean =>
  similarity(claimOf(one), claimOf(other)) >= MIN_SIMILARITY;

const claimOf = (finding: RuleFinding) => ({
  place: finding,
  title: finding.title,
  body: finding.body,
  citedCode: finding.evidence,
});

/**
 * Findings of one source never count as doubled, because a tool reports two problems on a line as two. Two sources mean
 * the same if they name the same weakness, or if at least one names none and their words are nearly the same. Own rules
 * stay apart, because no source of them may change what another tool reports.
 */
const isDoubled = (one: Reported, other: Reported): boolean => {
  if (one.finding.path !== other.finding.path || one.finding.line !== other.finding.line) return false;
  if (one.hit.startLine !== other.hit.startLine || sourceOf(one) === sourceOf(other)) return false;
  if (one.hit.own === true || other.hit.own === true) return false;
  const [cwes, others] = [weaknessesOf(one.hit), weaknessesOf(other.hit)];
  if (cwes.length > 0 && others.length > 0) return cwes.some((cwe) => others.includes(cwe));
  return isSaidAlike(one.finding, other.finding);
};

/** An analyzer; null for the built-in rules. */
const sourceOf = ({ finding: { rule } }: Reported): string | null => analyzerOf(rule);

type Group = { readonly owner: Reported; readonly also: Reported[] };

/** The owner is checked again in later reviews. A built-in rule comes first, because it needs no cage and no CI. */
export const joinDoubled = (reported: readonly Reported[]): readonly RuleFinding[] => {
  const groups = new Map<string, Group[]>();
  for (const each of [...reported].toSorted(builtInFirst)) {
    const { path, line } = each.finding;
    const here = groups.get(JSON.stringify([path, line])) ?? [];
    groups.set(JSON.stringify([path, line]), here);
    const group = here.find(({ owner, also }) => isDoubled(owner, each) && hasRoom(also, each));
    if (group === undefined) here.push({ owner: each, also: [] });
    else group.also.push(each);
  }
  return [...groups.values()].flat().map(joined);
};

const builtInFirst = (one: Reported, other: Reported): number =>
  Number(sourceOf(one) !== null) - Number(sourceOf(other) !== null);

const hasRoom = (also: readonly Reported[], more: Reported): boolean =>
  also.length < MAX_ALSO_RULES && also.every((each) => sourceOf(each) !== sourceOf(more));

const MAX_BODY = 8_000;

const joined = ({ owner: { finding }, also }: Group): RuleFinding => {
  if (also.length === 0) return finding;
  const all = [finding, ...also.map((each) => each.finding)];
  const [gravest = finding.severity] = all.map(({ severity }) => severity).toSorted();
  const body = [finding.body, ...also.map(saidAgain)].join('\n\n');
  return {
    ...finding,
    severity: gravest,
    blocking: all.some(({ severity, blocking }) => severity === gravest && blocking),
    body: cutWithNotice(body, MAX_BODY, (piece) => piece),
    alsoRules: also.map(({ finding: { rule } }) => rule),
  };
};

const saidAgain = ({ finding: { rule, title, body } }: Reported): string =>
  `Also reported by \`${rule}\`: ${title}\n\n${body}`;
