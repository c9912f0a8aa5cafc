import { beforeAll, describe, expect, it } from 'vitest';
import type { OmittedFile } from '../../../shared/vocabulary/coverage.ts';
import {
  GREP_LANGUAGES,
  type GrepLanguage,
  type RuleExample,
  type RuleHit,
  type StructuralRule,
} from '../../../shared/rules/model/rule.ts';
import { splitLines } from '../../../shared/rules/model/lines.ts';
import { isNoise } from '../../../shared/rules/noise.ts';
import { scanStructural } from '../../../shared/rules/structural-scan.ts';
import { STRUCTURAL_RULES } from '../../../shared/rules/structural/catalogue.ts';

const FILES: Readonly<Record<GrepLanguage, string>> = {
  JavaScript: 'code.js',
  TypeScript: 'code.ts',
  Tsx: 'code.tsx',
  Python: 'code.py',
  Go: 'code.go',
  Java: 'code.java',
  Ruby: 'code.rb',
  Php: 'code.php',
  Bash: 'code.sh',
  CSharp: 'code.cs',
  Rust: 'code.rs',
  C: 'code.c',
  Cpp: 'code.cpp',
  Kotlin: 'code.kt',
  Yaml: '.github/workflows/code.yml',
};

type Case = { readonly rule: StructuralRule; readonly example: RuleExample; readonly path: string };

const cases: readonly Case[] = STRUCTURAL_RULES.flatMap((rule) =>
  rule.examples.flatMap((example, index) =>
    rule.languages.map((language) => ({
      rule,
      example,
      path: `src/${rule.id}/${index}/${language}/${example.path ?? FILES[language]}`,
    })),
  ),
);

describe('structural rules on their own examples', () => {
  let hits: readonly RuleHit[] = [];
  let omitted: readonly OmittedFile[] = [];
  beforeAll(async () => {
    const files = cases.map(({ path, example }) => ({ path, text: example.code }));
    const report = await scanStructural(files, STRUCTURAL_RULES, new AbortController().signal);
    const lines = new Map(files.map(({ path, text }) => [path, splitLines(text)]));
    hits = report.hits.filter((hit) => !isNoise(hit, lines.get(hit.path) ?? []));
    omitted = report.omitted;
  });

  it.each(STRUCTURAL_RULES.map((rule) => [rule.id, rule] as const))('%s fires where its examples say', (_, rule) => {
    const own = cases.filter((entry) => entry.rule === rule);
    const found = own.map(({ path }) => {
      const mine = hits.filter((hit) => hit.path === path && hit.rule.id === rule.id);
      return { path, lines: mine.map((hit) => hit.startLine).toSorted((a, b) => a - b) };
    });
    expect(found).toEqual(own.map(({ path, example }) => ({ path, lines: example.lines })));
  });

  it.each(
    STRUCTURAL_RULES.filter(({ graveIf, mildIfCompared }) => graveIf !== undefined || mildIfCompared === true).map(
      (rule) => [rule.id, rule] as const,
    ),
  )('%s is mild where its examples say', (_, rule) => {
    const own = cases.filter((entry) => entry.rule === rule);
    const found = own.map(({ path }) => {
      const mine = hits.filter((hit) => hit.path === path && hit.rule.id === rule.id);
      const mild = mine.filter((hit) => hit.rule.severity === 'P2' && !hit.rule.blocking);
      return { path, mild: mild.map((hit) => hit.startLine).toSorted((a, b) => a - b) };
    });
    expect(found).toEqual(own.map(({ path, example }) => ({ path, mild: example.mild ?? [] })));
  });

  it('reads every example', () => {
    expect(omitted).toEqual([]);
  });

  it.each(cases.filter(({ example }) => example.suggestion !== undefined).map((entry) => [entry.path, entry] as const))(
    '%s suggests the stated line',
    (path, { rule, example }) => {
      const own = hits.filter((hit) => hit.path === path && hit.rule.id === rule.id);
      expect(own.map(({ suggestion }) => suggestion)).toEqual([example.suggestion]);
    },
  );
});

describe('the catalogue', () => {
  it('holds at least forty rules', () => {
    expect(STRUCTURAL_RULES.length).toBeGreaterThanOrEqual(40);
  });

  it('covers every language with at least three rules', () => {
    const few = GREP_LANGUAGES.filter(
      (language) => STRUCTURAL_RULES.filter(({ languages }) => languages.includes(language)).length < 3,
    );
    expect(few).toEqual([]);
  });

  it('gives each rule its own id, beginning with the language', () => {
    const ids = STRUCTURAL_RULES.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^(?:js|ts|tsx|py|go|java|rb|php|sh|cs|rs|c|cpp|kt|ci)(?:-[a-z]+)+$/.test(id))).toEqual(
      [],
    );
  });

  it.each(STRUCTURAL_RULES.map((rule) => [rule.id, rule] as const))(
    '%s explains itself and has examples for both sides',
    (_, rule) => {
      expect(rule.explanation.length).toBeGreaterThan(40);
      expect(rule.title.length).toBeLessThanOrEqual(80);
      expect(rule.examples.some(({ lines }) => lines.length > 0)).toBe(true);
      expect(rule.examples.some(({ lines }) => lines.length === 0)).toBe(true);
    },
  );

  it('never calls a structural finding P0', () => {
    expect(STRUCTURAL_RULES.filter(({ severity }) => severity === 'P0')).toEqual([]);
  });

  it('tests every rewrite by an example', () => {
    const untested = STRUCTURAL_RULES.filter(
      ({ fix, examples }) => fix !== undefined && examples.every(({ suggestion }) => suggestion === undefined),
    );
    expect(untested.map(({ id }) => id)).toEqual([]);
  });
});
