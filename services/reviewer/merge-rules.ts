/** The rules run beside every model: what they find stands, whatever the model says or leaves out. */
import { isGrave } from '../../shared/rounds/blocking.ts';
import { placesOverlap, similarity } from '../../shared/rounds/duplicates.ts';
import type { DraftFinding, ThreadAnswer } from '../../shared/rounds/vocabulary.ts';
import type { RulesReview } from '../../shared/rules/review-by-rules.ts';
import type { PacketThread } from './threads.ts';

const claimOf = (finding: DraftFinding) => ({
  place: finding,
  title: finding.title,
  body: finding.body,
  citedCode: finding.evidence,
});

const code = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** One quotes the other's line, or they say it in similar words. */
const isSame = (model: DraftFinding, rule: DraftFinding, threshold: number): boolean => {
  if (!placesOverlap(model, rule)) return false;
  const [one, other] = [code(model.evidence), code(rule.evidence)];
  const quotesIt = one !== '' && other !== '' && (one.includes(other) || other.includes(one));
  return (quotesIt && model.line === rule.line) || similarity(claimOf(model), claimOf(rule)) >= threshold;
};

/**
 * The rules' findings first. Of a pair that says the same the graver one is kept, the rule's among equals: it needs
 * nobody's word.
 */
export const mergeFindings = (
  rules: readonly DraftFinding[],
  model: readonly DraftFinding[],
  threshold: number,
): readonly DraftFinding[] => {
  const pairs = model.map((finding) => ({ finding, rule: rules.find((rule) => isSame(finding, rule, threshold)) }));
  const outdone = new Set(pairs.flatMap(({ finding, rule }) => (isGraver(finding, rule) ? [rule] : [])));
  const kept = pairs.filter(({ finding, rule }) => rule === undefined || isGraver(finding, rule));
  return [...rules.filter((rule) => !outdone.has(rule)), ...kept.map(({ finding }) => finding)];
};

const isGraver = (model: DraftFinding, rule: DraftFinding | undefined): boolean =>
  rule !== undefined && model.severity < rule.severity;

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

/** Where the model gave no answer, a rule can still tell that its own thread is done with. */
export const answersWithoutModel = (
  { answers }: Pick<RulesReview, 'answers'>,
  threads: readonly PacketThread[],
): readonly ThreadAnswer[] =>
  answers.filter(({ findingId }) => threads.some(({ id, rule }) => id === findingId && rule !== null));
