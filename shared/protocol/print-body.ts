import { stringify } from 'yaml';

/** Maximum length in UTF-16 units. */
export const MAX_BODY_LENGTH = 20_000;

/** Long lines are not wrapped, so that the output can be compared and searched as written. */
export const PLAIN_YAML = { lineWidth: 0, blockQuote: 'literal', aliasDuplicateObjects: false } as const;

export const printBody = (body: object): string => stringify(body, PLAIN_YAML);
