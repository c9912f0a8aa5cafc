/** What survives of a status's description on every forge. */
const DESCRIPTION_LIMIT = 140;

/** Cuts between code points and says that something is missing. */
export const cutDescription = (text: string): string => {
  const points = Array.from(text);
  return points.length <= DESCRIPTION_LIMIT ? text : `${points.slice(0, DESCRIPTION_LIMIT - 1).join('')}…`;
};
