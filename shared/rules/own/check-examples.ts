/** Runs own rules on their examples: a rule that ast-grep refuses, or that contradicts an example, is not used. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { OWN_EXAMPLES_S } from '../../config/rule-settings.ts';
import { findAstGrep, runAstGrep } from '../ast-grep.ts';
import { RulesEngineFailedError, RulesTimeoutError } from '../model/errors.ts';
import { redactSecrets } from '../secrets/secret-ranges.ts';
import { ruleDocuments } from '../structural-scan.ts';
import { samplePath } from './languages.ts';
import type { OwnRule, RuleProblem } from './own-rule.ts';

/** Examples are a few lines each, for which the engine takes milliseconds. */
const ALL_MS = 10_000;
const ONE_MS = 2_000;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const MAX_COMPLAINT = 300;

const Found = z.array(z.object({ file: z.string(), ruleId: z.string() }));

export type CheckedRules = { readonly rules: readonly OwnRule[]; readonly problems: readonly RuleProblem[] };

/** @throws RulesEngineMissingError; the signal's reason if aborted. */
export const checkExamples = async (rules: readonly OwnRule[], signal: AbortSignal): Promise<CheckedRules> => {
  if (rules.length === 0) return { rules: [], problems: [] };
  const folder = await mkdtemp(join(tmpdir(), 'fixpoint-own-rules-'));
  try {
    const checks = await prepare(rules, folder);
    const wrong = await findWrong(checks, { folder, signal, endsAtMs: performance.now() + OWN_EXAMPLES_S * 1000 });
    const problems = rules.flatMap((rule): readonly RuleProblem[] => {
      const wrongs = wrong.get(rule);
      return wrongs === undefined ? [] : [{ file: rule.file, rule: rule.id, language: rule.languages[0], ...wrongs }];
    });
    return { rules: rules.filter((rule) => !wrong.has(rule)), problems };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

type Example = { readonly name: string; readonly label: string; readonly matches: boolean };
type RuleCheck = { readonly rule: OwnRule; readonly examples: readonly Example[] };

/** The files have neutral names, because nothing that a stranger chooses may be a path. */
const prepare = async (rules: readonly OwnRule[], folder: string): Promise<readonly RuleCheck[]> => {
  const checks: RuleCheck[] = [];
  for (const [index, rule] of rules.entries()) {
    const examples: Example[] = [];
    for (const kind of ['invalid', 'valid'] as const)
      for (const [at, code] of rule[kind].entries()) {
        const name = `${index}-${kind}-${at}-${samplePath(rule.languages[0])}`;
        await writeFile(join(folder, name), code.replaceAll('ast-grep-ignore', 'ast_grep_ignore'), { mode: 0o600 });
        examples.push({ name, label: `${kind}[${at}]`, matches: kind === 'invalid' });
      }
    checks.push({ rule, examples });
  }
  return checks;
};

type Wrong = Pick<RuleProblem, 'why' | 'passing'>;

type Checking = { readonly folder: string; readonly signal: AbortSignal; readonly endsAtMs: number };

const findWrong = async (checks: readonly RuleCheck[], checking: Checking): Promise<ReadonlyMap<OwnRule, Wrong>> => {
  const wrong = new Map<OwnRule, Wrong>();
  const together = await run(checks, checking, ALL_MS);
  const note = (check: RuleCheck, found: Wrong | null): void => {
    if (found !== null) wrong.set(check.rule, found);
  };
  if (together.kind === 'found') {
    for (const check of checks) note(check, contradiction(check, together.places));
    return wrong;
  }
  // One rule that the engine refuses keeps it from applying any other.
  for (const check of checks) {
    const alone = await run([check], checking, ONE_MS);
    note(check, alone.kind === 'found' ? contradiction(check, alone.places) : alone.wrong);
  }
  return wrong;
};

const contradiction = ({ rule, examples }: RuleCheck, places: ReadonlySet<string>): Wrong | null => {
  const failed = examples.find(({ name, matches }) => places.has(`${rule.id} ${name}`) !== matches);
  if (failed === undefined) return null;
  const does = failed.matches ? 'does not match' : 'matches';
  return { why: `\`${rule.id}\` ${does} its example \`${failed.label}\`` };
};

type Ran =
  | { readonly kind: 'found'; readonly places: ReadonlySet<string> }
  | { readonly kind: 'failed'; readonly wrong: Wrong };

const run = async (
  checks: readonly RuleCheck[],
  { folder, signal, endsAtMs }: Checking,
  mostMs: number,
): Promise<Ran> => {
  const ids = `\`${checks[0]?.rule.id ?? ''}\``;
  const timeoutMs = Math.min(mostMs, endsAtMs - performance.now());
  if (timeoutMs <= 0) return failed({ why: `${ids} could not be checked in time`, passing: true });
  try {
    const rules = checks.map(({ rule }) => rule);
    const languages = new Set(rules.flatMap((rule) => rule.languages));
    await writeFile(join(folder, 'rules.yml'), ruleDocuments(rules, languages), { mode: 0o600 });
    const output = await runAstGrep(
      {
        binary: findAstGrep(),
        args: [
          'scan',
          '--rule',
          'rules.yml',
          '--json=compact',
          '--threads=2',
          ...checks.flatMap(({ examples }) => examples.map(({ name }) => name)),
        ],
        cwd: folder,
        timeoutMs,
        maxOutputBytes: MAX_OUTPUT_BYTES,
      },
      signal,
    );
    const found = Found.parse(JSON.parse(output));
    return { kind: 'found', places: new Set(found.map(({ file, ruleId }) => `${ruleId.split('@')[0]} ${file}`)) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RulesTimeoutError)
      return failed({ why: `${ids} takes too long on its examples`, passing: true });
    if (!(error instanceof RulesEngineFailedError)) throw error;
    const why = `${ids} cannot be applied: ${await redactSecrets(complaintOf(error), signal)}`;
    return failed(isPassing(error) ? { why, passing: true } : { why });
  }
};

const failed = (wrong: Wrong): Ran => ({ kind: 'failed', wrong });

/** The engine could not be started, or the system killed it. */
const isPassing = ({ fields }: RulesEngineFailedError): boolean =>
  fields['reason'] === 'spawn' || typeof fields['signal'] === 'string';

/** The last line of the engine's message says what is wrong; the lines above it say where it was found. */
const complaintOf = ({ cause, fields }: RulesEngineFailedError): string => {
  if (fields['reason'] === 'output') return 'it matches too often';
  const lines = (cause instanceof Error ? cause.message : '')
    .split('\n')
    .map((line) => line.replace(/^╰▻ /, '').trim());
  const last = lines.findLast((line) => line !== '') ?? 'ast-grep ended without a message';
  return (last.split(' at line ')[0] ?? last).replace(/^error: /, '').slice(0, MAX_COMPLAINT);
};
