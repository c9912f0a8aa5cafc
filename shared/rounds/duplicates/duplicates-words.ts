/** Turns text into weighted terms: endings and fillers are removed, and synonyms are merged. */
import { ACTIONS, COMMON, DEFECTS } from './duplicates-glossary.ts';

export type Terms = {
  /** The weight of each term. Terms of the glossary begin with `=`. */
  readonly weights: ReadonlyMap<string, number>;
  readonly language: string | null;
};

/** Only this many characters of the text are compared, which limits the time. */
const MAX_CHARS = 1_200;

const WEIGHTS = { defect: 2, remedy: 2, action: 0.8, word: 1, common: 0.3 } as const;

const SMALL_WORDS: Readonly<Record<string, string>> = {
  en: 'a about above after all already also an and any are as at be because been before below both but by can could do does each either else even every few for from get gets go goes had has have here how if in inside instead into is isn it its itself just know knows like made make makes many may means more most much must name need needs neither no nor not nothing now of on once one only or other others out over own put rather same say says see should so some still such take takes than that the their them then there these they this those though through time to too two under until up very via want was way well were what when where whether which while who why will with within without work would write you your',
  de: 'aber als am an auch auf aus bei beim bis bitte da dann das dem den der des die dies ein eine einem einen einer eines er es fur geben geht gegen hat hier im in ist kein keine mehr mit muss nach nicht nie nur oder ohne schon sein sich sie sind sobald so um und vom von vor war weil wenn wer werden wird wie zu zum zur',
  fr: 'a au aux avec ce cela ces cette comme d dans de des donc du elle en est et il ils l la le les lorsque mais n ne ni nom ou par pas peut plus pour qu que qui s sans se si son sont sur tout une un vous y',
  es: 'al antes asi como con cual cuando de del desde donde el ella en es esta este hay la las le lo los mas muy nada nadie ni no o para pero por que quien se si sin sobre solo su sus tras un una y ya',
  pt: 'ao aos apenas as com como da das de deve do dos e em essa esse foi isso ja mais mas na nao nas nem no nos o os ou para pelo por quando que quem se sem ser seu sua um uma voce',
};

const SMALL: ReadonlyMap<string, readonly string[]> = Object.entries(SMALL_WORDS).reduce((all, [language, words]) => {
  for (const word of words.split(' ')) all.set(word, [...(all.get(word) ?? []), language]);
  return all;
}, new Map<string, readonly string[]>());

const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\bn ?\+ ?1\b|\b(?:query|queries|select|lookup) (?:each|per|(?:in|for|on) (?:each|every))\b/g, ' n-plus-one '],
  [/\b(?:off[- ]by[- ]one|one (?:\w+ )?too (?:many|low|high|few)|erra por um)\b/g, ' off-by-one '],
  [
    /\b(?:out[- ]of[- ](?:bounds|range)|past the (?:end|start)|one (?:past|beyond)|hors limites|bounds? check)\b/g,
    ' out-of-bounds ',
  ],
  [/\bfire[- ]and[- ]forget\b/g, ' fire-and-forget '],
  [/\bconstant[- ]time\b/g, ' constant-time '],
  [/\bvariable time\b/g, ' variable-time '],
  [/\b(?:man[- ]in[- ]the[- ]middle|intermediari[oa]|impersonat\w*)\b/g, ' mitm '],
  [/\bfor ever\b|\bpara siempre\b|\bfur immer\b/g, ' endless '],
  [/\bmots? de passe\b/g, ' password '],
  [/\brolled back\b/g, ' rolled-back '],
  [/\bmass[- ]assignment\b/g, ' mass-assignment '],
  [/\btime[- ]?zone\b/g, ' timezone '],
  [/\bthread[- ]?saf\w*\b/g, ' thread-safe '],
  [/\blost updates?\b|\bupdates? (?:is|are|get) lost\b/g, ' lost-update '],
  [/\bstack traces?\b/g, ' stack-trace '],
  [/\bwithout (?:a |an )?(?:limit|upper bound|bound)\b/g, ' unbounded '],
  [/\bupper bound\b/g, ' limit '],
  [/\bbuffer overflows?\b/g, ' buffer-overflow '],
  [/(?<!\.)\.\.(?![.\w])/g, ' traversal '],
  [/\bserver[- ]side request forgery\b/g, ' ssrf '],
];

type Glossary = { readonly exact: ReadonlyMap<string, string>; readonly starts: ReadonlyMap<string, string> };

const readGlossary = (text: string): Glossary => {
  const exact = new Map<string, string>();
  const starts = new Map<string, string>();
  for (const line of text.trim().split('\n')) {
    const [concept = '', ...words] = line.trim().split(' ');
    for (const word of words) (word.endsWith('*') ? starts : exact).set(word.replace('*', ''), `=${concept}`);
  }
  return { exact, starts };
};

const LONGEST_START = 20;

const lookUp = ({ exact, starts }: Glossary, word: string): string | null => {
  const whole = exact.get(word);
  if (whole !== undefined) return whole;
  for (let length = Math.min(word.length, LONGEST_START); length >= 3; length -= 1) {
    const concept = starts.get(word.slice(0, length));
    if (concept !== undefined) return concept;
  }
  return null;
};

const DEFECT_GLOSSARY = readGlossary(DEFECTS);
const GLOSSARIES = [
  [DEFECT_GLOSSARY, WEIGHTS.defect],
  [readGlossary(ACTIONS), WEIGHTS.action],
  [readGlossary(COMMON), WEIGHTS.common],
] as const;

/** Merges forms such as `awaits`, `awaited` and `awaiting`. The result need not be a word. */
const stem = (word: string): string => {
  const cut = word.length > 4 ? word.replace(/(?:ations?|ings?|ies|ed|es|ly|s|e)$/u, '') : word.replace(/s$/u, '');
  const short = cut.length >= 3 ? cut : word;
  const root = short.length > 5 ? short.replace(/at$/u, '') : short;
  return root.replace(/([bdgmnprt])\1$/u, '$1').replaceAll('iz', 'is');
};

const withoutAccents = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .replaceAll(/[’']s\b/g, '');

export const splitWords = (text: string): readonly string[] => {
  const split = text.slice(0, MAX_CHARS).replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2');
  let plain = withoutAccents(split).toLowerCase();
  for (const [phrase, one] of PHRASES) plain = plain.replaceAll(phrase, one);
  return plain.match(/[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu) ?? [];
};

/** Maximum entries of the cache; there is a cache because each claim is compared with many others. */
const KEPT = 5_000;
const kept = new Map<string, Terms>();

export const termsOf = (text: string): Terms => {
  const known = kept.get(text);
  if (known !== undefined) return known;
  const terms = readTerms(text);
  if (kept.size >= KEPT) kept.clear();
  kept.set(text, terms);
  return terms;
};

const readTerms = (text: string): Terms => {
  const weights = new Map<string, number>();
  const votes = new Map<string, number>();
  for (const word of splitWords(text).flatMap(parts)) {
    const languages = SMALL.get(word);
    for (const language of languages ?? [])
      votes.set(language, (votes.get(language) ?? 0) + 1 / (languages?.length ?? 1));
    if (languages === undefined) addTerm(weights, word);
  }
  for (const [name] of text.slice(0, MAX_CHARS).matchAll(CODE_NAME)) {
    weights.set(`#${name.replaceAll('_', '').toLowerCase()}`, WEIGHTS.remedy);
  }
  const [first] = [...votes].toSorted(([, one], [, other]) => other - one);
  return { weights, language: first?.[0] ?? null };
};

/** Matches a name with an inner capital or an underscore, which is code. Two claims that share one likely propose the same fix. */
const CODE_NAME = /\b(?:[A-Za-z]+_\w+|[A-Za-z]+[a-z][A-Z]\w*)/g;

/** `off-by-one` is one word in the glossary; `well-formed` is two words. */
const parts = (word: string): readonly string[] =>
  DEFECT_GLOSSARY.exact.has(word) || !word.includes('-') ? [word] : word.split('-');

const addTerm = (weights: Map<string, number>, word: string): void => {
  for (const [glossary, weight] of GLOSSARIES) {
    const concept = lookUp(glossary, word);
    if (concept !== null) return void weights.set(concept, weight);
  }
  if (word.length > 1 || /\p{N}/u.test(word)) weights.set(stem(word), WEIGHTS.word);
};
