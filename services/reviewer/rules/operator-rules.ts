import { createHash } from 'node:crypto';
import type { Config } from '../../../shared/config/load.ts';

type Settings = Pick<Config, 'limits' | 'review' | 'rounds' | 'agent' | 'analyzer'>;

export const operatorRulesOf = ({ limits, review, rounds, agent, analyzer }: Settings): string => {
  const { runner, includePaths, excludePaths, projectIgnores } = review;
  const { duplicateThreshold } = rounds;
  const settings = [
    limits,
    runner,
    includePaths,
    excludePaths,
    projectIgnores,
    duplicateThreshold,
    agent.reviewer.model,
    // Without analyzers the hash is the same as before there were any.
    ...(analyzer.length === 0 ? [] : [analyzer]),
  ];
  return createHash('sha256').update(JSON.stringify(settings)).digest('hex');
};
