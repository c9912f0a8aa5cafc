import type { Config } from '../../../shared/config/load.ts';
import type { ForgeSettings } from '../../../shared/config/forge-settings.ts';
import { ChangeRequest } from '../../../shared/vocabulary/ids.ts';
import { UsageError } from './usage-error.ts';

const REFERENCE = /^([a-z0-9][a-z0-9-]{0,31})\/(\d{1,16})\/(\d{1,16})$/;

/** Parses `FORGE/PROJECT_ID/NUMBER`. The project id is the forge's number for it, because a number survives renames. */
export const parseReference = (text: string): ChangeRequest => {
  const [, forge, projectId, number] = REFERENCE.exec(text) ?? [];
  const parsed = ChangeRequest.safeParse({ forge, projectId: Number(projectId), number: Number(number) });
  if (!parsed.success) throw new UsageError('expected FORGE/PROJECT_ID/NUMBER, such as main/42/7');
  return parsed.data;
};

/** @throws UsageError for an unknown forge, so that a mistyped id does not look like an unknown change request */
export const forgeOf = ({ forges }: Config, { forge }: ChangeRequest): ForgeSettings => {
  const found = forges.find(({ id }) => id === forge);
  if (found !== undefined) return found;
  const names = forges.map(({ id }) => `"${id}"`).join(', ');
  throw new UsageError(`the configuration has no forge "${forge}", but ${names}`);
};
