import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { createEngine } from '@secretlint/node';
import { z } from 'zod';

const PRESET = '@secretlint/secretlint-rule-preset-recommend';
/** Matches inline comments, which must not disable the scan. The replacement has the same length, so offsets stay valid. */
const SUPPRESSION = /secretlint-(?=disable|enable)/gi;

const Answer = z.array(
  z.object({
    messages: z.array(
      z.object({
        ruleId: z.string(),
        range: z.tuple([z.number().int().nonnegative(), z.number().int().nonnegative()]),
      }),
    ),
  }),
);

export type SecretlintHit = { readonly ruleId: string; readonly start: number; readonly end: number };

type Engine = Awaited<ReturnType<typeof createEngine>>;
let started: Promise<Engine> | null = null;

const Profiler = z.object({
  secretLintProfiler: z.custom<{ mark: (marker: unknown) => void }>(
    (value) => typeof value === 'object' && value !== null,
  ),
});

/** Secretlint records every step on the process-wide performance timeline and never clears the timeline, which leaks memory. */
const silenceProfiler = async (): Promise<void> => {
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('@secretlint/node/package.json'));
  const module: unknown = await import(pathToFileURL(resolve('@secretlint/profiler')).href);
  Profiler.parse(module).secretLintProfiler.mark = () => undefined;
};

const start = async (): Promise<Engine> => {
  await silenceProfiler();
  // Loaded with the first scan, because it takes a fifth of the time in which the reviewer starts.
  const secretlint = await import('@secretlint/node');
  return secretlint.createEngine({
    formatter: 'json',
    color: false,
    maskSecrets: true,
    configFileJSON: { rules: [{ id: PRESET }] },
  });
};

const engine = (): Promise<Engine> => {
  started ??= start().catch((error: unknown) => {
    started = null;
    throw error;
  });
  return started;
};

/** Runs secretlint's recommended rules. Offsets are in UTF-16 units. The real path is not passed, because some rules open the file. */
export const runSecretlint = async (text: string): Promise<readonly SecretlintHit[]> => {
  const { executeOnContent } = await engine();
  const content = text.replaceAll(SUPPRESSION, 'secretlint_');
  const { output } = await executeOnContent({ content, filePath: 'file.txt' });
  return Answer.parse(JSON.parse(output)).flatMap(({ messages }) =>
    messages.map(({ ruleId, range: [start, end] }) => ({ ruleId, start, end })),
  );
};
