/**
 * Results of the operator's validations. A pass requires that every recorded result is `passed`. If no validation is
 * configured, none is required.
 */
import { z } from 'zod';
import { MAX_COMMAND_NAME, MAX_REMEMBERED_COMMANDS, type RememberedCommand } from './marker-payload.ts';

export const MAX_VALIDATIONS = 50;

/**
 * - `passed`: the command ended with status 0.
 * - `failed`: the command ended with another status or exceeded its limits.
 * - `not_run`: the command could not be run, so it says nothing about the code.
 */
export const ValidationResult = z.object({
  name: z.string().min(1).max(200),
  result: z.enum(['passed', 'failed', 'not_run']),
  durationMs: z.number().int().nonnegative(),
  /** The end of the output, with secrets removed. */
  output: z.string().max(4_000).default(''),
});
export type ValidationResult = z.output<typeof ValidationResult>;

export const Validations = z.array(ValidationResult).max(MAX_VALIDATIONS);
export type Validations = z.output<typeof Validations>;

/** Failed results come first, so that the limit never drops them in favour of results that passed. */
export const rememberedCommands = (
  validations: readonly ValidationResult[],
): { readonly commands?: readonly RememberedCommand[] } => {
  if (validations.length === 0) return {};
  const graveFirst = validations.toSorted((one, other) => GRAVITY[one.result] - GRAVITY[other.result]);
  const commands = graveFirst
    .slice(0, MAX_REMEMBERED_COMMANDS)
    .map(({ name, result }) => ({ name: name.slice(0, MAX_COMMAND_NAME), result }));
  return { commands };
};

const GRAVITY: Readonly<Record<ValidationResult['result'], number>> = { failed: 0, not_run: 1, passed: 2 };

const namesOf = (validations: readonly ValidationResult[], result: ValidationResult['result']): readonly string[] =>
  validations.filter((each) => each.result === result).map(({ name }) => quoted(name));

export const anyFailed = (validations: readonly ValidationResult[]): boolean =>
  validations.some(({ result }) => result === 'failed');

export const validationReasons = (validations: readonly ValidationResult[]): readonly string[] => {
  const failed = namesOf(validations, 'failed');
  const notRun = namesOf(validations, 'not_run');
  return [
    ...(failed.length === 0 ? [] : [`validation has failed: ${listed(failed)}`]),
    ...(notRun.length === 0 ? [] : [`validation could not be run: ${listed(notRun)}`]),
  ];
};

export const commandNames = (names: readonly string[]): string => listed(names.map(quoted));

const SHOWN = 10;

const listed = (names: readonly string[]): string =>
  names.length > SHOWN ? `${names.slice(0, SHOWN).join(', ')} and ${names.length - SHOWN} more` : names.join(', ');

const quoted = (name: string): string => `\`${name.replaceAll('`', "'").replaceAll(/\s+/g, ' ')}\``;

const WORDS: Readonly<Record<ValidationResult['result'], string>> = {
  passed: 'passed',
  failed: '**failed**',
  not_run: '**could not be run**',
};

/** If a command was not even started, its output is the reason in our own words. */
const whyNotStarted = ({ result, durationMs, output }: ValidationResult): string | null =>
  result === 'not_run' && durationMs === 0 && output !== '' ? `: ${output}` : null;

export const validationText = (validations: readonly ValidationResult[]): string => {
  if (validations.length === 0) return '';
  const items = validations.map(
    (each) =>
      `- ${quoted(each.name)} ${WORDS[each.result]}${whyNotStarted(each) ?? ` (${(each.durationMs / 1000).toFixed(1)} s)`}`,
  );
  return `#### Validations\n\n${items.join('\n')}`;
};
