/** Shortens text for a commit status, because lists of statuses show about 60 characters. */
import { dropEnd } from '../../../text/drop-end.ts';

const MAX_STATUS = 60;

/** Cuts the text between words and removes backticks. */
export const cutStatusText = (text: string): string => {
  const plain = text.replaceAll('`', '');
  if (plain.length <= MAX_STATUS) return plain;
  const cut = plain.slice(0, MAX_STATUS - 1);
  const end = cut.lastIndexOf(' ');
  return `${dropEnd(cut.slice(0, end > MAX_STATUS / 2 ? end : cut.length), (character) => ' ,;:('.includes(character))}…`;
};

/** Returns the part of an explanation that fits into a status: up to the first comma, semicolon or colon. */
export const inShort = (explanation: string): string => explanation.split(/[,:;]/)[0] ?? explanation;
