import { z } from 'zod';
import { findEvidence } from '../../text/normalise-evidence.ts';
import { plainPath } from '../submission/plain-path.ts';
import { SUBMIT_VERIFICATION } from '../build-request.ts';
import { defineTool, failed, type Tool } from '../tool.ts';
import { TOOL_LIMITS } from '../tool-limits.ts';
import type { WorkspaceFiles } from './workspace-files.ts';

const Input = z.object({
  outcome: z.enum(['confirmed', 'refuted', 'unsure']),
  path: z.string().max(4096).optional().describe('if refuted: the file that contains the quote'),
  line: z.number().optional(),
  evidence: z.string().max(4000).optional().describe('if refuted: the code that refutes the claim, quoted verbatim'),
  reason: z.string().optional().describe('one or two sentences'),
});

const MAX_REASON = 1000;

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Accepts other forms that weak models use: upper case, a list of quotes, a number as text. */
const forgiven = (input: unknown): unknown => {
  if (!isFields(input)) return input;
  const { verdict, outcome = verdict, evidence, ...rest } = input;
  const { line, ...given } = { ...onlyDefined(rest), ...quoteIn(evidence) };
  const at = Number(line);
  return {
    ...given,
    ...(Number.isInteger(at) && at > 0 ? { line: at } : {}),
    outcome: typeof outcome === 'string' ? outcome.toLowerCase().trim() : outcome,
  };
};

/** The first quote of a list, or the quote itself: a text, or an object with its own path and line. */
const quoteIn = (evidence: unknown): Fields => {
  const first: unknown = Array.isArray(evidence) ? evidence[0] : evidence;
  if (!isFields(first)) return onlyDefined({ evidence: first });
  const { path, line, code, evidence: text, quote } = first;
  return onlyDefined({ path, line, evidence: code ?? text ?? quote });
};

/**
 * Removes fields without a value, because a field that is set takes precedence over the same field under another name.
 */
const onlyDefined = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));

const NO_QUOTE = 'a refuted claim needs path and evidence: the code that refutes it, quoted verbatim';

/** A refutation whose quote is not in the file is sent back, because it would count as unsure. */
export const createSubmitVerificationTool = (files: WorkspaceFiles): Tool => {
  const tool = defineTool({
    name: SUBMIT_VERIFICATION,
    description: 'Submits what you found out about the claim.',
    input: Input,
    maxInputCharacters: TOOL_LIMITS.inputCharacters,
    habits: { names: { code: 'evidence', quote: 'evidence' } },
    run: async ({ outcome, path = '', line, evidence = '', reason: said = '' }, signal) => {
      const reason = said.slice(0, MAX_REASON);
      if (outcome !== 'refuted') return { kind: 'verified', verification: { outcome, evidence: null, reason } };
      if (path === '' || evidence.trim() === '') return failed(NO_QUOTE);
      for (const candidate of [plainPath(path), plainPath(path).replace(/^[ab]\//, '')]) {
        const quote = { path: candidate, line: line ?? null, code: evidence };
        if (await isIn(quote, files, signal))
          return { kind: 'verified', verification: { outcome, evidence: quote, reason } };
      }
      return failed(`this text is not in ${plainPath(path)} at the head; quote it verbatim, or answer unsure`);
    },
  });
  return { ...tool, execute: async (input, signal, context) => tool.execute(forgiven(input), signal, context) };
};

/** The files are redacted already. */
const AS_IT_IS = (text: string) => ({ text, count: 0 });

const isIn = async (
  { path, code }: { readonly path: string; readonly code: string },
  files: WorkspaceFiles,
  signal: AbortSignal,
): Promise<boolean> => {
  const file = await files.read(path, signal);
  return file.kind === 'lines' && findEvidence(code, file.lines.join('\n'), AS_IT_IS) !== null;
};
