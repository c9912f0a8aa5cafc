/** Checks a document's tokens before it is parsed: the parser recurses, so a few KB of brackets could crash it. The lexer is linear. */
import { Lexer } from 'yaml';

const MAX_DEPTH = 32;
const MAX_INDENT = 200;
const MAX_TOKENS = 60_000;

/** The lexer marks plain scalars and document starts with control characters, so these tokens never come from the document's text. */
const OPENS_FLOW = new Set(['[', '{']);
const CLOSES_FLOW = new Set([']', '}']);
const OPENS_BLOCK = new Set(['-', '?', ':']);

type Depth = { flow: number; inLine: number; atLineStart: boolean };

/** Returns null if the document may be parsed, otherwise the reason. Linear time; stops at the first limit that is exceeded. */
export const whyTooComplex = (text: string): string | null => {
  const depth: Depth = { flow: 0, inLine: 0, atLineStart: true };
  let tokens = 0;
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    if (tokens > MAX_TOKENS) return 'has too many parts';
    const indent = depth.atLineStart && /^ +$/.test(token) ? token.length : 0;
    step(depth, token);
    if (depth.flow > MAX_DEPTH || depth.inLine > MAX_DEPTH || indent > MAX_INDENT) return 'is nested too deeply';
  }
  return null;
};

const step = (depth: Depth, token: string): void => {
  if (token === '\n' || token === '\r\n') {
    depth.inLine = 0;
    depth.atLineStart = true;
    return;
  }
  depth.atLineStart = false;
  if (OPENS_FLOW.has(token)) depth.flow += 1;
  else if (CLOSES_FLOW.has(token)) depth.flow = Math.max(0, depth.flow - 1);
  else if (depth.flow === 0 && OPENS_BLOCK.has(token)) depth.inLine += 1;
};
