/**
 * Stand-in for a tokenizer, which no package on this side has: three and a half UTF-8 bytes are a token, rounded up
 * per block, and every turn costs three tokens of framing. Real counts differ; sums, limits and shares behave alike.
 */
export const BYTES_PER_TOKEN = 3.5;
export const TOKENS_PER_TURN = 3;

export const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);

/** The longest beginning of `text`, whole characters only, that costs at most `tokens`. */
export const clipToTokens = (text: string, tokens: number): string => {
  const maxBytes = Math.max(0, Math.floor(tokens * BYTES_PER_TOKEN));
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
};
