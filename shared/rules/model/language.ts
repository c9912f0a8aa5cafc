import type { GrepLanguage, LineLanguage } from './rule.ts';

export type Parser = { readonly language: GrepLanguage; readonly extension: string };

const PARSERS = {
  javascript: { language: 'JavaScript', extension: 'jsx' },
  typescript: { language: 'TypeScript', extension: 'ts' },
  tsx: { language: 'Tsx', extension: 'tsx' },
  python: { language: 'Python', extension: 'py' },
  go: { language: 'Go', extension: 'go' },
  java: { language: 'Java', extension: 'java' },
  ruby: { language: 'Ruby', extension: 'rb' },
  php: { language: 'Php', extension: 'php' },
  shell: { language: 'Bash', extension: 'sh' },
  cSharp: { language: 'CSharp', extension: 'cs' },
  rust: { language: 'Rust', extension: 'rs' },
  c: { language: 'C', extension: 'c' },
  cpp: { language: 'Cpp', extension: 'cpp' },
  kotlin: { language: 'Kotlin', extension: 'kt' },
  yaml: { language: 'Yaml', extension: 'yml' },
} as const satisfies Record<string, Parser>;

const BY_EXTENSION: ReadonlyMap<string, Parser> = new Map<string, Parser>([
  ...['js', 'jsx', 'mjs', 'cjs'].map((extension) => [extension, PARSERS.javascript] as const),
  ...['ts', 'mts', 'cts'].map((extension) => [extension, PARSERS.typescript] as const),
  ['tsx', PARSERS.tsx],
  ...['py', 'pyi', 'pyw'].map((extension) => [extension, PARSERS.python] as const),
  ['go', PARSERS.go],
  ['java', PARSERS.java],
  ...['rb', 'rake', 'gemspec', 'ru'].map((extension) => [extension, PARSERS.ruby] as const),
  ...['php', 'phtml'].map((extension) => [extension, PARSERS.php] as const),
  ...['sh', 'bash', 'ksh', 'zsh'].map((extension) => [extension, PARSERS.shell] as const),
  ...['cs', 'csx'].map((extension) => [extension, PARSERS.cSharp] as const),
  ['rs', PARSERS.rust],
  ['c', PARSERS.c],
  ...['cc', 'cpp', 'cxx', 'c++', 'hh', 'hpp', 'hxx', 'inl', 'ipp', 'tpp', 'ino'].map(
    (extension) => [extension, PARSERS.cpp] as const,
  ),
  ...['kt', 'kts'].map((extension) => [extension, PARSERS.kotlin] as const),
]);

const BY_NAME: ReadonlyMap<string, Parser> = new Map<string, Parser>([
  ['Rakefile', PARSERS.ruby],
  ['Gemfile', PARSERS.ruby],
  ['Vagrantfile', PARSERS.ruby],
]);

const SHEBANGS: readonly (readonly [RegExp, Parser])[] = [
  [/\b(?:ba|da|k|z)?sh\b/, PARSERS.shell],
  [/\bpython[\d.]*\b/, PARSERS.python],
  [/\bnode\b/, PARSERS.javascript],
  [/\bruby\b/, PARSERS.ruby],
  [/\bphp\b/, PARSERS.php],
];

/** Matches code that a `.h` file contains only if it is C++. */
const ONLY_IN_CPP =
  /(?:^|\n)[ \t]{0,40}(?:(?:class|namespace|template|using)\b|(?:public|private|protected)[ \t]{0,8}:)|\bstd::/;

const headerParser = (text: string): Parser => (ONLY_IN_CPP.test(text) ? PARSERS.cpp : PARSERS.c);

/** Matches workflows and actions of GitHub, Forgejo and Gitea, and CI definitions of GitLab. */
const CI_FILE =
  /(?:^|\/)\.(?:github|forgejo|gitea)\/workflows\/[^/]{1,255}\.ya?ml$|(?:^|\/)action\.ya?ml$|(?:^|[/.-])gitlab-ci\.ya?ml$|(?:^|\/)\.gitlab\/ci\/(?:[^/]{1,255}\/){0,9}[^/]{1,255}\.ya?ml$/;

export const isCiFile = (path: string): boolean => CI_FILE.test(path);

const LINE_LANGUAGES: Readonly<Record<string, LineLanguage>> = {
  tf: 'Terraform',
  tofu: 'Terraform',
  sql: 'SQL',
  psql: 'SQL',
  pgsql: 'SQL',
  vue: 'Vue',
  svelte: 'Svelte',
  dockerfile: 'Dockerfile',
  containerfile: 'Dockerfile',
};

/** Returns null if no line rule is about files with this name. */
export const lineLanguageOf = (path: string): LineLanguage | null => {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (/^(?:docker|container)file(?:\.|$)/.test(name)) return 'Dockerfile';
  const dot = name.lastIndexOf('.');
  return dot > 0 ? (LINE_LANGUAGES[name.slice(dot + 1)] ?? null) : null;
};

/** Returns the language of a file as the rules name it; null if no rule knows its language. */
export const ruleLanguageOf = (path: string, text: string): string | null =>
  lineLanguageOf(path) ?? parserOf(path, text)?.language ?? null;

/** Whether the file name is enough to tell that rules exist for the language. */
export const hasRuleLanguage = (path: string): boolean => ruleLanguageOf(path, '') !== null;

/** Returns the parser for a script block of a Vue or Svelte file by its `lang` or `type`; null if no rule knows it. */
export const scriptParserOf = (lang: string): Parser | null => SCRIPT_PARSERS.get(lang.toLowerCase()) ?? null;

const SCRIPT_PARSERS: ReadonlyMap<string, Parser> = new Map<string, Parser>([
  ...['', 'js', 'javascript', 'jsx', 'module', 'text/javascript', 'application/javascript'].map(
    (lang) => [lang, PARSERS.javascript] as const,
  ),
  ...['ts', 'typescript', 'text/typescript'].map((lang) => [lang, PARSERS.typescript] as const),
  ['tsx', PARSERS.tsx],
]);

/** Returns the parser for a file; null if no structural rule knows its language. A script without extension is recognised by `#!`. */
export const parserOf = (path: string, text: string): Parser | null => {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  if (isCiFile(path)) return PARSERS.yaml;
  if (dot > 0) {
    const extension = name.slice(dot + 1).toLowerCase();
    return extension === 'h' ? headerParser(text) : (BY_EXTENSION.get(extension) ?? null);
  }
  const named = BY_NAME.get(name);
  if (named !== undefined) return named;
  const first = text.slice(0, 200).split('\n', 1)[0] ?? '';
  if (!first.startsWith('#!')) return null;
  return SHEBANGS.find(([pattern]) => pattern.test(first))?.[1] ?? null;
};

const TEST_PATH =
  /(?:^|\/)(?:_?tests?|specs?|__tests__|__mocks__|_{0,2}fixtures?(?:__)?|_?testdata|testing|test[-_]?(?:utils?|helpers?|support|data|cases?)|mocks?|stubs?|examples?|samples?|demos?|(?:unit|integration|functional|acceptance|api|e2e|ui|smoke|regression|system|load|perf(?:ormance)?|end-to-end)[-_]?tests?|e2e|cypress|playwright|benchmarks?|playground)\/|(?:^|\/)(?:tests?|test[-_]?(?:utils?|helpers?))\.[a-z]{1,4}$|\.stories\.[jt]sx?$|[._-](?:test|spec)s?\.[^/]{1,255}$|(?:^|\/)test_[^/]+\.py$|(?:^|\/)conftest\.py$|(?:Test|Tests|IT|Spec)\.(?:java|php|cs|kt|swift|scala|groovy)$|\.(?:Unit|Integration|Functional)?Tests?\/|(?:^|\/)src\/(?:(?:android|common|jvm|js|native|ios|integration|functional|unit|acceptance|component|int|func|api|e2e|smoke)Tests?|testFixtures)\//i;

export const isTestPath = (path: string): boolean => TEST_PATH.test(path);

/** Files of settings for tests only. A random value in a sample, such as `.env.example`, is often a real one. */
const TEST_SETTINGS = /(?:^|\/)(?:\.env|[\w.-]{1,99})[._-](?:test|tests|testing|ci)(?:\.[\w]{1,10})?$/i;

/** Containers in which people develop, test or try the program. */
const DEVELOPMENT_CONTAINERS =
  /(?:^|\/)(?:docker-)?compose(?:[._-][a-z0-9]{1,40}){0,3}[._-](?:dev|devel|development|ci|local|tests?|testing|e2e|demo|example)(?:[._-][a-z0-9]{1,40}){0,2}\.ya?ml$/i;

/** Translations of a program's texts, in which `password` is the label of a field and not a credential. */
const TRANSLATION_PATH =
  /(?:^|\/)(?:locales?|i18n|l10n|translations?|lang(?:uages?)?|messages|nls|intl)\/(?:[^/]{1,99}\/){0,5}[^/]{1,255}$|(?:^|\/)(?:messages|strings|resources|labels)(?:[._-][a-z]{2,3}(?:[-_][a-z]{2,4})?)?\.(?:properties|resx|json|xml|ya?ml)$|\.(?:po|pot|resx|arb|strings|xlf|xliff)$|(?:^|\/)[a-z]{2}(?:[-_][a-z]{2,4})?\.(?:json|ya?ml|po)$/i;

export const isTranslation = (path: string): boolean => TRANSLATION_PATH.test(path);

/** Data for a demonstration, and keys that everyone who develops the program shares. */
const SAMPLE_DATA =
  /(?:^|\/)(?:seeds?|seeders?|factories|\.devcontainer)\/|(?:^|\/)tests?[-_](?:keys?|certs?|certificates?|secrets?|credentials?|data|values?|constants?)\.\w{1,4}$|(?:^|\/)seeds?\.\w{1,4}$|(?:^|\/)[\w.-]{1,60}[-_](?:samples?|examples?|demos?)\/|[-_.](?:sample|example|demo)s?\.(?:html?|[jt]s|java|py|cs|php|go|rb)$|(?:^|\/)(?:__stubs__|test[-_]?files)\/|(?:^|\/)t\/[^/]{1,60}\.(?:pem|key|t|pl)$|(?:^|\/)mock_[^/]{1,99}\.go$|[._-]mocks?\.\w{1,4}$|(?:^|\/)\w{0,60}(?:dummy|fake)\w{0,60}\.\w{1,4}$|(?:^|[/._-])(?:localhost|snakeoil|self-?signed)(?=[/._-])/i;

/** Pages about the program, and descriptions of its interface, which show what a server answers. */
const DOCUMENTS =
  /(?:^|\/)(?:[\w.-]{1,40}[-_])?(?:docs?|documentation|docbkx|docbook|manuals?)\/(?:[^/]{1,255}\/){0,12}[^/]{1,255}\.(?:xml|html?|json|ya?ml|http|rest)$|(?:^|\/)[^/]{0,60}(?:openapi|swagger)[^/]{0,60}\.(?:json|ya?ml)$/i;

/** Whether a value that looks like a credential is a sample or a label because of its file. */
export const isSamplePath = (path: string): boolean =>
  isTestPath(path) ||
  isProse(path) ||
  [TEST_SETTINGS, DEVELOPMENT_CONTAINERS, SAMPLE_DATA, DOCUMENTS].some((sample) => sample.test(path)) ||
  isTranslation(path);

const BUILT_PATH = /(?:^|\/)dist\/(?:[^/]{1,255}\/){0,9}[^/]{1,255}\.(?:[cm]?js|css)$/i;

/** Whether a build tool wrote the file, by its folder. */
export const isBuiltPath = (path: string): boolean => BUILT_PATH.test(path);

const INSTALLER_PATH = /(?:^|\/)install(?:er|ation)?\//;

/** Whether the file belongs to an installer, which the operator runs once and gives his own data. */
export const isInstallerPath = (path: string): boolean => INSTALLER_PATH.test(path);

/** Tasks and tools for a terminal, also as a single file such as `cli.rb`, and what writes code for a developer. */
const TOOL_PATH =
  /(?:^|\/)(?:tasks?|generators?|commands?|console|cmd|devtools?|dev|devel|packaging|automation|provision(?:ing|er)?|vagrant|ansible|fastlane)\/|(?:^|[/._-])(?:cli|tasks?|console|devtools?|fastfile|noxfile|tasks|makefile|conanfile|wscript)(?:\.\w{1,4})?$/i;

/** Whether the people who run the code are developers or operators, who choose its arguments themselves. */
export const isToolPath = (path: string): boolean => TOOL_PATH.test(path);

const PAGE_SCRIPT_PATH =
  /(?:^|\/)(?:public|static|assets|htdocs|webapp|www|wwwroot|jscripts|javascripts)\/(?:[^/]{1,255}\/){0,12}[^/]{1,255}\.[cm]?js$/i;

/** Whether the script is one of a web page, by its folder. The functions of such a script are called by the page itself. */
export const isPageScript = (path: string): boolean => PAGE_SCRIPT_PATH.test(path);

const PROSE_PATH = /\.(?:md|mdx|rst|txt|adoc|asciidoc|tex|org|diff|patch)$|(?:^|\/)(?:README|CHANGELOG)[^/]*$/i;

/** Whether a file is prose, in which code is only a sample. */
export const isProse = (path: string): boolean => PROSE_PATH.test(path);
