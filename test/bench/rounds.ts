/** How the built-in rules do on the change requests of `test/fixtures/rounds`: the report of `fixpoint eval`. */
import { roundsText } from '../../services/cli/eval/report-rounds-text.ts';
import { evalReportOf } from '../../shared/eval/report.ts';
import { evaluateCases, roundCases } from '../services/cli/eval/own-set.ts';
import { temporaryFolder } from '../shared/workspace/repository.ts';

export const benchRounds = async (): Promise<void> => {
  const folder = temporaryFolder();
  try {
    const cases = await roundCases();
    const { rounds } = evalReportOf(
      await evaluateCases(cases, { folder: folder.path, reviewerOf: () => ({ kind: 'rules' }) }),
    );
    if (rounds === null) throw new Error('the set has no change request with several reviews');
    console.log(`\nThe built-in rules on our own set\n${roundsText(rounds).join('\n')}`);
  } finally {
    folder.dispose();
  }
};
