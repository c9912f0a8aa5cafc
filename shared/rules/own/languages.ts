/** The languages that own rules can be written for, by the names that ast-grep accepts: https://ast-grep.github.io/reference/languages.html */
import { type Parser, parserOf } from '../model/language.ts';
import { GREP_LANGUAGES, type GrepLanguage } from '../model/rule.ts';

const ALIASES: Readonly<Record<GrepLanguage, string>> = {
  JavaScript: 'javascript js jsx',
  TypeScript: 'typescript ts',
  Tsx: 'tsx',
  Python: 'python py',
  Go: 'go golang',
  Java: 'java',
  Ruby: 'ruby rb',
  Php: 'php',
  Bash: 'bash sh',
  CSharp: 'csharp cs',
  Rust: 'rust rs',
  C: 'c',
  Cpp: 'cpp cc c++ cxx',
  Kotlin: 'kotlin kt',
  Yaml: 'yaml yml',
};

const BY_NAME: ReadonlyMap<string, GrepLanguage> = new Map(
  GREP_LANGUAGES.flatMap((language) => ALIASES[language].split(' ').map((name) => [name, language] as const)),
);

/** Null for a language that own rules cannot be written for. */
export const ownLanguageOf = (name: string): GrepLanguage | null => BY_NAME.get(name.toLowerCase()) ?? null;

const YAML: Parser = { language: 'Yaml', extension: 'yml' };

/** Unlike the built-in rules, own rules read every YAML file. */
export const ownParserOf = (path: string, text: string): Parser | null =>
  parserOf(path, text) ?? (/\.ya?ml$/i.test(path) ? YAML : null);

/** A path for code of this language. */
export const samplePath = (language: GrepLanguage): string => `sample.${EXTENSIONS[language]}`;

const EXTENSIONS: Readonly<Record<GrepLanguage, string>> = {
  JavaScript: 'jsx',
  TypeScript: 'ts',
  Tsx: 'tsx',
  Python: 'py',
  Go: 'go',
  Java: 'java',
  Ruby: 'rb',
  Php: 'php',
  Bash: 'sh',
  CSharp: 'cs',
  Rust: 'rs',
  C: 'c',
  Cpp: 'cpp',
  Kotlin: 'kt',
  Yaml: 'yml',
};
