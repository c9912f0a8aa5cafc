import { CI_RULES } from './lines/ci.ts';
import { DOCKERFILE_RULES } from './lines/dockerfile.ts';
import { MARKUP_RULES } from './lines/markup.ts';
import { SQL_RULES } from './lines/sql.ts';
import { TERRAFORM_RULES } from './lines/terraform.ts';
import { isCiFile, isProse, isTestPath, isTranslation, lineLanguageOf, ruleLanguageOf } from './model/language.ts';
import { LONG_QUOTES, quote, splitLines } from './model/lines.ts';
import type { RuleHit, SourceFile, TextRule } from './model/rule.ts';

/** Headings in reStructuredText are also underlined with `=`, so only all three markers together count. */
const OPENING = /^<{7}(?: .*)?$/;
const DIVIDER = /^={7}$/;
const CLOSING = /^>{7}(?: .*)?$/;

/** Patches, which may contain conflict markers on purpose. */
const PATCH_PATH = /\.(?:diff|patch|rej)$/i;
const FENCE = /^\s{0,3}(?:```|~~~)/;

const count = (line: string, quote: string): number => line.split(quote).length - 1;

/** For each line, whether it begins inside a multi-line string, or inside a code block of a prose file. */
const linesInText = (lines: readonly string[], path: string): readonly boolean[] => {
  let open: string | null = null;
  return lines.map((line) => {
    const isInside = open !== null;
    if (isProse(path)) {
      if (FENCE.test(line)) open = open === null ? 'fence' : null;
      return isInside;
    }
    const quote: string | undefined = open ?? LONG_QUOTES.find((each) => line.includes(each));
    if (quote !== undefined && count(line, quote) % 2 === 1) open = open === null ? quote : null;
    return isInside;
  });
};

const conflicts: TextRule['scan'] = (lines, path) => {
  if (PATCH_PATH.test(path) || !lines.some((line) => OPENING.test(line))) return [];
  const inText = linesInText(lines, path);
  const found: (readonly [number, number])[] = [];
  let opened = 0;
  let divided = false;
  for (const [index, line] of lines.entries()) {
    if (OPENING.test(line) && inText[index] !== true) {
      opened = index + 1;
      divided = false;
    } else if (opened > 0 && DIVIDER.test(line)) divided = true;
    else if (opened > 0 && divided && CLOSING.test(line)) {
      found.push([opened, index + 1]);
      opened = 0;
    }
  }
  return found;
};

/** Matches characters that make code look different from what it does: https://trojansource.codes */
const BIDI_CONTROL = /[\u202A-\u202E\u2066-\u2069]/;

const bidi: TextRule['scan'] = (lines, path) =>
  isProse(path) || isTranslation(path) || ruleLanguageOf(path, lines[0] ?? '') === null
    ? []
    : lines.flatMap((line, index) => (BIDI_CONTROL.test(line) ? [[index + 1, index + 1] as const] : []));

/** Matches zero-width characters inside a word, which make different names look equal. */
const HIDDEN_IN_WORD = /[A-Za-z0-9_][\u200B\u2060\u00AD\uFEFF\u{E0000}-\u{E007F}]+[A-Za-z0-9_]/u;

const hidden: TextRule['scan'] = (lines, path) => {
  if (ruleLanguageOf(path, lines[0] ?? '') === null) return [];
  return lines.flatMap((line, index) => {
    const text = index === 0 && line.startsWith('\uFEFF') ? line.slice(1) : line;
    return HIDDEN_IN_WORD.test(text) ? [[index + 1, index + 1] as const] : [];
  });
};

const marker = (character: string, label = ''): string => `${character.repeat(7)}${label}`;

export const TEXT_RULES: readonly TextRule[] = [
  {
    id: 'text-merge-conflict',
    severity: 'P0',
    blocking: true,
    title: 'Unresolved merge conflict',
    explanation:
      'The conflict markers are part of the file, so it does not compile or has the wrong content. Choose one side or merge both, and delete the markers.',
    scan: conflicts,
    examples: [
      {
        code: ['a = 1', marker('<', ' HEAD'), 'b = 1', marker('='), 'b = 2', marker('>', ' topic'), ''].join('\n'),
        lines: [2],
      },
      { code: ['Title', marker('='), '', 'a << 7', marker('>')].join('\n'), lines: [] },
      {
        code: [marker('<', ' HEAD'), 'x', marker('='), 'y', marker('>', ' topic')].join('\n'),
        lines: [1],
        path: 'notes.txt',
      },
      {
        code: ['```', marker('<', ' HEAD'), 'x', marker('='), 'y', marker('>', ' topic'), '```'].join('\n'),
        lines: [],
        path: 'docs/git.md',
      },
      {
        code: ['const text = `', marker('<', ' HEAD'), 'x', marker('='), 'y', marker('>', ' topic'), '`;'].join('\n'),
        lines: [],
      },
      { code: [marker('<'), 'x', marker('='), 'y', marker('>')].join('\n'), lines: [], path: 'a.patch' },
    ],
  },
  {
    id: 'text-bidirectional',
    severity: 'P1',
    blocking: true,
    title: 'Invisible character changes the reading order',
    explanation:
      'The code as displayed differs from the code that runs ("Trojan Source"). Write the character as an escape, or remove it.',
    scan: bidi,
    examples: [
      { code: "const a = 1;\nconst role = 'user\u202E';\n", lines: [2] },
      { code: "const role = 'שלום';\nconst escaped = '\\u202E';\n", lines: [] },
    ],
  },
  {
    id: 'text-hidden-character',
    severity: 'P2',
    blocking: true,
    title: 'Invisible character inside a word',
    explanation:
      'Two names or strings that look the same are different. Remove the character, or write it as an escape.',
    scan: hidden,
    examples: [
      { code: "const role = 'ad\u200Bmin';\n", lines: [1] },
      { code: "\uFEFFconst family = '👩\u200D👧';\n", lines: [] },
    ],
  },
  ...CI_RULES,
  ...MARKUP_RULES,
  ...DOCKERFILE_RULES,
  ...TERRAFORM_RULES,
  ...SQL_RULES,
];

/** Whether the rule reads files of this kind. */
const concerns = ({ language, where }: TextRule, path: string): boolean => {
  if (where === 'production' && isTestPath(path)) return false;
  if (language === undefined) return true;
  return language === 'CI definition' ? isCiFile(path) : lineLanguageOf(path) === language;
};

export const scanText = (files: readonly SourceFile[], rules: readonly TextRule[]): readonly RuleHit[] =>
  files.flatMap(({ path, text }) => {
    const lines = splitLines(text);
    return rules
      .filter((rule) => concerns(rule, path))
      .flatMap((rule) =>
        rule.scan(lines, path).map(([startLine, endLine, isMild]) => {
          const evidence = quote(lines, startLine, endLine);
          const facts = isMild === undefined ? rule : { ...rule, severity: 'P2' as const, blocking: false };
          return { rule: facts, path, startLine, endLine, evidence, suggestion: null };
        }),
      );
  });
