/** The folder of a run: `run.json`, `cases.jsonl`, `results/`, `transcripts/` and `judgements/`. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { Transcript } from '../../../shared/agent/transcript.ts';
import type { EvalCase } from '../../../shared/eval/case.ts';
import { EvalJudgement, type JudgeKind } from '../../../shared/eval/judge.ts';
import { parseCases, printCases } from '../../../shared/eval/parse-cases.ts';
import { EvalResult, EvalRun, resultName } from '../../../shared/eval/result.ts';
import { jsonOrNull } from '../../../shared/json-or-null.ts';
import { writeWhole } from '../../../shared/mailbox/folder.ts';
import { unreadable, UsageError } from '../terminal/usage-error.ts';

const CASES = 'cases.jsonl';
const RUN_FILE = 'run.json';

const readOrNull = async (file: string): Promise<string | null> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw unreadable(file, error);
  }
};

const parseFile = <Value>(schema: z.ZodType<Value>, file: string, text: string): Value => {
  const parsed = schema.safeParse(jsonOrNull(text));
  if (parsed.success) return parsed.data;
  throw new UsageError(`${file} was not written by this version of fixpoint eval`);
};

const printStored = (value: unknown): string => `${JSON.stringify(value, null, 1)}\n`;

/** @throws UsageError with every mistake and its line */
export const readCaseFile = async (file: string): Promise<readonly EvalCase[]> => {
  const text = await readOrNull(file);
  if (text === null) throw new UsageError(`${file} cannot be read: file not found`);
  const { cases, problems } = parseCases(text);
  if (problems.length > 0)
    throw new UsageError(problems.map((each) => `${file}:${each.line}: ${each.text}`).join('\n'));
  if (cases.length === 0) throw new UsageError(`${file} has no case`);
  return cases;
};

export const hashOfCases = (cases: readonly EvalCase[]): string =>
  createHash('sha256').update(printCases(cases)).digest('hex');

/** @throws UsageError if another run is stored there; only its number of repeats may differ */
export const beginRun = async (folder: string, run: EvalRun, cases: readonly EvalCase[]): Promise<void> => {
  const file = path.join(folder, RUN_FILE);
  const text = await readOrNull(file);
  if (text !== null) {
    const known = parseFile(EvalRun, file, text);
    const differs = (['version', 'runner', 'model', 'cases'] as const).find((key) => known[key] !== run[key]);
    if (differs !== undefined)
      throw new UsageError(`${folder} has the results of another run (${differs} differs): name another folder`);
  }
  await writeWhole(path.join(folder, CASES), printCases(cases));
  await writeWhole(file, printStored(run));
};

const resultFile = (folder: string, name: string): string => path.join(folder, 'results', `${name}.json`);

export const loadEvalResult = async (
  folder: string,
  of: Pick<EvalResult, 'caseId' | 'repeat'>,
): Promise<EvalResult | null> => {
  const file = resultFile(folder, resultName(of));
  const text = await readOrNull(file);
  return text === null ? null : parseFile(EvalResult, file, text);
};

export const saveEvalResult = async (folder: string, result: EvalResult): Promise<void> =>
  writeWhole(resultFile(folder, resultName(result)), printStored(result));

/** The conversations of one review, the reviewer's first. Not saved if there is none. */
export const saveTranscripts = async (
  folder: string,
  of: Pick<EvalResult, 'caseId' | 'repeat'>,
  transcripts: readonly unknown[],
): Promise<void> => {
  if (transcripts.length === 0) return;
  await writeWhole(path.join(folder, 'transcripts', `${resultName(of)}.json`), printStored(transcripts));
};

/** Empty if the review had no conversation. @throws UsageError */
export const loadTranscripts = async (
  folder: string,
  of: Pick<EvalResult, 'caseId' | 'repeat'>,
): Promise<readonly Transcript[]> => {
  const file = path.join(folder, 'transcripts', `${resultName(of)}.json`);
  const text = await readOrNull(file);
  return text === null ? [] : parseFile(z.array(Transcript), file, text);
};

/** @throws UsageError */
export const loadRunFacts = async (folder: string): Promise<EvalRun> => {
  const file = path.join(folder, RUN_FILE);
  const text = await readOrNull(file);
  if (text === null) throw new UsageError(`${folder} has no ${RUN_FILE}: it is not a folder of fixpoint eval run`);
  return parseFile(EvalRun, file, text);
};

export type StoredRun = {
  readonly run: EvalRun;
  readonly cases: readonly EvalCase[];
  readonly results: readonly EvalResult[];
};

/** @throws UsageError */
export const loadRun = async (folder: string): Promise<StoredRun> => {
  const run = await loadRunFacts(folder);
  const names = await readdir(path.join(folder, 'results')).catch(() => []);
  const results: EvalResult[] = [];
  for (const name of names.filter((each) => each.endsWith('.json')).toSorted()) {
    const at = path.join(folder, 'results', name);
    results.push(parseFile(EvalResult, at, (await readOrNull(at)) ?? ''));
  }
  return { run, cases: await readCaseFile(path.join(folder, CASES)), results };
};

const judgementFile = (folder: string, by: JudgeKind): string => path.join(folder, 'judgements', `${by}.json`);

export const saveJudgement = async (folder: string, judgement: EvalJudgement): Promise<void> =>
  writeWhole(judgementFile(folder, judgement.by), printStored(judgement));

export const loadJudgement = async (folder: string, by: JudgeKind): Promise<EvalJudgement | null> => {
  const text = await readOrNull(judgementFile(folder, by));
  return text === null ? null : parseFile(EvalJudgement, judgementFile(folder, by), text);
};
