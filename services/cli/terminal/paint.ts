/** Colours for a terminal. Text is escaped before it is painted. */
import { styleText } from 'node:util';
import type { Environment } from '../../../shared/config/secrets.ts';

export type PaintStyle = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan';
export type Paint = (style: PaintStyle, text: string) => string;

export const PLAIN: Paint = (_style, text) => text;

const COLOURED: Paint = (style, text) => styleText(style, text, { validateStream: false });

/** https://no-color.org: any value except the empty one disables colours. */
export const hasColours = (stream: { readonly isTTY?: boolean }, env: Environment): boolean =>
  stream.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';

export const paintFor = (stream: { readonly isTTY?: boolean }, env: Environment): Paint =>
  hasColours(stream, env) ? COLOURED : PLAIN;
