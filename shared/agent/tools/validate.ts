import { z } from 'zod';
import type { ValidationResult } from '../../rounds/model/validations.ts';
import { VALIDATE } from '../build-request.ts';
import { defineTool, failed, type Tool } from '../tool.ts';
import { TOOL_LIMITS } from '../tool-limits.ts';

/** `refused` means that no command ran. */
export type Trial =
  | { readonly kind: 'validated'; readonly results: readonly ValidationResult[] }
  | { readonly kind: 'refused'; readonly reason: string };

export type ValidateSettings = {
  /** Contract: obeys the signal; the output of each result is redacted. */
  readonly run: (signal: AbortSignal) => Promise<Trial>;
  /** Timeout of one call. The call may end earlier if the conversation's wall time is used up. */
  readonly timeoutMs: number;
};

export const MAX_VALIDATE_USES = 5;

/** The rest of the limit is for the fence, the list of results and a closing remark. */
const OUTPUT_CHARACTERS = TOOL_LIMITS.resultCharacters - 6_000;

const WORDS: Readonly<Record<ValidationResult['result'], string>> = {
  passed: 'passed',
  failed: 'FAILED',
  not_run: 'could not run',
};

const lineOf = ({ name, result, durationMs }: ValidationResult): string =>
  `${name}: ${WORDS[result]} (${(durationMs / 1000).toFixed(1)} s)`;

/** The results come first, because the output of one command can imitate the result of another. */
export const trialText = (results: readonly ValidationResult[]): string => {
  const most = Math.floor(OUTPUT_CHARACTERS / Math.max(1, results.length));
  const outputs = results.flatMap(({ name, output }) =>
    output === '' ? [] : [`End of the output of ${name}:\n${output.slice(-most)}`],
  );
  return [results.map(lineOf).join('\n'), ...outputs].join('\n\n');
};

export const createValidateTool = ({ run, timeoutMs }: ValidateSettings): Tool => {
  let used = 0;
  let isRunning = false;
  const runOne = async (signal: AbortSignal): Promise<Trial> => {
    isRunning = true;
    try {
      return await run(signal);
    } finally {
      isRunning = false;
    }
  };
  return defineTool({
    name: VALIDATE,
    description: `Runs the validation commands that the operator configured, on the tree with your changes from earlier turns. Returns whether each command passed, and the end of its output. You can make at most ${MAX_VALIDATE_USES} calls; their time counts towards your time limit.`,
    input: z.strictObject({}),
    maxInputCharacters: TOOL_LIMITS.inputCharacters,
    timeoutMs,
    run: async (_input, signal) => {
      if (used >= MAX_VALIDATE_USES) return failed(`the limit of ${MAX_VALIDATE_USES} calls is reached`);
      if (isRunning) return failed('Validate is already running; wait for its result');
      used += 1;
      const trial = await runOne(signal);
      return trial.kind === 'refused' ? failed(trial.reason) : { kind: 'text', text: trialText(trial.results) };
    },
  });
};
