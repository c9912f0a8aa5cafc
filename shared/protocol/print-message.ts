import { Document, isScalar, Scalar } from 'yaml';
import { FIELD_ORDER } from './envelope.ts';
import type { ReviewMessage } from './message.ts';
import { PLAIN_YAML, printBody } from './print-body.ts';

/** Fields that are quoted as in the published examples, because they look like numbers or dates or may contain any character. */
const QUOTED = ['id', 'created_at_utc', 'related_pr', 'subject'];

/** Prints the format of the published protocol: one field per line, the body as a YAML literal block. */
export const printMessage = (message: ReviewMessage): string => {
  const fields: ReadonlyMap<string, unknown> = new Map<string, unknown>([
    ...Object.entries(message),
    ['body', printBody(message.body)],
  ]);
  const present = FIELD_ORDER.filter((name) => fields.get(name) !== undefined);
  const document = new Document(Object.fromEntries(present.map((name) => [name, fields.get(name)])));
  for (const name of QUOTED) setStyle(document.get(name, true), Scalar.QUOTE_DOUBLE);
  setStyle(document.get('body', true), Scalar.BLOCK_LITERAL);
  return document.toString(PLAIN_YAML);
};

const setStyle = (node: unknown, style: Scalar.Type): void => {
  if (isScalar(node)) node.type = style;
};
