/** eslint and shellcheck as analyzers of the operator, on simulated forges with real git. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ForgeKind } from '../../shared/forge/kinds/forge-kind.ts';
import { hasShellcheck, installEslint, SHELLCHECK } from '../support/analyzer-programs.ts';
import { findTestCage, openFolder } from '../support/cage.ts';
import { usually } from '../support/deep.ts';
import { textOf } from '../support/story.ts';
import { commit } from './head-deeds.ts';
import { startVerdictStage, type VerdictStage } from './verdict-stage.ts';

const TEST_MS = 240_000;

const DOUBLED = 'export const price = { net: 1, net: 2 };';
const FIXED = 'export const price = { net: 1, gross: 2 };';
const SCRIPT = textOf('#!/bin/sh', 'ls $@');
const ELSEWHERE = textOf('export const other = 1;');

const { cage, dispose, why } = await findTestCage();

const quoted = (words: readonly string[]): string => JSON.stringify(words);

/** An analyzer for a language that no built-in rule knows. */
const RESULT =
  '{"message":"Starts a shell","location":{"path":"FILE","range":{"start":{"line":\\1}}},"severity":"ERROR","code":{"value":"system"}}';
const GREP = `for f; do grep -n "system(" "$f" | sed 's|^\\([0-9]*\\):.*|${RESULT}|' | sed "s|FILE|$f|"; done; true`;

/** Reports each line with `eval(` as the weakness that the built-in rule is about, also in a comment. */
const SCAN_RESULT =
  '{"ruleId":"eval","level":"warning","message":{"text":"Runs text"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"doubled.js"},"region":{"startLine":\\1}}}]}';
const SCAN_RULES = '[{"id":"eval","properties":{"tags":["external/cwe/cwe-095"]}}]';
const SCAN = `found=$(grep -n 'eval(' "$1" | sed 's|^\\([0-9]*\\):.*|${SCAN_RESULT}|' | paste -sd,); echo '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"scan","rules":${SCAN_RULES}}},"results":['"$found"']}]}'`;

const settingsOf = (programs: string): string => `[sandbox]
read_only_paths = [${JSON.stringify(programs)}]
[[analyzer]]
name = "eslint"
command = ${quoted(installEslint(programs, cage?.programs.node ?? ''))}
format = "sarif"
paths = ["*.js"]
[[analyzer]]
name = "shellcheck"
command = ${quoted([SHELLCHECK, '--norc', '-f', 'checkstyle', '{files}'])}
format = "checkstyle"
paths = ["*.sh"]
[[analyzer]]
name = "perl"
command = ${quoted(['/bin/sh', '-c', GREP, 'perl', '{files}'])}
format = "rdjsonl"
paths = ["*.pl"]
[[analyzer]]
name = "scan"
command = ${quoted(['/bin/sh', '-c', SCAN, 'scan', '{files}'])}
format = "sarif"
paths = ["doubled.js"]
[[analyzer]]
name = "fsharp"
command = ["/bin/sh", "-c", "exit 2"]
format = "sarif"
paths = ["*.fs"]
[[analyzer]]
name = "outside"
command = ${quoted(['/bin/sh', '-c', `echo '{"message":"m","location":{"path":"/etc/passwd"}}'`])}
format = "rdjsonl"
paths = ["outside.js"]
[[analyzer]]
name = "endless"
command = ["/usr/bin/yes"]
format = "sarif"
paths = ["endless.js"]
[[analyzer]]
name = "hanging"
command = ["/bin/sleep", "600"]
format = "sarif"
paths = ["hanging.js"]
timeout_s = 1
[[analyzer]]
name = "absent"
command = ["/usr/bin/no-such-linter"]
format = "sarif"
paths = ["absent.js"]
[[analyzer]]
name = "old"
command = ${quoted(['/bin/sh', '-c', `echo '{"version":"2.0.0","runs":[]}'`])}
format = "sarif"
paths = ["old.js"]
`;

const BAD: readonly (readonly [name: string, reason: string])[] = [
  ['outside', 'reported 1 result without a place inside of the repository'],
  ['endless', 'wrote more than 33554432 bytes'],
  ['hanging', 'did not end within 1 s'],
  ['absent', 'did not run: its program does not exist in the cage, or cannot be executed'],
  ['old', 'wrote SARIF version 2.0.0; only 2.1.0 is read'],
];

afterAll(dispose);

describe.skipIf(cage === null).each(usually<ForgeKind>('gitlab', 'forgejo', 'gitea'))(`on %s${why}`, (kind) => {
  const [blocked, passed, undecided] =
    kind === 'gitlab' ? ['failed', 'success', 'canceled'] : ['failure', 'success', 'error'];
  const programs = openFolder();
  let stage: VerdictStage;
  beforeAll(async () => {
    const more = `[rounds]\nmax = 5\n[gate]\nwait_for_ci = false\n${settingsOf(programs.path)}`;
    stage = await startVerdictStage(kind, '', more);
  }, TEST_MS);
  afterAll(async () => {
    await stage?.close();
    programs.dispose();
  }, TEST_MS);

  const inlineOf = (number: number): readonly string[] => stage.look(number).inline.map(({ body }) => body);

  test(
    'what eslint finds on a changed line is posted, stays while it only moves, and is resolved when it is fixed',
    async () => {
      const number = await stage.open('prices', textOf(DOUBLED));
      expect(await stage.statusOf(number)).toBe(blocked);
      expect(inlineOf(number)).toEqual([expect.stringContaining('the rule `eslint/no-dupe-keys`')]);
      expect(inlineOf(number)[0]).toContain("Duplicate key 'net'");

      await stage.push('prices', textOf(...Array.from({ length: 30 }, (_, at) => `// line ${at}`), DOUBLED));
      expect(await stage.statusOf(number)).toBe(blocked);
      expect(inlineOf(number).filter((body) => body.includes('the rule `eslint'))).toHaveLength(1);

      await stage.push('prices', textOf('// eslint-disable-next-line no-dupe-keys', DOUBLED));
      expect(await stage.statusOf(number)).toBe(blocked);

      await stage.push('prices', textOf(FIXED));
      expect(await stage.statusOf(number)).toBe(passed);
      const { comments, inline, reviews } = stage.look(number);
      const said = [...comments, ...inline, ...reviews].map(({ body }) => body).join('\n');
      expect(said).toMatch(/The problem found by `eslint\/no-dupe-keys` is (?:fixed|gone)/);
    },
    TEST_MS,
  );

  test.skipIf(!hasShellcheck)(
    'what shellcheck finds is posted too, and a fix in another push resolves it',
    async () => {
      await commit(stage, { branch: 'script', files: { 'run.sh': SCRIPT } });
      const number = await stage.open('script', ELSEWHERE);
      expect(await stage.statusOf(number)).toBe(blocked);
      expect(inlineOf(number)).toEqual([expect.stringContaining('the rule `shellcheck/SC2068`')]);
      await commit(stage, { branch: 'script', files: { 'run.sh': textOf('#!/bin/sh', 'ls "$@"') } });
      expect(await stage.statusOf(number)).toBe(passed);
    },
    TEST_MS,
  );

  test(
    'what a built-in rule and an analyzer report about one line is one thread, which stays while one of them reports it',
    async () => {
      const number = await stage.open('doubled', textOf('export const run = (text) => eval(text);'));
      expect(await stage.statusOf(number)).toBe(blocked);
      expect(inlineOf(number)).toEqual([expect.stringContaining('found by the rules `js-eval` and `scan/eval`')]);
      expect(inlineOf(number)[0]).toContain('Also reported by `scan/eval`: Runs text');

      await stage.push('doubled', textOf('export const run = (text) => text; // eval(text);'));
      expect(await stage.statusOf(number)).toBe(blocked);
      expect(JSON.stringify(stage.look(number).inline)).toContain('`scan/eval` still reports the problem, at line 1');
      expect(inlineOf(number).filter((body) => body.includes('found by the rule'))).toHaveLength(1);

      await stage.push('doubled', textOf('export const run = (text) => text;'));
      expect(await stage.statusOf(number)).toBe(passed);
    },
    TEST_MS,
  );

  test(
    'a language that only an analyzer knows passes if the analyzer has read it, and the summary says so',
    async () => {
      await commit(stage, { branch: 'perl', files: { 'tool.pl': textOf('print 1;') } });
      const number = await stage.open('perl', ELSEWHERE);
      expect(await stage.statusOf(number)).toBe(passed);
      expect(stage.summaryOf(number)).toContain('by the analyzer perl: 1 line of Perl in 1 file');

      await commit(stage, { branch: 'perl', files: { 'tool.pl': textOf('print 1;', 'system($x);') } });
      expect(await stage.statusOf(number)).toBe(blocked);
      expect(inlineOf(number)).toEqual([expect.stringContaining('the rule `perl/system`')]);
      await commit(stage, { branch: 'perl', files: { 'tool.pl': null } });
      expect(await stage.statusOf(number)).toBe(passed);

      await commit(stage, { branch: 'fsharp', files: { 'tool.fs': textOf('printf "1"') } });
      const failing = await stage.open('fsharp', ELSEWHERE);
      expect(await stage.statusOf(failing)).toBe(undecided);
      expect(stage.summaryOf(failing)).toContain(
        'no rule knows F# (1 file), and neither an analyzer nor a model looked',
      );
      expect(stage.summaryOf(failing)).toContain('analyzer `fsharp` ended with exit code 2');
    },
    TEST_MS,
  );

  test(
    'a change that an analyzer could not check does not pass, and the summary says why',
    async () => {
      for (const [name, reason] of BAD) {
        const number = await stage.open(name, ELSEWHERE);
        expect(await stage.statusOf(number)).toBe(undecided);
        expect(stage.summaryOf(number)).toContain(`analyzer \`${name}\` ${reason}`);
        expect(stage.summaryOf(number)).toContain(`\`(analyzer ${name})\`: ${reason}`);
      }
    },
    TEST_MS,
  );
});
