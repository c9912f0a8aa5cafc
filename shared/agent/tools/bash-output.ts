/** Prepares the output of one command for a model: whole lines, redacted, with a note that says what is missing. */
import type { BashCommand } from '../../workspace/bash/bash-command.ts';
import { BASH_OUTPUT_BYTES, BASH_TIMEOUT_MS } from '../../workspace/bash/bash-runner.ts';
import type { CageResult } from '../../workspace/cage/cage.ts';
import { visibleLine } from '../../workspace/tree/visible.ts';
import { failed } from '../tool.ts';
import { TOOL_LIMITS } from '../tool-limits.ts';
import type { ToolResult } from '../tool-result.ts';
import { namesIn, namesNeeded, parseMatches, type ReadSources } from './bash-sources.ts';
import { createHiding } from './secret-lines.ts';

/** `hidden`: the file that the line comes from could not be searched for secrets. */
type Line = { readonly text: string; readonly hidden: boolean };

/** Matches only the hunk headings of a patch, because all its other lines have a prefix. */
const PATCH_HEADING = /^(@@+ .*? @@+).*$/;

const splitLines = (output: string): readonly string[] => {
  const lines = output.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
};

const plain = (lines: readonly string[]): readonly Line[] => lines.map((text) => ({ text, hidden: false }));

/** Removes the text after `@@`: git cut it out of an earlier line, so a secret in it would not be recognised. */
const withoutHeadings = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => line.replace(PATCH_HEADING, '$1'));

/** `git grep -l` ends each name with NUL, and `-c` puts NUL before the count. */
const withoutNuls = (output: string): string => output.replaceAll(/\0(?=\d+\n)/g, ':').replaceAll('\0', '\n');

const linesOf = (
  { sources, args }: BashCommand,
  output: string,
  isKnown: (name: string) => boolean,
): readonly Line[] => {
  if (sources.matches) {
    return parseMatches(output).map(({ name, line, text }) => {
      // Without a revision in front, the path can be given to the other tools.
      return { text: `${name.replace(/^HEAD:/, '')}:${line}:${text}`, hidden: !isKnown(name) };
    });
  }
  if (sources.patches) return plain(withoutHeadings(splitLines(output)));
  return plain(splitLines(args[0] === 'grep' ? withoutNuls(output) : output));
};

/** In `git grep` output NUL ends a name. In any other output NUL means binary, as in git. */
const isBinary = ({ args }: BashCommand, output: string): boolean => args[0] !== 'grep' && output.includes('\0');

/** Drops an incomplete last line of a stopped program: a secret in half a line would not be recognised. */
const wholeLines = ({ stdout, truncated, timedOut, code }: CageResult): string => {
  const output = stdout.toString('utf8');
  const isWhole = !truncated && !timedOut && code !== null;
  return isWhole ? output : output.slice(0, output.lastIndexOf('\n') + 1);
};

const STDERR_CHARACTERS = 1_000;

const noticesOf = ({ truncated, timedOut, code, stderr }: CageResult): readonly string[] => {
  if (truncated) return [`[the output was cut after ${BASH_OUTPUT_BYTES / 1024} KiB; ask for less]`];
  if (timedOut) return [`[the command was stopped after ${BASH_TIMEOUT_MS / 1000} s; ask for less]`];
  if (code === 0) return [];
  const said = stderr.trim().slice(0, STDERR_CHARACTERS);
  return [...(said === '' ? [] : [said]), `[exit: ${code === null ? 'killed by a signal' : `code ${code}`}]`];
};

/** Without a match `git grep` exits with code 1 and prints nothing. */
const foundNothing = ({ args }: BashCommand, { code, stderr }: CageResult): boolean =>
  args[0] === 'grep' && code === 1 && stderr === '';

const NOT_SHOWN = '[not shown]';
const TOO_MUCH = 'the output is too large to scan for secrets; ask for fewer files or commits, or for names only';

/** @throws what `read` throws: output whose sources could not be searched is not shown. */
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
  if (!namesNeeded(command.sources).every(isKnown)) return failed('the output could not be scanned for secrets');
  const hide = createHiding([...found.byName.values()]);
  const lines = linesOf(command, output, isKnown).map(({ text, hidden }) =>
    visibleLine(hidden ? NOT_SHOWN : hide(text), TOOL_LIMITS.lineCharacters),
  );
  return { kind: 'text', text: [...lines, ...notices].join('\n') };
};
