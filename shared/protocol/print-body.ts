import { stringify } from 'yaml';

/** UTF-16 units of a body's YAML. */
export const MAX_BODY_LENGTH = 20_000;

/** Long lines stay lines: whoever compares or searches them finds them as they were written. */
export const PLAIN_YAML = { lineWidth: 0, blockQuote: 'literal', aliasDuplicateObjects: false } as const;

export const printBody = (body: object): string => stringify(body, PLAIN_YAML);
