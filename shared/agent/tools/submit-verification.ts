import { z } from 'zod';
import { findEvidence } from '../../text/normalise-evidence.ts';
import { plainPath } from '../submission/plain-path.ts';
import { SUBMIT_VERIFICATION } from '../build-request.ts';
import { defineTool, failed, type Tool } from '../tool.ts';
import { TOOL_LIMITS } from '../tool-limits.ts';
import type { WorkspaceFiles } from './workspace-files.ts';

const Input = z.object({
  outcome: z.enum(['confirmed', 'refuted', 'unsure']),
  path: z.string().max(4096).optional().describe('if refuted: the file of the quote'),
  line: z.number().optional(),
  evidence: z.string().max(4000).optional().describe('if refuted: the code that refutes the claim, quoted verbatim'),
  reason: z.string().optional().describe('one or two sentences'),
});

const MAX_REASON = 1000;

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Forms in which weak models give the same: other cases, a list of quotes, a number as text. */
const forgiven = (input: unknown): unknown => {
  if (!isFields(input)) return input;
  const { verdict, outcome = verdict, evidence, line, ...rest } = input;
  const list: unknown = Array.isArray(evidence) ? evidence[0] : evidence;
  const quote = isFields(list)
    ? { path: list['path'], line: list['line'], evidence: list['code'] }
    : { evidence: list };
  const given = {
    ...rest,
    line,
    ...quote,
    outcome: typeof outcome === 'string' ? outcome.toLowerCase().trim() : outcome,
  };
  const at = Number(given.line);
  return { ...given, path: given.path ?? rest['path'], line: Number.isInteger(at) && at > 0 ? at : undefined };
};

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
