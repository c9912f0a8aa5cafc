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
  line: z.number().int().positive().optional(),
  evidence: z.string().max(4000).optional().describe('if refuted: the code that refutes the claim, quoted verbatim'),
  reason: z.string().max(1000).optional().describe('one or two sentences'),
});

const NO_QUOTE = 'a refuted claim needs path and evidence: the code that refutes it, quoted verbatim';

/** A refutation whose quote is not in the file is sent back, because it would count as unsure. */
export const createSubmitVerificationTool = (files: WorkspaceFiles): Tool =>
  defineTool({
    name: SUBMIT_VERIFICATION,
    description: 'Submits what you found out about the claim.',
    input: Input,
    maxInputCharacters: TOOL_LIMITS.inputCharacters,
    habits: { names: { code: 'evidence', quote: 'evidence' } },
    run: async ({ outcome, path = '', line, evidence = '', reason = '' }, signal) => {
      if (outcome !== 'refuted') return { kind: 'verified', verification: { outcome, evidence: null, reason } };
      if (path === '' || evidence.trim() === '') return failed(NO_QUOTE);
      const quote = { path: plainPath(path), line: line ?? null, code: evidence };
      if (!(await isIn(quote, files, signal)))
        return failed(`this text is not in ${quote.path} at the head; quote it verbatim, or answer unsure`);
      return { kind: 'verified', verification: { outcome, evidence: quote, reason } };
    },
  });

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
