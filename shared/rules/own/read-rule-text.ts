/** Reads a file of own rules: one or more YAML documents, in ast-grep's format with `valid` and `invalid` in addition. */
import { z } from 'zod';
import { compileGlob, type Glob } from '../../diff/paths/glob-match.ts';
import { readYaml } from '../../protocol/yaml/read-yaml.ts';
import { collapseBlanks } from '../../text/collapse-blanks.ts';
import { GREP_LANGUAGES, type GrepLanguage, type GrepNode } from '../model/rule.ts';
import { ownLanguageOf } from './languages.ts';
import { OWN_RULE_LIMITS, type OwnRule, type RuleProblem, type RuleText } from './own-rule.ts';

const Id = z
  .string({ error: 'expected an id, such as no-eval' })
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'expected an id of letters, digits, ".", "_" or "-", such as no-eval');

const Language = z.string({ error: 'expected a language, such as TypeScript' }).max(30);

/** ast-grep's own severities. `off` keeps the rule in the file without applying it. */
const SEVERITIES = { error: 'P1', warning: 'P2', info: 'P3', hint: 'P3' } as const;

const Words = (most: number) => z.string().max(most);
const Examples = z.array(z.string().max(OWN_RULE_LIMITS.exampleChars)).max(OWN_RULE_LIMITS.examples);

const isNode = (value: unknown): value is GrepNode =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && hasOnlyNodes(Object.values(value));

const hasOnlyNodes = (values: readonly unknown[]): boolean =>
  values.every(
    (value) =>
      ['string', 'number', 'boolean'].includes(typeof value) ||
      (Array.isArray(value) ? hasOnlyNodes(value) : isNode(value)),
  );

const Node = z.custom<GrepNode>(isNode, 'expected a mapping, as in the documentation of ast-grep');

const isGlob = (pattern: string): boolean => compileGlob(pattern) !== null;
const Patterns = z.array(z.string().max(200).refine(isGlob, 'expected a path pattern')).max(50);

const Document = z.strictObject({
  id: Id,
  language: Language,
  severity: z
    .enum(['error', 'warning', 'info', 'hint', 'off'], 'expected error, warning, info, hint or off')
    .default('hint'),
  message: Words(1_000).refine((text) => text.trim() !== '', 'expected a sentence that says what is wrong'),
  note: Words(3_000).optional(),
  url: Words(500).optional(),
  rule: Node,
  constraints: Node.optional(),
  utils: Node.optional(),
  transform: Node.optional(),
  files: Patterns.optional(),
  ignores: Patterns.optional(),
  invalid: Examples.min(1, 'expected at least one example that the rule must find'),
  valid: Examples.default([]),
  // Parts of ast-grep's format that change only how ast-grep itself prints or rewrites.
  metadata: z.unknown().optional(),
  labels: z.unknown().optional(),
  fix: z.unknown().optional(),
  rewriters: z.unknown().optional(),
});
type Document = z.output<typeof Document>;

/** Plain values that stay text, such as `pattern: 1`. */
const TEXT_KEYS: ReadonlySet<string> = new Set([
  'id',
  'pattern',
  'regex',
  'kind',
  'message',
  'note',
  'valid',
  'invalid',
]);

/** The content of a YAML document cannot begin a line like this, not even in a literal block. */
const SEPARATOR = /^---(?:\s|$)/;

type Part = { readonly text: string; readonly firstLine: number };

const partsOf = (text: string): readonly Part[] => {
  const parts: { lines: string[]; firstLine: number }[] = [{ lines: [], firstLine: 1 }];
  for (const [index, line] of text.replaceAll('\r\n', '\n').split('\n').entries())
    if (SEPARATOR.test(line)) parts.push({ lines: [line.slice(3)], firstLine: index + 1 });
    else parts.at(-1)?.lines.push(line);
  return parts
    .filter(({ lines }) => lines.some((line) => line.trim() !== '' && !line.trimStart().startsWith('#')))
    .map(({ lines, firstLine }) => ({ text: lines.join('\n'), firstLine }));
};

export type RuleReading = { readonly rules: readonly OwnRule[]; readonly problems: readonly RuleProblem[] };

/** @param source the prefix of the ids. */
export const readRuleText = (source: string, { path, text }: RuleText): RuleReading => {
  const rules: OwnRule[] = [];
  const problems: RuleProblem[] = [];
  const parts = partsOf(text);
  if (parts.length === 0) problems.push({ file: path, rule: null, language: null, why: 'contains no rule' });
  for (const part of parts) {
    const read = readDocument(part);
    if (read.kind === 'refused') {
      const rule = read.id === null ? null : `${source}/${read.id}`;
      problems.push({ file: path, rule, language: read.language, why: read.why });
    } else if (read.document.severity !== 'off') rules.push(ruleOf(source, path, read));
  }
  return { rules, problems };
};

type Read =
  | { readonly kind: 'read'; readonly document: Document; readonly language: GrepLanguage }
  | {
      readonly kind: 'refused';
      readonly id: string | null;
      readonly language: GrepLanguage | null;
      readonly why: string;
    };

const refused = (line: number, why: string, value: unknown = null): Read => {
  const { id, language } = z
    .object({ id: Id.nullable().catch(null), language: Language.nullable().catch(null) })
    .catch({ id: null, language: null })
    .parse(value);
  return {
    kind: 'refused',
    id,
    language: language === null ? null : ownLanguageOf(language),
    why: `line ${line}: ${why}`,
  };
};

const readDocument = ({ text, firstLine }: Part): Read => {
  const yaml = readYaml({ text, textKeys: TEXT_KEYS, firstLine });
  if (yaml.kind === 'refused') {
    const [first] = yaml.problems;
    return refused(
      first?.line ?? firstLine,
      `${first === undefined || first.field === '' ? 'the file' : `\`${first.field}\``} ${first?.message ?? 'is not YAML'}`,
    );
  }
  const { value, places } = yaml;
  const parsed = Document.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const path = (issue?.path ?? []).filter((key) => typeof key !== 'symbol');
    return refused(
      places.lineOf(path) ?? firstLine,
      issue === undefined ? 'has an unexpected form' : mistakeOf(issue),
      value,
    );
  }
  const language = ownLanguageOf(parsed.data.language);
  if (language === null)
    return refused(
      places.lineOf(['language']) ?? firstLine,
      `\`language\`: expected one of ${GREP_LANGUAGES.join(', ')}`,
      value,
    );
  return { kind: 'read', document: parsed.data, language };
};

/** The value itself is not quoted, because a reader of the message may not be allowed to see it. */
const mistakeOf = (issue: z.core.$ZodIssue): string => {
  if (issue.code === 'unrecognized_keys')
    return `unknown key ${issue.keys
      .slice(0, 3)
      .map((key) => `\`${key.slice(0, 40)}\``)
      .join(', ')}`;
  const at = issue.path.map(String).join('.');
  return at === '' ? 'expected a mapping with the keys of a rule' : `\`${at}\`: ${wordsOf(issue)}`;
};

const wordsOf = (issue: z.core.$ZodIssue): string => {
  if (issue.code === 'too_big')
    return `has more than ${String(issue.maximum)} ${issue.origin === 'string' ? 'characters' : 'entries'}`;
  return issue.code === 'invalid_type' && issue.message.startsWith('Invalid')
    ? `is missing or is not of the type ${issue.expected}`
    : issue.message;
};

const globsOf = (patterns: readonly string[] = []): readonly Glob[] =>
  patterns.flatMap((pattern) => compileGlob(pattern) ?? []);

const ruleOf = (source: string, file: string, { document, language }: Read & { readonly kind: 'read' }): OwnRule => {
  const { id, severity, message, note = '', url = '', rule, constraints, utils, transform, valid, invalid } = document;
  const explanation = [note.trim(), url.trim()].filter((part) => part !== '').join('\n\n');
  return {
    id: `${source}/${id}`,
    severity: severity === 'off' ? 'P3' : SEVERITIES[severity],
    blocking: false,
    title: collapseBlanks(message).slice(0, 150),
    explanation: explanation === '' ? `The rule \`${source}/${id}\` reports this code.` : explanation,
    languages: [language],
    rule,
    message,
    ...(constraints === undefined ? {} : { constraints }),
    ...(utils === undefined ? {} : { utils }),
    ...(transform === undefined ? {} : { transform }),
    examples: [],
    file,
    only: globsOf(document.files),
    never: globsOf(document.ignores),
    valid,
    invalid,
  };
};
