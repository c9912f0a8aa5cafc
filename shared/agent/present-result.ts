/** The last step before a model sees a tool result: secrets are redacted, and the text is cut to size and fenced. */
import type { Redactor } from '../text/redact.ts';
import { showHidden } from '../text/visible.ts';
import { cutPoint } from '../text/cut.ts';
import { redactSecrets } from '../rules/secrets/secret-ranges.ts';
import { withoutBoundary } from './boundary.ts';
import { fence } from './fence.ts';
import type { SubmissionProblem } from './submission/submission.ts';
import { TOOL_LIMITS } from './tool-limits.ts';
import type { ToolResult } from './tool-result.ts';
import type { ExplorerAnswer } from './transcript.ts';

/** Removes Fixpoint's own secrets and everything that looks like a secret from text for a model. */
export type Protect = (text: string, signal: AbortSignal) => Promise<string>;

export const createProtect =
  (redact: Redactor): Protect =>
  async (text, signal) =>
    redact(await redactSecrets(text, signal)).text;

export type Present = (tool: string, result: ToolResult, signal: AbortSignal) => Promise<ToolResult>;

/** Cuts between lines where possible and says how much is missing. */
const cap = (text: string, max: number): string => {
  if (text.length <= max) return text;
  const shown = text.slice(0, cutPoint(text, max));
  return `${shown}\n[cut here: ${text.length - shown.length} of ${text.length} characters are not shown; ask for less]`;
};

const LABEL = /[^a-z0-9_-]/g;

/** Redacts before cutting, because the scan would not recognise part of a secret. */
export const createPresent =
  (protectSecrets: Protect, boundary: string): Present =>
  async (tool, result, signal) => {
    const protect: Protect = async (text, waiting) => withoutBoundary(await protectSecrets(text, waiting), boundary);
    switch (result.kind) {
      case 'text': {
        const whole = await protect(result.text, signal);
        const text = cap(whole, TOOL_LIMITS.resultCharacters);
        const label = `tool-${tool.toLowerCase().replaceAll(LABEL, '')}`.slice(0, 40);
        const shown = result.lines === undefined || text !== whole ? {} : { lines: result.lines };
        return { kind: 'text', text: fence(label, text, boundary), ...shown };
      }
      case 'failed':
        return { kind: 'failed', text: cap(showHidden(await protect(result.text, signal)), 2000) };
      case 'noted':
        return { kind: 'noted', text: await protect(result.text, signal) };
      case 'refused': {
        const problems: SubmissionProblem[] = [];
        for (const { kind, text } of result.problems)
          problems.push({ kind, text: showHidden(await protect(cap(text, 500), signal)) });
        return { ...result, problems };
      }
      case 'explore':
      case 'submitted':
      case 'verified':
        return result;
      default:
        return result satisfies never;
    }
  };

/** Explorers' notes quote the repository, so they are redacted, cut and fenced like any tool result. */
export const presentAnswers = async (
  answers: readonly ExplorerAnswer[],
  { protect, boundary }: { readonly protect: Protect; readonly boundary: string },
  signal: AbortSignal,
): Promise<ExplorerAnswer[]> => {
  const presented: ExplorerAnswer[] = [];
  for (const answer of answers) {
    const text = cap(await protect(answer.notes, signal), TOOL_LIMITS.noteCharacters);
    presented.push({ ...answer, notes: text.trim() === '' ? '' : fence('explorer-notes', text, boundary) });
  }
  return presented;
};
