/** Reads Stryker's reports and counts. */
import { z } from 'zod';
import { EQUIVALENT, type Equivalent } from './equivalent.ts';

const Position = z.object({ line: z.number(), column: z.number() });

export const Report = z.object({
  files: z.record(
    z.string(),
    z.object({
      source: z.string(),
      mutants: z.array(
        z.object({
          mutatorName: z.string(),
          replacement: z.string().default(''),
          status: z.string(),
          location: z.object({ start: Position, end: Position }),
          /** It changes what runs when its module is loaded: every test runs against it. */
          static: z.boolean().default(false),
          coveredBy: z.array(z.string()).default([]),
          testsCompleted: z.number().optional(),
        }),
      ),
    }),
  ),
  testFiles: z.record(z.string(), z.object({ tests: z.array(z.unknown()) })).default({}),
});
export type Report = z.output<typeof Report>;

export type Survivor = {
  readonly file: string;
  readonly line: number;
  /** The line of the source, without its indentation. */
  readonly code: string;
  /** The piece of the line that is changed; of a piece that is longer than its line, the line's part. */
  readonly original: string;
  readonly mutator: string;
  readonly replacement: string;
  readonly covered: boolean;
};

export type Score = {
  readonly killed: number;
  readonly timedOut: number;
  readonly survivors: readonly Survivor[];
  /** Survivors that change nothing that anybody could notice, each with its reason in `equivalent.ts`. */
  readonly equivalent: readonly Survivor[];
};

const isSame = (survivor: Survivor, { file, code, original, replacement }: Equivalent): boolean =>
  survivor.file === file &&
  survivor.code === code &&
  survivor.original === original &&
  survivor.replacement === replacement;

/**
 * Stryker counts failed tests only. A mutant that keeps a test file from loading leaves no test of that file at all: it
 * "survives" with fewer tests completed than were to run.
 */
const statusOf = (
  { status, static: isStatic, coveredBy, testsCompleted }: Report['files'][string]['mutants'][number],
  testFiles: Report['testFiles'],
): string => {
  const all = Object.values(testFiles).reduce((sum, { tests }) => sum + tests.length, 0);
  const expected = isStatic ? all : coveredBy.length;
  return status === 'Survived' && (testsCompleted ?? expected) < expected ? 'Killed' : status;
};

export const scoreOf = (reports: readonly Report[]): Score => {
  const mutants = reports.flatMap(({ files, testFiles }) =>
    Object.entries(files).flatMap(([file, { source, mutants }]) =>
      mutants.map((mutant) => ({ file, lines: source.split('\n'), ...mutant, status: statusOf(mutant, testFiles) })),
    ),
  );
  const withStatus = (...status: readonly string[]) => mutants.filter((mutant) => status.includes(mutant.status));
  const alive = withStatus('Survived', 'NoCoverage').map(
    ({ file, lines, location: { start, end }, mutatorName, replacement, status }) => ({
      file,
      line: start.line,
      code: (lines[start.line - 1] ?? '').trim(),
      original: (lines[start.line - 1] ?? '').slice(
        start.column - 1,
        start.line === end.line ? end.column - 1 : undefined,
      ),
      mutator: mutatorName,
      replacement,
      covered: status === 'Survived',
    }),
  );
  return {
    killed: withStatus('Killed').length,
    timedOut: withStatus('Timeout').length,
    survivors: alive.filter((survivor) => !EQUIVALENT.some((known) => isSame(survivor, known))),
    equivalent: alive.filter((survivor) => EQUIVALENT.some((known) => isSame(survivor, known))),
  };
};

/** (killed + timeout) / (all - equivalent), between 0 and 1. What was not drawn or did not compile is in neither. */
export const shareOf = ({ killed, timedOut, survivors }: Score): number => {
  const all = killed + timedOut + survivors.length;
  return all === 0 ? 0 : (killed + timedOut) / all;
};

export const printScore = (folder: string, score: Score): string => {
  const { killed, timedOut, survivors, equivalent } = score;
  const all = killed + timedOut + survivors.length + equivalent.length;
  const rows = survivors.map(
    ({ file, line, code, original, mutator, replacement, covered }) =>
      `  ${file}:${line} ${mutator}${covered ? '' : ' (no test reaches it)'}\n    ${code}\n` +
      `    - ${original}\n    + ${replacement.split('\n')[0] ?? ''}`,
  );
  return [
    ...rows,
    `${folder}: ${(100 * shareOf(score)).toFixed(1)} % of ${all - equivalent.length} mutants noticed ` +
      `(${killed} killed, ${timedOut} timed out, ${survivors.length} survived, ${equivalent.length} equivalent)`,
  ].join('\n');
};
