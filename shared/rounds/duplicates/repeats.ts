/**
 * Checks whether an answer repeats earlier text in the same words. Stricter than `similarity`: a new reason about the
 * same code is new.
 */
import { splitWords, termsOf, type Terms } from './duplicates-words.ts';

/**
 * A sentence repeats another if at least this share of its terms' weight is known; otherwise the sentence contains
 * something new.
 */
const KNOWN_SHARE = 0.9;

/** Limits the time. An answer with more sentences counts as new. */
const MAX_SENTENCES = 200;

/** `t` is what remains of words such as `isn't`. */
const NEGATIONS = new Set(
  'not no never nor neither cannot without t nicht nie kein keine keinen ohne pas ne ni sans nunca nada sin nao nem sem'.split(
    ' ',
  ),
);

type Sentence = { readonly terms: Terms['weights']; readonly negations: number };

const sentencesOf = (text: string): readonly Sentence[] =>
  text
    .split('\n')
    .flatMap((line) => line.split(/[.!?;](?=\s|$)/))
    .slice(0, MAX_SENTENCES + 1)
    .map((sentence) => ({
      terms: termsOf(sentence).weights,
      negations: splitWords(sentence).filter((word) => NEGATIONS.has(word)).length,
    }))
    .filter(({ terms }) => terms.size > 0);

/** If the number of negations differs, the sentence may say the opposite. */
const isContained = (sentence: Sentence, known: Sentence): boolean => {
  if (sentence.negations !== known.negations) return false;
  let [shared, all] = [0, 0];
  for (const [term, weight] of sentence.terms) {
    all += weight;
    if (known.terms.has(term)) shared += weight;
  }
  return shared >= all * KNOWN_SHARE;
};

/** True if each sentence is contained in a sentence of `earlier`. Endings, fillers and synonyms do not matter. */
export const repeats = (text: string, earlier: readonly string[]): boolean => {
  const sentences = sentencesOf(text);
  if (sentences.length === 0 || sentences.length > MAX_SENTENCES) return false;
  const known = earlier.flatMap(sentencesOf);
  return sentences.every((sentence) => known.some((each) => isContained(sentence, each)));
};
