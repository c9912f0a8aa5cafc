import type { Protect } from '../../shared/agent/present-result.ts';
import { protectTexts } from '../../shared/agent/prompt/protect-texts.ts';
import { verifierOpening, verifierSystem } from '../../shared/agent/prompt/verifier.ts';
import { createSubmitVerificationTool } from '../../shared/agent/tools/submit-verification.ts';
import type { Notes, Question } from '../../shared/vocabulary/question.ts';
import { UNSURE } from '../../shared/vocabulary/verification.ts';
import { type Asking, converse, type ModelExplorer } from './converse.ts';

export type VerifyingOne = Asking & { readonly question: Question & { readonly kind: 'verify' } };

/**
 * If a verifier submits nothing, the claim stays unsure. @throws the same errors as `runTurns`; the transcript is kept.
 */
export const verifyWithModel = async (
  verifier: ModelExplorer,
  { question, ...asking }: VerifyingOne,
  signal: AbortSignal,
): Promise<Notes> => {
  const part = {
    role: 'verifier' as const,
    spendingRole: 'verifier' as const,
    model: verifier.agent.reviewer.model,
    system: verifierSystem(),
    opening: async (boundary: string, protect: Protect) =>
      verifierOpening(await protectTexts(question.claim, protect, signal), boundary),
    closing: createSubmitVerificationTool,
  };
  const { outcome, spent, protect } = await converse(verifier, { asking, part }, signal);
  const isAnswered = outcome?.kind === 'verified';
  const verification = isAnswered ? await protectTexts(outcome.verification, protect, signal) : UNSURE;
  return { v: 1, outcome: isAnswered ? 'answered' : 'failed', text: '', verification, spent };
};
