/**
 * Replaces a tokenizer: a token is three and a half UTF-8 bytes, rounded up per block, plus three tokens per turn. Real
 * counts differ, but sums, limits and shares behave the same.
 */
export const BYTES_PER_TOKEN = 3.5;
export const TOKENS_PER_TURN = 3;

export const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);

/** The longest prefix of `text`, in whole characters, that costs at most `tokens`. */
export const clipToTokens = (text: string, tokens: number): string => {
  const maxBytes = Math.max(0, Math.floor(tokens * BYTES_PER_TOKEN));
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
};
