/** Writes the environment files for the containers if `docker-compose.yml` is beside the configuration. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../terminal/usage-error.ts';
import { writeRecorded } from './apply.ts';
import { differingFiles, type EnvFile, makeEnvFolder, OWNER_ONLY, wantedEnvFiles } from './env-files.ts';
import { readIfThere } from './files.ts';
import { type KnownVariables, REDIS_PASSWORD } from './plan/container-env.ts';
import { readVariables } from '../variables/env-text.ts';
import type { ReadSetup } from './read-setup.ts';
import type { ReportedStep } from './report.ts';

/** Null if this installation has no containers. */
export const settleContainerFiles = async (
  { situation }: Pick<ReadSetup, 'situation'>,
  mayAct: boolean,
): Promise<ReportedStep | null> => {
  const { config, env, variables, recordPath } = situation;
  const folder = dirname(config.path);
  if (variables[REDIS_PASSWORD] === undefined || !existsSync(join(folder, 'docker-compose.yml'))) return null;
  const wanted = wantedOrProblem(config.path, { all: variables, inFile: readVariables(env.text ?? '') });
  if ('problem' in wanted) return { about: ABOUT, state: 'blocked', text: wanted.problem, fix: FIX };
  const differing = await differingFiles(wanted.files);
  if (mayAct) for (const file of differing) await writeOne(recordPath, file);
  return stepOf(differing, mayAct);
};

const ABOUT = 'containers';
const FIX = 'run fixpoint env-files';

const wantedOrProblem = (
  configPath: string,
  known: KnownVariables,
): { readonly files: readonly EnvFile[] } | { readonly problem: string } => {
  try {
    return { files: wantedEnvFiles(configPath, known) };
  } catch (error) {
    if (error instanceof UsageError) return { problem: error.message };
    throw error;
  }
};

const writeOne = async (recordPath: string, { path, text }: EnvFile): Promise<void> => {
  const before = await readIfThere(path);
  await makeEnvFolder(path);
  await writeRecorded(recordPath, before, { text, mode: OWNER_ONLY });
};

const stepOf = (differing: readonly EnvFile[], mayAct: boolean): ReportedStep => {
  if (differing.length === 0)
    return { about: ABOUT, state: 'done', text: 'every container has its variables', fix: null };
  const text = `the variables of ${differing.length} containers in ${dirname(differing[0]?.path ?? '')}`;
  return { about: ABOUT, state: mayAct ? 'made' : 'todo', text, fix: mayAct ? null : FIX };
};
