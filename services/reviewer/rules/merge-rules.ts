/** The rules run beside every model: what they find stands, whatever the model says or leaves out. */
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

/** Shorter ones stand in every line: a bracket is no quotation of it. */
const MIN_QUOTATION = 4;

const holds = (text: string, quotation: string): boolean =>
  quotation.length >= MIN_QUOTATION && text.includes(quotation);

/** Both are hung on one line and one quotes the other's code. */
const quotesLine = (model: DraftFinding, rule: DraftFinding): boolean => {
  const [one, other] = [collapseBlanks(model.evidence), collapseBlanks(rule.evidence)];
  return model.line === rule.line && (holds(one, other) || holds(other, one));
};

const saysTheSame = (model: DraftFinding, rule: DraftFinding, threshold: number): boolean =>
  similarity(claimOf(model), claimOf(rule)) >= threshold;

const isGraver = (model: DraftFinding, rule: DraftFinding): boolean => model.severity < rule.severity;

/** In similar words alone a model cannot make it graver: without the quotation that would be a claim without evidence. */
const isSame = (model: DraftFinding, rule: DraftFinding, threshold: number): boolean =>
  placesOverlap(model, rule) &&
  (quotesLine(model, rule) || (saysTheSame(model, rule, threshold) && !isGraver(model, rule)));

/**
 * The rules' findings first, and each as its rule made it: with its place, relation and quotation, so that no words of
 * a model take it out of the verdict. What a model says about the same line is said there: the graver severity counts,
 * and other words are added.
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

/** A grave thread of a rule that still fires is not closed because a model was talked out of it. */
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

/** What a rule still finds in a settled thread is not fixed because a model says so. */
export const mergeFixes = (
  model: readonly ReportedFix[],
  { fixed, standing }: SettledReview,
): readonly ReportedFix[] => {
  const known = new Set<string>([...standing, ...fixed.map(({ findingId }) => findingId)]);
  return [...fixed, ...model.filter(({ findingId }) => !known.has(findingId))];
};

/** Where the model gave no answer, a rule can still tell that its own thread is done with. */
export const answersWithoutModel = (
  { answers }: Pick<RulesReview, 'answers'>,
  threads: readonly PacketThread[],
): readonly ThreadAnswer[] =>
  answers.filter(({ findingId }) => threads.some(({ id, rule }) => id === findingId && rule !== null));
