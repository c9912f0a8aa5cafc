/**
 * A pass implies the property of receipts: every added line was searched for secrets, and every changed line that is not
 * excluded was seen. The oracle knows of each generated file what it is, and nothing of how the reviewer finds out.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { modelLook } from '../../../../services/reviewer/packet/looked.ts';
import type { AnalyzeFiles } from '../../../../services/reviewer/rules/analyze-packet.ts';
import type { Runner } from '../../../../services/reviewer/run/runner.ts';
import { createRulesRunner } from '../../../../services/reviewer/runners/rules.ts';
import { reviewBy, silentModel } from '../receipts-stage.ts';
import { createReviewWorld, type ReviewWorld } from '../review-world.ts';

const DEEP = process.env['FIXPOINT_DEEP'] === '1';
const RUNS = DEEP ? 400 : 12;
/** Built at run time: no scanner shall find it here. */
const TOKEN = ['glpat', 'aB3dE5fG7hI9jK1lM3nO'].join('-');

let world: ReviewWorld;
beforeAll(() => {
  world = createReviewWorld();
});
afterAll(() => world.dispose());

/** What a file is: code that the rules know, code that they do not know, no code, excluded by name, or binary. */
type Nature = 'known' | 'unknown' | 'no_code' | 'excluded' | 'binary';

const NAMES: readonly (readonly [string, Nature])[] = [
  ['src/a.js', 'known'],
  ['src/b.py', 'known'],
  ['lib/c.sh', 'known'],
  ['gen/d.ts', 'known'],
  ['app/e.fs', 'unknown'],
  ['app/f.swift', 'unknown'],
  ['web/g.html', 'unknown'],
  ['Dockerfile', 'known'],
  ['Jenkinsfile', 'unknown'],
  ['.github/dependabot.yml', 'unknown'],
  ['docs/i.md', 'no_code'],
  ['data/j.json', 'no_code'],
  ['settings.yaml', 'no_code'],
  ['vendor/k.js', 'excluded'],
  ['dist/l.min.js', 'excluded'],
  ['package-lock.json', 'excluded'],
  ['img/m.png', 'binary'],
];

type Look = 'plain' | 'nul' | 'utf16' | 'utf16_without_mark' | 'large' | 'long_lines' | 'unparsable';

const LOOKS: readonly Look[] = ['plain', 'nul', 'utf16', 'utf16_without_mark', 'large', 'long_lines', 'unparsable'];

const body = (path: string): string =>
  /\.(?:sh|py|ya?ml)$|Dockerfile$/.test(path) ? '# one\n# two\n' : path.endsWith('.json') ? '{}\n' : '// one\n// two\n';

const contentOf = (path: string, look: Look, secret: boolean): Buffer => {
  const text = `${body(path)}${secret ? `${/\.(?:py|sh)$/.test(path) ? '#' : '//'} ${TOKEN}\n` : ''}`;
  const comment = /\.(?:sh|py)$/.test(path) ? '#' : '//';
  switch (look) {
    case 'plain':
      return Buffer.from(text);
    case 'nul':
      return Buffer.from(`${comment} \0\n${text}`);
    case 'utf16':
      return Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
    case 'utf16_without_mark':
      return Buffer.from(text, 'utf16le');
    case 'large':
      return Buffer.from(`${`${comment} filler\n`.repeat(400)}${text}`);
    case 'long_lines':
      return Buffer.from(`${comment} ${'😀'.repeat(900)}\n${text}`);
    case 'unparsable':
      return Buffer.from(`) ] }\n${text}`);
    default:
      return look satisfies never;
  }
};

type Made = { readonly path: string; readonly nature: Nature; readonly look: Look; readonly secret: boolean };

const file: fc.Arbitrary<Made> = fc
  .record({
    name: fc.constantFrom(...NAMES),
    look: fc.constantFrom(...LOOKS),
    secret: fc.boolean(),
    rare: fc.integer({ min: 0, max: 5 }),
  })
  .map(({ name: [path, nature], look, secret, rare }) => ({
    path,
    nature,
    look: rare > 2 ? 'plain' : look,
    secret: secret && rare === 0,
  }));

const REPOSITORY = [
  '',
  '[limits]\nmax_file_bytes = 1024\n',
  '[review]\nexclude_paths = ["**"]\n',
  '[review]\nunknown_languages = "pass"\nonly_excluded = "pass"\n',
];
const ATTRIBUTES = ['', '* binary\n', '* -diff -text linguist-generated\n', '*.js linguist-vendored\n* diff=odf\n'];

const scenario = fc.record({
  files: fc.uniqueArray(file, { minLength: 1, maxLength: 4, selector: ({ path }) => path }),
  settings: fc.constantFrom(...REPOSITORY),
  attributes: fc.constantFrom(...ATTRIBUTES),
  reviewer: fc.constantFrom('rules', 'model', 'blind model'),
  excludes: fc.constantFrom([], ['src/'], ['vendor/', 'dist/', 'package-lock.json']),
  unknownLanguages: fc.constantFrom('inconclusive', 'pass'),
  onlyExcluded: fc.constantFrom('inconclusive', 'pass'),
  /** An analyzer that knows the files below `app/`, or every file. */
  analyzer: fc.constantFrom('none', 'app', 'all', 'failed'),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

/** Is shown nothing. */
const blind: Runner = {
  name: 'agent',
  run: async (input, signal) => {
    const result = await silentModel.run(input, signal);
    if (result.kind !== 'draft') return result;
    const notShown = input.packet.diff.files.map(({ newPath }) => ({ path: newPath, reason: 'does not fit' }));
    return {
      kind: 'draft',
      draft: { ...result.draft, looked: { ...result.draft.looked, model: modelLook(notShown) } },
    };
  },
};

/** Whether the oracle lets the change pass. */
const mayPass = (made: Scenario): boolean => {
  const isExcluded = ({ path, nature, look }: Made): boolean =>
    byOperator(path) || nature === 'excluded' || (nature === 'binary' && look !== 'plain' && hasNul(look));
  const byOperator = (path: string): boolean => made.excludes.some((pattern) => path.startsWith(pattern));
  const limited = made.settings.includes('max_file_bytes');
  const quiet = made.settings.includes('exclude_paths');
  const seen = (one: Made): boolean => {
    if (isExcluded(one)) return true;
    const { path, nature, look } = one;
    if (look === 'utf16_without_mark') return false;
    if (limited && (look === 'large' || look === 'long_lines')) return false;
    // The rules for Dockerfiles read lines and parse nothing.
    const rulesSee = nature === 'known' && (look !== 'unparsable' || path === 'Dockerfile');
    // What the repository does not want discussed is left to the rules where they know the language.
    if (made.reviewer !== 'rules' && quiet && nature === 'known') return rulesSee;
    if (made.reviewer === 'model') return true;
    if (made.reviewer === 'blind model') return false;
    return rulesSee || isExempt(nature, made) || isKnownToAnalyzer(one, made);
  };
  if (made.files.some(({ secret, nature, look }) => secret && !(nature === 'binary' && hasNul(look)))) return false;
  if (made.analyzer === 'failed' || !made.files.every(seen)) return false;
  const onlyExcluded = made.files.every(isExcluded) && !made.files.every(({ path }) => byOperator(path));
  return !onlyExcluded || made.onlyExcluded === 'pass';
};

const knownPaths = { none: /^$/, failed: /^$/, app: /^app\//, all: /^/ } as const;

const isKnownToAnalyzer = ({ path, nature }: Pick<Made, 'path' | 'nature'>, { analyzer }: Scenario): boolean =>
  nature === 'unknown' && knownPaths[analyzer].test(path);

const analyzeAs =
  (made: Scenario): AnalyzeFiles =>
  async ({ files }) => {
    const knows = files.map(({ path }) => path).filter((path) => knownPaths[made.analyzer].test(path));
    const failed = made.analyzer === 'failed' ? [{ name: 'lint', reason: 'crashed or was killed' }] : [];
    return { v: 1, ran: knows.length === 0 ? [] : [{ name: 'lint', paths: knows, knows }], hits: [], failed };
  };

const isExempt = (nature: Nature, { unknownLanguages }: Scenario): boolean =>
  nature === 'no_code' || (unknownLanguages === 'pass' && nature !== 'known');

const hasNul = (look: Look): boolean => ['nul', 'utf16', 'utf16_without_mark'].includes(look);

const RUNNERS = { rules: createRulesRunner(), model: silentModel, 'blind model': blind } as const;

const EMPTY = Object.fromEntries(NAMES.map(([path]) => [path, null]));

test('a pass implies that every line was searched for secrets, and seen or excluded', {
  timeout: DEEP ? 3_600_000 : 180_000,
}, async () => {
  let present: readonly string[] = [];
  await fc.assert(
    fc.asyncProperty(scenario, async (made) => {
      const gone = Object.fromEntries(Object.entries(EMPTY).filter(([path]) => present.includes(path)));
      const base = world.commit({ ...gone, '.fixpoint.toml': made.settings, '.gitattributes': made.attributes });
      present = made.files.map(({ path }) => path);
      const head = world.commit(
        Object.fromEntries(made.files.map(({ path, look, secret }) => [path, contentOf(path, look, secret)])),
      );
      const { excludes, unknownLanguages, onlyExcluded } = made;
      const limits = { excludePaths: excludes, unknownLanguages, onlyExcluded } as const;
      const asked = { base, head, runner: RUNNERS[made.reviewer], limits, analyze: analyzeAs(made) };
      const { judgement } = await reviewBy(world, asked);
      expect({ passes: judgement.verdict === 'lgtm', reasons: judgement.reasons }).toEqual({
        passes: mayPass(made),
        reasons: judgement.reasons,
      });
    }),
    { numRuns: RUNS, seed: 20_260_101 },
  );
});
