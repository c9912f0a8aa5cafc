/**
 * Parses one file of `.fixpoint/rules/`: text for a model, with optional front matter that names the paths to which it
 * applies. Invalid front matter makes the file unusable, because a rule for certain paths must not apply to all paths.
 */
import { compileGlob } from '../diff/paths/glob-match.ts';
import { readYaml } from '../protocol/yaml/read-yaml.ts';

export type RuleFile =
  | { readonly kind: 'rule'; readonly scope: readonly string[]; readonly text: string }
  /** `why` is worded to follow the file's name. */
  | { readonly kind: 'broken'; readonly why: string };

const RULES = /^\.fixpoint\/rules\/(?:[^/]+\/)*[^/]+\.md$/;

export const isRulePath = (path: string): boolean => RULES.test(path);

const OPENS = /^\ufeff?---[ \t]*\r?\n/;
/** Without the flag `m`, with which U+2028 and U+2029 begin and end a line as well. */
const CLOSES = /(?<![^\n])(?:---|\.\.\.)[ \t]*\r?(?:\n|$)/;
const MAX_HEAD = 5000;
const MAX_PATHS = 50;
const MAX_PATTERN = 200;

const broken = (why: string): RuleFile => ({ kind: 'broken', why });

export const readRuleFile = (text: string): RuleFile => {
  const opened = OPENS.exec(text)?.[0];
  if (opened === undefined) return { kind: 'rule', scope: [], text };
  const rest = text.slice(opened.length);
  const closing = CLOSES.exec(rest);
  if (closing === null) return broken('has unterminated front matter; expected a line `---` after it');
  const head = rest.slice(0, closing.index);
  if (head.length > MAX_HEAD) return broken(`has front matter of more than ${MAX_HEAD} characters`);
  const yaml = readYaml({ text: head.replaceAll('\r\n', '\n'), textKeys: new Set(), firstLine: 2 });
  if (yaml.kind === 'refused') {
    const [first] = yaml.problems;
    return broken(`has invalid front matter (line ${first?.line ?? 1}: ${first?.message ?? 'not YAML'})`);
  }
  return withPaths(yaml.value, rest.slice(closing.index + closing[0].length));
};

const withPaths = (head: unknown, text: string): RuleFile => {
  if (head === null) return { kind: 'rule', scope: [], text };
  if (typeof head !== 'object' || Array.isArray(head)) return broken('has front matter that is not a mapping');
  const fields = new Map<string, unknown>(Object.entries(head));
  const paths = fields.get('paths');
  if (fields.size > 1 || !fields.has('paths'))
    return broken('has an unknown key in its front matter; only `paths` is allowed');
  if (!Array.isArray(paths) || paths.length === 0 || paths.length > MAX_PATHS)
    return broken(`has \`paths\` that are not a list of 1 to ${MAX_PATHS} patterns`);
  const scope = paths.filter(isPattern);
  return scope.length === paths.length
    ? { kind: 'rule', scope, text }
    : broken('has an invalid pattern in `paths`: not a string, too long, or an unclosed bracket or brace');
};

const isPattern = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_PATTERN && value.trim() === value && compileGlob(value) !== null;
