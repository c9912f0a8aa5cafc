/** Parsers of repository content: diffs, git output, settings, rules, code. */
import { cutTitle, titled } from '../../shared/agent/submission/finding-title.ts';
import { plainPath } from '../../shared/agent/submission/plain-path.ts';
import { protectDiff } from '../../shared/agent/prompt/protect-diff.ts';
import { findSecretLines } from '../../shared/agent/tools/secret-lines.ts';
import { parseRepositorySettings } from '../../shared/config/repository/repository-settings.ts';
import { annotate } from '../../shared/diff/annotate/annotate.ts';
import { parseAttributes } from '../../shared/diff/paths/attributes.ts';
import { codeOnly } from '../../shared/diff/code-only.ts';
import { compareDiffs } from '../../shared/diff/delta.ts';
import { fingerprint } from '../../shared/diff/fingerprint.ts';
import { compileGlob } from '../../shared/diff/paths/glob-match.ts';
import { instructionFileOf } from '../../shared/diff/paths/instruction-files.ts';
import type { Diff } from '../../shared/diff/model.ts';
import { parseDiff } from '../../shared/diff/parse/parse.ts';
import { enclosingName, nameIn } from '../../shared/diff/position/block-name.ts';
import { functionAround } from '../../shared/diff/position/function-around.ts';
import { findJoinedQuote } from '../../shared/diff/position/find-quote.ts';
import { plainSuggestion } from '../../shared/diff/position/printed-suggestion.ts';
import { placeByQuote } from '../../shared/diff/position/quoted-place.ts';
import { readText } from '../../shared/diff/read-text.ts';
import { relationOf } from '../../shared/diff/position/relation.ts';
import { compareForReview } from '../../shared/diff/annotate/review-order.ts';
import { isSteeringFile } from '../../shared/diff/paths/steering-files.ts';
import { isSilenced, touchOf } from '../../shared/diff/position/touched.ts';
import { classifyName } from '../../shared/diff/paths/well-known-files.ts';
import { contentKindOf } from '../../shared/rules/content-kind.ts';
import { parseReport } from '../../shared/analyzers/report/parse-report.ts';
import { AnalyzerFormat } from '../../shared/vocabulary/analyzer.ts';
import { isProse, isTestPath } from '../../shared/rules/model/language.ts';
import { ciScriptLines } from '../../shared/rules/lines/ci-scripts.ts';
import { isNoise } from '../../shared/rules/noise.ts';
import { judgeClaims } from '../../shared/rules/recheck.ts';
import { findSecretRanges, redactSecrets } from '../../shared/rules/secrets/secret-ranges.ts';
import { SECRET_PATTERNS } from '../../shared/rules/secrets/secret-patterns.ts';
import { runSecretlint } from '../../shared/rules/secrets/secretlint-engine.ts';
import { scriptBlocksOf } from '../../shared/rules/script-blocks.ts';
import { isCheckedAbove } from '../../shared/rules/inserted/checked-values.ts';
import { isDeclaredNumber } from '../../shared/rules/inserted/declared-types.ts';
import { insertsForeignValue, linesToForeignValue } from '../../shared/rules/inserted/harmless.ts';
import { localValues } from '../../shared/rules/inserted/local-values.ts';
import { isParameterOfFunction, isParameterOnLine } from '../../shared/rules/inserted/parameters.ts';
import { takenFrom } from '../../shared/rules/inserted/taken-from.ts';
import { isVisiblyForeign } from '../../shared/rules/inserted/visibly-foreign.ts';
import { isCallersText } from '../../shared/rules/patterns/callers-text.ts';
import { isForeignText } from '../../shared/rules/patterns/foreign-text.ts';
import { returnedValues } from '../../shared/rules/inserted/returned-values.ts';
import { composedPattern } from '../../shared/rules/patterns/composed-patterns.ts';
import { createPassedValues } from '../../shared/rules/patterns/passed-patterns.ts';
import { indexedNames, listsOfItem, tablePatterns } from '../../shared/rules/patterns/pattern-tables.ts';
import { lastNames, namedPatterns, parsePattern } from '../../shared/rules/patterns/named-patterns.ts';
import { analysisCost } from '../../shared/rules/patterns/takes-quadratic-time.ts';
import { scanStructural } from '../../shared/rules/structural-scan.ts';
import { STRUCTURAL_RULES } from '../../shared/rules/structural/catalogue.ts';
import { scanText, TEXT_RULES } from '../../shared/rules/text-rules.ts';
import { roleOfLine } from '../../shared/workspace/tree/definition.ts';
import { looksLikeTest as isTestInTree } from '../../shared/workspace/tree/known-tests.ts';
import { parseForgejoOwners } from '../../shared/forge/forgejo/parse-forgejo-owners.ts';
import { parseGitlabOwners } from '../../shared/forge/gitlab/parse-gitlab-owners.ts';
import { evidenceHolds, findEvidence, isLine } from '../../shared/text/normalise-evidence.ts';
import { createRedactor } from '../../shared/text/redact.ts';
import { sortNotReviewed } from '../../services/reviewer/check/not-reviewed.ts';
import { affectedPlaces } from '../../services/reviewer/packet/affected.ts';
import { editedNames, moduleName, usedNames } from '../../services/reviewer/packet/changed-names.ts';
import { growDiff } from '../../services/reviewer/packet/grow-diff.ts';
import { importedFiles, testedFiles } from '../../services/reviewer/parts/related-files.ts';
import { isRisky } from '../../services/reviewer/parts/risk.ts';
import { readRuleText } from '../../shared/rules/own/read-rule-text.ts';
import { readRuleFile } from '../../shared/rule-sources/rule-file.ts';
import type { LinearSubject } from './linear-subjects.ts';
import { PRINTED_SUBJECTS } from './linear-printed-subjects.ts';

const KI = 1024;
const SIGNAL = new AbortController().signal;

const FILE = 'diff --git a/a b/a\nindex 1111111..2222222 100644\n--- a/a\n+++ b/a\n@@ -0,0 +1,3 @@\n';

const attempt = <Value>(read: () => Value): Value | null => {
  try {
    return read();
  } catch {
    return null;
  }
};

const lines = (text: string): readonly string[] => text.split('\n');

/** A diff that removes or adds the lines of the text, by `signOf`. */
const diffWith = (text: string, signOf: (index: number) => string): Diff => {
  const rows = lines(text).map((line, index) => `${signOf(index)}${line}\n`);
  const count = (sign: string): number => rows.filter((row) => row.startsWith(' ') || row.startsWith(sign)).length;
  const [old, own] = [count('-'), count('+')];
  const header = `@@ -${old === 0 ? 0 : 1},${old} +${own === 0 ? 0 : 1},${own} @@\n`;
  return parseDiff(`diff --git a/a.js b/a.js\n--- a/a.js\n+++ b/a.js\n${header}${rows.join('')}`);
};

/** A diff with one hunk per four lines. */
const hunksOf = (text: string): Diff => {
  const rows = lines(text);
  const hunks: string[] = [];
  for (let at = 0; at < rows.length; at += 4) {
    const own = rows.slice(at, at + 4);
    hunks.push(`@@ -${at + 1},0 +${at + 1},${own.length} @@\n${own.map((row) => `+${row}\n`).join('')}`);
  }
  return parseDiff(`diff --git a/a.js b/a.js\n--- a/a.js\n+++ b/a.js\n${hunks.join('')}`);
};

const RULES_KIND = { kind: 'rules', language: 'JavaScript' } as const;
const place = { path: 'a.js', side: 'new', startLine: 2, line: 2 } as const;
const redact = createRedactor([]);
const protect = async (text: string): Promise<string> => redact(text).text;

const DIFFS: readonly LinearSubject[] = [
  { name: 'diff', read: (text) => attempt(() => parseDiff(`${FILE}${text}`)) },
  { name: 'diff, bare', read: (text) => attempt(() => parseDiff(text)) },
  { name: 'diff, its first line', read: (text) => attempt(() => parseDiff(`diff --git ${text}`)) },
  { name: 'diff, a name in it', read: (text) => attempt(() => parseDiff(`${FILE}diff --git a/a b/a\n--- ${text}`)) },
  { name: 'diff for a model', read: (text) => annotate(diffWith(text, () => '+').files, { maxBytes: 1e9 }) },
  {
    name: 'diff without secrets',
    read: async (text) => {
      const texts = { headText: async () => text, baseText: async () => null, protect };
      return protectDiff(diffWith(text, () => '+').files, texts, SIGNAL);
    },
  },
  {
    name: 'related files',
    read: (text) => [
      testedFiles([text, 'a.ts', `${text}.test.ts`]),
      importedFiles([
        { path: 'a.ts', text },
        { path: `${text}/b.ts`, text: `import '${text}'` },
      ]),
      isRisky(text),
    ],
  },
  {
    name: 'two diffs',
    read: (text) => [affectedPlaces(compareDiffs(hunksOf(text), hunksOf(`${text}\na`))), fingerprint(hunksOf(text))],
  },
  {
    name: 'code around a change',
    read: async (text) => {
      const head = `${text}\nnow();\n${text}`;
      const at = lines(text).length + 1;
      const diff = parseDiff(
        `diff --git a/a.js b/a.js\n--- a/a.js\n+++ b/a.js\n@@ -${at},1 +${at},1 @@\n-old();\n+now();\n`,
      );
      const packet = { kinds: new Map([['a.js', RULES_KIND]]), headText: async () => head, delta: null };
      const shown = diff.files.map((file) => ({ file, whole: file }));
      return growDiff(shown, { packet, room: 1e9 }, SIGNAL);
    },
  },
  {
    name: 'names of a change',
    read: (text) =>
      diffWith(text, () => '+').files.map((file) => {
        const shown = { file, hunks: file.hunks };
        return [editedNames(shown, lines(text)), usedNames(shown), moduleName(text)];
      }),
  },
  { name: 'touched lines', read: (text) => touchedBy(text) },
  {
    name: 'relation to a change',
    read: (text) =>
      relationOf(
        diffWith(text, () => '+'),
        claimed(text),
      ),
  },
];

const claimed = (text: string) => ({
  place: { ...place, line: 1_000_000, startLine: 1_000_000 },
  ownText: text,
  quotes: [{ path: null, code: `${text.slice(0, 4_000)}x` }],
});

const touchedBy = (text: string): unknown => {
  const between = diffWith(text, (index) => ['-', '+', ' '][index % 3] ?? ' ');
  return [touchOf({ place, between, text }), isSilenced({ place, between })];
};

/** The longest path that git accepts in a tree that a forge accepts. */
const PATH_CHARACTERS = 16 * KI;

const namesOf = (path: string): unknown => {
  return [
    isTestPath(path),
    isProse(path),
    isTestInTree(path),
    isSteeringFile(path),
    classifyName(path),
    instructionFileOf(path),
  ];
};

/** Owners of a file by a text that is CODEOWNERS, then of the text as a path by a file that is one. */
const ownersOf = (text: string): unknown =>
  [
    parseGitlabOwners,
    (file: string) => parseForgejoOwners(file, { dropsSlash: false }),
    (file: string) => parseForgejoOwners(file, { dropsSlash: true }),
  ].map((parse) => [
    parse(text).ownersOf('src/shop/sum.js'),
    parse(`src/[^/]*/(a|b)*.* @ann\n/src/**/a*b @ann\n`).ownersOf(text.slice(0, PATH_CHARACTERS)),
  ]);

const FILES: readonly LinearSubject[] = [
  // Beyond it the file is not read.
  { name: 'code owners', read: ownersOf, most: 1024 * KI },
  { name: 'settings of a repository', read: (text) => parseRepositorySettings(text), most: 16 * KI },
  { name: 'rule with a head', read: (text) => readRuleFile(`---\n${text}`), most: 64 * KI },
  { name: 'rule with paths', read: (text) => readRuleFile(`---\npaths:\n  - ${text}\n---\nbe kind\n`), most: 64 * KI },
  { name: 'own rule', read: (text) => readRuleText('project', { path: 'a.yml', text }), most: 64 * KI },
  {
    name: 'message of an own rule',
    read: (text) =>
      readRuleText('project', { path: 'a.yml', text: JSON.stringify({ id: 'a', language: 'js', message: text }) }),
    most: 64 * KI,
  },
  { name: 'attributes', read: (text) => parseAttributes([{ folder: '', text }]).lookUp('a/b.c') },
  {
    name: 'path against a glob',
    read: (text) => compileGlob('**/*a*/{a,*b*}/**/*.c')?.matches(text),
    most: PATH_CHARACTERS,
  },
  { name: 'glob against a path', read: (text) => compileGlob(text)?.covers('a/'.repeat(2_000)), most: KI },
  { name: 'kind of a path', read: (text) => namesOf(text), most: PATH_CHARACTERS },
  { name: 'order of paths', read: (text) => orderOf(text), most: PATH_CHARACTERS },
  {
    name: 'kind of a file',
    read: (text) => [contentKindOf('a', text), contentKindOf('a.yml', text), contentKindOf(text, '')],
  },
  {
    name: 'encoding',
    read: (text) => [
      readText('a.js', Buffer.from(text), () => true),
      readText('a', Buffer.from(text, 'utf16le'), () => false),
    ],
  },
  { name: 'evidence', read: (text) => evidenceHolds(text.slice(-4_000), text, redact) },
  {
    name: 'evidence, as it is printed',
    read: (text) => [findEvidence(`${text.slice(-3_900)}x`, text, redact), isLine(text.slice(-4_000), text, redact)],
  },
  {
    name: 'place of a quotation',
    read: (text) =>
      placeByQuote(place, {
        quote: `${text.slice(-3_900)}x`,
        texts: { new: text, old: text },
        isShown: () => true,
        isRemoved: () => true,
      }),
  },
  {
    name: 'suggestion, as it is printed',
    read: (text) => plainSuggestion(text.slice(0, 8_000), { startLine: 1, lines: lines(text) }),
  },
  {
    name: 'function around a line',
    read: (text) => [
      nameIn(text),
      enclosingName(lines(text), lines(text).length),
      functionAround(lines(text), lines(text).length),
    ],
  },
  {
    name: 'title of a finding',
    read: (text) => [
      sortNotReviewed([{ path: text, reason: '' }], { files: [] }),
      cutTitle(text),
      titled('', text),
      plainPath(text),
      findJoinedQuote(lines(text), text.slice(-3_900)),
    ],
  },
  {
    name: 'values inserted into a string',
    read: (text) => {
      const source = {
        lines: [...lines(text), 'a = b'],
        line: lines(text).length + 1,
        language: 'JavaScript',
      } as const;
      const builds = { for: 'sql' } as const;
      return [
        insertsForeignValue(text, builds, source),
        insertsForeignValue('aaa', builds, source),
        linesToForeignValue(text, builds, source),
        isVisiblyForeign(
          [text.slice(0, 2000), 'aaa'].map((code) => ({ code, before: "'" })),
          'outside or text',
          source,
        ),
        isVisiblyForeign([{ code: 'a', before: '' }], 'outside', { ...source, language: 'Bash' }),
        takenFrom('aaa', source),
        ...(['Java', 'TypeScript', 'Go'] as const).map((language) => isDeclaredNumber('aaa', { ...source, language })),
        ...(['Php', 'JavaScript', 'Go'] as const).map((language) => isCheckedAbove('aaa', { ...source, language })),
      ];
    },
  },
  {
    name: 'patterns of a file, and the texts they are applied to',
    read: (text) => [
      namedPatterns(text).size,
      namedPatterns(`a = /${text}`).size,
      parsePattern(`/${text}`),
      lastNames(text),
      analysisCost(text.slice(0, 500), ''),
      isForeignText('abc', { lines: [...lines(text), 'b'], line: lines(text).length + 1, language: 'JavaScript' }),
      isCallersText(text.slice(0, 2_000), {
        lines: [...lines(text), 'export const b = 1'],
        line: lines(text).length + 1,
        language: 'JavaScript',
      }),
    ],
  },
  {
    name: 'names that are followed',
    read: (text) => {
      const name = text.replaceAll(/\W/g, 'a');
      const written = [
        `function f(${name}) {`,
        `  let ${name} = req.${name};`,
        `  const { ${name} } = ${name};`,
        `  ${name}(${name})`,
      ];
      const use = { lines: written, line: written.length, language: 'JavaScript' } as const;
      return [
        localValues(name, use),
        takenFrom(name, use),
        isParameterOnLine(name, use),
        isParameterOfFunction(name, use),
        isDeclaredNumber(name, { ...use, language: 'TypeScript' }),
        isCheckedAbove(name, use),
        tablePatterns(name, written.join('\n')),
        listsOfItem(name, written, written.length),
        createPassedValues(written.join('\n'))(name, written.length),
      ];
    },
  },
  {
    name: 'patterns that are built, kept in tables or passed to functions',
    read: (text) => {
      const use = { lines: [...lines(text), 'b'], line: lines(text).length + 1, language: 'JavaScript' } as const;
      return [
        composedPattern(`new RegExp('a' + ${text})`, use),
        composedPattern(text.slice(0, 2000), use),
        tablePatterns('abc', text).length,
        tablePatterns('a', `a = [${text}`).length,
        indexedNames(text),
        listsOfItem('abc', use.lines, use.line),
        returnedValues('abc(a)', use),
        returnedValues(text, use),
        createPassedValues(text)('abc', use.line),
        createPassedValues(`function a(abc) {\na(${text}`)('abc', 2),
      ];
    },
  },
  { name: 'code without comments', read: (text) => codeOnly(text) },
  { name: 'role of a line', read: (text) => roleOfLine('a.ts', text, 'abc') },
];

const orderOf = (path: string): number => {
  const [file] = diffWith('a', () => '+').files;
  return file === undefined ? 0 : compareForReview(new Set())({ ...file, newPath: path }, { ...file, newPath: 'b' });
};

const REPORTS = AnalyzerFormat.options.map(
  (format): LinearSubject => ({
    name: `report of an analyzer, ${format}`,
    read: (text) => {
      const at = { format, analyzer: 'lint', roots: ['/workspace'] };
      const quoted = JSON.stringify(text);
      const attribute = text.replaceAll(/[^\w .:%/-]/g, '.');
      const result = `{"ruleId":${quoted},"message":{"text":${quoted}},"locations":[{"physicalLocation":{"artifactLocation":{"uri":${quoted}}}}]}`;
      return [
        text,
        `{"version":"2.1.0","runs":[{"tool":{"driver":{}},"results":[${result}]}]}`,
        `{"diagnostics":[{"message":${quoted},"location":{"path":${quoted}}}]}`,
        `<checkstyle><file name="${attribute}"><error source="${attribute}" message="${attribute}"/></file></checkstyle>`,
      ].map((report) => parseReport(Buffer.from(report), at));
    },
  }),
);

const RULES: readonly LinearSubject[] = [
  ...REPORTS,
  { name: 'secret patterns', read: (text) => SECRET_PATTERNS.map(({ pattern }) => [...text.matchAll(pattern)].length) },
  // The product passes text in windows of this size.
  { name: 'secretlint', read: async (text) => runSecretlint(text), most: 128 * KI },
  { name: 'secrets of a file', read: async (text) => findSecretRanges(text, SIGNAL) },
  {
    name: 'lines with secrets',
    read: async (text) => findSecretLines(text, async (whole) => redactSecrets(whole, SIGNAL), SIGNAL),
  },
  ...['a.js', 'Dockerfile', 'main.tf', 'a.sql', 'a.vue', 'a.svelte', '.github/workflows/a.yml'].map(
    (path): LinearSubject => ({
      name: `text rules over ${path}`,
      read: (text) => scanText([{ path, text }], TEXT_RULES),
    }),
  ),
  {
    name: 'places at which nobody acts',
    read: (text) =>
      ['py-tls-not-verified', 'sh-remove-under-variable', 'js-sql-concat'].map((id) => {
        const rule = { id, severity: 'P1', blocking: true, title: 'a', explanation: 'a' } as const;
        const hit = { rule, path: text.slice(0, 4_096), startLine: 1, endLine: 1, evidence: '', suggestion: null };
        return isNoise(hit, lines(text));
      }),
  },
  { name: 'script blocks', read: scriptBlocksOf },
  {
    name: 'scripts of CI',
    read: (text) => [ciScriptLines(lines(text)), ciScriptLines(lines(`run: |\n  ${text.replaceAll('\n', '\n  ')}`))],
  },
  { name: 'claim that no rule repeats', read: (text) => judgeClaims([claimAbout(text)], reportOf(text)) },
  ...['js', 'ts', 'py', 'go', 'java', 'rb', 'php', 'sh', 'cs', 'rs', 'c', 'h', 'cpp', 'kt', 'vue', 'gitlab-ci.yml'].map(
    (extension): LinearSubject => ({
      name: `rules over ${extension}`,
      read: async (text) => scanStructural([{ path: `a.${extension}`, text }], STRUCTURAL_RULES, SIGNAL),
      most: 1_000_000,
      spawns: true,
    }),
  ),
];

const claimAbout = (text: string) => ({
  rule: null,
  path: 'a.js',
  movedLine: 1,
  line: 1,
  citedText: `${text.slice(0, 4_000)}x`,
});

const reportOf = (text: string) => ({
  hits: [],
  omitted: [],
  unscanned: new Set<string>(),
  lines: new Map([['a.js', lines(text)]]),
});

export const REPOSITORY_SUBJECTS: readonly LinearSubject[] = [...DIFFS, ...PRINTED_SUBJECTS, ...FILES, ...RULES];
