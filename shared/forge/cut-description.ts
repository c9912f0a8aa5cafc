/** The longest status description, in characters, that no forge shortens. */
const DESCRIPTION_LIMIT = 140;

/** Cuts between code points; the ellipsis counts as one character of the limit. */
export const cutDescription = (text: string): string => {
  const points = Array.from(text);
  return points.length <= DESCRIPTION_LIMIT ? text : `${points.slice(0, DESCRIPTION_LIMIT - 1).join('')}…`;
};
