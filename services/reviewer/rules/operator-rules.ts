import { createHash } from 'node:crypto';
import type { Config } from '../../../shared/config/load.ts';

type Settings = Pick<Config, 'limits' | 'review' | 'rounds' | 'agent'>;

export const operatorRulesOf = ({ limits, review, rounds, agent }: Settings): string => {
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
  ];
  return createHash('sha256').update(JSON.stringify(settings)).digest('hex');
};
