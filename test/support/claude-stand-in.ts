/**
 * A stand-in for the Claude Code CLI: it records its calls and answers by a plan. It is a separate script, so that no test
 * code runs in it. Its output has the format of the real CLI (2.1).
 */
import { existsSync, readFileSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';

export type StandInUsage = { readonly input: number; readonly output: number };

export type StandInStep = {
  /** Reported model calls. Default: one, with 1,000 input and 100 output tokens. */
  readonly calls?: readonly StandInUsage[];
  /** Tokens of a second, smaller model, reported only at the end. */
  readonly beside?: StandInUsage & { readonly costUsd: number };
  /** Files below the working directory to write before the end; replaces each file, as Edit and Write do. */
  readonly writes?: Readonly<Record<string, string>>;
} & (
  | { readonly does: 'hand_in'; readonly review: unknown }
  | { readonly does: 'say'; readonly text: string }
  /** Ends with another kind of result, such as `error_max_turns`. */
  | {
      readonly does: 'end';
      readonly subtype: string;
      readonly apiStatus?: number;
      readonly stopReason?: string;
      readonly said?: string;
    }
  | { readonly does: 'exit'; readonly code: number; readonly stdout?: string }
  /** Hangs, with a child that ignores signals; both write their process ids. */
  | { readonly does: 'hang' }
  | { readonly does: 'flood' }
);

export type StandInCall = {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly stdin: string;
  readonly settings: unknown;
  /** Names of the files in its home at the start. */
  readonly home: readonly string[];
  readonly tree: Readonly<Record<string, string>>;
};

export type StandIn = {
  readonly program: string;
  readonly calls: () => readonly StandInCall[];
  /** Process ids of hanging programs and their children. */
  readonly pids: () => readonly number[];
  readonly plan: (steps: readonly StandInStep[]) => Promise<void>;
};

const SCRIPT = String.raw`
import fs from 'node:fs';
import path from 'node:path';
import { spawn } from 'node:child_process';
const here = path.dirname(process.argv[1]);
const argv = process.argv.slice(2);
const option = (name) => argv[argv.indexOf(name) + 1];
const tree = {};
for (const entry of fs.readdirSync('.', { recursive: true, withFileTypes: true })) {
  const file = path.join(entry.parentPath ?? entry.path, entry.name);
  if (entry.isFile()) tree[path.relative('.', file)] = fs.readFileSync(file, 'utf8');
}
const calls = path.join(here, 'calls.jsonl');
const number = fs.existsSync(calls) ? fs.readFileSync(calls, 'utf8').split('\n').length - 1 : 0;
const { HOME } = process.env;
const home = fs.readdirSync(HOME, { recursive: true }).map(String).toSorted();
const call = {
  argv, home, tree,
  env: { ...process.env },
  cwd: process.cwd(),
  stdin: fs.readFileSync(0, 'utf8'),
  settings: JSON.parse(fs.readFileSync(option('--settings'), 'utf8')),
};
fs.appendFileSync(calls, JSON.stringify(call) + '\n');
const steps = JSON.parse(fs.readFileSync(path.join(here, 'plan.json'), 'utf8'));
const step = steps[Math.min(number, steps.length - 1)];
const print = (line) => fs.writeSync(1, JSON.stringify(line) + '\n');
const id = option(argv.includes('--resume') ? '--resume' : '--session-id');
const projects = path.join(HOME, '.claude', 'projects', process.cwd().replaceAll(/[^A-Za-z0-9]/g, '-'));
const session = path.join(projects, id + '.jsonl');
if (argv.includes('--resume') && !fs.existsSync(session)) {
  fs.writeSync(2, 'No conversation found with session ID: ' + id + '\n');
  process.exit(1);
}
fs.mkdirSync(projects, { recursive: true });
fs.appendFileSync(session, JSON.stringify({ said: call.stdin.length }) + '\n');
print({ type: 'system', subtype: 'init', session_id: id, tools: ['Grep', 'Read', 'StructuredOutput'] });
const event = (of) => print({ type: 'stream_event', event: of, session_id: id, parent_tool_use_id: null });
const told = step.calls ?? [{ input: 1000, output: 100 }];
const total = { inputTokens: 0, outputTokens: 0, cacheReadInputTokens: 0, cacheCreationInputTokens: 0, costUSD: 0 };
for (const [index, { input, output }] of told.entries()) {
  const usage = { input_tokens: input, output_tokens: 1, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
  event({ type: 'message_start', message: { id: 'msg_' + index, role: 'assistant', usage } });
  const last = index === told.length - 1;
  const name = last && step.does === 'hand_in' ? 'StructuredOutput' : 'Read';
  event({ type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 't' + index, name } });
  event({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: output } });
  event({ type: 'message_stop' });
  total.inputTokens += input;
  total.outputTokens += output;
}
for (const [file, text] of Object.entries(step.writes ?? {})) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file + '.tmp', text);
  fs.renameSync(file + '.tmp', file);
}
const modelUsage = { [option('--model')]: total };
if (step.beside) {
  const { input, output, costUsd } = step.beside;
  modelUsage['small-model'] = { ...total, inputTokens: input, outputTokens: output, costUSD: costUsd };
}
const result = (of) => print({
  type: 'result', subtype: 'success', is_error: false, api_error_status: null, stop_reason: 'end_turn',
  session_id: id, num_turns: told.length, total_cost_usd: 0, modelUsage, permission_denials: [], ...of,
});
if (step.does === 'hand_in') result({ result: JSON.stringify(step.review), structured_output: step.review });
if (step.does === 'say') result({ result: step.text });
if (step.does === 'end') {
  const { subtype, apiStatus = null, stopReason = null, said = 'API Error' } = step;
  const isError = subtype !== 'success' || apiStatus !== null;
  result({ subtype, is_error: isError, api_error_status: apiStatus, stop_reason: stopReason, result: said });
  process.exitCode = isError ? 1 : 0;
}
if (step.does === 'exit') {
  fs.writeSync(1, step.stdout ?? '');
  process.exit(step.code);
}
if (step.does === 'hang') {
  process.on('SIGTERM', () => {});
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
  fs.appendFileSync(path.join(here, 'pids'), process.pid + '\n' + child.pid + '\n');
  setInterval(() => {}, 1000);
}
if (step.does === 'flood') for (;;) fs.writeSync(1, 'x'.repeat(65536));
`;

const linesOf = (file: string): readonly string[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];

/** `folder` belongs to the stand-in alone. Calls after the last step repeat it. */
export const makeClaudeStandIn = async (folder: string, steps: readonly StandInStep[]): Promise<StandIn> => {
  const program = path.join(folder, 'claude');
  const plan = async (told: readonly StandInStep[]): Promise<void> =>
    writeFile(path.join(folder, 'plan.json'), JSON.stringify(told));
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(program, `#!${process.execPath}\n${SCRIPT}`);
  await chmod(program, 0o755);
  await plan(steps);
  return {
    program,
    plan,
    // Safe cast: the script above writes this format.
    calls: () => linesOf(path.join(folder, 'calls.jsonl')).map((line) => JSON.parse(line) as StandInCall),
    pids: () => linesOf(path.join(folder, 'pids')).map(Number),
  };
};
