/**
 * Merges the findings of the built-in rules into a model's review: a rule's finding is kept even if the model
 * contradicts it.
 */
import { isGrave } from '../../../shared/rounds/model/blocking.ts';
import { placesOverlap, similarity } from '../../../shared/rounds/duplicates/duplicates.ts';
import type { DraftFinding, ReportedFix, ThreadAnswer } from '../../../shared/vocabulary/finding.ts';
import type { RulesReview } from '../../../shared/rules/review-by-rules.ts';
import type { SettledReview } from '../../../shared/rules/review-settled.ts';
import { cutWithNotice } from '../../../shared/text/cut.ts';
import type { PacketThread } from '../packet/packet.ts';
import { collapseBlanks } from '../../../shared/text/collapse-blanks.ts';

const claimOf = (finding: DraftFinding) => ({
  place: finding,
  title: finding.title,
  body: finding.body,
  citedCode: finding.evidence,
});

/** Minimum length of a quote; a shorter one, such as a bracket, occurs in every line. */
const MIN_QUOTATION = 4;

const holds = (text: string, quotation: string): boolean =>
  quotation.length >= MIN_QUOTATION && text.includes(quotation);

const quotesLine = (model: DraftFinding, rule: DraftFinding): boolean => {
  const [one, other] = [collapseBlanks(model.evidence), collapseBlanks(rule.evidence)];
  return model.line === rule.line && (holds(one, other) || holds(other, one));
};

const saysTheSame = (model: DraftFinding, rule: DraftFinding, threshold: number): boolean =>
  similarity(claimOf(model), claimOf(rule)) >= threshold;

const isGraver = (model: DraftFinding, rule: DraftFinding): boolean => model.severity < rule.severity;

/** Similar wording alone cannot raise the severity, because that would be a claim without evidence. */
const isSame = (model: DraftFinding, rule: DraftFinding, threshold: number): boolean =>
  placesOverlap(model, rule) &&
  (quotesLine(model, rule) || (saysTheSame(model, rule, threshold) && !isGraver(model, rule)));

/**
 * Keeps each rule's finding with its place, relation and quote. A model's finding on the same line is merged into it: the
 * higher severity is used, and text that differs is added.
 */
export const mergeFindings = (
  rules: readonly DraftFinding[],
  model: readonly DraftFinding[],
  threshold: number,
): readonly DraftFinding[] => {
  const pairs = model.map((finding) => ({ finding, rule: rules.find((rule) => isSame(finding, rule, threshold)) }));
  const merged = rules.map((rule) =>
    pairs
      .filter((pair) => pair.rule === rule)
      .reduce((sum: DraftFinding, { finding }) => join(sum, finding, saysTheSame(finding, rule, threshold)), rule),
  );
  return [...merged, ...pairs.flatMap(({ finding, rule }) => (rule === undefined ? [finding] : []))];
};

/**
 * The model's findings without those at the place of a rule's finding that is at least as severe. A more severe one is
 * another claim, even about the same line.
 */
export const withoutRules = (
  rules: readonly DraftFinding[],
  model: readonly DraftFinding[],
  threshold: number,
): readonly DraftFinding[] =>
  model.filter((finding) => !rules.some((rule) => isSame(finding, rule, threshold) && !isGraver(finding, rule)));

const MAX_BODY = 8_000;

const join = (rule: DraftFinding, model: DraftFinding, repeats: boolean): DraftFinding => {
  const graver = isGraver(model, rule);
  const said = repeats && !graver ? rule.body : `${rule.body}\n\n${model.title}: ${model.body}`;
  return {
    ...rule,
    severity: graver ? model.severity : rule.severity,
    blocking: rule.blocking || model.blocking,
    body: cutWithNotice(said, MAX_BODY, (piece) => piece),
  };
};

/** A model cannot resolve a P0 or P1 thread whose rule still fires. */
export const mergeAnswers = (
  model: readonly ThreadAnswer[],
  { answers }: Pick<RulesReview, 'answers'>,
  threads: readonly PacketThread[],
): readonly ThreadAnswer[] =>
  model.map((answer) => {
    const thread = threads.find(({ id }) => id === answer.findingId);
    const own = answers.find(({ findingId }) => findingId === answer.findingId);
    if (thread === undefined || own === undefined || thread.rule === null || !isGrave(thread.severity)) return answer;
    return answer.action === 'resolve' && own.action !== 'resolve' ? own : answer;
  });

/** A model cannot report a settled thread as fixed while its rule still fires. */
export const mergeFixes = (
  model: readonly ReportedFix[],
  { fixed, standing }: SettledReview,
): readonly ReportedFix[] => {
  const known = new Set<string>([...standing, ...fixed.map(({ findingId }) => findingId)]);
  return [...fixed, ...model.filter(({ findingId }) => !known.has(findingId))];
};

/** If the model gave no answer, a rule may still resolve its own thread. */
export const answersWithoutModel = (
  { answers }: Pick<RulesReview, 'answers'>,
  threads: readonly PacketThread[],
): readonly ThreadAnswer[] =>
  answers.filter(({ findingId }) => threads.some(({ id, rule }) => id === findingId && rule !== null));
