/** Every forge stores status descriptions of up to this many characters in full. */
const DESCRIPTION_LIMIT = 140;

/** Never splits a code point. The ellipsis counts towards the limit. */
export const cutDescription = (text: string): string => {
  const points = Array.from(text);
  return points.length <= DESCRIPTION_LIMIT ? text : `${points.slice(0, DESCRIPTION_LIMIT - 1).join('')}…`;
};
