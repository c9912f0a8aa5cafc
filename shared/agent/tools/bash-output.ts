/** The output of one command as a model may see it: whole lines, secrets hidden, and what is missing is said. */
import type { BashCommand } from '../../workspace/bash/bash-command.ts';
import { BASH_OUTPUT_BYTES, BASH_TIMEOUT_MS } from '../../workspace/bash/bash-runner.ts';
import type { CageResult } from '../../workspace/cage/cage.ts';
import { visibleLine } from '../../workspace/tree/visible.ts';
import { failed } from '../tool.ts';
import { TOOL_LIMITS } from '../tool-limits.ts';
import type { ToolResult } from '../tool-result.ts';
import { namesIn, namesNeeded, parseMatches, type ReadSources } from './bash-sources.ts';
import { createHiding } from './secret-lines.ts';

/** `hidden`: nobody could look at the file that it comes from. */
type Line = { readonly text: string; readonly hidden: boolean };

/** In a patch no line of a file begins like this. */
const PATCH_HEADING = /^(@@+ .*? @@+).*$/;

const splitLines = (output: string): readonly string[] => {
  const lines = output.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
};

const plain = (lines: readonly string[]): readonly Line[] => lines.map((text) => ({ text, hidden: false }));

/** The heading of a hunk is a line from further above, cut by git: a part of a secret that nothing knows again. */
const withoutHeadings = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => line.replace(PATCH_HEADING, '$1'));

/** What has no line of a match in it: `git grep -l` ends each name with NUL, `-c` has one before the count. */
const withoutNuls = (output: string): string => output.replaceAll(/\0(?=\d+\n)/g, ':').replaceAll('\0', '\n');

const linesOf = (
  { sources, args }: BashCommand,
  output: string,
  isKnown: (name: string) => boolean,
): readonly Line[] => {
  if (sources.matches) {
    return parseMatches(output).map(({ name, line, text }) => {
      return { text: `${name}:${line}:${text}`, hidden: !isKnown(name) };
    });
  }
  if (sources.patches) return plain(withoutHeadings(splitLines(output)));
  return plain(splitLines(args[0] === 'grep' ? withoutNuls(output) : output));
};

/** Names from `git grep` end with NUL; in anything else one means what it means to git. */
const isBinary = ({ args }: BashCommand, output: string): boolean => args[0] !== 'grep' && output.includes('\0');

/** A program that was stopped can have been in the middle of a line, and half a line is not known again. */
const wholeLines = ({ stdout, truncated, timedOut, code }: CageResult): string => {
  const output = stdout.toString('utf8');
  const isWhole = !truncated && !timedOut && code !== null;
  return isWhole ? output : output.slice(0, output.lastIndexOf('\n') + 1);
};

const STDERR_CHARACTERS = 1_000;

const noticesOf = ({ truncated, timedOut, code, stderr }: CageResult): readonly string[] => {
  if (truncated) return [`[cut after ${BASH_OUTPUT_BYTES / 1024} KiB; ask for less]`];
  if (timedOut) return [`[stopped after ${BASH_TIMEOUT_MS / 1000} s; ask for less]`];
  if (code === 0) return [];
  const said = stderr.trim().slice(0, STDERR_CHARACTERS);
  return [...(said === '' ? [] : [said]), `[exit: ${code === null ? 'killed by a signal' : `code ${code}`}]`];
};

/** It answers 1 for that, and says nothing. */
const foundNothing = ({ args }: BashCommand, { code, stderr }: CageResult): boolean =>
  args[0] === 'grep' && code === 1 && stderr === '';

const NOT_SHOWN = '[not shown]';
const TOO_MUCH =
  'the output is more than can be searched for secrets at once; ask for fewer files or commits, or for names only';

/** @throws what reading the sources throws: what could not be looked at is not shown. */
export const presentOutput = async (
  command: BashCommand,
  result: CageResult,
  { read, signal }: { readonly read: ReadSources; readonly signal: AbortSignal },
): Promise<ToolResult> => {
  const output = wholeLines(result);
  const notices = noticesOf(result);
  if (output === '' && foundNothing(command, result)) return { kind: 'text', text: '[no match]' };
  if (output === '') return notices.length === 0 ? { kind: 'text', text: '[no output]' } : failed(notices.join('\n'));
  if (isBinary(command, output)) return failed('the output is not text');
  const found = await read(namesIn(command.sources, output), signal);
  if (found.kind === 'too_much') return failed(TOO_MUCH);
  const isKnown = (name: string): boolean => found.byName.has(name);
  if (!namesNeeded(command.sources).every(isKnown)) return failed('the output could not be searched for secrets');
  const hide = createHiding([...found.byName.values()]);
  const lines = linesOf(command, output, isKnown).map(({ text, hidden }) =>
    visibleLine(hidden ? NOT_SHOWN : hide(text), TOOL_LIMITS.lineCharacters),
  );
  return { kind: 'text', text: [...lines, ...notices].join('\n') };
};
