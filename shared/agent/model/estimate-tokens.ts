/** About three bytes make one token. Dividing by two makes sure that the estimate is too high rather than too low. */
const BYTES_PER_TOKEN = 2;

/** Tokens of text that a server has not counted, or for which it has reported no count. */
export const estimateTokens = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN);
