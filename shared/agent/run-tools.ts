/** Executes the calls of one turn with bounded concurrency. Results keep the order of the calls. */
import type { ToolCallBlock } from './model/model.ts';
import type { Present } from './present-result.ts';
import { redactBoundary } from './boundary.ts';
import { failed, type Tool, type ToolContext } from './tool.ts';
import { TOOL_LIMITS } from './tool-limits.ts';
import type { ToolResult } from './tool-result.ts';
import { timeLimit } from '../time-limit.ts';

export type ToolRun = {
  readonly tools: readonly Tool[];
  /** Names of the tools accepted in this turn; calls to other tools are refused. */
  readonly accepted: readonly string[];
  readonly present: Present;
  /** The boundary of the conversation, which is redacted from the input of every call before its tool sees it. */
  readonly boundary: string;
  readonly context?: ToolContext;
  /** Contract: must not throw. Receives the error of a failing tool; the model learns only that it failed. */
  readonly onBroken: (tool: string, error: unknown) => void;
};

const findTool = (name: string, { tools }: ToolRun): Tool | null =>
  tools.find(({ schema }) => schema.name === name) ?? null;

const refusal = (tool: Tool | null, { accepted }: ToolRun): ToolResult =>
  tool === null
    ? failed(`there is no such tool; available tools: ${accepted.join(', ')}`)
    : failed(`refused: this is the last turn, in which only ${accepted.join(' and ')} can be called`);

const carryOut = async (call: ToolCallBlock, run: ToolRun, signal: AbortSignal): Promise<ToolResult> => {
  const tool = findTool(call.name, run);
  if (tool === null || !run.accepted.includes(call.name)) return refusal(tool, run);
  const limit = timeLimit(tool.timeoutMs ?? TOOL_LIMITS.callTimeoutMs, signal);
  try {
    const result = await tool.execute(redactBoundary(call.input, run.boundary), limit, run.context);
    return await run.present(call.name, result, limit);
  } catch (error) {
    // If the run was stopped, its reason is thrown. A tool's own timeout is only a failed result.
    signal.throwIfAborted();
    run.onBroken(tool.schema.name, error);
    return failed(limit.aborted ? 'the tool timed out' : 'the tool failed');
  }
};

const sizeOf = (result: ToolResult): number => (result.kind === 'text' ? result.text.length : 0);

/** Replaces the text that exceeds the turn's limit, and every later text, with a failed result. */
const capTurn = (results: readonly ToolResult[]): readonly ToolResult[] => {
  let characters = 0;
  return results.map((result) => {
    characters += sizeOf(result);
    return characters <= TOOL_LIMITS.turnCharacters || result.kind !== 'text'
      ? result
      : failed('the results of this turn are too long in total; ask for less per turn');
  });
};

/** @throws the signal's reason when the run is stopped. */
export const runCalls = async (
  calls: readonly ToolCallBlock[],
  run: ToolRun,
  signal: AbortSignal,
): Promise<readonly ToolResult[]> => {
  const results: ToolResult[] = calls.map(() =>
    failed(`at most ${TOOL_LIMITS.callsPerTurn} calls are executed per turn`),
  );
  const queue = calls.slice(0, TOOL_LIMITS.callsPerTurn).entries();
  const work = async (): Promise<void> => {
    for (const [index, call] of queue) results[index] = await carryOut(call, run, signal);
  };
  await Promise.all(Array.from({ length: TOOL_LIMITS.callsAtOnce }, work));
  signal.throwIfAborted();
  return capTurn(results);
};
