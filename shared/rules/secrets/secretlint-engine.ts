import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { createEngine } from '@secretlint/node';
import { z } from 'zod';

const PRESET = '@secretlint/secretlint-rule-preset-recommend';
/** Inline comments may not switch the scan off. The stand-in has the same length, so every place stays where it is. */
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

/**
 * Secretlint marks every step on the process-wide performance timeline and keeps the marks for ever: a leak in a worker
 * that lives for months. Its profiler is one shared object, so it is silenced there.
 */
const silenceProfiler = async (): Promise<void> => {
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('@secretlint/node/package.json'));
  const module: unknown = await import(pathToFileURL(resolve('@secretlint/profiler')).href);
  Profiler.parse(module).secretLintProfiler.mark = () => undefined;
};

const start = async (): Promise<Engine> => {
  await silenceProfiler();
  return createEngine({
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

/** Runs secretlint's recommended rules over a text. Offsets count UTF-16 units. The path is kept from it: some rules open it. */
export const runSecretlint = async (text: string): Promise<readonly SecretlintHit[]> => {
  const { executeOnContent } = await engine();
  const content = text.replaceAll(SUPPRESSION, 'secretlint_');
  const { output } = await executeOnContent({ content, filePath: 'file.txt' });
  return Answer.parse(JSON.parse(output)).flatMap(({ messages }) =>
    messages.map(({ ruleId, range: [start, end] }) => ({ ruleId, start, end })),
  );
};
